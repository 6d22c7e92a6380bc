#include "own_world.hpp"

#include "rounds.hpp"

namespace neuralts::python {

namespace {

/// A Python object that may be let go by any thread.
class Kept {
 public:
  explicit Kept(py::object object) : object_(std::move(object)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    const py::gil_scoped_acquire gil;
    object_ = py::object();
  }
  const py::object& get() const { return object_; }

 private:
  py::object object_;
};

/// Runs `work` with the GIL; no exception of Python's leaves with it.
template <class Work>
auto with_python(const std::string& name, Work work) {
  const py::gil_scoped_acquire gil;
  try {
    return work();
  } catch (const py::error_already_set& raised) {
    throw Error(ErrorCode::bad_input, "environment " + name, raised.what());
  } catch (const py::builtin_exception& raised) {
    throw Error(ErrorCode::bad_input, "environment " + name, raised.what());
  }
}

struct Round {
  Offer offer;
  Numbers rewards, expected;
};

Numbers one_per_arm(const py::object& given, const char* who, std::size_t arms) {
  Numbers numbers = to_numbers(given, who);
  if (numbers.ndim() != 1 || static_cast<std::size_t>(numbers.size()) != arms)
    throw ContractError(std::string(who) + " of shape " + shape_text(numbers) + ": one per arm is needed, " + std::to_string(arms) + " in all");
  return numbers;
}

Round to_round(const py::object& given, const Shape& shape) {
  const py::tuple parts(given);
  if (parts.size() != 2 && parts.size() != 3) throw ContractError("a round is (contexts, rewards) or (contexts, rewards, expected)");
  Round round{to_offer(parts[0], shape), {}, {}};
  round.offer.contexts.check(shape);
  round.rewards = one_per_arm(parts[1], "rewards", round.offer.contexts.arms());
  round.expected = one_per_arm(parts[parts.size() - 1], "expected rewards", round.offer.contexts.arms());
  return round;
}

class OwnEpisode final : public Episode {
 public:
  OwnEpisode(const EnvironmentInfo& info, const py::object& start, std::uint64_t seed)
      : info_(info), rounds_(with_python(info.name, [&] { return py::reinterpret_steal<py::object>(py::iter(start(seed)).release()); })) {}
  ~OwnEpisode() override { drop(); }

  bool next() override {
    return with_python(info_.name, [&] {
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

class OwnWorld final : public Environment {
 public:
  OwnWorld(EnvironmentInfo info, py::object start) : Environment(std::move(info)), start_(std::move(start)) {}
  std::unique_ptr<Episode> start(std::uint64_t seed) const override { return std::make_unique<OwnEpisode>(info_, start_.get(), seed); }

 private:
  Kept start_;
};

}  // namespace

std::shared_ptr<const Environment> make_own_world(EnvironmentInfo info, py::object start) {
  return std::make_shared<OwnWorld>(std::move(info), std::move(start));
}

}  // namespace neuralts::python
