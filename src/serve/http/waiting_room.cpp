#include "serve/http/waiting_room.hpp"

#include <utility>

namespace neuralts::serve {

Ticket WaitingRoom::enter(std::shared_ptr<HttpConnection> connection) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Place& place = places_[number];
  place.connection = std::move(connection);
  return {number, place.turn};
}

std::shared_ptr<HttpConnection> WaitingRoom::leave(Ticket ticket) {
  Place& place = places_[ticket.place];
  if (place.turn != ticket.turn) return nullptr;
  ++place.turn;
  free_.push_back(ticket.place);
  return std::exchange(place.connection, nullptr);
}

}  // namespace neuralts::serve
