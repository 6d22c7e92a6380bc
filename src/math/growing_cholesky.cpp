#include "math/growing_cholesky.hpp"

#include <cmath>

#include "math/simd.hpp"

namespace neuralts::math {

template <class T>
void GrowingCholesky<T>::solve(std::size_t k, T* z, std::size_t ldz) const {
  const T* row = rows_.data();
  for (std::size_t i = 0; i < n_; row += ++i)
    for (std::size_t r = 0; r < k; ++r) {
      T* x = z + r * ldz;
      x[i] = (x[i] - dot(i, row, x)) / row[i];
    }
}

template <class T>
void GrowingCholesky<T>::solve_transposed(T* x) const {
  const T* row = rows_.data() + rows_.size();
  for (std::size_t i = n_; i-- > 0;) {
    row -= i + 1;
    x[i] /= row[i];
    axpy(i, -x[i], row, x);
  }
}

template <class T>
bool GrowingCholesky<T>::append(const T* z, double pivot, double floor) {
  const bool lifted = !(pivot >= floor);
  const double diagonal = std::sqrt(lifted ? floor : pivot);
  rows_.insert(rows_.end(), z, z + n_);
  rows_.push_back(static_cast<T>(diagonal));
  log_det_ += 2 * std::log(diagonal);
  ++n_;
  return lifted;
}

template <class T>
void GrowingCholesky<T>::clear() {
  rows_.clear();
  n_ = 0;
  log_det_ = 0;
}

template <class T>
void GrowingCholesky<T>::restore(std::size_t n, std::vector<T> packed) {
  rows_ = std::move(packed);
  n_ = n;
  log_det_ = 0;
  for (std::size_t i = 0; i < n; ++i) log_det_ += 2 * std::log(static_cast<double>(rows_[i * (i + 1) / 2 + i]));
}

template class GrowingCholesky<float>;
template class GrowingCholesky<double>;

}  // namespace neuralts::math
