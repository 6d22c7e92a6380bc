#include "math/strips.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts::math {

template <class T>
Strips<T>::Strips(std::size_t rows, std::size_t cols, std::size_t group, bool triangular)
    : rows_(rows), cols_(cols), group_(group), triangular_(triangular), begin_((cols + group - 1) / group) {
  std::size_t size = 0;
  for (std::size_t g = 0; g < groups(); ++g) {
    begin_[g] = size;
    size += (strips() - first(g)) * this->cols(g) * height;
  }
  data_.resize(size);
}

template <class T>
Strips<T>::Strips(std::size_t n, std::size_t group, T value) : Strips(n, n, group, true) {
  for (std::size_t j = 0; j < n; ++j) data_[diagonal(j)] = value;
}

template <class T>
std::size_t Strips<T>::rows(std::size_t s) const {
  return std::min(height, rows_ - s * height);
}

template <class T>
std::size_t Strips<T>::cols(std::size_t g) const {
  return std::min(group_, cols_ - g * group_);
}

template <class T>
void Strips<T>::multiply(std::size_t n, const T* v, std::size_t ldv, T beta, T* y, std::size_t ldy) const {
  if (beta == 0)
    for (std::size_t i = 0; i < n; ++i) std::fill_n(y + i * ldy, rows_, T(0));
  for (std::size_t g = 0; g < groups(); ++g) {
    const T* part = v + g * group_;
    std::size_t s = first(g);
    if (n == 1) {
      if (std::all_of(part, part + cols(g), [](T x) { return x == 0; })) continue;
      const std::size_t whole = rows_ / height;
      if (s < whole) multiply_tiles<T>(whole - s, cols(g), part, data_.data() + begin_[g], y + s * height);
      s = std::max(s, whole);
    }
    for (; s < strips(); ++s)
      gemm<T>(n, rows(s), cols(g), part, ldv, 1, data_.data() + tile(g, s), height, 1, y + s * height, ldy);
  }
}

// A tile at a time: it is still in the first-level cache when Z takes it up.
template <class T>
void Strips<T>::fold(const std::vector<StripFold<T>>& folds, std::size_t B, T* z, std::size_t ldz) {
  std::vector<T> old(group_ * height);
  for (std::size_t g = 0; g < groups(); ++g) {
    T* const sums = z + g * group_ * ldz;
    const std::size_t n = cols(g);
    for (std::size_t s = first(g); s < strips(); ++s) {
      const StripFold<T>& f = folds[s];
      const std::size_t h = rows(s);
      T* const here = data_.data() + tile(g, s);
      std::copy_n(here, n * height, old.data());
      gemm<T>(n, h, h, old.data(), height, 1, f.x.data(), h, 0, here, height);
      gemm<T>(n, h, B, sums, ldz, 1, f.y.data(), h, 1, here, height);
      gemm<T>(n, B, h, here, height, 1, f.p.data(), B, 1, sums, ldz);
    }
  }
}

template <class T>
double Strips<T>::log_diagonal() const {
  double sum = 0;
  for (std::size_t j = 0; j < rows_; ++j) sum += std::log(static_cast<double>(data_[diagonal(j)]));
  return sum;
}

template class Strips<float>;
template class Strips<double>;

}  // namespace neuralts::math
