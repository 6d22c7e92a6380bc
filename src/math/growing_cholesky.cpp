#include "math/growing_cholesky.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/simd.hpp"

namespace neuralts::math {

namespace {

constexpr std::size_t group = 4;   // rows solved together; a chunk holds whole groups
constexpr std::size_t few = 16;    // right sides taken through a group together, while its rows are in cache
constexpr std::size_t many = 32;   // right sides taken through a chunk together

// Finishes rows i .. i + rows of x = L^-1 x, given done[r * stride] = what columns before i contribute to row i
// + r.
template <class T>
void finish_group(std::size_t i, std::size_t rows, const T* l, std::size_t ldl, const T* done,
                  std::size_t stride, T* x) {
  for (std::size_t r = 0; r < rows; ++r) {
    T rest = x[i + r] - done[r * stride];
    for (std::size_t s = 0; s < r; ++s) rest -= l[r * ldl + i + s] * x[i + s];
    x[i + r] = rest / l[r * ldl + i + r];
  }
}

}  // namespace

// Rows begin .. end; what columns before `begin` contribute has been taken off already.
template <class T>
void GrowingCholesky<T>::solve_rows(std::size_t begin, std::size_t end, std::size_t k, T* z,
                                    std::size_t ldz) const {
  std::array<T, group * few> done;
  for (std::size_t i = begin; i < end; i += group) {
    const std::size_t rows = std::min(group, end - i), ldl = stride(i);
    for (std::size_t first = 0; first < k; first += few) {
      const std::size_t count = std::min(few, k - first);
      T* const x = z + first * ldz;
      dots(rows, count, i - begin, row(i) + begin, ldl, x + begin, ldz, done.data(), few);
      for (std::size_t r = 0; r < count; ++r) finish_group(i, rows, row(i), ldl, done.data() + r, few, x + r * ldz);
    }
  }
}

// Takes off what the columns before a chunk contribute to its rows: a product, whose right sides are read once
// per chunk.
template <class T>
void GrowingCholesky<T>::reduce_chunk(std::size_t begin, std::size_t rows, std::size_t k, T* z,
                                      std::size_t ldz) const {
  std::array<T, chunk * many> done;
  for (std::size_t first = 0; first < k; first += many) {
    const std::size_t count = std::min(many, k - first);
    dots(rows, count, begin, row(begin), stride(begin), z + first * ldz, ldz, done.data(), many);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t i = 0; i < rows; ++i) z[(first + r) * ldz + begin + i] -= done[i * many + r];
  }
}

template <class T>
void GrowingCholesky<T>::solve(std::size_t k, T* z, std::size_t ldz) const {
  if (k <= few) return solve_rows(0, n_, k, z, ldz);
  for (std::size_t begin = 0; begin < n_; begin += chunk) {
    const std::size_t end = std::min(begin + chunk, n_);
    reduce_chunk(begin, end - begin, k, z, ldz);
    solve_rows(begin, end, k, z, ldz);
  }
}

template <class T>
void GrowingCholesky<T>::solve_transposed(T* x) const {
  std::array<T, group> minus;
  for (std::size_t i = (n_ + group - 1) / group * group; i > 0;) {
    i -= group;
    const std::size_t rows = std::min(group, n_ - i), ldl = stride(i);
    const T* l = row(i);
    for (std::size_t r = rows; r-- > 0;) {
      for (std::size_t s = r + 1; s < rows; ++s) x[i + r] -= l[s * ldl + i + r] * x[i + s];
      x[i + r] /= l[r * ldl + i + r];
      minus[r] = -x[i + r];
    }
    gemm<T>(1, i, rows, minus.data(), rows, 1, l, ldl, 1, x, n_);
  }
}

template <class T>
T* GrowingCholesky<T>::new_row() {
  if (n_ % chunk == 0) chunks_.emplace_back(chunk * stride(n_));
  return chunks_.back().data() + n_ % chunk * stride(n_);
}

// log_det_ sums what is stored, so that restore() finds the same number.
template <class T>
void GrowingCholesky<T>::finish_row(T* row, T diagonal) {
  row[n_++] = diagonal;
  log_det_ += 2 * std::log(static_cast<double>(diagonal));
}

template <class T>
bool GrowingCholesky<T>::append(const T* z, double pivot, double floor) {
  const bool lifted = !(pivot >= floor);
  T* row = new_row();
  std::copy_n(z, n_, row);
  finish_row(row, static_cast<T>(std::sqrt(lifted ? floor : pivot)));
  return lifted;
}

template <class T>
std::size_t GrowingCholesky<T>::append_block(std::size_t B, const T* z, std::size_t ldz, const double* self,
                                             double floor) {
  const std::size_t old = n_;
  std::vector<T> met(B * B), grown(old + B);
  dots(B, B, old, z, ldz, z, ldz, met.data(), B);
  std::size_t lifted = 0;
  for (std::size_t b = 0; b < B; ++b) {
    std::copy_n(z + b * ldz, old, grown.begin());
    double pivot = self[b * B + b] - static_cast<double>(met[b * B + b]);
    for (std::size_t s = 0; s < b; ++s) {
      const T* above = row(old + s);
      const double rest = self[b * B + s] -
                          static_cast<double>(met[b * B + s] + dot(s, grown.data() + old, above + old));
      const double value = rest / static_cast<double>(above[old + s]);
      grown[old + s] = static_cast<T>(value);
      pivot -= value * value;
    }
    lifted += append(grown.data(), pivot, floor);
  }
  return lifted;
}

template <class T>
void GrowingCholesky<T>::clear() {
  chunks_.clear();
  n_ = 0;
  log_det_ = 0;
}

template <class T>
void GrowingCholesky<T>::truncate(std::size_t n) noexcept {
  n_ = n;
  chunks_.resize((n + chunk - 1) / chunk);
  log_det_ = 0;
  for (std::size_t i = 0; i < n; ++i) log_det_ += 2 * std::log(static_cast<double>(row(i)[i]));
}

template <class T>
std::size_t GrowingCholesky<T>::memory() const {
  std::size_t numbers = 0;
  for (const auto& rows : chunks_) numbers += rows.size();
  return numbers * sizeof(T);
}

template <class T>
std::vector<T> GrowingCholesky<T>::packed() const {
  std::vector<T> out;
  out.reserve(n_ * (n_ + 1) / 2);
  for (std::size_t i = 0; i < n_; ++i) out.insert(out.end(), row(i), row(i) + i + 1);
  return out;
}

template <class T>
void GrowingCholesky<T>::restore(std::size_t n, const std::vector<T>& packed) {
  clear();
  const T* from = packed.data();
  while (n_ < n) {
    T* to = new_row();
    std::copy_n(from, n_ + 1, to);
    from += n_ + 1;
    finish_row(to, to[n_]);
  }
}

template class GrowingCholesky<float>;
template class GrowingCholesky<double>;

}  // namespace neuralts::math
