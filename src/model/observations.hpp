// Finished rounds on their way to a network: mapped as it sees them, kept for training.
#pragma once

#include <algorithm>
#include <optional>

#include "base/room.hpp"
#include "model/history.hpp"
#include "model/standardiser.hpp"
#include "model/train.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

template <class T>
class Observations {
 public:
  /// `keeps_beyond`: append() is told of every reward what was said of it that no line of its context says.
  Observations(const StandardiserSettings& settings, const Shape& shape, const KeepSettings& keep = {},
               std::uint64_t seed = 0, bool keeps_beyond = false)
      : standardiser_(settings, shape), history_(shape, keeps_beyond), row_(shape.length), difference_(shape.length) {
    if (!keep.tracks()) return;
    const std::size_t copies = standardiser_.active() ? 2 : 1,
                      round = (copies * (shape.length + 1) + 2 + keeps_beyond) * sizeof(T) + sizeof(std::uint64_t);
    kept_.emplace(shape.blocks, keep.memory == 0 ? 0 : std::max<std::size_t>(2, keep.memory / round), seed);
    given_.resize(shape.blocks);
  }

  const History<T>& history() const { return history_; }
  /// Of the history's rounds; empty while every weight was 1.
  const RoundWeights<T>& weights() const { return weights_; }
  /// Their sum: how many rounds the history counts for.
  double total_weight() const { return total_weight_; }
  /// As the history is mapped: a decision takes it over when a training on it is done.
  const Scaling<T>& scaling() const { return standardiser_.scaling(); }

  /// Makes room for `rounds`: appending them cannot fail then. Nothing that counts has changed, also where it
  /// throws.
  void reserve(std::span<const Finished> rounds) {
    std::vector<std::size_t> blocks;
    bool weighted = false;
    for (const Finished& round : rounds)
      blocks.push_back(round.context.block), weighted = weighted || round.weight != 1;
    std::sort(blocks.begin(), blocks.end());
    RoundWeights<T> ones;
    if (weighted && weights_.empty())
      for (const auto& held : history_.blocks()) ones.emplace_back(held.rows(), T(1));
    for (auto first = blocks.begin(), last = first; first != blocks.end(); first = last) {
      last = std::upper_bound(first, blocks.end(), *first);
      const auto count = static_cast<std::size_t>(last - first);
      reserve(*first, count);
      if (!ones.empty()) ones[*first].reserve(ones[*first].size() + count);
    }
    if (!ones.empty()) ones_.swap(ones);
  }

  /// A call that throws has changed nothing.
  void append(const Finished& round, double beyond = 0) {
    reserve(round.context.block, 1);
    begin_weights(round);
    standardiser_.observe(round.context.values, round.reward);
    scaling().map(round.context.values, row_.data());
    history_.append(round.context.block, std::span<const T>(row_), scaling().map_reward(round.reward), beyond);
    weigh(round.context.block, round.weight);
    if (kept_)
      kept_->added(round.context.block), given_[round.context.block].push_back(static_cast<T>(round.weight));
    if (!standardiser_.active()) return;
    standardiser_.difference(round.context.values, difference_);
    history_.append_raw(round.context.block, difference_, standardiser_.difference(round.reward));
  }

  /// Whether it is time to retain({}): the history is above its bound.
  bool full() const { return kept_ && kept_->full(); }
  /// Finished rounds so far, kept or not, since the last restart.
  std::size_t seen() const { return kept_ ? kept_->seen() : history_.size(); }
  /// Keeps what the bound and `retention` leave of every block, and weighs it. Returns the rows that stayed.
  /// REQUIRES KeepSettings::tracks(). A call that throws has changed nothing.
  std::vector<KeptRows> retain(const Retention& retention) {
    auto kept = kept_->select(retention);
    const bool forgets = retention.last < kept_->seen() || retention.discount < 1;
    RoundWeights<T> given(kept.size()), weights(kept.size());
    bool weighted = false;
    double total = 0;
    for (std::size_t k = 0; k < kept.size(); ++k)
      for (std::size_t i = 0; i < kept[k].rows.size(); ++i) {
        given[k].push_back(given_[k][kept[k].rows[i]]);
        weights[k].push_back(static_cast<T>(static_cast<double>(given[k].back()) * kept[k].factors[i]));
        weighted = weighted || weights[k].back() != 1;
        total += static_cast<double>(weights[k].back());
      }
    history_.keep(kept);
    if (!mapped()) unmapped_ = Place{};
    kept_->take(kept, retention);
    given_.swap(given);
    if (weighted) weights_.swap(weights);
    else weights_.clear();
    total_weight_ = total;
    if (forgets) standardiser_.forgot_all_but(history_.size());
    return kept;
  }

