// How often each interval holds the true value, and how wide it is, over simulated logs whose value is known.
//
//   coverage [logs per row, default 1000]
//
// First w in {0, 2, 1000} with E[w^2] = 100, the setting of published figures; then logs written by a policy
// that was learning; then the confidence sequences at all times at once. About 25 minutes of one core for 1,000
// logs.
#include <fmt/core.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "evaluate/bootstrap.hpp"
#include "evaluate/cressie_read.hpp"
#include "evaluate/estimator.hpp"
#include "evaluate/known_worlds.hpp"
#include "evaluate/likelihood.hpp"
#include "evaluate/sequence.hpp"
#include "evaluate/thinning.hpp"

namespace {

using namespace neuralts;
using namespace neuralts::evaluation;

constexpr double confidence = 0.95;

struct Method {
  std::string name;
  std::function<Interval(const KnownLog&)> interval;
};

Interval of_form(const std::string& name, const KnownLog& log, bool resample) {
  const Form& form = *find_form(name);
  MeanEstimator mean(form);
  Bootstrap bootstrap(form.normalised);
  for (const Judged& event : log.events) {
    mean.add(event);
    const double missed = form.model ? event.reward - event.predicted : event.reward;
    if (resample) bootstrap.add(form.model ? event.expected : 0, event.weight * missed, event.weight);
  }
  if (resample) return bootstrap.interval(confidence, log.seed, 200);
  return student_interval(mean.value(), mean.error(), mean.count(), confidence);
}

Interval of_likelihood(const KnownLog& log, bool model, bool moments) {
  std::vector<double> weights, terms;
  for (const Judged& event : log.events) {
    weights.push_back(event.weight);
    terms.push_back(model ? event.expected + event.weight * (event.reward - event.predicted)
                          : event.weight * event.reward);
  }
  const Range bounds{0, log.most}, base{0, model ? 1. : 0.}, gain{model ? -1. : 0., 1};
  Interval found;
  if (moments) {
    CressieRead read(bounds, base, gain);
    for (std::size_t i = 0; i < terms.size(); ++i) read.add(weights[i], terms[i]);
    found = read.interval(confidence);
  } else {
    found = likelihood_interval({weights, terms, bounds, base, gain}, confidence);
  }
  return {std::max(0.0, found.low), std::min(1.0, found.high)};
}

Interval thinned(const KnownLog& log) {
  Thinning thinning({0, 1}, log.most, log.seed);
  for (const Judged& event : log.events) thinning.add(event);
  return thinning.interval(confidence);
}

template <class Side>
Interval sequence(const KnownLog& given, double cap) {
  // The same events, floors of this cap.
  const KnownLog log = cap > 0 ? learning_log(given.events.size(), given.seed, cap) : given;
  ConfidenceSequence<Side> sequence({0, 1}, confidence, cap);
  for (const Judged& event : log.events) sequence.add(event);
  return sequence.interval();
}

void table(const std::string& title, std::size_t logs, const std::vector<Method>& methods,
           const std::function<KnownLog(std::uint64_t)>& draw) {
  std::vector<double> held(methods.size()), width(methods.size());
  for (std::size_t i = 0; i < logs; ++i) {
    const KnownLog log = draw(i + 1);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      Interval found = methods[m].interval(log);
      found = {std::max(0.0, found.low), std::min(1.0, found.high)};
      held[m] += found.low <= log.truth && log.truth <= found.high ? 1 : 0;
      width[m] += found.high - found.low;
    }
  }
  fmt::print("{}\n", title);
  const double n = static_cast<double>(logs);
  for (std::size_t m = 0; m < methods.size(); ++m)
    fmt::print("  {:<34} {:.3f} / {:.3f}\n", methods[m].name, held[m] / n, width[m] / n);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t logs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const std::vector<Method> plain = {
      {"empirical likelihood", [](const KnownLog& log) { return of_likelihood(log, false, false); }},
      {"Cressie-Read(-2)", [](const KnownLog& log) { return of_likelihood(log, false, true); }},
      {"student, ips", [](const KnownLog& log) { return of_form("ips", log, false); }},
      {"student, snips", [](const KnownLog& log) { return of_form("snips", log, false); }},
      {"bootstrap, ips", [](const KnownLog& log) { return of_form("ips", log, true); }},
      {"bootstrap, snips", [](const KnownLog& log) { return of_form("snips", log, true); }},
      {"student, clipped", [](const KnownLog& log) { return tuned("clipped", log); }},
      {"Clopper-Pearson", [](const KnownLog& log) { return thinned(log); }},
      {"empirical Bernstein sequence", [](const KnownLog& log) { return sequence<EmpiricalBernstein>(log, 0); }},
      {"betting sequence", [](const KnownLog& log) { return sequence<Betting>(log, 0); }},
  };
  for (const std::size_t n : {1275, 14385, 162378})
    table(fmt::format("heavy weights, n = {}: coverage / width", n), logs, plain,
          [n](std::uint64_t seed) { return heavy_log(n, seed); });

  std::vector<Method> modelled = plain;
  modelled.push_back({"student, dr", [](const KnownLog& log) { return of_form("dr", log, false); }});
  modelled.push_back({"student, sndr", [](const KnownLog& log) { return of_form("sndr", log, false); }});
  modelled.push_back({"bootstrap, sndr", [](const KnownLog& log) { return of_form("sndr", log, true); }});
  modelled.push_back({"student, switch", [](const KnownLog& log) { return tuned("switch", log); }});
  modelled.push_back({"student, dr-shrinkage", [](const KnownLog& log) { return tuned("dr-shrinkage", log); }});
  modelled.push_back(
      {"empirical likelihood, dr", [](const KnownLog& log) { return of_likelihood(log, true, false); }});
  modelled.push_back({"Cressie-Read(-2), dr", [](const KnownLog& log) { return of_likelihood(log, true, true); }});
  for (const double cap : {1., 2., 4.}) {
    modelled.push_back({fmt::format("empirical Bernstein, dr, k = {}", cap),
                        [cap](const KnownLog& log) { return sequence<EmpiricalBernstein>(log, cap); }});
    modelled.push_back({fmt::format("betting, dr, k = {}", cap),
                        [cap](const KnownLog& log) { return sequence<Betting>(log, cap); }});
  }
  for (const std::size_t n : {1000, 10000})
    table(fmt::format("logged by a policy that learned, n = {}: coverage / width", n), logs, modelled,
          [n](std::uint64_t seed) { return learning_log(n, seed); });
}
