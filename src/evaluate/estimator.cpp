#include "evaluate/estimator.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts::evaluation {

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"ips", false, false, WeightRule::plain},       {"clipped", false, false, WeightRule::clipped},
      {"snips", false, true, WeightRule::plain},      {"dm", true, false, WeightRule::none},
      {"dr", true, false, WeightRule::plain},         {"sndr", true, true, WeightRule::plain},
      {"switch", true, false, WeightRule::switched},  {"dr-shrinkage", true, false, WeightRule::shrunk},
  };
  return all;
}

const Form* find_form(const std::string& name) {
  const auto found = std::find_if(forms().begin(), forms().end(),
                                  [&](const Form& form) { return form.name == name; });
  return found == forms().end() ? nullptr : &*found;
}

double held_down(WeightRule rule, double c, double w) {
  switch (rule) {
    case WeightRule::plain: return w;
    case WeightRule::clipped: return std::min(w, c);
    case WeightRule::switched: return w <= c ? w : 0;
    case WeightRule::shrunk: return std::isinf(c) ? w : c * w / (w * w + c);
    case WeightRule::none: return 0;
  }
  return w;
}

MeanEstimator::MeanEstimator(const Form& form, double constant, double untold)
    : form_(form), constant_(constant), untold_(form.model ? 0 : untold) {}

void MeanEstimator::add(const Judged& event) {
  least_reward_ = std::min(least_reward_, event.reward), most_reward_ = std::max(most_reward_, event.reward);
  const double base = form_.model ? event.expected : 0;
  const double missed = form_.model ? event.reward - event.predicted : event.reward;
  const double weight = event.copies * held_down(form_.rule, constant_, event.weight / event.copies);
  moments_.add({base, weight * missed, weight, (event.weight - weight) * missed, event.copies});
}

double MeanEstimator::value() const {
  if (!form_.normalised) return moments_.mean(0) + moments_.mean(1);
  return moments_.mean(0) + (moments_.mean(2) > 0 ? moments_.mean(1) / moments_.mean(2) : untold_);
}

double MeanEstimator::error() const {
  const double weight = moments_.mean(2), n = static_cast<double>(std::max<std::size_t>(1, count()));
  if (!form_.normalised) return std::sqrt(moments_.variance({1, 1, 0, 0, -value()}) / n);
  if (!(weight > 0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(moments_.variance({1, 1 / weight, -moments_.mean(1) / (weight * weight), 0, -moments_.mean(0)}) / n);
}

Interval MeanEstimator::left_open(const Range& rewards, double confidence) const {
  if (least_reward_ < most_reward_ || form_.rule == WeightRule::none) return {value(), value()};
  const double n = static_cast<double>(count()), mean = moments_.mean(2), squares = mean * mean + moments_.covariance(2, 2) * (n - 1) / n;
  const double effective = squares > 0 ? n * mean * mean / squares : 0;
  return unvaried_interval(value(), static_cast<std::size_t>(effective), rewards, confidence);
}

TunedEstimator::TunedEstimator(const Form& form) {
  for (int power = 0; power <= 20; ++power)
    candidates_.emplace_back(form, std::ldexp(1, form.rule == WeightRule::shrunk ? 2 * power : power));
  candidates_.emplace_back(form);
}

void TunedEstimator::add(const Judged& event) {
  for (auto& candidate : candidates_) candidate.add(event);
}

const MeanEstimator& TunedEstimator::best() const {
  return *std::min_element(
      candidates_.begin(), candidates_.end(),
      [](const MeanEstimator& a, const MeanEstimator& b) { return a.squared_error() < b.squared_error(); });
}

}  // namespace neuralts::evaluation
