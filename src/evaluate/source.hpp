// Events as policies see them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "feature/field_error.hpp"
#include "neuralts/context.hpp"
#include "neuralts/evaluate.hpp"
#include "neuralts/event.hpp"
#include "neuralts/feature.hpp"

namespace neuralts::evaluation {

struct Wanted {
  /// Seconds since 1970; 0: no bound. An event without a time is wanted when neither is set, and counted otherwise.
  double since = 0, until = 0;
  /// An id that was given before, a number too large to compute with, features or numbers unlike those of the others:
  /// the event is left out and counted, instead of refused.
  bool skip_bad = false;
  std::function<bool()> stop{};  ///< true: reading ends with Error(unsupported)
  std::function<void(const EvaluationProgress&)> progress{};
};

/// What one reading of all events told, before any policy is asked.
struct Survey {
  std::size_t events = 0, open = 0, duplicates = 0, beyond_limits = 0, unlike = 0,
              timeless = 0;
  double lowest_reward = 0, highest_reward = 0;
  double least_probability = 1;  ///< of an action that was played
  double mean_copies = 1;        ///< mean of 1 / kept
  double least_copies = 1, most_copies = 1;
  bool copies_differ() const { return least_copies < most_copies; }  ///< some events stand for more than others
  bool all_probabilities = true;  ///< every event has the probabilities of all actions
  std::size_t most_arms = 0;
  Shape shape;
  double first_time = 0, last_time = 0;
};

/// Events with numbers for the policies: those of the log, or objects by an encoder whose schema is learned
/// from the first ones.
class Decisions {
 public:
  explicit Decisions(EventSource& source, const Wanted& wanted = {});
  ~Decisions();

  /// Reads everything once. Throws Error(bad_input) for a log without a reward, an event without numbers and
  /// objects, contexts whose length differs, objects that the schema refuses, an id that was given twice, a reward above
  /// 1e15 or a played action's probability below 1e-15.
  const Survey& survey() const { return survey_; }
  /// How many decisions the event stands for, on average 1.
  double copies(const Event& event) const { return 1 / (event.kept * survey_.mean_copies); }
  /// `step`: what the events are read for, as progress says it.
  void rewind(std::string_view step = "reading the log");
  /// The next wanted event, with offer.numbers filled in.
  bool next(Event& out);
  /// Refuses the event just read, whose objects a judged session does not take. Throws Error(bad_input), naming its place.
  [[noreturn]] void fail(const FieldError& refused) const;

 private:
  bool next_wanted(Event& out);
  /// Asks whether to stop and tells how far the reading is.
  void look() const;
  /// False: the schema refuses the event, which is left out.
  bool encode(Event& out);
  void read_all();
  void note(const Event& event);
  /// The event just read: counted and passed over, or refused.
  void leave_out(std::size_t& count, const std::string& why, const std::string& hint);
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const;
  void leave_out_unlike(const std::string& why);
  void learn_schema();

  EventSource& source_;
  Wanted wanted_;
  Survey survey_;
  std::unique_ptr<Encoder> encoder_;
  std::unordered_set<std::size_t> left_out_;  // places of events
  std::size_t place_ = 0;                     // of the event just read, from 1
  std::string_view step_;
  std::size_t in_all_ = 0;                    // events of a reading; 0: not known yet
  std::size_t timeless_ = 0;                  // passed over in this reading
};

}  // namespace neuralts::evaluation
