// A connection, as far as its loop and the queues it stands in know it.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "serve/service.hpp"

namespace neuralts::serve {

/// How far an answer has gone that another thread than the loop's began to send.
enum class Early { nothing, part, whole };

/// The loop's thread, where nothing else is said.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~HttpConnection() = default;
  virtual void start() = 0;
  /// Its request's turn has come.
  virtual void work() = 0;
  virtual void respond(Answer&& answer) = 0;
  /// Any thread, for whoever has the answer to the request that is worked on: as much of it as the caller takes at
  /// once. Then respond_further() by the loop.
  virtual Early respond_early(const Answer&) { return Early::nothing; }
  virtual void respond_further(Early gone, Answer&& answer) {
    if (gone == Early::nothing) respond(std::move(answer));
  }
  virtual void close() = 0;
  virtual bool idle() const = 0;
  Time deadline() const { return deadline_; }

 protected:
  Time deadline_ = Time::max();  ///< closed soon after, unless it is set anew
};

}  // namespace neuralts::serve
