#include "serve/http/probe.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts::serve {

namespace {

constexpr unsigned requests_per_probe = 16;

int make_event() {
  const int event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (event < 0) throw Error(ErrorCode::io, "eventfd", std::strerror(errno));
  return event;
}

}  // namespace

Probe::Probe(boost::asio::io_context& io, std::chrono::microseconds wait_max) : event_(io, make_event()), wait_max_(wait_max) {}

void Probe::request_seen() {
  if (!waiting_ && ++requests_ >= requests_per_probe) send();
}

bool Probe::late() const {
  return last_was_late_ || (waiting_ && std::chrono::steady_clock::now() - sent_ > wait_max_);
}

// As long as requests come too late there is always a probe on its way: the first that is in time ends the refusals.
void Probe::send() {
  const std::uint64_t one = 1;
  requests_ = 0;
  sent_ = std::chrono::steady_clock::now();
  if (::write(event_.native_handle(), &one, sizeof one) != sizeof one) return;
  waiting_ = true;
  event_.async_read_some(boost::asio::buffer(&count_, sizeof count_), [this](boost::system::error_code problem, std::size_t) {
    if (problem) return;
    waiting_ = false;
    last_was_late_ = std::chrono::steady_clock::now() - sent_ > wait_max_;
    if (last_was_late_) send();
  });
}

}  // namespace neuralts::serve
