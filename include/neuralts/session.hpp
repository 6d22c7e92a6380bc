// Decisions between objects, with ids by which late rewards find them.
//
//   Session session({.policy = {.name = "neural-ts", .seed = 1}});
//   FieldTable objects;                                   // row 0: the context; then a row per action
//   const Choice& c = session.select(objects, now);
//   session.reward(c.event_id, 1.0, now);                 // now, or in three hours
//   session.expire(now, 6 * 3600, 0.0);                   // what never came
//
// The schema is given, or learned from the first events and frozen. While it is learned it is brought up to
// date after a sixteenth and a quarter of them; the policy then starts anew from all rounds so far. Before the
// first schema actions are chosen uniformly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neuralts/feature.hpp"
#include "neuralts/log.hpp"
#include "neuralts/policy.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

struct SessionSpec {
  PolicySpec policy{};         ///< its shape is taken from the features
  FeatureSettings features{};
  /// 0: actions are what their features say. Otherwise every action is an arm of its own, known by its id, with
  /// a model of its own over the context; so many may be there at once.
  std::size_t most_arms = 0;
  std::string id_prefix{};     ///< of event ids; empty: drawn from the system, so that two sessions never share one
  std::size_t remember = 1'000'000;  ///< events that are settled and still known by id
};

struct Choice {
  std::string event_id;
  std::size_t arm = 0;      ///< position of the action chosen
  std::string action;       ///< its id: the field "id", or the position
  double probability = 0;   ///< with which it was chosen
  Decision decision;        ///< of all actions; means and widths are 0 before the first schema
};

/// What became of a reward.
enum class Settled {
  learned,    ///< the decision was open; it is settled now
  duplicate,  ///< it had its reward already; nothing changed
  expired,    ///< it came after expire() had settled the decision; nothing changed
  unknown,    ///< no such decision is known
};
const char* to_string(Settled settled);

/// A field, or a product of two, and what it adds to the chosen action's mean and width against the other's.
struct Contribution {
  std::string name;
  double mean = 0, width = 0;
};
struct Explanation {
  /// Ids; `other` has the highest mean of the rest; empty: there is no other.
  std::string action, other;
  double mean = 0, other_mean = 0, width = 0, other_width = 0;
  std::vector<Contribution> contributions{};       ///< largest mean first, by size
  std::string to_text(std::size_t most = 12) const;  ///< a table for a person
};

struct FitOptions {
  /// By 1 / (arms * probability): as if the log's actions had been chosen evenly; and by 1 / kept.
  bool weigh = true;
  double largest = 10;    ///< weight
  bool skip_bad = false;
};
struct FitReport {
  std::size_t events = 0;     ///< learned from
  std::size_t without_reward = 0;
  double weight_sum = 0, weight_largest = 0;
};
/// The weight of a logged event in fitting.
double fit_weight(const Event& event, const FitOptions& options);
/// Learns from the numbers of a log. Throws Error(bad_input) for events without numbers of the policy's shape; what
/// stands before them in the log may have been learned then.
FitReport fit(Policy& policy, LogReader& log, const FitOptions& options = {});

/// "90", "45s", "30m", "6h", "2d", "1w" -> seconds. Throws Error(bad_spec, where) for anything else or a
/// negative one.
double parse_duration(const std::string& text, const std::string& where = "duration");

/// One stream of decisions. One thread at a time. What was moved from can be assigned to or destroyed, no more.
class Session {
 public:
  /// Throws Error(bad_spec).
  explicit Session(SessionSpec spec);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Chooses between the actions in rows 1, 2, ... of `objects` for the context in row 0, and keeps the
  /// decision open until its reward comes. `time`: seconds since 1970. `event_id`: empty for one of the
  /// session's own. The reference holds until the next call. Throws ContractError, before anything changes, for
  /// no action, a field that cannot be encoded, two actions with one id where arms are known by it, or an event
  /// id that is open or settled already, or, with a log, no UTF-8. Error(io) when the log says no: none is open then.
  const Choice& select(const FieldTable& objects, double time, const std::string& event_id = {});

  /// The reward of a decision. Throws ContractError for one beyond what neuralts/limits.hpp allows, and for a time
  /// that is not finite; Error(io) when the log says no: the decision is open as before.
  Settled reward(const std::string& event_id, double reward, double time);
  /// Settles what was decided more than `after` seconds before `now` and is still open: learned as `reward`,
  /// or, without one, given up. Returns how many. Throws as reward() does, before any is settled.
  std::size_t expire(double now, double after, std::optional<double> reward);
  std::size_t open() const;

  /// What moved the choice: for each field the difference that leaving it out makes, as the policy believes
  /// now. For a linear belief that is gradient times input, exactly. `arm`: of which action. Throws
  /// ContractError as select(), and before the first schema.
  Explanation explain(const FieldTable& objects, std::size_t arm) const;

  /// Learns from a log of objects; the schema too, when there is none yet. Throws Error(bad_input); what stands
  /// before it in the log may have been learned then.
  FitReport fit(const std::string& path, const FitOptions& options = {});

  /// Arms known by name (most_arms > 0): those that were offered and not retired.
  std::vector<std::string> arms() const;
  /// Makes room for another arm: what was learned of this one is forgotten. False: there is no such arm.
  bool retire(const std::string& arm);

  /// Decisions and rewards are logged there from now on; null: no longer.
  void log_to(std::shared_ptr<LogWriter> log);

  const SessionSpec& spec() const;
  /// Null before the first schema.
  const Schema* schema() const;
  bool frozen() const;
  const Policy* policy() const;
  std::size_t decisions() const;
  std::vector<std::string> notes() const;

  /// Everything but the log: load(path) continues exactly where save(path) stood. Throws Error(io | corrupt).
  void save(const std::string& path) const;
  static Session load(const std::string& path);
  std::vector<char> to_bytes() const;
  static Session from_bytes(std::span<const char> bytes, const std::string& where);
  /// Whether these bytes begin as a saved session's do.
  static bool is_session(std::span<const char> bytes);

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace neuralts
#pragma GCC visibility pop
