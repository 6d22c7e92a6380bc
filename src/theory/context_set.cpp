#include "theory/context_set.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/limits.hpp"

namespace neuralts::theory {

namespace {

// Rows collected one by one, then laid out as a matrix.
class Rows {
 public:
  std::uint32_t add(std::span<const double> row) {
    width_ = row.size();
    numbers_.insert(numbers_.end(), row.begin(), row.end());
    return count_++;
  }
  void finish(ContextSet& set) const {
    set.values = Eigen::Map<const RowMatrix>(numbers_.data(), static_cast<Eigen::Index>(count_),
                                             static_cast<Eigen::Index>(width_));
    set.norms = set.values.rowwise().norm();
  }

 private:
  std::vector<double> numbers_;
  std::size_t width_ = 0;
  std::uint32_t count_ = 0;
};

// A shared x is stored once for all arms of the round.
void add_round(const Contexts& offered, Rows& rows, ContextSet& set) {
  std::uint32_t row = 0;
  for (std::size_t arm = 0; arm < offered.arms(); ++arm) {
    const Slice context = offered[arm];
    if (arm == 0 || !offered.shared()) row = rows.add(context.values);
    set.row.push_back(row);
    set.block.push_back(static_cast<std::uint32_t>(context.block));
  }
}

bool crosses_all_blocks(const Contexts& offered, std::size_t blocks) {
  if (!offered.shared() || offered.arms() != blocks) return false;
  for (std::size_t arm = 0; arm < blocks; ++arm)
    if (offered[arm].block != arm) return false;
  return true;
}

void add_rewards(const EnvironmentInfo& info, Episode& episode, std::vector<double>& expected, Walk& out) {
  const std::size_t first = out.contexts.size() - episode.contexts().arms();
  const auto h = episode.expected();
  expected.insert(expected.end(), h.begin(), h.end());
  if (!h.empty()) return;
  for (std::size_t arm = 0; arm < episode.contexts().arms(); ++arm)
    if (const auto reward = episode.reward(arm)) {
      check_paid(info, out.rounds + 1, episode, arm, *reward);
      out.observed.push_back(first + arm);
      out.rewards.push_back(*reward);
    }
}

void check_context(const Slice& context, std::size_t index, std::size_t length) {
  const auto refuse = [&](const std::string& what) {
    throw ContractError("context " + std::to_string(index) + " of a kernel matrix" + what);
  };
  if (length == 0) refuse(" has no numbers");
  if (context.values.size() != length)
    refuse(" has " + std::to_string(context.values.size()) + " numbers, the first has " + std::to_string(length));
  for (std::size_t i = 0; i < length; ++i)
    if (!(std::abs(context.values[i]) <= largest_number))
      refuse(": number " + std::to_string(i) + " is " + format_number(context.values[i]) +
             ": finite numbers up to 1e15 are needed");
}

}  // namespace

ContextSet make_context_set(std::span<const Slice> contexts) {
  ContextSet set;
  Rows rows;
  for (const Slice& context : contexts) {
    check_context(context, set.size(), contexts[0].values.size());
    set.row.push_back(rows.add(context.values));
    set.block.push_back(static_cast<std::uint32_t>(context.block));
  }
  rows.finish(set);
  return set;
}

Walk walk(const Environment& env, std::size_t rounds, std::uint64_t seed) {
  Walk out;
  Rows rows;
  std::vector<double> expected;
  out.crossed = env.info().shape.blocks > 1;
  const auto episode = env.start(seed);
  while (out.rounds < rounds && episode->next()) {
    const Contexts& offered = episode->contexts();
    check_round(env.info(), out.rounds + 1, *episode);
    offered.check(env.info().shape);
    add_round(offered, rows, out.contexts);
    add_rewards(env.info(), *episode, expected, out);
    out.crossed = out.crossed && crosses_all_blocks(offered, env.info().shape.blocks);
    out.arms = std::max(out.arms, offered.arms());
    out.round_end.push_back(out.contexts.size());
    ++out.rounds;
  }
  if (out.rounds == 0)
    throw Error(ErrorCode::bad_input, env.info().name, "the world has no rounds",
                "choose another seed or world");
  rows.finish(out.contexts);
  if (out.observed.empty())
    out.expected = Eigen::Map<Eigen::VectorXd>(expected.data(), static_cast<Eigen::Index>(expected.size()));
  return out;
}

}  // namespace neuralts::theory
