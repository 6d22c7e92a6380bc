#include <numeric>

#include "evaluate/source.hpp"
#include "evaluate/target.hpp"
#include "neuralts/evaluate.hpp"

namespace neuralts {

namespace {

using namespace evaluation;

class ArrayEvents final : public EventSource {
 public:
  explicit ArrayEvents(const LoggedArrays& arrays) : arrays_(arrays), blocks_(arrays.actions) {
    const std::size_t n = arrays.reward.size();
    const auto check = [&](const char* what, std::size_t found, std::size_t wanted) {
      if (found != wanted)
        throw ContractError(std::string("evaluate: ") + what + " has " + std::to_string(found) +
                            " numbers, " + std::to_string(wanted) + " are needed for " + std::to_string(n) +
                            " events");
    };
    if (arrays.actions == 0) throw ContractError("evaluate: there are no actions");
    check("action", arrays.action.size(), n);
    if (!arrays.context.empty()) check("context", arrays.context.size(), n * arrays.length);
    if (arrays.probabilities.size() != n) check("probabilities", arrays.probabilities.size(), n * arrays.actions);
    std::iota(blocks_.begin(), blocks_.end(), 0);
  }

  void rewind() override { at_ = 0; }

  bool next(Event& out) override {
    if (at_ == arrays_.reward.size()) return false;
    out.clear();
    out.set_arms(arrays_.actions);
    out.arm = arrays_.action[at_];
    out.reward = arrays_.reward[at_];
    const std::size_t wide = arrays_.probabilities.size() / arrays_.reward.size();
    const auto h = arrays_.probabilities.subspan(at_ * wide, wide);
    out.probabilities.assign(h.begin(), h.end());
    out.offer.blocks = blocks_;
    out.offer.length = arrays_.context.empty() ? 1 : arrays_.length;
    out.offer.numbers.assign(1, 1);
    if (!arrays_.context.empty()) {
      const auto x = arrays_.context.subspan(at_ * arrays_.length, arrays_.length);
      out.offer.numbers.assign(x.begin(), x.end());
    }
    ++at_;
    if (const auto problem = problem_of(out))
      throw Error(ErrorCode::bad_input, "event " + std::to_string(at_), *problem);
    return true;
  }

 private:
  LoggedArrays arrays_;
  std::vector<std::uint32_t> blocks_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<EventSource> array_events(const LoggedArrays& arrays) {
  return std::make_unique<ArrayEvents>(arrays);
}

PolicyRows policy_probabilities(EventSource& events, const std::string& policy, std::uint64_t seed) {
  Decisions decisions(events);
  const Survey& survey = decisions.survey();
  PolicyRows out{.actions = std::max(survey.most_arms, survey.shape.blocks)};
  const auto target = make_target(policy, survey.shape, seed);
  Event event;
  std::vector<double> mine;
  for (std::size_t index = 0; decisions.next(event);) {
    if (!event.reward) continue;
    mine.resize(event.arms());
    try {
      target->probabilities(event, index++, mine);
    } catch (const FieldError& refused) {
      decisions.fail(refused);
    }
    out.probabilities.resize(index * out.actions);
    for (std::size_t k = 0; k < mine.size(); ++k)
      out.probabilities[(index - 1) * out.actions +
                        (event.offer.blocks.empty() ? k : event.offer.blocks[k])] = mine[k];
    target->learn(event, std::min(mine[event.arm] / event.probability(), EvaluationOptions{}.heaviest_lesson));
  }
  static_cast<void>(target->doubts());  // throws where the log never offers what is asked for
  return out;
}

}  // namespace neuralts
