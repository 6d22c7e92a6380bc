// Tangent features of the rounds the design has seen, laid out so that a new feature meets all of them by
// matrix products.
//
// Memory: d + 2 m (L - 1) + 2 numbers a round. Cost of meeting t rounds with K contexts: K t m (L - 1) products
// twice, and t d once for disjoint contexts (a round meets the one arm that stands in its block), K t d for
// per-arm ones.
#pragma once

#include <cstddef>
#include <vector>

#include "neuralts/archive.hpp"
#include "model/network.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

template <class T>
class FeatureStore {
 public:
  explicit FeatureStore(const NetworkShape& shape) : shape_(shape) {}

  std::size_t size() const { return size_; }
  void append(const Features<T>& features);
  /// Only the first `rounds` stay. REQUIRES rounds <= size() + those of an append that threw.
  void truncate(std::size_t rounds) noexcept;
  void clear() noexcept { truncate(0); }

  /// gram[r * ldg + i] = g_r.g_i for context r of `features` and stored round i, first <= i < size().
  template <class Out>
  void meet(const Features<T>& features, Scratch& scratch, Out* gram, std::size_t ldg, std::size_t first = 0) const;

  /// The stored round as features of one context, copied into `buffer`.
  Features<T> get(std::size_t round, std::vector<T>& buffer, std::uint32_t& block) const;

  /// The block of a stored round.
  std::uint32_t block(std::size_t round) const { return panels_[round / chunk].block[round % chunk]; }

  std::size_t memory() const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  // Rounds per panel; a panel holds layers as m x chunk, so that products run along rounds.
  static constexpr std::size_t chunk = 256;
  struct Panel {
    std::vector<T> x;                 // chunk x d
    std::vector<std::uint32_t> block;
    std::vector<T> weight;
    std::vector<T> inputs, signals;   // hidden x m x chunk
  };
  template <class Out>
  void meet_panel(const Features<T>& features, const Panel& panel, std::size_t from, std::size_t rounds,
                  std::span<T> work, Out* gram, std::size_t ldg) const;
  Panel make_panel() const;

  NetworkShape shape_;
  std::vector<Panel> panels_;
  std::size_t size_ = 0;
};

}  // namespace neuralts
