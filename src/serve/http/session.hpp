// A connection: requests are read, handed to the service, answered, one after another. Boost.Beast's parser
// stays in here and in its reader.
#pragma once

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <optional>
#include <utility>

#include "serve/http/event_loop.hpp"
#include "serve/http/plain_request.hpp"
#include "serve/http/request_reader.hpp"
#include "serve/http/wire_text.hpp"

namespace neuralts::serve {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using PlainStream = LoopSocket;
using TlsStream = asio::ssl::stream<LoopSocket>;

template <class Stream>
class Session final : public HttpConnection {
 public:
  Session(EventLoop& loop, Stream&& stream, std::string address, std::shared_ptr<asio::ssl::context> tls)
      : loop_(loop),
        options_(loop.shared.options),
        tls_(std::move(tls)),
        stream_(std::move(stream)),
        address_(std::move(address)) {
    buffer_.reserve(32768);
    loop_.connections.insert(this);
  }
  ~Session() override {
    loop_.connections.erase(this);
    loop_.shared.census.leave(address_);
  }

  void start() override {
    within(options_.header_seconds);
    if constexpr (std::is_same_v<Stream, TlsStream>)
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](error_code problem) {
        if (!problem) self->next_request(true);
      });
    else
      next_request(true);
  }

  bool idle() const override { return idle_; }

  void work() override {
    const Ticket ticket = loop_.wait_for_answer(self());
    loop_.shared.handler(read_.request(), loop_.worker, [this, ticket](Answer&& answer) {
      loop_.answer(*this, ticket, std::move(answer));
    });
  }

  void close() override {
    error_code ignored;
    auto& socket = stream_.lowest_layer();
    socket.shutdown(tcp::socket::shutdown_both, ignored);
    socket.close(ignored);
  }

  void respond(Answer&& answer) override {
    write(answer);
    send(answer.status);
  }

  // While a request is worked on, nothing else uses what is written here and the socket: the loop neither reads
  // nor closes.
  Early respond_early(const Answer& answer) override {
    if constexpr (!plain) return Early::nothing;
    write(answer);
    return sent_at_once() ? Early::whole : Early::part;
  }

  void respond_further(Early gone, Answer&& answer) override {
    if (gone == Early::nothing) return respond(std::move(answer));
    count(answer.status);
    if (gone == Early::part) return send_rest();
    if (loop_.shared.draining) return close();  // it may have been told before that it can go on
    after_answer();
  }

 private:
  static constexpr bool plain = std::is_same_v<Stream, PlainStream>;

  void write(const Answer& answer) {
    keep_ = keep_alive_ && !loop_.shared.draining;
    write_wire_text(answer, keep_, read_.head_only, out_);
  }

  void count(int status) {
    if (loop_.shared.on_answer) loop_.shared.on_answer(status);
  }

  /// Most answers are taken at once, without a trip through the loop; not where the next request is here already,
  /// or each of many would be answered within the last one's.
  void send(int status) {
    count(status);
    if (plain && buffer_.size() == 0 && sent_at_once()) return after_answer();
    send_rest();
  }

  /// False: what is left is in `out_`.
  bool sent_at_once() {
    if constexpr (plain) {
      const ssize_t sent = ::send(stream_.native_handle(), out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) out_.erase(0, static_cast<std::size_t>(sent));
    }
    return out_.empty();
  }

  void send_rest() {
    within(options_.body_seconds);
    asio::async_write(stream_, asio::buffer(out_), [self = self()](error_code problem, std::size_t) {
      if (problem) return self->close();
      self->after_answer();
    });
  }

  void after_answer() {
    if (keep_) return next_request(false);
    if (!refused_) return close();
    within(1);
    read_rest(0);
  }

  /// Under an overload most answers are this one, and what it costs is missing for the others.
  void refuse_for_now() {
    constexpr char why[] = "too many requests at once: try again in a second";
    static const std::string told = [&] {
      std::string text;
      write_wire_text(refusal(429, why), true, false, text);
      return text;
    }();
    if (!keep_alive_ || loop_.shared.draining) return respond(refusal(429, why));
    keep_ = true;
    out_ = told;
    send(429);
  }

  /// A request of which nothing has been parsed. False: it is not refused, or needs a parser for that.
  bool refused_unread() {
    if (!loop_.swamped()) return false;
    const std::string_view text(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    if (text.size() > options_.header_max || plain_request_size(text) != text.size()) return false;
    buffer_.consume(text.size());
    keep_alive_ = true;
    refuse_for_now();
    return true;
  }

  std::shared_ptr<Session> self() { return std::static_pointer_cast<Session>(shared_from_this()); }
  void within(double seconds) {
    const auto duration = std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds));
    deadline_ = std::chrono::steady_clock::now() + duration;
  }

  void next_request(bool first) {
    parser_.emplace(read_, options_.header_max, options_.body_max);
    in_header_ = true;
    idle_ = buffer_.size() == 0;
    within(first || !idle_ ? options_.header_seconds : options_.idle_seconds);
    if (idle_)
      read_more();
    else
      parse();
  }

  void read_more() {
    stream_.async_read_some(buffer_.prepare(16384), [self = self()](error_code problem, std::size_t count) {
      if (problem) return self->close();
      self->buffer_.commit(count);
      if (std::exchange(self->idle_, false)) {
        if (self->refused_unread()) return;
        self->within(self->options_.header_seconds);
      }
      self->parse();
    });
  }

  void parse() {
    error_code problem;
    while (!parser_->is_done()) {
      const std::size_t used = parser_->put(buffer_.data(), problem);
      buffer_.consume(used);
      if (problem && problem != http::error::need_more) return refuse(problem);
      if (parser_->is_done()) break;
      if (in_header_ && parser_->is_header_done()) {
        in_header_ = false;
        within(options_.body_seconds);
        if (read_.continue_expected) return ask_for_body();
      }
      if (buffer_.size() > options_.header_max) return refuse(http::error::header_limit);  // between chunks
      if (problem == http::error::need_more || buffer_.size() == 0) return read_more();
    }
    handle();
  }

  void ask_for_body() {
    static const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(go_on), [self = self()](error_code problem, std::size_t) {
      if (problem) return self->close();
      self->parse();
    });
  }

  /// What was refused is read to its end, or for a while: closing before would take the answer from the
  /// caller's hands.
  void read_rest(std::size_t seen) {
    if (seen > (std::size_t{16} << 20)) return close();
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(65536), [self = self(), seen](error_code problem, std::size_t count) {
      if (problem) return self->close();
      self->read_rest(seen + count);
    });
  }

  void refuse(const error_code& problem) {
    keep_alive_ = false;
    refused_ = true;
    if (problem == http::error::body_limit)
      return respond(refusal(413, fmt::format("a body has at most {} bytes", options_.body_max)));
    if (problem == http::error::header_limit)
      return respond(refusal(431, fmt::format("a header has at most {} bytes", options_.header_max)));
    if (problem == http::error::bad_transfer_encoding)
      return respond(refusal(400, "a body comes with a Content-Length or with Transfer-Encoding: chunked"));
    respond(refusal(400, "this is not HTTP/1.1"));
  }

  void handle() {
    keep_alive_ = parser_->keep_alive() && !read_.of_1_0;
    deadline_ = Time::max();
    if (read_.is_post && loop_.swamped()) return refuse_for_now();  // who watches is let in
    loop_.enqueue(self());
  }

  EventLoop& loop_;
  const HttpOptions& options_;
  std::shared_ptr<asio::ssl::context> tls_;  // outlives the stream that uses it
  Stream stream_;
  const std::string address_;
  beast::flat_buffer buffer_;
  ReadRequest read_;
  std::optional<RequestReader> parser_;
  std::string out_;
  bool in_header_ = true, idle_ = true, keep_alive_ = true, refused_ = false;
  bool keep_ = true;  // as the answer says
};

}  // namespace neuralts::serve