  /// Before a training: takes over new statistics when it is time, and maps all rounds anew. Returns whether it
  /// did.
  bool refit() { return standardiser_.refit(history_, weights_); }
  /// Whether refit() would look at the statistics.
  bool refit_due() const { return standardiser_.due(history_); }
  /// refit() whose rounds are mapped by map_more(), so many of them each time, until all are mapped().
  bool begin_refit() {
    if (!standardiser_.renew(history_, weights_)) return false;
    unmapped_ = Place{};
    return true;
  }
  bool mapped() const { return !unmapped_.has_value(); }
  void map_more(std::size_t rounds) {
    for (; unmapped_ && rounds > 0;) {
      const std::size_t rows = history_.blocks()[unmapped_->block].rows(),
                        some = std::min(rounds, rows - unmapped_->row);
      standardiser_.map(history_, unmapped_->block, unmapped_->row, some);
      rounds -= some;
      unmapped_->row += some;
      if (unmapped_->row < rows) continue;
      *unmapped_ = {unmapped_->block + 1, 0};
      if (unmapped_->block == history_.blocks().size()) unmapped_.reset();
    }
  }
  /// Rounds of the statistics in force; 0: none yet, every context looks alike. 1 where nothing is standardised.
  std::size_t fitted() const { return standardiser_.active() ? standardiser_.fitted() : 1; }

  void restart() {
    history_.clear();
    weights_.clear();
    total_weight_ = 0;
    if (kept_) kept_->clear();
    for (auto& block : given_) block.clear();
    unmapped_.reset();
    standardiser_.restart();
  }

  std::size_t memory() const {
    std::size_t numbers = 0;
    for (const auto* list : {&weights_, &given_})
      for (const auto& block : *list) numbers += block.capacity();
    return history_.memory() + numbers * sizeof(T) + (kept_ ? kept_->memory() : 0);
  }
  void save(Writer& out) const {
    history_.save(out);
    out.value<std::uint8_t>(!weights_.empty());
    for (const auto& block : weights_) out.values(block);
    out.value(total_weight_);
    standardiser_.save(out);
    if (kept_) kept_->save(out), history_.save_left(out);
    for (const auto& block : given_) out.values(block);
  }
  void load(Reader& in) {
    history_.load(in);
    weights_.resize(in.value<std::uint8_t>() != 0 ? history_.blocks().size() : 0);
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = in.values<T>(history_.blocks()[k].rows());
    total_weight_ = in.value<double>();
    standardiser_.load(in);
    if (kept_) kept_->load(in), history_.load_left(in);
    for (std::size_t k = 0; k < given_.size(); ++k) given_[k] = in.values<T>(history_.blocks()[k].rows());
    unmapped_.reset();
  }
  /// How far map_more() has come; beside save() and load(), between begin_refit() and mapped().
  void save_progress(Writer& out) const {
    const Place place = unmapped_.value_or(Place{history_.blocks().size(), 0});
    out.value<std::uint64_t>(place.block);
    out.value<std::uint64_t>(place.row);
  }
  void load_progress(Reader& in) {
    const std::uint64_t block = in.value<std::uint64_t>(), row = in.value<std::uint64_t>();
    if (block > history_.blocks().size() ||
        (block < history_.blocks().size() && row > history_.blocks()[block].rows()))
      in.fail();
    if (block < history_.blocks().size()) unmapped_ = Place{block, row};
  }

 private:
  struct Place {
    std::size_t block = 0, row = 0;
  };
  void reserve(std::size_t block, std::size_t count) {
    history_.reserve(block, standardiser_.active(), kept_.has_value(), count);
    if (kept_) kept_->reserve(block, count), make_room(given_[block], count, true);
    if (!weights_.empty()) make_room(weights_[block], count, true);
  }
  // The first weight that is not 1 gives every round before it a 1.
  void begin_weights(const Finished& round) {
    if (!weights_.empty() || round.weight == 1) return;
    if (ones_.empty()) reserve(std::span(&round, 1));
    for (std::size_t k = 0; k < ones_.size(); ++k) ones_[k].resize(history_.blocks()[k].rows(), T(1));
    weights_.swap(ones_);
    ones_.clear();
  }
  void weigh(std::size_t block, double weight) {
    total_weight_ += weight;
    if (!weights_.empty()) weights_[block].push_back(static_cast<T>(weight));
  }

  Standardiser<T> standardiser_;
  History<T> history_;
  RoundWeights<T> weights_;
  RoundWeights<T> ones_;   // what weights_ will be from the first weight on that is not 1
  RoundWeights<T> given_;  // before the bound and forgetting weigh them; where kept_ is
  std::optional<KeptRounds> kept_;
  double total_weight_ = 0;
  std::optional<Place> unmapped_;  // rounds from here on may lie on the old scale
  std::vector<T> row_;
  std::vector<double> difference_;
};

}  // namespace neuralts
