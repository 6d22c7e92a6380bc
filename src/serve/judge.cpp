#include "serve/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace neuralts::serve {

namespace {

constexpr std::size_t held_max = 512;
constexpr std::size_t held_min = 32;  // with fewer, noise decides

class Predictor {
 public:
  explicit Predictor(const DecisionModel& model) : model_(model) {}
  double operator()(const std::vector<double>& context) {
    model_.select(Contexts::per_arm(context, 1), stream_, scratch_, decision_);
    return decision_.mean[0] + 0 * decision_.width[0];  // not finite when either is not
  }

 private:
  const DecisionModel& model_;
  Stream stream_{0, Purpose::exploration};
  Scratch scratch_;
  Decision decision_;
};

}  // namespace

void Judge::add(const std::vector<double>& context, double reward) {
  held_.push_back({context, reward});
  if (held_.size() > held_max) held_.pop_front();
}

std::optional<std::string> Judge::refusal(const DecisionModel* current, const DecisionModel& candidate) const {
  Predictor now(candidate);
  std::optional<Predictor> before;
  if (current != nullptr && current->shape() == candidate.shape()) before.emplace(*current);
  double sum = 0, squares = 0;
  for (const Held& held : held_) {
    const double predicted = now(held.context);
    if (!std::isfinite(predicted)) return "a prediction that is not finite";
    if (!before) continue;
    const double old = (*before)(held.context) - held.reward;
    const double difference = (predicted - held.reward) * (predicted - held.reward) - old * old;
    sum += difference;
    squares += difference * difference;
  }
  if (!before || held_.size() < held_min) return std::nullopt;
  const auto n = static_cast<double>(held_.size());
  const double mean = sum / n, error = std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
  if (mean <= 3 * error || mean < 1e-12) return std::nullopt;
  return fmt::format(
      "a squared error {:.3g} above the model that serves, on {} rounds held out (standard error {:.2g})",
      mean, held_.size(), error);
}

bool Judge::judges(std::size_t length) const {
  return std::all_of(held_.begin(), held_.end(),
                     [&](const Held& held) { return held.context.size() == length; });
}

void Judge::save(Writer& out) const {
  out.value<std::uint64_t>(held_.size());
  for (const auto& held : held_) out.values(held.context), out.value(held.reward);
}

void Judge::restore(Reader& in) {
  held_.clear();
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
    auto context = in.values<double>();
    held_.push_back({std::move(context), in.value<double>()});
  }
}

}  // namespace neuralts::serve
