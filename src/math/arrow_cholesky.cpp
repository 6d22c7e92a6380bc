#include "math/arrow_cholesky.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/columns.hpp"
#include "math/unit_update.hpp"

namespace neuralts::math {

namespace {

// How many vectors from i on stand in the same block.
std::size_t run_length(std::size_t n, const std::uint32_t* blocks, std::size_t i) {
  std::size_t end = i + 1;
  while (end < n && blocks[end] == blocks[i]) ++end;
  return end - i;
}

template <class T>
T root(double lambda) {
  return static_cast<T>(std::sqrt(lambda));
}

}  // namespace

template <class T>
ArrowCholesky<T>::ArrowCholesky(std::size_t blocks, std::size_t block, std::size_t tail, double lambda)
    : block_(block), tail_size_(tail), lambda_(lambda), blocks_(blocks), tail_(tail, 0, root<T>(lambda)) {}

template <class T>
void ArrowCholesky<T>::whiten(std::size_t n, const std::uint32_t* blocks, T* v, std::size_t ldv) const {
  for (std::size_t i = 0, run; i < n; i += run) {
    run = run_length(n, blocks, i);
    if (const auto& factor = blocks_[blocks[i]]) {
      factor->solve(run, v + i * ldv, ldv);
      continue;
    }
    for (std::size_t r = i; r < i + run; ++r)
      for (std::size_t j = 0; j < block_; ++j) v[r * ldv + j] /= root<T>(lambda_);
  }
  tail_.solve(n, v + block_, ldv);
}

template <class T>
void ArrowCholesky<T>::update(std::size_t n, const std::uint32_t* blocks, T* v, std::size_t ldv) {
  whiten(n, blocks, v, ldv);
  absorb(n, blocks, v, ldv);
}

template <class T>
void ArrowCholesky<T>::absorb(std::size_t n, const std::uint32_t* blocks, T* w, std::size_t ldw) {
  for (std::size_t i = 0, B; i < n; i += B) {
    B = std::min(run_length(n, blocks, i), most_factors);
    absorb_group(blocks[i], B, w + i * ldw, ldw, n - i - B, blocks + i + B);
  }
}

// L = L M, M the factor of I + W'W for B vectors of one block. The `rest` vectors after them, whitened by the old L, become
// whitened by the new: M^-1 of them. Vectors of another block meet M in the tail only.
template <class T>
void ArrowCholesky<T>::absorb_group(std::size_t block, std::size_t B, T* w, std::size_t ldw, std::size_t rest, const std::uint32_t* rest_blocks) {
  auto& factor = blocks_[block];
  if (!factor) factor = std::make_unique<Trapezoid<T>>(block_, tail_size_, root<T>(lambda_));
  UnitUpdate<T> unit(B);
  const UnitPart<T> head = unit.next(block_, w, ldw), tail = unit.next(tail_size_, w + block_, ldw);
  for (std::size_t r = 0; r < rest; ++r) {
    T* const x = w + (B + r) * ldw;
    std::array<double, most_factors> carry{};
    if (rest_blocks[r] == block) head.solve(x, carry.data());
    tail.solve(x + block_, carry.data());
  }
  std::vector<T> sums(B * length());
  tail_.multiply(tail, sums.data() + block_, length());
  factor->multiply(head, sums.data(), length());
}

template <class T>
double ArrowCholesky<T>::log_det() const {
  double sum = tail_.log_det();
  for (const auto& factor : blocks_) sum += factor ? factor->log_det() : static_cast<double>(block_) * std::log(lambda_);
  return sum;
}

template <class T>
void ArrowCholesky<T>::clear(double lambda) {
  lambda_ = lambda;
  for (auto& factor : blocks_) factor.reset();
  tail_ = Trapezoid<T>(tail_size_, 0, root<T>(lambda));
}

template <class T>
std::size_t ArrowCholesky<T>::memory() const {
  std::size_t bytes = tail_.memory();
  for (const auto& factor : blocks_) bytes += factor ? factor->memory() : 0;
  return bytes;
}

template <class T>
void ArrowCholesky<T>::save(Writer& out) const {
  out.value(lambda_);
  tail_.save(out);
  for (const auto& factor : blocks_) {
    out.value<std::uint8_t>(factor != nullptr);
    if (factor) factor->save(out);
  }
}

template <class T>
void ArrowCholesky<T>::load(Reader& in) {
  clear(in.value<double>());
  tail_.load(in);
  for (auto& factor : blocks_) {
    if (in.value<std::uint8_t>() == 0) continue;
    factor = std::make_unique<Trapezoid<T>>(block_, tail_size_, root<T>(lambda_));
    factor->load(in);
  }
}

template class ArrowCholesky<float>;
template class ArrowCholesky<double>;

}  // namespace neuralts::math
