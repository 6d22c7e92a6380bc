#include "data/matrix.hpp"

#include <algorithm>

namespace neuralts {

namespace {

template <class T>
void copy_row(const std::vector<T>& values, std::size_t i, std::span<double> out) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * out.size());
  std::copy(first, first + static_cast<std::ptrdiff_t>(out.size()), out.begin());
}

struct RowOf {
  std::size_t i;
  std::span<double> out;
  void operator()(const DenseFloats& dense) const { copy_row(dense.values, i, out); }
  void operator()(const DenseBytes& dense) const { copy_row(dense.values, i, out); }
  void operator()(const SparseFloats& sparse) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t at = sparse.starts[i]; at < sparse.starts[i + 1]; ++at)
      out[sparse.columns[at]] = sparse.values[at];
  }
};

}  // namespace

void Matrix::row(std::size_t i, std::span<double> out) const { std::visit(RowOf{i, out}, storage_); }

}  // namespace neuralts
