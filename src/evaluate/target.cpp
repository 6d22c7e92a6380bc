#include "evaluate/target.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/file.hpp"
#include "evaluate/constant_target.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/session.hpp"

namespace neuralts::evaluation {

namespace {

class Uniform final : public Target {
 public:
  void probabilities(const Event&, std::size_t, std::span<double> out) override {
    std::fill(out.begin(), out.end(), 1 / static_cast<double>(out.size()));
  }
};

class Logged final : public Target {
 public:
  void probabilities(const Event& event, std::size_t, std::span<double> out) override {
    if (event.probabilities.size() != out.size())
      throw Error(ErrorCode::unsupported, "policy logged",
                  "the log holds the probability of the played action only",
                  "leave 'logged' out: its value is the mean of the rewards");
    std::copy(event.probabilities.begin(), event.probabilities.end(), out.begin());
  }
};

class Given final : public Target {
 public:
  explicit Given(const GivenPolicy& policy, std::size_t actions) : policy_(policy), actions_(actions) {}
  void probabilities(const Event& event, std::size_t index, std::span<double> out) override {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = policy_.probabilities[index * actions_ + (event.offer.blocks.empty() ? k : event.offer.blocks[k])];
    check(index, out);
  }

 private:
  void check(std::size_t index, std::span<const double> row) const {
    constexpr double rounding = 1e-4;  // of rows that were single precision
    double sum = 0;
    bool sound = true;
    for (const double p : row) sum += p, sound = sound && p >= 0 && p <= 1 + rounding;
    if (!sound || !(std::abs(sum - 1) <= rounding))
      throw ContractError("evaluate: " + policy_.name + ", event " + std::to_string(index) + ", from 0: probabilities from 0 to 1 " +
                          "that sum to 1 over the actions on offer are needed, these sum to " + std::to_string(sum));
  }

  GivenPolicy policy_;
  std::size_t actions_;
};

class Frozen final : public Target {
 public:
  Frozen(const std::string& file, const Shape& shape, std::uint64_t seed)
      : agent_(Agent::load(file)), explore_(seed, Purpose::exploration) {
    const Shape own = agent_.policy().spec().shape;
    if (own.dim() / own.blocks != shape.dim() / shape.blocks || own.blocks < shape.blocks)
      throw Error(ErrorCode::bad_input, file, "the policy was made for other contexts than the log holds",
                  std::to_string(own.dim() / own.blocks) + " x " + std::to_string(own.blocks) +
                      " numbers against " + std::to_string(shape.dim() / shape.blocks) + " x " +
                      std::to_string(shape.blocks));
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

/// A saved session: its own features, its policy as it stands.
class FrozenSession final : public Target {
 public:
  FrozenSession(const std::string& file, Session session, std::uint64_t seed)
      : file_(file), session_(std::move(session)), explore_(seed, Purpose::exploration) {
    if (session_.spec().most_arms > 0)
      throw Error(ErrorCode::unsupported, file,
                  "a session whose arms are known by name cannot be judged from a log",
                  "judge one whose actions have features");
    if (session_.schema() != nullptr) encoder_.emplace(*session_.schema());
  }
  void probabilities(const Event& event, std::size_t, std::span<double> out) override {
    if (!encoder_) {  // before its first schema a session chooses evenly
      std::fill(out.begin(), out.end(), 1 / static_cast<double>(out.size()));
      return;
    }
    if (!event.offer.has_objects())
      throw Error(ErrorCode::bad_input, file_, "the session decides between objects, the log holds numbers only");
    numbers_.resize(out.size() * encoder_->length());
    encoder_->encode(event.offer.objects, numbers_);
    session_.policy()->select(Contexts::per_arm(numbers_, out.size()), explore_, scratch_, decision_);
    std::copy(decision_.probabilities.begin(), decision_.probabilities.end(), out.begin());
  }

 private:
  std::string file_;
  Session session_;
  std::optional<Encoder> encoder_;
  Stream explore_;
  Scratch scratch_;
  Decision decision_;
  std::vector<double> numbers_;
};

std::unique_ptr<Target> frozen(const std::string& file, const Shape& shape, std::uint64_t seed) {
  const auto bytes = read_file(file);
  if (Session::is_session(bytes))
    return std::make_unique<FrozenSession>(file, Session::from_bytes(bytes, file), seed);
  return std::make_unique<Frozen>(file, shape, seed);
}

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

}  // namespace

Learning::Learning(const PolicySpec& spec, std::uint64_t seed)
    : policy_(make_policy(spec)), explore_(seed, Purpose::exploration) {}

const Decision& Learning::look(const Event& event) {
  policy_->select(event.offer.contexts(), explore_, scratch_, decision_);
  return decision_;
}

void Learning::learn(const Event& event, double weight) {
  if (!(weight > 0)) return;
  const Contexts contexts = event.offer.contexts();
  const Finished round{.context = contexts[event.arm], .reward = *event.reward, .weight = weight};
  policy_->played(contexts, event.arm);
  policy_->learn({&round, 1});
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
  if ((kind == "uniform" || kind == "logged") && !rest.empty())
    throw Error(ErrorCode::bad_spec, text, "'" + kind + "' has no parameters");
  if (kind == "uniform") return std::make_unique<Uniform>();
  if (kind == "logged") return std::make_unique<Logged>();
  if (kind == "constant" && rest.empty())
    throw Error(ErrorCode::bad_spec, text, "no action is named", "write constant:ARM");
  if (kind == "constant") return std::make_unique<ConstantTarget>(rest);
  if (kind == "file") return frozen(rest, shape, seed);
  return std::make_unique<LearningTarget>(policy_spec(text, shape, seed), seed);
}

std::unique_ptr<Target> given_target(const GivenPolicy& policy, std::size_t actions) {
  return std::make_unique<Given>(policy, actions);
}

}  // namespace neuralts::evaluation
