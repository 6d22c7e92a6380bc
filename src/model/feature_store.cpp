#include "model/feature_store.hpp"

#include <algorithm>

#include "math/simd.hpp"

namespace neuralts {

template <class T>
typename FeatureStore<T>::Panel FeatureStore<T>::make_panel() const {
  const std::size_t layers = shape_.hidden() * shape_.units * chunk;
  return {std::vector<T>(chunk * shape_.input.length), std::vector<std::uint32_t>(chunk), std::vector<T>(chunk),
          std::vector<T>(layers), std::vector<T>(layers)};
}

template <class T>
void FeatureStore<T>::append(const Features<T>& features) {
  const std::size_t m = shape_.units, d = shape_.input.length, n = features.batch.n;
  for (std::size_t i = 0; i < n; ++i, ++size_) {
    const std::size_t at = size_ % chunk;
    if (at == 0) panels_.push_back(make_panel());
    Panel& panel = panels_.back();
    std::copy_n(features.batch.x + i * features.batch.ldx, d,
                panel.x.begin() + static_cast<std::ptrdiff_t>(at * d));
    panel.block[at] = features.batch.blocks[i];
    panel.weight[at] = features.weight(i);
    for (std::size_t l = 0; l < shape_.hidden(); ++l)
      for (std::size_t j = 0; j < m; ++j) {
        panel.inputs[(l * m + j) * chunk + at] = features.inputs[l * n * m + i * m + j];
        panel.signals[(l * m + j) * chunk + at] = features.signals[l * n * m + i * m + j];
      }
  }
}

template <class T>
void FeatureStore<T>::truncate(std::size_t rounds) noexcept {
  panels_.resize((rounds + chunk - 1) / chunk);
  size_ = rounds;
}

template <class T>
template <class Out>
void FeatureStore<T>::meet_panel(const Features<T>& features, const Panel& panel, std::size_t from,
                                 std::size_t rounds, std::span<T> work, Out* gram, std::size_t ldg) const {
  const std::size_t m = shape_.units, d = shape_.input.length, n = features.batch.n;
  T* const input = work.data();
  T* const signal = input + n * chunk;
  T* const sum = signal + n * chunk;
  const T one = shape_.biases ? 1 : 0;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = from; i < rounds; ++i)
      input[r * chunk + i] = (panel.block[i] == features.batch.blocks[r]
                                  ? math::dot(d, features.batch.x + r * features.batch.ldx, panel.x.data() + i * d)
                                  : 0) + one;
  std::fill_n(sum, n * chunk, T(0));
  for (std::size_t l = 0; l < shape_.hidden(); ++l) {
    const std::size_t layer = l * m * chunk;
    math::gemm<T>(n, rounds, m, features.signals + l * n * m, m, 1, panel.signals.data() + layer, chunk, 0,
                  signal, chunk);
    for (std::size_t i = 0; i < n * chunk; ++i) sum[i] += input[i] * signal[i];
    math::gemm<T>(n, rounds, m, features.inputs + l * n * m, m, 1, panel.inputs.data() + layer, chunk, 0,
                  input, chunk);
    for (std::size_t i = 0; i < n * chunk; ++i) input[i] += one;
  }
  const T scale2 = static_cast<T>(shape_.scale * shape_.scale);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = from; i < rounds; ++i)
      gram[r * ldg + i] = static_cast<Out>(sum[r * chunk + i] + scale2 * input[r * chunk + i]);
}

template <class T>
template <class Out>
void FeatureStore<T>::meet(const Features<T>& features, Scratch& scratch, Out* gram, std::size_t ldg,
                           std::size_t first) const {
  const auto work = scratch.take<T>(3 * features.batch.n * chunk);
  for (std::size_t start = first / chunk * chunk; start < size_; start += chunk) {
    const std::size_t from = start < first ? first - start : 0;
    meet_panel(features, panels_[start / chunk], from, std::min(chunk, size_ - start), work, gram + start, ldg);
  }
}

template <class T>
Features<T> FeatureStore<T>::get(std::size_t round, std::vector<T>& buffer, std::uint32_t& block) const {
  const std::size_t m = shape_.units, d = shape_.input.length, layers = shape_.hidden() * m, at = round % chunk;
  const Panel& panel = panels_[round / chunk];
  buffer.resize(d + 2 * layers + 1);
  buffer.back() = panel.weight[at];
  std::copy_n(panel.x.begin() + static_cast<std::ptrdiff_t>(at * d), d, buffer.begin());
  for (std::size_t j = 0; j < layers; ++j) {
    buffer[d + j] = panel.inputs[j * chunk + at];
    buffer[d + layers + j] = panel.signals[j * chunk + at];
  }
  block = panel.block[at];
  return {{1, buffer.data(), d, &block}, buffer.data() + d, buffer.data() + d + layers, &buffer.back()};
}

template <class T>
std::size_t FeatureStore<T>::memory() const {
  return panels_.size() * chunk *
         ((shape_.input.length + 2 * shape_.hidden() * shape_.units + 1) * sizeof(T) + sizeof(std::uint32_t));
}

template <class T>
void FeatureStore<T>::save(Writer& out) const {
  out.value<std::uint64_t>(size_);
  for (const auto& panel : panels_) {
    out.values(panel.x);
    out.values(panel.block);
    out.values(panel.weight);
    out.values(panel.inputs);
    out.values(panel.signals);
  }
}

template <class T>
void FeatureStore<T>::load(Reader& in) {
  size_ = in.value<std::uint64_t>();
  panels_.clear();
  for (std::size_t start = 0; start < size_; start += chunk) {
    Panel panel = make_panel();
    panel.x = in.values<T>(panel.x.size());
    panel.block = in.values<std::uint32_t>(panel.block.size());
    panel.weight = in.values<T>(panel.weight.size());
    panel.inputs = in.values<T>(panel.inputs.size());
    panel.signals = in.values<T>(panel.signals.size());
    panels_.push_back(std::move(panel));
  }
}

template class FeatureStore<float>;
template class FeatureStore<double>;
template void FeatureStore<float>::meet<float>(const Features<float>&, Scratch&, float*, std::size_t,
                                               std::size_t) const;
template void FeatureStore<float>::meet<double>(const Features<float>&, Scratch&, double*, std::size_t,
                                                std::size_t) const;
template void FeatureStore<double>::meet<double>(const Features<double>&, Scratch&, double*, std::size_t,
                                                 std::size_t) const;

}  // namespace neuralts
