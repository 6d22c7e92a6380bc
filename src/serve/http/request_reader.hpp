// A request as it is read: Beast's parser fills in the few fields that the service looks at, into memory that a
// connection keeps.
#pragma once

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <string>

#include "serve/service.hpp"

namespace neuralts::serve {

/// What a connection has read of a request.
struct ReadRequest {
  std::string method, target, body, content_type, content_encoding;
  std::string bearer, subscription_key;  ///< tokens: of Authorization, and of the other dialect
  bool is_post = false, head_only = false, continue_expected = false;
  bool of_1_0 = false;  ///< one call per connection: its callers wait for another word, or for the end

  void clear() {
    for (auto* text : {&method, &target, &body, &content_type, &content_encoding, &bearer, &subscription_key})
      text->clear();
    if (body.capacity() > body_kept) std::string().swap(body);
    is_post = head_only = continue_expected = of_1_0 = false;
  }
  /// Views: they hold until clear().
  Request request() const {
    return {method, target, body, content_type, bearer.empty() ? subscription_key : bearer, content_encoding};
  }

 private:
  static constexpr std::size_t body_kept = std::size_t{64} << 10;  // a larger one's memory is given back
};

/// Of one request. Of a field that comes several times the first counts.
class RequestReader final : public boost::beast::http::basic_parser<true> {
 public:
  RequestReader(ReadRequest& out, std::size_t header_max, std::size_t body_max) : out_(out) {
    out_.clear();
    eager(true);
    header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(header_max, UINT32_MAX)));
    body_limit(body_max);
  }

 private:
  using Text = boost::beast::string_view;
  using Code = boost::beast::error_code;
  using Field = boost::beast::http::field;
  using Verb = boost::beast::http::verb;

  static void take_first(std::string& to, Text value) {
    if (to.empty()) to.assign(value.data(), value.size());
  }
  /// Of "http://HOST/PATH", which is for a proxy and must be taken, the path.
  static Text path_of(Text target) {
    const auto host = target.starts_with('/') ? Text::npos : target.find("://");
    if (host == Text::npos) return target;
    const auto path = target.find('/', host + 3);
    return path == Text::npos ? Text("/") : target.substr(path);
  }
  void on_request_impl(Verb method, Text method_text, Text target, int version, Code&) override {
    out_.method.assign(method_text.data(), method_text.size());
    const Text path = path_of(target);
    out_.target.assign(path.data(), path.size());
    out_.is_post = method == Verb::post;
    out_.head_only = method == Verb::head;
    out_.of_1_0 = version < 11;
  }
  /// Trailers say nothing: who calls, and how the body is to be read, was known before it came.
  /// A coding that is not known hides where the body ends: what follows it would be taken for the next
  /// request.
  void on_field_impl(Field name, Text text, Text value, Code& problem) override {
    if (in_trailer_) return;
    constexpr Text key = "Ocp-Apim-Subscription-Key";
    if (name == Field::content_type) return take_first(out_.content_type, value);
    if (name == Field::content_encoding) return take_first(out_.content_encoding, value);
    if (name == Field::transfer_encoding && !boost::beast::iequals(value, "chunked"))
      problem = boost::beast::http::error::bad_transfer_encoding;
    if (name == Field::authorization && boost::beast::iequals(value.substr(0, 7), "bearer "))
      return take_first(out_.bearer, value.substr(7));
    if (name == Field::expect) out_.continue_expected = boost::beast::iequals(value, "100-continue");
    if (name == Field::unknown && boost::beast::iequals(text, key)) take_first(out_.subscription_key, value);
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, Code&) override {
    if (length) out_.body.reserve(std::min<std::uint64_t>(*length, taken_on_trust));
  }
  std::size_t on_body_impl(Text part, Code&) override {
    out_.body.append(part.data(), part.size());
    return part.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, Text part, Code& problem) override {
    return on_body_impl(part, problem);
  }
  void on_response_impl(int, Text, int, Code&) override {}
  void on_header_impl(Code&) override { in_trailer_ = true; }
  void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
  void on_finish_impl(Code&) override {}

  ReadRequest& out_;
  static constexpr std::size_t taken_on_trust = std::size_t{1} << 20;  // of a body that has not come
  bool in_trailer_ = false;
};

}  // namespace neuralts::serve
