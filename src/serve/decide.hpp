// A decision as a pure function: a model's version, what is offered and a seed give the choice and every
// probability.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/feature.hpp"
#include "serve/journal/journal.hpp"
#include "serve/policy_port.hpp"
#include "serve/record.hpp"

namespace neuralts::serve {

/// A model as it serves: immutable, swapped whole.
struct Published {
  std::uint64_t version = 0;                        ///< 0: nothing learned yet; every action is as likely
  Sequence position = 0;                            ///< the last record it has seen
  Form form = Form::none;                           ///< what it takes; none: anything
  std::uint32_t length = 0;                         ///< of the vectors it takes
  std::shared_ptr<const DecisionModel> model;       ///< nothing in version 0
  std::shared_ptr<const Encoder> encoder;           ///< for objects
};

/// What a caller offers. Strings are the caller's ids.
struct Offered {
  std::vector<std::string> ids;
  std::vector<std::uint32_t> excluded;   ///< indices, ascending
  Form form = Form::none;
  std::uint32_t length = 0;
  std::vector<float> vectors;            ///< a row per action
  FieldTable objects;                    ///< row 0 the context, then the actions
  void clear();
};

struct Verdict {
  std::uint32_t action = 0;
  bool estimated = false;                ///< the probabilities are an estimate
  std::vector<float> probabilities;      ///< of every action; 0 for excluded ones
  std::vector<double> mean, width;       ///< of every action; 0 where no model was asked
};

/// Memory that a thread reuses from decision to decision.
struct Workspace {
  Scratch scratch;
  Decision decision;
  std::vector<std::uint32_t> eligible;
  std::vector<double> contexts, eligible_contexts;
};

/// The actions that are not excluded (ascending), in order.
void eligible_actions(std::size_t actions, std::span<const std::uint32_t> excluded, std::vector<std::uint32_t>& out);

/// With K eligible actions the model's probabilities p become (1 - exploration) p + exploration / K, and the
/// action is drawn from those. Throws Problem(422) when nothing is eligible or the model takes another form.
void decide(const Published& published, const Offered& offered, double exploration, std::uint64_t seed,
            Workspace& workspace, Verdict& out);

/// What was offered, from its record. Of a record that kept only the chosen action's features, that one action
/// alone.
void offered_from(const EventRecord& record, Offered& out);
/// The chosen action alone.
void played_from(const EventRecord& record, Offered& out);

/// The numbers that a model sees for the action that was played; length_of(published) of them. False: the
/// record has another form or length than the model takes, objects that it refuses, or numbers that no model takes.
bool played_context(const Published& published, const EventRecord& record, Offered& workspace,
                    std::vector<double>& out);
/// The same for the first most_told of all actions that were offered, a row each. False also for a record that kept the
/// chosen one alone.
bool offered_contexts(const Published& published, const EventRecord& record, Offered& workspace,
                      std::vector<double>& out);
std::size_t length_of(const Published& published);

}  // namespace neuralts::serve
