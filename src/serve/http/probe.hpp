// How long a request waits before a loop looks at it: an event of the loop's own stands in the same queue.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <chrono>
#include <cstdint>

namespace neuralts::serve {

/// The loop's thread.
class Probe {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Throws Error(io).
  Probe(boost::asio::io_context& io, std::chrono::microseconds wait_max);

  /// A request is being looked at. Now and then one is followed by a probe, so that few requests pay for it.
  void request_seen();
  /// What is looked at now has waited for longer than `wait_max`, as far as can be told: the last probe has, or the one on its way does.
  bool late() const;

 private:
  void send();

  boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type> event_;
  const std::chrono::microseconds wait_max_;
  Time sent_;
  std::uint64_t count_ = 0;  // what the event tells
  unsigned requests_ = 0;    // since the last probe
  bool waiting_ = false, last_was_late_ = false;
};

}  // namespace neuralts::serve
