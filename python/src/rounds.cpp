#include "rounds.hpp"
#include "whole.hpp"

#include <string>

namespace neuralts::python {

namespace {

[[noreturn]] void refuse_shape(const py::array& given, const std::string& wanted) {
  throw ContractError("contexts of shape " + shape_text(given) + ": " + wanted);
}

std::string numbers_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " number" : " numbers");
}

void check_row(const Numbers& numbers, const Shape& shape, const char* wanted) {
  if (numbers.ndim() < 1 || static_cast<std::size_t>(numbers.shape(numbers.ndim() - 1)) != shape.length)
    refuse_shape(numbers, wanted + numbers_text(shape.length) + " is needed");
}

Offer offer_rows(Numbers numbers, const Shape& shape) {
  check_row(numbers, shape, "a matrix with a row per arm, each of ");
  Offer offer{std::move(numbers), {}, {}};
  offer.contexts = Contexts::per_arm(view(offer.numbers), static_cast<std::size_t>(offer.numbers.shape(0)));
  return offer;
}

std::vector<std::uint32_t> blocks_of(const py::object& arms, std::size_t rounds, const Shape& shape) {
  if (arms.is_none()) {
    if (shape.blocks == 1) return std::vector<std::uint32_t>(rounds, 0);
    throw ContractError("this policy has a block for each of " + std::to_string(shape.blocks) +
                        " arms: say whose rewards these are with arms=");
  }
  auto blocks = to_arms(arms);
  if (blocks.size() != rounds)
    throw ContractError(std::to_string(rounds) + " contexts but " + std::to_string(blocks.size()) + " arms");
  return blocks;
}

}  // namespace

Offer to_offer(const py::object& contexts, const Shape& shape) {
  Numbers numbers = to_numbers(contexts, "contexts");
  if (numbers.ndim() == 1 && shape.blocks > 1) return to_disjoint(numbers, py::none(), shape);
  if (numbers.ndim() != 2) refuse_shape(numbers, "a matrix with a row per arm is needed");
  if (shape.blocks > 1)
    refuse_shape(numbers, "this policy has a block for each of " + std::to_string(shape.blocks) +
                              " arms; give the one x of " + numbers_text(shape.length) + " that they share");
  return offer_rows(std::move(numbers), shape);
}

Offer to_disjoint(const py::object& x, const py::object& arms, const Shape& shape) {
  Offer offer{to_numbers(x, "contexts"), {}, {}};
  if (offer.numbers.ndim() != 1) refuse_shape(offer.numbers, "one x that the arms share is needed");
  check_row(offer.numbers, shape, "one x of ");
  const bool counted = py::isinstance<py::int_>(arms);
  if (arms.is_none() || counted) {
    offer.contexts = Contexts::disjoint(view(offer.numbers), counted ? arms.cast<Whole>() : shape.blocks);
  } else {
    offer.arms = to_arms(arms);
    offer.contexts = Contexts::disjoint(view(offer.numbers), offer.arms);
  }
  return offer;
}

namespace {

// One weight for all, or one per round; none: 1.
std::vector<double> to_weights(const py::object& weights, std::size_t count) {
  if (weights.is_none()) return std::vector<double>(count, 1.0);
  const Numbers numbers = to_numbers(weights, "weights");
  if (numbers.ndim() == 0) return std::vector<double>(count, view(numbers)[0]);
  if (numbers.ndim() > 1 || static_cast<std::size_t>(numbers.size()) != count)
    throw ContractError(std::to_string(count) + " contexts but weights of shape " + shape_text(numbers));
  return {view(numbers).begin(), view(numbers).end()};
}

}  // namespace

History to_history(const py::object& contexts, const py::object& rewards, const py::object& arms,
                   const py::object& weights, const Shape& shape) {
  History history{to_numbers(contexts, "contexts"), to_numbers(rewards, "rewards"), {}};
  if (history.contexts.ndim() > 2)
    refuse_shape(history.contexts, "one context or a matrix with a row per round is needed");
  check_row(history.contexts, shape, "one context, or a row per round, of ");
  const auto count = static_cast<std::size_t>(history.contexts.ndim() == 2 ? history.contexts.shape(0) : 1);
  if (history.rewards.ndim() > 1 || static_cast<std::size_t>(history.rewards.size()) != count)
    throw ContractError(std::to_string(count) + " contexts but rewards of shape " + shape_text(history.rewards));
  const auto blocks = blocks_of(arms, count, shape);
  const auto counted = to_weights(weights, count);
  for (std::size_t i = 0; i < count; ++i)
    history.rounds.push_back({{view(history.contexts).subspan(i * shape.length, shape.length), blocks[i]},
                              view(history.rewards)[i],
                              counted[i]});
  return history;
}

Slice to_slice(const py::object& context, const py::object& arm, const Shape& shape, Numbers& numbers) {
  numbers = to_numbers(context, "contexts");
  if (numbers.ndim() != 1) refuse_shape(numbers, "one context is needed");
  check_row(numbers, shape, "one context of ");
  return {view(numbers), blocks_of(arm, 1, shape)[0]};
}

}  // namespace neuralts::python
