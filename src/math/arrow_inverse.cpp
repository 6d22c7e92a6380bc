#include "math/arrow_inverse.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/simd.hpp"

namespace neuralts::math {

namespace {

// How many vectors from i on stand in the same block.
std::size_t run_length(std::size_t n, const std::uint32_t* blocks, std::size_t i) {
  std::size_t end = i + 1;
  while (end < n && blocks[end] == blocks[i]) ++end;
  return end - i;
}

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The inverse of the Cholesky factor of a (h x h).
std::vector<double> inverse_factor(std::size_t h, const std::vector<double>& a) {
  const Square l = Eigen::Map<const Square>(a.data(), Eigen::Index(h), Eigen::Index(h)).llt().matrixL();
  std::vector<double> x(h * h);
  for (std::size_t i = 0; i < h; ++i) {
    double* const row = x.data() + i * h;
    const double* const li = l.data() + i * h;
    for (std::size_t k = 0; k < i; ++k)
      for (std::size_t j = 0; j <= k; ++j) row[j] -= li[k] * x[k * h + j];
    for (std::size_t j = 0; j < i; ++j) row[j] /= li[i];
    row[i] = 1 / li[i];
  }
  return x;
}

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

template <class T>
std::vector<T> transposed(std::size_t rows, std::size_t cols, const std::vector<double>& values, double scale) {
  std::vector<T> out(values.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) out[j * rows + i] = static_cast<T>(scale * values[i * cols + j]);
  return out;
}

// Goes down the rows of W (B vectors side by side, one a column), strip by strip; q (B x B) = (I + sum of the
// rows passed, w w')^-1.
template <class T>
std::vector<StripFold<T>> folds(std::size_t rows, std::size_t B, const double* w, std::size_t ldw, double* q,
                                std::size_t ldq) {
  std::vector<StripFold<T>> out;
  for (std::size_t at = 0; at < rows; at += Strips<T>::height) {
    const std::size_t h = std::min(Strips<T>::height, rows - at);
    const double* const here = w + at * ldw;
    std::vector<double> seen(h * B), inner(h * h), y(h * B), p(h * B);
    gemm<double>(h, B, B, here, ldw, 1, q, ldq, 0, seen.data(), B);
    dots<double>(h, h, B, seen.data(), B, here, ldw, inner.data(), h);
    for (std::size_t i = 0; i < h; ++i) inner[i * h + i] += 1;
    const std::vector<double> x = inverse_factor(h, inner);
    gemm<double>(h, B, h, x.data(), h, 1, here, ldw, 0, y.data(), B);
    gemm<double>(h, B, h, x.data(), h, 1, seen.data(), B, 0, p.data(), B);
    out.push_back({transposed<T>(h, h, x, 1), transposed<T>(h, B, y, -1), rounded<T>(p)});
    std::transform(p.begin(), p.end(), y.begin(), [](double value) { return -value; });
    gemm<double>(B, B, h, y.data(), 1, B, p.data(), B, 1, q, ldq);
  }
  return out;
}

}  // namespace

template <class T>
ArrowInverse<T>::ArrowInverse(const ArrowShape& shape, double lambda)
    : shape_(shape),
      lambda_(lambda),
      blocks_(shape.blocks),
      tail_(shape.tail, Strips<T>::height, static_cast<T>(1 / std::sqrt(lambda))) {}

template <class T>
auto ArrowInverse<T>::fresh() const -> Block {
  return {Strips<T>(shape_.block, shape_.group, static_cast<T>(1 / std::sqrt(lambda_))),
          Strips<T>(shape_.tail, shape_.block, shape_.group, false)};
}

// y = M v, the vectors length() apart.
template <class T>
void ArrowInverse<T>::multiply(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv,
                               T* y) const {
  const std::size_t ldy = length();
  for (std::size_t i = 0, run; i < n; i += run) {
    run = run_length(n, blocks, i);
    const T* from = v + i * ldv;
    T* to = y + i * ldy;
    const auto& block = blocks_[blocks[i]];
    if (block) {
      block->own.multiply(run, from, ldv, 0, to, ldy);
      block->link.multiply(run, from, ldv, 0, to + shape_.block, ldy);
    } else {
      const T start = static_cast<T>(1 / std::sqrt(lambda_));
      for (std::size_t r = 0; r < run; ++r)
        std::transform(from + r * ldv, from + r * ldv + shape_.block, to + r * ldy,
                       [start](T x) { return start * x; });
    }
    tail_.multiply(run, from + shape_.block, ldv, block ? 1 : 0, to + shape_.block, ldy);
  }
}

// Vectors of different blocks meet in the tail only.
template <class T>
T ArrowInverse<T>::inner(std::uint32_t a, const T* x, std::uint32_t b, const T* y) const {
  const std::size_t skip = a == b ? 0 : shape_.block;
  return dot(length() - skip, x + skip, y + skip);
}

// z = the dual factor's L^-1 of what each of the y has in common with the waiting vectors; `batch` apart.
template <class T>
void ArrowInverse<T>::meet_waiting(std::size_t n, const std::uint32_t* blocks, const T* y, T* z) const {
  constexpr std::size_t worth_a_product = 16;
  const bool product = shape_.blocks == 1 && n >= worth_a_product;
  if (product) dots<T>(n, dual_.size(), length(), y, length(), waiting_.data(), length(), z, batch);
  for (std::size_t i = 0; !product && i < n; ++i)
    for (std::size_t j = 0; j < dual_.size(); ++j)
      z[i * batch + j] = inner(blocks[i], y + i * length(), waiting_blocks_[j], waiting_.data() + j * length());
  dual_.solve(n, z, batch);
}

template <class T>
void ArrowInverse<T>::quadratic(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv,
                                T* work, double* out) const {
  T *const y = work, *const z = work + n * length();
  multiply(n, blocks, v, ldv, y);
  meet_waiting(n, blocks, y, z);
  for (std::size_t i = 0; i < n; ++i) {
    const T *yi = y + i * length(), *zi = z + i * batch;
    const double whole = static_cast<double>(dot(length(), yi, yi)),
                 known = static_cast<double>(dot(dual_.size(), zi, zi));
    out[i] = std::max(whole - known, 0.0);
  }
}

template <class T>
void ArrowInverse<T>::add(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv) {
  for (std::size_t i = 0, some; i < n; i += some) {
    some = std::min(n - i, batch - dual_.size());
    add_few(some, blocks + i, v + i * ldv, ldv);
    if (dual_.size() == batch) fold();
  }
}

template <class T>
void ArrowInverse<T>::add_few(std::size_t n, const std::uint32_t* blocks, const T* v, std::size_t ldv) {
  const std::size_t before = dual_.size();
  waiting_.resize((before + n) * length());
  T* const w = waiting_.data() + before * length();
  multiply(n, blocks, v, ldv, w);
  std::vector<T> z(n * batch);
  meet_waiting(n, blocks, w, z.data());
  std::vector<double> self(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      self[i * n + j] = (i == j ? 1 : 0) +
                        static_cast<double>(inner(blocks[i], w + i * length(), blocks[j], w + j * length()));
  dual_.append_block(n, z.data(), batch, self.data(), 1);
  waiting_blocks_.insert(waiting_blocks_.end(), blocks, blocks + n);
}

// The waiting vectors into M, those of one block side by side: a block's own rows meet them alone, the tail's
// rows all of them.
template <class T>
void ArrowInverse<T>::fold() {
  const std::size_t B = waiting_blocks_.size();
  std::vector<std::size_t> order(B);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return waiting_blocks_[a] < waiting_blocks_[b]; });
  std::vector<std::uint32_t> blocks(B);
  std::vector<double> w(length() * B), q(B * B);
  for (std::size_t i = 0; i < B; ++i) {
    blocks[i] = waiting_blocks_[order[i]];
    q[i * B + i] = 1;
    for (std::size_t j = 0; j < length(); ++j)
      w[j * B + i] = static_cast<double>(waiting_[order[i] * length() + j]);
  }
  for (const std::uint32_t k : blocks)
    if (!blocks_[k]) blocks_[k] = fresh();
  std::vector<std::vector<T>> sums(blocks_.size());  // Z of blocks_
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (blocks_[k]) sums[k].resize(shape_.block * B);
  for (std::size_t i = 0, run; i < B; i += run) {
    run = run_length(B, blocks.data(), i);
    const auto steps = folds<T>(shape_.block, run, w.data() + i, B, q.data() + i * B + i, B);
    blocks_[blocks[i]]->own.fold(steps, run, sums[blocks[i]].data() + i, B);
  }
  // Blocks that no waiting vector touches hang on the tail, too.
  const auto tail = folds<T>(shape_.tail, B, w.data() + shape_.block * B, B, q.data(), B);
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (blocks_[k]) blocks_[k]->link.fold(tail, B, sums[k].data(), B);
  std::vector<T> z(shape_.tail * B);
  tail_.fold(tail, B, z.data(), B);
  waiting_.clear();
  waiting_blocks_.clear();
  dual_.clear();
}

