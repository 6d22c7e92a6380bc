// The network f(x; theta) and its tangent features, in factored form.
//
//   f_1 = W_1 x (+ b_1),  f_l = W_l relu(f_{l-1}) (+ b_l),  f = scale * f_L          relu'(0) = 0
//
// Layer l's part of the gradient g = df/dtheta is the outer product  delta_l a_{l-1}'  of the back-propagated
// signal and the layer's input (a_0 = x, a_l = relu(f_l), delta_L = scale), so  g.g' = sum_l
// (delta_l.delta'_l)(a_{l-1}.a'_{l-1} [+ 1 with biases]). The p-vector g is never built: a context is (x, a_1
// .. a_{L-1}, delta_1 .. delta_{L-1}).
//
// Letters: d block length, K blocks, m units, L depth (weight matrices), p parameters, n contexts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/random.hpp"

namespace neuralts {

/// Sizes, and where each matrix stands in the flat vector theta: W_1 as K blocks of d x m (input-major), b_1, then
/// W_2' .. W_{L-1}' (m x m, input-major) each followed by its b_l, then w_L (m) and b_L.
struct NetworkShape {
  Shape input;
  std::size_t units = 100;  ///< m, of a hidden layer
  std::size_t depth = 2;
  bool biases = false;
  double scale = 1;  ///< sqrt(m) in the paper, 1 in the released code

  std::size_t hidden() const { return depth - 1; }
  std::size_t first(std::size_t block) const { return block * input.length * units; }  ///< W_1' of a block
  std::size_t weights(std::size_t l) const;                                           ///< W_l', 2 <= l <= L
  /// B_l, 1 <= l <= L; REQUIRES biases.
  std::size_t bias(std::size_t l) const;
  std::size_t parameters() const;
};

/// n contexts: row i of x (distance ldx; 0 when all share one x) in block blocks[i].
template <class T>
struct Batch {
  std::size_t n = 0;
  const T* x = nullptr;
  std::size_t ldx = 0;
  const std::uint32_t* blocks = nullptr;
};

/// Tangent features of a batch. Layer l in 1 .. L-1 stands at (l - 1) * n * m, row-major n x m.
template <class T>
struct Features {
  Batch<T> batch;
  const T* inputs = nullptr;   ///< a_l
  const T* signals = nullptr;  ///< delta_l
  const T* weights = nullptr;  ///< how often each context counts where it is counted; null: once

  T weight(std::size_t i) const { return weights == nullptr ? T(1) : weights[i]; }
};

enum class Initialisation {
  /// The paper's: halves repeat, last layer (w, -w), so f = 0 at theta_0; biases 0. REQUIRES an even number of
  /// units.
  paired,
  uniform,  ///< the released code's: every number uniform in +-1/sqrt(fan in)
};

template <class T>
class Network {
 public:
  Network(const NetworkShape& shape, Initialisation initialisation, std::uint64_t seed);
  /// A network with given parameters (tests, theory).
  Network(const NetworkShape& shape, std::vector<T> theta);

  const NetworkShape& shape() const { return shape_; }
  std::span<const T> theta() const { return theta_; }
  /// To change the parameters: write here, then call refresh().
  std::span<T> mutable_theta() { return theta_; }
  void refresh();

  /// Whether the halves of every layer are equal and those of the last one opposite, as at the paired start: then
  /// f = 0 for every context, which a rounded sum is not.
  bool halves_cancel() const;

  /// a_1 .. a_{L-1} into `inputs` (hidden x n x m) and f into `out` (n).
  void forward(const Batch<T>& batch, T* inputs, T* out) const;
  /// The same from W_1 x on, which stands where a_1 will (the first n x m numbers of `inputs`).
  void forward_from_products(std::size_t n, T* inputs, T* out) const;
  /// delta_1 .. delta_{L-1}, each context's multiplied by its weight (null: 1), into `signals` (hidden x n x m).
  void backward(std::size_t n, const T* inputs, const T* weights, T* signals) const;
  /// gradient += sum_i weights_i g_i, from features whose signals carry the weights.
  void accumulate(const Features<T>& features, const T* weights, T* gradient) const;
  /// The same without W_1's part: `inputs` and `signals` are those of n contexts.
  void accumulate_above(std::size_t n, const T* inputs, const T* signals, const T* weights, T* gradient) const;

 private:
  void accumulate_last(std::size_t n, const T* inputs, const T* weights, T* gradient) const;

  NetworkShape shape_;
  std::vector<T> theta_;
  std::vector<T> transposed_;  // W_2 .. W_{L-1} (output-major), for backward()
};

/// Inner products g_i.g_j of two sets of features, into `gram` (a.n x b.n).
template <class T>
void tangent_gram(const NetworkShape& shape, const Features<T>& a, const Features<T>& b, T* gram);

/// |g_i|^2 of context i.
template <class T>
double tangent_square(const NetworkShape& shape, const Features<T>& features, std::size_t i);

}  // namespace neuralts
