// Connections whose request is being worked on: they stay with their loop, and who works holds a ticket.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace neuralts::serve {

class HttpConnection;

/// Names a waiting connection to other threads. It keeps nothing alive: a connection ends on its loop's thread,
/// whoever still has a ticket of it.
struct Ticket {
  std::uint32_t place = 0, turn = 0;
};

/// The loop's thread.
class WaitingRoom {
 public:
  Ticket enter(std::shared_ptr<HttpConnection> connection);
  /// The connection of a ticket, once; nothing afterwards.
  std::shared_ptr<HttpConnection> leave(Ticket ticket);
  /// How many wait.
  std::size_t size() const { return places_.size() - free_.size(); }

 private:
  struct Place {
    std::shared_ptr<HttpConnection> connection;
    std::uint32_t turn = 0;  // of whoever waits here now
  };
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

}  // namespace neuralts::serve
