#include "serve/plain_rank.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "neuralts/limits.hpp"

namespace neuralts::serve {

namespace {

// Where digits and power are exact in double precision, so is their one product or quotient rounded.
constexpr std::uint64_t exact_digits_max = std::uint64_t{1} << 53;
constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int power_max = 22;
constexpr std::ptrdiff_t digits_max = 18;  // fit into 64 bits

/// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? in a text that ends with something else. Everything small and
/// in registers: half of a body's time goes here.
class PlainNumber {
 public:
  /// Where the number ends; nothing: there is none that can be told here.
  const char* read(const char* begin, float& out) {
    const bool negative = *begin == '-';
    const char* const first = begin + (negative ? 1 : 0);
    std::uint64_t value = 0;
    const char* at = digits(first, value);
    std::ptrdiff_t count = at - first;
    if (count == 0 || (*first == '0' && count > 1)) return nullptr;
    int power = 0;
    bool whole = true;
    if (*at == '.') {
      const char* const fraction = at + 1;
      at = digits(fraction, value);
      if (at == fraction) return nullptr;
      count += at - fraction;
      power = -static_cast<int>(std::min<std::ptrdiff_t>(at - fraction, 1000));
      whole = false;
    }
    if (*at == 'e' || *at == 'E') {
      at = exponent(at + 1, power);
      if (at == nullptr) return nullptr;
      whole = false;
    }
    const bool read = (count <= digits_max && exact(value, power, whole, negative, out)) ||
                      (!whole && general(begin, at, out));
    return read ? at : nullptr;
  }

 private:
  static const char* digits(const char* at, std::uint64_t& value) {
    std::uint64_t sum = value;
    for (unsigned digit; (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) < 10; ++at)
      sum = 10 * sum + digit;
    value = sum;
    return at;
  }

  static const char* exponent(const char* at, int& power) {
    const bool negative = *at == '-';
    if (*at == '-' || *at == '+') ++at;
    std::uint64_t value = 0;
    const char* const end = digits(at, value);
    if (end == at || end - at > 3) return nullptr;
    power += static_cast<int>(value) * (negative ? -1 : 1);
    return end;
  }

  static bool narrowed(double number, float& out) {
    out = static_cast<float>(number);
    return std::abs(number) <= largest_number;
  }

  /// value 10^power, where that is one rounding. A whole number has no -0.
  static bool exact(std::uint64_t value, int power, bool whole, bool negative, float& out) {
    constexpr double signs[] = {1, -1};  // which it is nobody can foretell: no jump
    const double number = static_cast<double>(value) * signs[negative ? 1 : 0];
    if (whole) return narrowed(number + 0.0, out);
    if (value > exact_digits_max || std::abs(power) > power_max) return false;
    return narrowed(power < 0 ? number / powers[-power] : number * powers[power], out);
  }

  static bool general(const char* begin, const char* end, float& out) {
    double number = 0;
    return std::from_chars(begin, end, number).ec == std::errc{} && narrowed(number, out);
  }
};

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class PlainRank {
 public:
  PlainRank(std::string_view body, const BodyLimits& limits, RankBody& out)
      : at_(body.data()), end_(at_ + body.size()), limits_(limits), out_(out) {}

  bool read() {
    while (at_ < end_ && is_space(end_[-1])) --end_;
    if (at_ == end_ || end_[-1] != '}') return false;  // from here on spaces and digits end before the text does
    bool has_actions = false;
    const bool whole = members([&](std::string_view key) {
      if (key == "actions") return !std::exchange(has_actions, true) && actions();
      return key == "event_id" && out_.event_id.empty() && id(out_.event_id);
    });
    return whole && has_actions && at_ == end_;
  }

 private:
  static const char* after_space(const char* at) {
    while (is_space(*at)) ++at;
    return at;
  }
  bool next_is(char c) {
    if (at_ == end_) return false;
    at_ = after_space(at_);
    if (*at_ != c) return false;
    ++at_;
    return true;
  }

  /// {"key": value, ...} with one member at least; `value` reads what stands behind a key.
  template <class Value>
  bool members(const Value& value) {
    if (!next_is('{')) return false;
    do {
      std::string_view key;
      if (!text(key) || !next_is(':') || !value(key)) return false;
    } while (next_is(','));
    return next_is('}');
  }

  /// Printable ASCII without escapes.
  bool text(std::string_view& out) {
    if (!next_is('"')) return false;
    const char* const begin = at_;
    while (at_ < end_ && *at_ >= ' ' && *at_ < 0x7f && *at_ != '"' && *at_ != '\\') ++at_;
    out = {begin, at_};
    return at_ < end_ && *at_++ == '"';
  }

  bool id(std::string& out) {
    std::string_view read;
    if (!text(read) || read.empty() || read.size() > limits_.id_bytes_max) return false;
    out = read;
    return true;
  }

  bool actions() {
    if (!next_is('[')) return false;
    do {
      if (out_.offered.ids.size() == limits_.actions_max || !action()) return false;
    } while (next_is(','));
    return next_is(']');
  }

  bool action() {
    bool has_id = false, has_vector = false;
    const bool whole = members([&](std::string_view key) {
      if (key == "id") return !std::exchange(has_id, true) && id(out_.offered.ids.emplace_back());
      return key == "vector" && !std::exchange(has_vector, true) && vector();
    });
    return whole && has_id && has_vector;
  }

  bool vector() {
    std::vector<float>& numbers = out_.offered.vectors;
    const std::size_t before = numbers.size();
    if (!next_is('[')) return false;
    const char* at = at_;
    for (bool more = true; more; at += more ? 1 : 0) {
      float number = 0;
      at = PlainNumber().read(after_space(at), number);
      if (at == nullptr || numbers.size() - before == limits_.vector_max) return false;
      numbers.push_back(number);
      at = after_space(at);
      more = *at == ',';
    }
    at_ = at;
    const auto length = static_cast<std::uint32_t>(numbers.size() - before);
    if (before == 0) out_.offered.length = length;
    return next_is(']') && length == out_.offered.length;
  }

  const char* at_;
  const char* end_;
  const BodyLimits& limits_;
  RankBody& out_;
};

}  // namespace

bool read_plain_rank(std::string_view body, const BodyLimits& limits, RankBody& out) {
  if (!PlainRank(body, limits, out).read()) return false;
  out.offered.form = Form::vectors;
  return true;
}

}  // namespace neuralts::serve
