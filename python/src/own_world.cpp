#include "own_world.hpp"

#include "kept.hpp"
#include "neuralts/world_facts.hpp"
#include "rounds.hpp"

namespace neuralts::python {

namespace {

struct Round {
  Offer offer;
  Numbers rewards, expected;
};

Numbers one_per_arm(const py::object& given, const char* who, std::size_t arms) {
  Numbers numbers = to_numbers(given, who);
  if (numbers.ndim() != 1 || static_cast<std::size_t>(numbers.size()) != arms)
    throw ContractError(std::string(who) + " of shape " + shape_text(numbers) + ": one per arm is needed, " +
                        std::to_string(arms) + " in all");
  return numbers;
}

Round to_round(const py::object& given, const Shape& shape) {
  const py::tuple parts(given);
  if (parts.size() != 2 && parts.size() != 3)
    throw ContractError("a round is (contexts, rewards) or (contexts, rewards, expected)");
  Round round{to_offer(parts[0], shape), {}, {}};
  round.offer.contexts.check(shape);
  round.rewards = one_per_arm(parts[1], "rewards", round.offer.contexts.arms());
  round.expected = one_per_arm(parts[parts.size() - 1], "expected rewards", round.offer.contexts.arms());
  return round;
}

class OwnEpisode final : public Episode {
 public:
  OwnEpisode(const EnvironmentInfo& info, const py::object& start, std::uint64_t seed)
      : info_(info), rounds_(with_python("environment " + info.name, [&] {
          return py::reinterpret_steal<py::object>(py::iter(start(seed)).release());
        })) {}
  ~OwnEpisode() override { drop(); }

  bool next() override {
    return with_python("environment " + info_.name, [&] {
      PyObject* given = PyIter_Next(rounds_.get().ptr());
      if (given == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
      if (given == nullptr) return false;
      round_ = to_round(py::reinterpret_steal<py::object>(given), info_.shape);
      return true;
    });
  }
  const Contexts& contexts() const override { return round_->offer.contexts; }
  std::span<const double> expected() const override { return view(round_->expected); }
  std::optional<double> reward(std::size_t arm) override { return view(round_->rewards)[arm]; }

 private:
  void drop() {
    const py::gil_scoped_acquire gil;
    round_.reset();
  }
  EnvironmentInfo info_;
  Kept rounds_;
  std::optional<Round> round_;
};

class OwnWorld final : public Environment, public WorldFacts {
 public:
  OwnWorld(EnvironmentInfo info, py::object start, std::string identity)
      : Environment(std::move(info)), start_(std::move(start)), identity_(std::move(identity)) {}
  std::unique_ptr<Episode> start(std::uint64_t seed) const override {
    return std::make_unique<OwnEpisode>(info_, start_.get(), seed);
  }
  std::string identity() const override { return identity_; }

 private:
  Kept start_;
  std::string identity_;
};

}  // namespace

std::shared_ptr<const Environment> make_own_world(EnvironmentInfo info, py::object start, std::string identity) {
  return std::make_shared<OwnWorld>(std::move(info), std::move(start), std::move(identity));
}

}  // namespace neuralts::python
