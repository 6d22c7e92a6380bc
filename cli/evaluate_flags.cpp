#include "evaluate_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "neuralts/lab.hpp"
#ifdef NEURALTS_HAS_SERVE
#include "neuralts/serve.hpp"
#endif

namespace neuralts::cli {

std::vector<std::string> items(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const auto& text : texts)
    for (auto& item : split_list(text)) all.push_back(std::move(item));
  return all;
}

double parse_time(const std::string& flag, const std::string& text) {
  const auto after_1970 = [&](double seconds) {
    if (std::isfinite(seconds) && seconds > 0) return seconds;
    throw Error(ErrorCode::bad_spec, flag, "'" + text + "' is not a time after 1970");
  };
  if (const auto seconds = parse_number(text)) return after_1970(*seconds);
  for (const char* form :
       {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
    std::tm time{};
    const char* end = ::strptime(text.c_str(), form, &time);
    if (end != nullptr && *end == '\0') return after_1970(static_cast<double>(::timegm(&time)));
  }
  if (const double seconds = parse_timestamp(text); seconds > 0) return seconds;
  throw Error(ErrorCode::bad_spec, flag, "'" + text + "' is not a time",
              "write 2026-01-31, 2026-01-31T12:00:00Z, 2026-01-31T14:00:00+02:00 or seconds since 1970");
}

namespace {

void check_loop(const LogFlags& flags) {
  if (flags.loop.empty()) return;
#ifdef NEURALTS_HAS_SERVE
  if (std::any_of(flags.logs.begin(), flags.logs.end(), is_service_folder)) return;
#endif
  throw Error(ErrorCode::bad_spec, "--loop", "'" + flags.loop + "' is a loop of a service, and no LOG is a service's folder",
              "leave --loop out, or name the folder that the service keeps its journal in");
}

}  // namespace

EvaluationOptions options_of(const LogFlags& flags) {
  check_loop(flags);
  EvaluationOptions options;
  if (!flags.estimators.empty()) options.estimators = items(flags.estimators);
  options.interval = flags.interval, options.model = flags.model, options.confidence = flags.confidence;
  options.folds = flags.folds, options.seed = flags.seed, options.skip_bad = flags.skip_bad;
  if (!flags.since.empty()) options.since = parse_time("--since", flags.since);
  if (!flags.until.empty()) options.until = parse_time("--until", flags.until);
#ifdef NEURALTS_HAS_SERVE
  options.open_folder = [loop = flags.loop](const std::string& folder) {
    return is_service_folder(folder) ? service_events(folder, loop) : nullptr;
  };
#endif
  if (flags.rewards.empty()) return options;
  const auto ends = split(flags.rewards, ',');
  const auto low = parse_number(ends.front()), high = parse_number(ends.back());
  if (ends.size() != 2 || !low || !high || !(*low < *high) || !std::isfinite(*high - *low))
    throw Error(ErrorCode::bad_spec, "--rewards", "'" + flags.rewards + "' is not a range",
                "write LOW,HIGH, for example 0,1");
  options.lowest_reward = *low, options.highest_reward = *high;
  return options;
}

void add_log_flags(CLI::App& command, LogFlags& flags, const std::string& estimators) {
  command
      .add_option(
          "LOG", flags.logs,
          "logs: of this program, dsjson or VW text, plain or gzip; folders of them; or a service's folder")
      ->required();
  command.add_option("--loop", flags.loop, "of a service's folder: the loop, where several have decided something");
  command.add_option("--estimator", flags.estimators, estimators)->allow_extra_args(false);
  command.add_option("--interval", flags.interval,
                     "auto, student, bootstrap, clopper-pearson, likelihood, cressie-read, or, at every n at once, bernstein, betting");
  command.add_option("--confidence", flags.confidence, "of the intervals")->capture_default_str();
  command.add_option("--rewards", flags.rewards,
                     "LOW,HIGH: the rewards there can be (default: 0,1 where the log's lie within)");
  command
      .add_option("--model", flags.model,
                  "the policy whose belief predicts rewards for dm, dr, sndr, switch, dr-shrinkage")
      ->capture_default_str();
  command.add_option("--folds", flags.folds, "of cross-fitting that model")->capture_default_str();
  command.add_option("--since", flags.since,
                     "only decisions from this time on (2026-01-31T12:00:00Z, or seconds since 1970)");
  command.add_option("--until", flags.until, "only decisions before this time");
  command.add_option("--seed", flags.seed, "of policies that draw, and of resampling")->capture_default_str();
  command.add_flag("--skip-bad", flags.skip_bad,
                   "leave out and count records that are wrong, instead of refusing the log");
  command.add_flag("--json", flags.json,
                   "one JSON object per line on standard output; remarks go to standard error");
  command.add_flag("--quiet", flags.quiet, "no progress");
}

}  // namespace neuralts::cli
