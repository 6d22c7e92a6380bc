#include "math/trapezoid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/simd.hpp"

namespace neuralts::math {

namespace {

constexpr std::size_t group = 4;     // columns passed together; a chunk holds whole groups
constexpr std::size_t together = 4;  // vectors of an update passed together, while a group's columns are in cache
constexpr std::size_t few = 16;      // right sides passed together

// All columns of the chunks before column `chunk * c`, and of heights n + extra, n + extra - chunk, ...
constexpr std::size_t offset(std::size_t chunk, std::size_t c, std::size_t rows) { return c == 0 ? 0 : chunk * (c * rows - chunk * (c * (c - 1) / 2)); }

}  // namespace

template <class T>
Trapezoid<T>::Trapezoid(std::size_t n, std::size_t extra, T value) : n_(n), extra_(extra) {
  const std::size_t whole = n / chunk, rest = n % chunk;
  columns_.resize(offset(chunk, whole, n + extra) + rest * (n + extra - whole * chunk));
  for (std::size_t j = 0; j < n; ++j) *diagonal(j) = value;
}

template <class T>
const T* Trapezoid<T>::diagonal(std::size_t j) const {
  return columns_.data() + offset(chunk, j / chunk, n_ + extra_) + j % chunk * (height(j) + 1);
}

template <class T>
void Trapezoid<T>::solve(std::size_t k, T* v, std::size_t ldv) const {
  std::array<T, few * group> minus;
  for (std::size_t j = 0; j < n_; j += group) {
    const std::size_t columns = std::min(group, n_ - j), ldl = height(j), below = j + columns;
    const T* l = diagonal(j);  // element (row j + r, column j + c) at c * ldl + r
    for (std::size_t first = 0; first < k; first += few) {
      const std::size_t count = std::min(few, k - first);
      for (std::size_t r = 0; r < count; ++r) {
        T* x = v + (first + r) * ldv + j;
        for (std::size_t c = 0; c < columns; ++c) {
          for (std::size_t s = 0; s < c; ++s) x[c] -= l[s * ldl + c] * x[s];
          x[c] /= l[c * ldl + c];
          minus[r * group + c] = -x[c];
        }
      }
      gemm<T>(count, n_ + extra_ - below, columns, minus.data(), group, 1, l + columns, ldl, 1, v + first * ldv + below, ldv);
    }
  }
}

// The rotations that bring entries j .. j + columns of every vector to 0, applied within the group's own rows.
template <class T>
void Trapezoid<T>::turn_group(std::size_t j, std::size_t columns, std::size_t B, T* v, std::size_t ldv, T* cosine, T* sine) {
  const std::size_t ldl = height(j);
  T* const l = diagonal(j);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t b = 0; b < B; ++b) {
      T* const x = v + b * ldv + j;
      T* const column = l + c * ldl;
      const T length = std::hypot(column[c], x[c]);
      const T cos = column[c] / length, sin = x[c] / length;
      cosine[c * B + b] = cos;
      sine[c * B + b] = sin;
      column[c] = length;
      x[c] = 0;
      for (std::size_t r = c + 1; r < columns; ++r) {
        const T turned = cos * column[r] + sin * x[r];
        x[r] = cos * x[r] - sin * column[r];
        column[r] = turned;
      }
    }
}

template <class T>
void Trapezoid<T>::update(std::size_t B, T* v, std::size_t ldv) {
  std::array<T, group * together> cosine, sine;
  for (std::size_t j = 0; j < n_; j += group) {
    const std::size_t columns = std::min(group, n_ - j), below = j + columns;
    for (std::size_t first = 0; first < B; first += together) {
      const std::size_t count = std::min(together, B - first);
      T* const x = v + first * ldv;
      turn_group(j, columns, count, x, ldv, cosine.data(), sine.data());
      rotate(n_ + extra_ - below, columns, diagonal(j) + columns, height(j), count, x + below, ldv, cosine.data(), sine.data());
    }
  }
}

template <class T>
double Trapezoid<T>::log_det() const {
  double sum = 0;
  for (std::size_t j = 0; j < n_; ++j) sum += 2 * std::log(static_cast<double>(*diagonal(j)));
  return sum;
}

template class Trapezoid<float>;
template class Trapezoid<double>;

}  // namespace neuralts::math
