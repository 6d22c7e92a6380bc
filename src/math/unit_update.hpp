// The Cholesky factor of I + sum_b w_b w_b': lower triangular M with M_jj = scale_j and M_kj = w_k.p_j for k > j, where w_k are
// the k-th numbers of the B vectors. With Q = I - sum_{i<j} p_i p_i' (B x B):
//   u = Q w_j,   scale_j^2 = 1 + w_j.u,   p_j = u / scale_j,   Q -= p_j p_j'.
// L M is then the factor of L L' + sum_b v_b v_b', w_b = L^-1 v_b: an update that costs two multiply-adds a number and a vector.
#pragma once

#include <cstddef>
#include <vector>

namespace neuralts::math {

/// scale, p and w for a range of rows of M, as columns.hpp takes them.
template <class T>
class UnitPart {
 public:
  std::size_t size() const { return B_; }
  const T* scale() const { return scale_.data(); }
  const T* p() const { return p_.data(); }
  const T* w() const { return w_.data(); }

  /// x = M^-1 x on this range. `carry` (B numbers): the sums of p_i x_i over the rows before, 0 at first; updated.
  void solve(T* x, double* carry) const;

 private:
  template <class>
  friend class UnitUpdate;
  std::size_t B_ = 0;
  std::vector<T> scale_, p_, w_;
};

/// Goes through the rows of M from the first to the last, a range at a time.
template <class T>
class UnitUpdate {
 public:
  explicit UnitUpdate(std::size_t B);
  /// The next n rows; vector b's numbers there stand at w + b * ldw.
  UnitPart<T> next(std::size_t n, const T* w, std::size_t ldw);

 private:
  std::size_t B_;
  std::vector<double> q_, u_;
};

}  // namespace neuralts::math
