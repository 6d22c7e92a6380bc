// A connection, as far as its loop and the queues it stands in know it.
#pragma once

#include <chrono>
#include <memory>

#include "serve/service.hpp"

namespace neuralts::serve {

/// The loop's thread.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~HttpConnection() = default;
  virtual void start() = 0;
  /// Its request's turn has come.
  virtual void work() = 0;
  virtual void respond(Answer&& answer) = 0;
  virtual void close() = 0;
  virtual bool idle() const = 0;
  Time deadline() const { return deadline_; }

 protected:
  Time deadline_ = Time::max();  ///< closed soon after, unless it is set anew
};

}  // namespace neuralts::serve
