// Last layer exact, the rest diagonal: U is taken for block diagonal, one dense block for the output's
// weights and bias, a diagonal for all others. With phi the last layer's part of g / sqrt(c), A = lambda I +
// sum w phi phi':
//   sigma^2 = lambda (sum_below g^2 / u c  +  phi'A^-1 phi).
#include <algorithm>
#include <cmath>
#include <vector>

#include "math/arrow_inverse.hpp"
#include "model/exact_stages.hpp"

namespace neuralts {

namespace {

template <class T>
class LastLayerPosterior final : public Posterior<T> {
 public:
  explicit LastLayerPosterior(const PosteriorSettings& settings)
      : settings_(settings),
        below_(make_lower_diagonal_posterior<T>(settings)),
        last_({.blocks = 1, .block = length(), .tail = 0, .group = math::Strips<T>::height},
              settings.lambda) {}
  LastLayerPosterior(const LastLayerPosterior& other)
      : settings_(other.settings_), below_(other.below_->clone()), last_(other.last_) {}

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    const std::size_t n = features.batch.n;
    const auto phi = scratch.take<T>(n * length()), work = scratch.take<T>(last_.work(n));
    const auto zeros = scratch.take<std::uint32_t>(n);
    const auto above = scratch.take<double>(n);
    std::fill(zeros.begin(), zeros.end(), 0u);
    for (std::size_t i = 0; i < n; ++i) write_last(features, i, 1, phi.data() + i * length());
    last_.quadratic(n, zeros.data(), phi.data(), length(), work.data(), above.data());
    below_->variance(features, scratch, out);
    for (std::size_t i = 0; i < n; ++i) out[i] += settings_.lambda * above[i];
  }

  bool batching_helps() const override { return false; }

  void grow(const Features<T>& features) override {
    const std::size_t n = features.batch.n;
    std::vector<T> phi(n * length());
    for (std::size_t i = 0; i < n; ++i)
      write_last(features, i, std::sqrt(features.weight(i)), phi.data() + i * length());
    last_.add(n, std::vector<std::uint32_t>(n, 0).data(), phi.data(), length());
    below_->grow(features);
  }

  double log_det() const override { return below_->log_det() + last_.log_det(); }
  std::size_t memory() const override { return below_->memory() + last_.memory(); }
  void restart(double lambda) override {
    settings_.lambda = lambda;
    below_->restart(lambda);
    last_.clear(lambda);
  }
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<LastLayerPosterior>(*this); }
  void save(Writer& out) const override {
    out.value(settings_.lambda);
    below_->save(out);
    last_.save(out);
  }
  void load(Reader& in) override {
    settings_.lambda = in.value<double>();
    below_->load(in);
    last_.load(in);
  }

 private:
  std::size_t length() const { return settings_.shape.units + (settings_.shape.biases ? 1 : 0); }

  void write_last(const Features<T>& features, std::size_t i, T factor, T* out) const {
    const NetworkShape& shape = settings_.shape;
    const std::size_t m = shape.units, n = features.batch.n;
    const T* const input = features.inputs + (shape.hidden() - 1) * n * m + i * m;
    const T share = factor * static_cast<T>(shape.scale / std::sqrt(settings_.normaliser));
    std::transform(input, input + m, out, [share](T a) { return share * a; });
    if (shape.biases) out[m] = share;
  }

  PosteriorSettings settings_;
  std::unique_ptr<Posterior<T>> below_;
  math::ArrowInverse<T> last_;
};

}  // namespace

template <class T>
std::unique_ptr<Posterior<T>> make_last_layer_posterior(const PosteriorSettings& settings) {
  return std::make_unique<LastLayerPosterior<T>>(settings);
}

template std::unique_ptr<Posterior<float>> make_last_layer_posterior<float>(const PosteriorSettings&);
template std::unique_ptr<Posterior<double>> make_last_layer_posterior<double>(const PosteriorSettings&);

}  // namespace neuralts
