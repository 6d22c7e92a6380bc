// Judging a policy from a log: what would it have earned, how sure is that, and is the log any good?
//
//   const Evaluation found = evaluate({"shop.jsonl"}, {.policies = {"uniform", "neural-ts", "file:agent.nts"}, .estimators = {"dr"}});
//   for (const auto& policy : found.policies)
//     for (const auto& e : policy.estimates) use(e.policy, e.value, e.low, e.high);
//
// Which interval when: `likelihood` (the default) for one look at a log; `betting` when looking again and
// again, or when the log was written by a policy that kept learning and the answer matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neuralts/error.hpp"
#include "neuralts/event.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// One answer. The first twelve are what `neuralts evaluate --json` prints.
struct ValueEstimate {
  std::string policy, estimator;
  double value = 0, low = 0, high = 0;
  /// Which kind: student, bootstrap, clopper-pearson, likelihood, cressie-read, bernstein, betting.
  std::string interval;
  double confidence = 0.95;
  std::size_t n = 0;       ///< events behind it
  double ess = 0;          ///< effective sample size (sum w)^2 / sum w^2
  double max_weight = 0;   ///< largest w
  double mean_weight = 0;  ///< mean of w: 1 where the logged probabilities are right and every action is supported
  double unsupported = 0;  ///< mean probability that the policy gives to actions the log never plays
  double error = 0;        ///< standard error, where there is one
  double constant = std::numeric_limits<double>::infinity();  ///< of estimators that hold weights down: as chosen
};

/// Weights from `low` (not included) to `high` (included); the first bin holds the zeros.
struct WeightBin {
  double low = 0, high = 0;
  std::size_t events = 0;
  double share = 0;  ///< of the sum of all weights
};

/// Actions whose logged probability lay in this bin: how often they should have been played, and how often they
/// were.
struct CalibrationBin {
  double low = 0, high = 0;
  std::size_t actions = 0;
  double probability = 0, frequency = 0;
  double z = 0;  ///< the difference in standard deviations
};

/// Is the log any good for this policy?
struct Diagnostics {
  std::size_t n = 0, open = 0;  ///< events with a reward, and without (yet)
  double ess = 0, max_weight = 0, mean_weight = 0, unsupported = 0;
  double unsupported_events = 0;  ///< share of events where the policy may play what the log never does
  /// How likely a mean weight so far from 1 (less what is unsupported) would be if the logged probabilities
  /// were right. Valid for heavy weights and for logs of learning policies: a betting test. Where the log holds the
  /// played action's probability only, no action is taken to be less likely than the least likely one that was played.
  double mean_weight_p = 1;
  std::vector<WeightBin> weights{};
  std::vector<CalibrationBin> calibration{};  ///< empty where the log holds the played action's probability only
  double calibration_p = 1;
};

/// The estimate after so many events, with an interval (empirical Bernstein) that holds at all times at once;
/// of a policy that learns along the log, whose value does not stay, Student's.
struct ValueAt {
  std::size_t events = 0;
  double time = 0;  ///< of the last of them, seconds since 1970; 0: unknown
  double value = 0, low = 0, high = 0;
};

/// What should keep a reader from believing the answer, in words; empty when nothing does.
std::vector<std::string> doubts(const Diagnostics& diagnostics);

class EventSource;

/// How far an evaluation is.
struct EvaluationProgress {
  /// "learning the features", "reading the log", "fitting the reward model", "judging", "finding intervals".
  std::string_view step;
  std::size_t done = 0, of = 0;  ///< events, of intervals policies; of = 0: not known yet
};

struct EvaluationOptions {
  /// "uniform", "logged", "constant:ARM" (an action's id, or its number), "file:agent.nts" (frozen: a saved policy, or a
  /// session whose actions are known by their features), or a policy by name with parameters ("neural-ts:nu=0.1"), which
  /// starts untaught and learns from the log: each event is scored before it is learned from, with weight w.
  std::vector<std::string> policies{"uniform"};
  /// ips, clipped, snips, dm, dr, sndr, switch, dr-shrinkage, likelihood, cressie-read, replay.
  std::vector<std::string> estimators{"snips", "dr"};
  /// auto, student, bootstrap, clopper-pearson, likelihood, cressie-read, bernstein, betting. The last two hold
  /// at every n at once.
  std::string interval = "auto";
  double confidence = 0.95;
  /// The rewards there can be. Nothing (both 0): [0, 1] where the log's lie within, else what the log shows, which is
  /// said in words.
  double lowest_reward = 0, highest_reward = 0;
  std::string model = "linear-ts";  ///< whose belief predicts rewards for dm, dr, sndr, switch and dr-shrinkage
  /// Of cross-fitting, at most one per event. For intervals that hold at every n, predictions come from the past instead.
  std::size_t folds = 5;
  double heaviest_lesson = 10;      ///< learning policies learn from an event with weight min(w, this)
  std::uint64_t seed = 1;
  double since = 0, until = 0;      ///< seconds since 1970; events from `since` to before `until`; 0: no bound
  bool skip_bad = false;            ///< leave out and count records that are wrong, instead of refusing the log
  std::size_t points = 60;          ///< of the course over time; 0: none
  std::function<bool()> stop{};     ///< true: give up, with Error(unsupported)
  std::function<void(const EvaluationProgress&)> progress{};  ///< called now and then
  /// Among logs, reads a folder that holds something else than log files (a service's journal: service_events
  /// of neuralts/serve.hpp); nothing comes back: it is a folder of log files.
  std::function<std::unique_ptr<EventSource>(const std::string& folder)> open_folder{};
};

