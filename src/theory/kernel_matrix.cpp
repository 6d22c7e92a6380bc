#include "theory/kernel_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "math/tangent_kernel.hpp"
#include "neuralts/error.hpp"

namespace neuralts::theory {

namespace {

constexpr Eigen::Index tile_side = 64;
// Nearer to +-1 than this a rounded cosine no longer determines the angle to 1e-14: take it from the vectors.
constexpr double doubtful = 1e-4;

double pick(const math::TangentKernel& value, Kernel kernel) {
  return kernel == Kernel::paper ? value.value() : value.tangent;
}

std::span<const double> row_of(const ContextSet& set, std::uint32_t context) {
  const auto cols = set.values.cols();
  return {set.values.data() + static_cast<Eigen::Index>(set.row[context]) * cols, static_cast<std::size_t>(cols)};
}

RowMatrix gather(const ContextSet& set, const std::vector<std::uint32_t>& members, Eigen::Index first,
                 Eigen::Index count) {
  RowMatrix rows(count, set.values.cols());
  for (Eigen::Index i = 0; i < count; ++i)
    rows.row(i) = set.values.row(set.row[members[static_cast<std::size_t>(first + i)]]);
  return rows;
}

}  // namespace

struct KernelMatrix::Tile {
  Eigen::Index row, col, rows, cols;
};

KernelMatrix::KernelMatrix(const ContextSet& set, std::vector<std::uint32_t> members, std::size_t depth,
                           double shift, Kernel kernel)
    : set_(&set),
      members_(std::move(members)),
      depth_(depth),
      shift_(shift),
      orthogonal_(pick(math::tangent_kernel_at(std::numbers::pi / 2, 1, 1, depth), kernel)),
      kernel_(kernel) {}

double KernelMatrix::entry(Eigen::Index i, Eigen::Index j) const {
  const auto a = members_[static_cast<std::size_t>(i)], b = members_[static_cast<std::size_t>(j)];
  return entry(a, b, set_->values.row(set_->row[a]).dot(set_->values.row(set_->row[b])));
}

double KernelMatrix::entry(std::uint32_t a, std::uint32_t b, double dot) const {
  const double norm_a = set_->norms[set_->row[a]], norm_b = set_->norms[set_->row[b]], scale = norm_a * norm_b;
  if (!(scale > 0)) return 0;
  if (set_->block[a] != set_->block[b]) return scale * (orthogonal_ + shift_);
  const double cosine = dot / scale;
  double angle = 0;
  if (set_->row[a] != set_->row[b])
    angle = std::abs(cosine) < 1 - doubtful
                ? math::angle_of_cosine(cosine)
                : math::angle_between(row_of(*set_, a), norm_a, row_of(*set_, b), norm_b);
  return pick(math::tangent_kernel_at(angle, norm_a, norm_b, depth_), kernel_) + shift_ * scale;
}

void KernelMatrix::fill_tile(const Tile& tile, Eigen::Ref<Eigen::MatrixXd> out) const {
  const Eigen::MatrixXd dots = gather(*set_, members_, tile.row, tile.rows) *
                               gather(*set_, members_, tile.col, tile.cols).transpose();
  for (Eigen::Index j = 0; j < tile.cols; ++j)
    for (Eigen::Index i = tile.row == tile.col ? j : 0; i < tile.rows; ++i)
      out(tile.row + i, tile.col + j) = entry(members_[static_cast<std::size_t>(tile.row + i)],
                                              members_[static_cast<std::size_t>(tile.col + j)], dots(i, j));
}

void KernelMatrix::fill_lower(Eigen::Ref<Eigen::MatrixXd> out, std::size_t threads) const {
  std::vector<Tile> tiles;
  for (Eigen::Index row = 0; row < size(); row += tile_side)
    for (Eigen::Index col = 0; col <= row; col += tile_side)
      tiles.push_back({row, col, std::min(tile_side, size() - row), std::min(tile_side, size() - col)});
  parallel_for(tiles.size(), threads, [&](std::size_t i) { fill_tile(tiles[i], out); });
}

KernelMatrix KernelMatrix::restrict_to(const std::vector<Eigen::Index>& places) const {
  std::vector<std::uint32_t> chosen;
  for (const auto place : places) chosen.push_back(members_[static_cast<std::size_t>(place)]);
  return {*set_, std::move(chosen), depth_, shift_, kernel_};
}

std::vector<Part> split(const Walk& walk, std::size_t depth) {
  const auto& set = walk.contexts;
  std::vector<std::uint32_t> members(set.size());
  std::iota(members.begin(), members.end(), 0U);
  if (!walk.crossed) return {{KernelMatrix(set, std::move(members), depth), 1}};
  std::vector<std::uint32_t> one_arm;
  for (std::size_t i = 0; i < set.size(); i += walk.arms) one_arm.push_back(static_cast<std::uint32_t>(i));
  const double c = math::tangent_kernel_at(std::numbers::pi / 2, 1, 1, depth).value(),
               others = static_cast<double>(walk.arms - 1);
  return {{KernelMatrix(set, one_arm, depth, -c), walk.arms - 1},
          {KernelMatrix(set, one_arm, depth, others * c), 1}};
}

std::vector<double> tangent_kernel_matrix(std::span<const Slice> contexts, std::size_t depth, Kernel kernel,
                                          std::size_t threads) {
  if (depth < 2) throw ContractError("a network has at least two weight matrices, not " + std::to_string(depth));
  const ContextSet set = make_context_set(contexts);
  std::vector<std::uint32_t> members(set.size());
  std::iota(members.begin(), members.end(), 0U);
  std::vector<double> numbers(set.size() * set.size());
  const auto n = static_cast<Eigen::Index>(set.size());
  Eigen::Map<Eigen::MatrixXd> H(numbers.data(), n, n);
  KernelMatrix(set, std::move(members), depth, 0, kernel).fill_lower(H, threads);
  H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
  return numbers;
}

}  // namespace neuralts::theory
