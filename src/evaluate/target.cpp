#include "evaluate/target.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "neuralts/agent.hpp"

namespace neuralts::evaluation {

namespace {

class Uniform final : public Target {
 public:
  void probabilities(const Event&, std::size_t, std::span<double> out) override {
    std::fill(out.begin(), out.end(), 1 / static_cast<double>(out.size()));
  }
};

class Constant final : public Target {
 public:
  explicit Constant(std::string arm) : arm_(std::move(arm)), position_(parse_number(arm_)) {}

  // Where the action is not on offer every other one is as good.
  void probabilities(const Event& event, std::size_t, std::span<double> out) override {
    std::fill(out.begin(), out.end(), 0.0);
    const std::size_t at = find(event);
    if (at < out.size())
      out[at] = 1;
    else
      std::fill(out.begin(), out.end(), 1 / static_cast<double>(out.size()));
  }

 private:
  std::size_t find(const Event& event) const {
    const auto named = std::find(event.actions.begin(), event.actions.end(), arm_);
    if (named != event.actions.end()) return static_cast<std::size_t>(named - event.actions.begin());
    if (!position_ || *position_ < 0) return event.arms();
    const auto wanted = static_cast<std::size_t>(*position_);
    const auto& blocks = event.offer.blocks;
    if (blocks.empty()) return wanted;
    return static_cast<std::size_t>(std::find(blocks.begin(), blocks.end(), wanted) - blocks.begin());
  }

  std::string arm_;
  std::optional<double> position_;
};

class Logged final : public Target {
 public:
  void probabilities(const Event& event, std::size_t, std::span<double> out) override {
    if (event.probabilities.size() != out.size())
      throw Error(ErrorCode::unsupported, "policy logged", "the log holds the probability of the played action only",
                  "leave 'logged' out: its value is the mean of the rewards");
    std::copy(event.probabilities.begin(), event.probabilities.end(), out.begin());
  }
};

class Given final : public Target {
 public:
  Given(std::span<const double> rows, std::size_t actions) : rows_(rows), actions_(actions) {}
  void probabilities(const Event& event, std::size_t index, std::span<double> out) override {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = rows_[index * actions_ + (event.offer.blocks.empty() ? k : event.offer.blocks[k])];
  }

 private:
  std::span<const double> rows_;
  std::size_t actions_;
};

class Frozen final : public Target {
 public:
  Frozen(const std::string& file, const Shape& shape, std::uint64_t seed) : agent_(Agent::load(file)), explore_(seed, Purpose::exploration) {
    const Shape own = agent_.policy().spec().shape;
    if (own.dim() / own.blocks != shape.dim() / shape.blocks || own.blocks < shape.blocks)
      throw Error(ErrorCode::bad_input, file, "the policy was made for other contexts than the log holds",
                  std::to_string(own.dim() / own.blocks) + " x " + std::to_string(own.blocks) + " numbers against " +
                      std::to_string(shape.dim() / shape.blocks) + " x " + std::to_string(shape.blocks));
  }
  void probabilities(const Event& event, std::size_t, std::span<double> out) override {
    agent_.policy().select(event.offer.contexts(), explore_, scratch_, decision_);
    std::copy(decision_.probabilities.begin(), decision_.probabilities.end(), out.begin());
  }

 private:
  Agent agent_;
  Stream explore_;
  Scratch scratch_;
  Decision decision_;
};

class LearningTarget final : public Target {
 public:
  LearningTarget(const PolicySpec& spec, std::uint64_t seed) : learning_(spec, seed) {}
  void probabilities(const Event& event, std::size_t, std::span<double> out) override {
    const Decision& decision = learning_.look(event);
    std::copy(decision.probabilities.begin(), decision.probabilities.end(), out.begin());
  }
  void learn(const Event& event, double weight) override { learning_.learn(event, weight); }
  bool learns() const override { return true; }

 private:
  Learning learning_;
};

/// A finished round of that weight, where rounds have weights.
template <class Round>
bool set_weight(Round& round, double weight) {
  if constexpr (requires { round.weight; }) {
    round.weight = weight;
    return true;
  }
  return false;
}

}  // namespace

Learning::Learning(const PolicySpec& spec, std::uint64_t seed)
    : policy_(make_policy(spec)), explore_(seed, Purpose::exploration), coins_(seed, Purpose::training, 1) {}

const Decision& Learning::look(const Event& event) {
  policy_->select(event.offer.contexts(), explore_, scratch_, decision_);
  return decision_;
}

void Learning::learn(const Event& event, double weight) {
  if (!(weight > 0)) return;
  const Slice context = event.offer.contexts()[event.arm];
  Finished round{.context = context, .reward = *event.reward};
  double copies = set_weight(round, weight) ? 1 : std::floor(weight + coins_.uniform());
  for (; copies >= 1; --copies) {
    policy_->played(context);
    policy_->learn({&round, 1});
  }
}

PolicySpec policy_spec(const std::string& text, const Shape& shape, std::uint64_t seed) {
  const std::size_t colon = text.find(':');
  PolicySpec spec{.name = text.substr(0, colon), .preset = {}, .params = {}, .shape = shape, .seed = seed};
  if (colon != std::string::npos) spec.params = parse_params(text.substr(colon + 1));
  if (const auto preset = spec.params.find("preset"); preset != spec.params.end()) {
    spec.preset = preset->second;
    spec.params.erase(preset);
  }
  return spec;
}

std::unique_ptr<Target> make_target(const std::string& text, const Shape& shape, std::uint64_t seed) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon), rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "uniform") return std::make_unique<Uniform>();
  if (kind == "logged") return std::make_unique<Logged>();
  if (kind == "constant" && rest.empty()) throw Error(ErrorCode::bad_spec, text, "no action is named", "write constant:ARM");
  if (kind == "constant") return std::make_unique<Constant>(rest);
  if (kind == "file") return std::make_unique<Frozen>(rest, shape, seed);
  return std::make_unique<LearningTarget>(policy_spec(text, shape, seed), seed);
}

std::unique_ptr<Target> given_target(std::span<const double> rows, std::size_t actions) {
  return std::make_unique<Given>(rows, actions);
}

}  // namespace neuralts::evaluation
