#include "own_policy.hpp"

#include "arrays.hpp"
#include "kept.hpp"

namespace neuralts::python {

namespace {

class OwnPolicy final : public Contestant {
 public:
  OwnPolicy(const std::string& name, const Shape& shape, py::object player)
      : who_("policy " + name), shape_(shape), player_(std::move(player)) {}

  void select(const Contexts& contexts, Stream&, Scratch&, Decision& out) override {
    with_python(who_, [&] {
      const py::tuple chosen = player_.get().attr("choose")(rows_of(contexts));
      const Numbers probabilities = to_numbers(chosen[1], "probabilities");
      out.arm = chosen[0].cast<std::size_t>();
      out.probabilities.assign(view(probabilities).begin(), view(probabilities).end());
      out.probability = out.probabilities[out.arm];
      for (auto* list : {&out.mean, &out.width, &out.score}) list->assign(contexts.arms(), 0.0);
    });
  }
  void played(const Slice&) override {}
  void learn(std::span<const Finished> rounds) override {
    with_python(who_, [&] {
      for (const auto& round : rounds)
        player_.get().attr("learn")(row_of(round.context), round.reward, round.context.block);
    });
  }

 private:
  using Row = std::span<double>;
  void fill(const Slice& context, Row row) const {
    std::copy(context.values.begin(), context.values.end(),
              row.begin() + static_cast<std::ptrdiff_t>(context.block * shape_.length));
  }
  py::object rows_of(const Contexts& contexts) const {
    py::array_t<double> rows({contexts.arms(), shape_.dim()});
    std::fill_n(rows.mutable_data(), rows.size(), 0.0);
    for (std::size_t k = 0; k < contexts.arms(); ++k)
      fill(contexts[k], Row(rows.mutable_data() + k * shape_.dim(), shape_.dim()));
    return rows;
  }
  py::object row_of(const Slice& context) const {
    py::array_t<double> row(static_cast<py::ssize_t>(shape_.dim()));
    std::fill_n(row.mutable_data(), row.size(), 0.0);
    fill(context, Row(row.mutable_data(), shape_.dim()));
    return row;
  }

  std::string who_;
  Shape shape_;
  Kept player_;
};

}  // namespace

ContestantMaker own_policy(const std::string& name, py::object maker) {
  auto kept = std::make_shared<Kept>(std::move(maker));
  return [name, kept](const RunSpec& spec) {
    return with_python("policy " + name, [&]() -> std::unique_ptr<Contestant> {
      const Shape& shape = spec.policy.shape;
      using namespace py::literals;
      return std::make_unique<OwnPolicy>(
          name, shape, kept->get()("dim"_a = shape.dim(), "arms"_a = shape.blocks, "seed"_a = spec.policy.seed));
    });
  };
}

}  // namespace neuralts::python
