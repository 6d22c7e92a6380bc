#include "math/trapezoid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/columns.hpp"

namespace neuralts::math {

namespace {

constexpr std::size_t group = 8;  // columns passed together; a chunk holds whole groups
constexpr std::size_t few = 16;   // right sides passed together, while a group's columns are in cache

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
  std::array<T, few * group> solved;
  for (std::size_t j = 0; j < n_; j += group) {
    const std::size_t width = std::min(group, n_ - j), ldl = height(j), below = j + width;
    const T* l = diagonal(j);  // element (row j + r, column j + c) at c * ldl + r
    for (std::size_t first = 0; first < k; first += few) {
      const std::size_t count = std::min(few, k - first);
      for (std::size_t r = 0; r < count; ++r) {
        T* x = v + (first + r) * ldv + j;
        for (std::size_t c = 0; c < width; ++c) {
          for (std::size_t s = 0; s < c; ++s) x[c] -= l[s * ldl + c] * x[s];
          x[c] /= l[c * ldl + c];
        }
        std::copy_n(x, width, solved.data() + r * width);
      }
      eliminate<T>({rows() - below, width, l + width, ldl}, count, solved.data(), v + first * ldv + below, ldv);
    }
  }
}

// From the last group to the first. Rows above a group's diagonal are 0 and stay so: nothing has been summed for them yet.
template <class T>
void Trapezoid<T>::multiply(const UnitPart<T>& part, T* s, std::size_t lds) {
  const std::size_t B = part.size();
  for (std::size_t end = n_; end > 0;) {
    const std::size_t first = (end - 1) / group * group;
    math::multiply<T>({rows() - first, end - first, diagonal(first), height(first)}, B, part.scale() + first, part.p() + first * B,
                      part.w() + first * B, s + first, lds);
    end = first;
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
