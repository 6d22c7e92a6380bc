// A matrix in tiles of 48 rows and a group of columns, each tile stored column after column, the tiles of a
// group one below the other: what a product with a vector reads, and what taking vectors into the inverse of a
// Cholesky factor rewrites (arrow_inverse.hpp). A strip is a row of tiles.
#pragma once

#include <cstddef>
#include <vector>

#include "neuralts/archive.hpp"
#include "math/simd.hpp"

namespace neuralts::math {

/// What a fold does to one strip, whatever its columns: M_s = X M_s + Y Z, then Z += P'M_s. Given transposed,
/// as tiles are stored.
template <class T>
struct StripFold {
  std::vector<T> x, y, p;  ///< X' (rows x rows), Y' (B x rows), P (rows x B)
};

template <class T>
class Strips {
 public:
  static constexpr std::size_t height = tile_height;

  /// Zeros, in groups of `group` columns. `triangular`: square, and no tile is kept that lies above the diagonal.
  Strips(std::size_t rows, std::size_t cols, std::size_t group, bool triangular);
  /// diagonal * I, triangular.
  Strips(std::size_t n, std::size_t group, T diagonal);

  /// y_i = beta y_i + M v_i, beta 0 or 1, for n vectors. For n = 1, groups of columns that meet zeros only are
  /// not read.
  void multiply(std::size_t n, const T* v, std::size_t ldv, T beta, T* y, std::size_t ldy) const;
  /// folds[s] applied to strip s, one after the other; z: B numbers for each column, `ldz` apart.
  void fold(const std::vector<StripFold<T>>& folds, std::size_t B, T* z, std::size_t ldz);

  /// The sum of log M_jj. REQUIRES triangular.
  double log_diagonal() const;
  std::size_t memory() const { return data_.size() * sizeof(T); }
  void save(Writer& out) const { out.values(data_); }
  void load(Reader& in) { data_ = in.values<T>(data_.size()); }

 private:
  std::size_t strips() const { return (rows_ + height - 1) / height; }
  std::size_t groups() const { return begin_.size(); }
  // The first strip group g is in.
  std::size_t first(std::size_t g) const { return triangular_ ? g * group_ / height : 0; }
  std::size_t rows(std::size_t s) const;
  std::size_t cols(std::size_t g) const;
  std::size_t tile(std::size_t g, std::size_t s) const { return begin_[g] + (s - first(g)) * cols(g) * height; }
  std::size_t diagonal(std::size_t j) const {
    return tile(j / group_, j / height) + j % group_ * height + j % height;
  }

  std::size_t rows_, cols_, group_;
  bool triangular_;
  std::vector<std::size_t> begin_;  // of groups
  std::vector<T> data_;
};

}  // namespace neuralts::math