/// A policy, judged.
struct PolicyValue {
  std::string policy;
  std::vector<ValueEstimate> estimates{};
  Diagnostics diagnostics{};
  std::vector<std::string> doubts{};
  std::vector<ValueAt> course{};  ///< of the first estimator
};

struct Evaluation {
  std::vector<std::string> logs{};
  std::size_t events = 0, open = 0, refused = 0;  ///< with a reward, without, left out
  double lowest_reward = 0, highest_reward = 0;   ///< in force
  std::vector<std::string> notes{};               ///< about the log as a whole
  std::vector<PolicyValue> policies{};
};

/// Events that can be read more than once.
class EventSource {
 public:
  virtual ~EventSource() = default;
  /// Back to the first event.
  virtual void rewind() = 0;
  /// The next event into `out`, whose memory is reused; false at the end.
  virtual bool next(Event& out) = 0;
  /// Where the event just read stands, for messages; empty: its number is said instead.
  virtual std::string place() const { return {}; }
};

/// Judges every policy by every estimator. Logs are files of ours, dsjson or VW text, plain or gzip, or folders
/// of such files; they are read as one, in the order given. Throws Error(bad_spec | bad_input | not_found | io).
Evaluation evaluate(const std::vector<std::string>& logs, const EvaluationOptions& options = {});
Evaluation evaluate(EventSource& events, const EvaluationOptions& options = {});

/// Logged decisions as arrays, a row per event; arms share one context. Views must outlive the source.
struct LoggedArrays {
  std::size_t actions = 0;
  std::span<const double> context{};        ///< events x length; empty: nothing is known but the actions
  std::size_t length = 0;
  std::span<const std::uint32_t> action{};  ///< that was played
  std::span<const double> reward{};
  std::span<const double> probabilities{};  ///< events x actions, or one per event: that of the played action
};
/// Throws ContractError when sizes do not fit together, Error(bad_input) naming the event when one is not sound.
std::unique_ptr<EventSource> array_events(const LoggedArrays& arrays);

/// The policy's probability of every action of every event with a reward, `actions` numbers per event (0 for
/// what was not on offer); a policy that learns does so along the way.
struct PolicyRows {
  std::size_t actions = 0;
  std::vector<double> probabilities{};
};
PolicyRows policy_probabilities(EventSource& events, const std::string& policy, std::uint64_t seed = 1);
PolicyRows policy_probabilities(const std::vector<std::string>& logs, const std::string& policy,
                                std::uint64_t seed = 1);

/// What is known of logged events as arrays, a row per event: a reward model's predictions, policies'
/// probabilities.
struct GivenPolicy {
  std::string name;
  std::span<const double> probabilities;  ///< events x actions
};
struct GivenRows {
  std::size_t actions = 0;
  std::span<const double> predictions{};  ///< events x actions; empty: the reward model of the options is fitted
  std::vector<GivenPolicy> policies{};    ///< judged after those of the options
};
/// The same with probabilities and predictions from outside. Row i belongs to the i-th event with a reward. Throws
/// ContractError where sizes do not fit, a row's probabilities do not sum to 1 (within 1e-4) or a prediction is not a
/// finite number up to 1e15.
Evaluation evaluate(EventSource& events, const EvaluationOptions& options, const GivenRows& given);

/// The setting that the log says is best, and by how much.
struct TunedSetting {
  std::string policy;      ///< with its parameters
  ValueEstimate value;
  double lead = 0;         ///< over the current setting, event by event
  double lead_low = 0, lead_high = 0;  ///< all leads hold together with the confidence asked for (Bonferroni)
  bool current = false;
  std::vector<std::string> doubts{};   ///< as PolicyValue's
};
struct Tuning {
  std::vector<TunedSetting> settings{};  ///< the current one first, then in the order given
  std::size_t best = 0;                  ///< index of the one with the largest value
  std::vector<std::string> notes{};
};
/// Judges `policy` as it is and with every combination of `set` (key -> values) by the one estimator of the options: ips,
/// snips, dr or sndr. Throws Error(bad_spec) for another, or several.
Tuning tune(const std::vector<std::string>& logs, const std::string& policy,
            const std::vector<std::pair<std::string, std::vector<std::string>>>& set,
            const EvaluationOptions& options = {});
Tuning tune(EventSource& events, const std::string& policy,
            const std::vector<std::pair<std::string, std::vector<std::string>>>& set,
            const EvaluationOptions& options = {});

/// One line of JSON: policy, estimator, value, low, high, interval, confidence, n, ess, max_weight,
/// mean_weight, unsupported. A bound that is infinite is null.
std::string to_json(const ValueEstimate& estimate);
/// Everything, for programs.
std::string to_json(const Evaluation& evaluation);
/// {"settings": [the twelve fields, current, best, lead, lead_low, lead_high, doubts], "notes"}.
std::string to_json(const Tuning& tuning);

struct ReportTable;
/// Everything a table shows, a row per policy and estimator.
ReportTable estimates_table(const Evaluation& evaluation);
/// Makes `folder` when it is not there and throws Error(io) now where write_evaluation() would later.
void check_evaluation_folder(const std::string& folder);
/// Writes evaluation.html (one file, opens offline), evaluation.json and estimates.csv into `folder`, which is
/// made when it is not there. Returns the path of the page. Throws Error(io).
std::string write_evaluation(const Evaluation& evaluation, const std::string& folder, const std::string& title = "",
                             const std::string& command = "");

}  // namespace neuralts
#pragma GCC visibility pop
