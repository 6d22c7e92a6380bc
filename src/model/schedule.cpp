#include "model/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"

namespace neuralts {

double Pace::rounds(std::size_t seen) const {
  return std::clamp(std::floor(static_cast<double>(seen) / part), least, most);
}

bool Schedule::parse(const std::string& text, Schedule& out) {
  out = {};
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name == "never" && colon == std::string::npos) {
    out.kind_ = Kind::never;
    return true;
  }
  const std::string_view given = colon == std::string::npos ? std::string_view()
                                                            : std::string_view(text).substr(colon + 1);
  const std::size_t dots = name == "every" ? given.find("..") : std::string_view::npos;
  const std::size_t slash = dots == std::string_view::npos ? dots : given.find('/', dots);
  const auto amount = parse_number(given.substr(0, dots));
  const auto most = dots == std::string_view::npos ? amount : parse_number(given.substr(dots + 2, slash - dots - 2));
  const std::optional<double> part = slash == std::string_view::npos ? out.pace_.part : parse_number(given.substr(slash + 1));
  if (!amount || !most || !part || !(*amount > 0 && *amount <= *most && *most < 1e9 && *part >= 1)) return false;
  out.amount_ = *amount;
  out.pace_ = {.least = *amount, .most = *most, .part = *part};
  if (name == "every" && *amount >= 1) out.kind_ = Kind::every;
  else if (name == "geometric") out.kind_ = Kind::geometric;
  else if (name == "logdet") out.kind_ = Kind::log_det;
  else return false;
  return true;
}

void Schedule::slow_to(double rounds) {
  pace_.least = std::max(pace_.least, rounds);
  pace_.most = std::max(pace_.most, pace_.least);
}

bool Schedule::due(std::size_t rounds, double log_det, std::size_t held) const {
  const double fresh = static_cast<double>(rounds - last_rounds_);
  switch (kind_) {
    case Kind::every: return fresh >= pace_.rounds(last_rounds_);
    case Kind::geometric: return fresh >= 1 && fresh >= amount_ * static_cast<double>(std::min(last_rounds_, held));
    case Kind::log_det: return fresh >= 1 && (last_rounds_ == 0 || log_det - last_log_det_ >= amount_);
    case Kind::never: return false;
  }
  return false;
}

bool Schedule::done(std::size_t rounds, double log_det) {
  const bool one_of_many = catches_up_ && kind_ == Kind::every;
  last_rounds_ = one_of_many
                     ? std::min(rounds, last_rounds_ + static_cast<std::size_t>(pace_.rounds(last_rounds_)))
                     : rounds;
  last_log_det_ = log_det;
  return one_of_many && due(rounds, log_det);
}

void Schedule::save(Writer& out) const {
  out.value<std::uint64_t>(last_rounds_);
  out.value(last_log_det_);
}

void Schedule::load(Reader& in) {
  last_rounds_ = in.value<std::uint64_t>();
  last_log_det_ = in.value<double>();
}

}  // namespace neuralts