// det U = det(M)^-2 det(I + W W')
template <class T>
double ArrowInverse<T>::log_det() const {
  double sum = dual_.log_det() - 2 * tail_.log_diagonal();
  for (const auto& block : blocks_)
    sum += block ? -2 * block->own.log_diagonal() : static_cast<double>(shape_.block) * std::log(lambda_);
  return sum;
}

template <class T>
void ArrowInverse<T>::clear(double lambda) {
  *this = ArrowInverse(shape_, lambda);
}

template <class T>
std::size_t ArrowInverse<T>::memory() const {
  std::size_t bytes = tail_.memory() + waiting_.capacity() * sizeof(T) + dual_.memory();
  for (const auto& block : blocks_) bytes += block ? block->own.memory() + block->link.memory() : 0;
  return bytes;
}

template <class T>
void ArrowInverse<T>::save(Writer& out) const {
  out.value(lambda_);
  tail_.save(out);
  for (const auto& block : blocks_) {
    out.value<std::uint8_t>(block.has_value());
    if (!block) continue;
    block->own.save(out);
    block->link.save(out);
  }
  out.values(waiting_blocks_);
  out.values(waiting_);
  out.values(dual_.packed());
}

template <class T>
void ArrowInverse<T>::load(Reader& in) {
  clear(in.value<double>());
  tail_.load(in);
  for (auto& block : blocks_) {
    if (in.value<std::uint8_t>() == 0) continue;
    block = fresh();
    block->own.load(in);
    block->link.load(in);
  }
  waiting_blocks_ = in.values<std::uint32_t>();
  const std::size_t waiting = waiting_blocks_.size();
  if (waiting >= batch || std::any_of(waiting_blocks_.begin(), waiting_blocks_.end(),
                                      [this](std::uint32_t k) { return k >= blocks_.size(); }))
    in.fail();
  waiting_ = in.values<T>(waiting * length());
  dual_.restore(waiting, in.values<T>(waiting * (waiting + 1) / 2));
}

template class ArrowInverse<float>;
template class ArrowInverse<double>;

}  // namespace neuralts::math
