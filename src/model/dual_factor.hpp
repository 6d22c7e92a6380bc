// The dual of a sum of outer products: the Cholesky factor L of  shift W^-1 + G,  G_ij = g_i.g_j / c  over
// stored tangent features, W the diagonal of their weights.
//
// Time: t^2 operations per context asked about, L read once for all of them; memory t^2 / 2 + t (d + 2 m (L -
// 1)) numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "neuralts/archive.hpp"
#include "math/growing_cholesky.hpp"
#include "model/feature_store.hpp"

namespace neuralts {

/// T: of the features; F: of the factor.
template <class T, class F>
class DualFactor {
 public:
  DualFactor(const NetworkShape& shape, double normaliser, double shift)
      : shape_(shape), normaliser_(normaliser), shift_(shift), store_(shape) {}

  std::size_t size() const { return store_.size(); }
  const FeatureStore<T>& store() const { return store_; }
  /// z = L^-1 k for every context, k_i = g_i.g / c; row r of z holds size() numbers.
  void whiten(const Features<T>& features, Scratch& scratch, F* z) const;
  /// Takes in a batch of features: one solve, one block of rows. Pivots are at least `shift`
  /// (growing_cholesky.hpp says why). A call that throws has changed nothing.
  void grow(const Features<T>& features);
  /// log det(shift I + W^1/2 G W^1/2).
  double log_det() const { return factor_.log_det() + log_weights_; }
  std::size_t memory() const { return factor_.memory() + store_.memory(); }
  void clear(double shift);

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  NetworkShape shape_;
  double normaliser_, shift_;
  double log_weights_ = 0;  // sum of their logarithms
  FeatureStore<T> store_;
  math::GrowingCholesky<F> factor_;
};

}  // namespace neuralts
