#include "model/forgetting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "model/recent_errors.hpp"
#include "model/short_memory.hpp"

namespace neuralts {

namespace {

constexpr double parts = 16;         // of the memory's length, between two times of forgetting
constexpr double negligible = 1e-3;  // a discounted round that counts less is dropped
constexpr std::array<std::size_t, 5> memories = {64, 128, 256, 512, 1024};
// Standard deviations by which a short memory must be better, over half its length; and where the belief has
// been let go of twice within the longest memory: what has just changed twice is likely to change again, and an
// alarm too many costs little there.
constexpr double caution = 3, restless_caution = 2;

// What a level that rises and falls for all alike explains decides nothing, and what is known of differences would be let go
// of for it: so many standard deviations are left of a short memory's lead once everybody is told the level of late.
constexpr double level_caution = 1, level_rounds = 16;
constexpr std::uint32_t levels_since = 14;  // a file's version

constexpr std::uint64_t everything = SIZE_MAX;

// Bytes of rounds as they came, at most; a list of them holds up to a quarter more than the longest memory.
constexpr std::size_t affordable = std::size_t(16) << 20;
constexpr std::size_t held(std::size_t rounds) { return rounds + rounds / 4; }

std::vector<std::size_t> affordable_memories(std::size_t length) {
  std::vector<std::size_t> out;
  for (const std::size_t rounds : memories)
    if (held(rounds) * (length + 3) * sizeof(double) <= affordable) out.push_back(rounds);
  return out;
}

std::vector<double> halves(std::span<const std::size_t> rounds) {
  std::vector<double> out;
  for (const std::size_t count : rounds) out.push_back(static_cast<double>(count) / 2);
  return out;
}

/// What a reward was beyond the forecasts of it: the belief's, the twin's, and those of the rivals there are.
using Missed = std::array<double, 2 + memories.size()>;
enum Forecaster : std::size_t { own, twin, first_rival };

/// The mean of what each has missed of late: where it is the same for all, the level of rewards has changed and nothing else.
class Levels {
 public:
  /// What each would have missed had it known its own; follows.
  Missed without(const Missed& missed) {
    Missed out;
    for (std::size_t i = 0; i < missed.size(); ++i) {
      out[i] = missed[i] - mean_[i];
      mean_[i] += out[i] / level_rounds;
    }
    return out;
  }
  void clear() { mean_ = {}; }
  void save(Writer& out) const { for (const double mean : mean_) out.value(mean); }
  void load(Reader& in) { for (double& mean : mean_) mean = in.value<double>(); }

 private:
  Missed mean_{};
};

/// Whether a rival forecasts better than the belief, and than the twin.
class Comparison {
 public:
  explicit Comparison(std::size_t rounds) : own_(rounds), twin_(rounds) {}
  void count(const Missed& missed, std::size_t rival) {
    const auto squared = [&](std::size_t i) { return missed[i] * missed[i]; };
    own_.count(squared(own), squared(first_rival + rival));
    twin_.count(squared(twin), squared(first_rival + rival));
  }
  bool rival_is_better(double deviations) const { return own_.a_is_worse(deviations) && twin_.a_is_worse(deviations); }
  void clear() { own_.clear(), twin_.clear(); }
  PairedErrors& with(Forecaster other) { return other == own ? own_ : twin_; }
  const PairedErrors& with(Forecaster other) const { return other == own ? own_ : twin_; }

 private:
  PairedErrors own_, twin_;
};

// `automatic` asks four things of a short memory: to be better than the belief; to be better than a twin of
// its own kind that remembers as much as the belief; to be so as well where everybody is told the level of rewards of late;
// and that the belief itself has become worse than it was.
// One that predicts as well as ever has not become wrong, however well a line does that sees nothing but what
// the policy plays of late.
class ForgettingBelief final : public Belief {
 public:
  ForgettingBelief(std::unique_ptr<Belief> inner, const Forget& forget, const Shape& shape)
      : inner_(std::move(inner)), forget_(forget), shape_(shape) {
    if (!automatic()) return;
    const auto lengths = affordable_memories(shape.length);
    if (lengths.empty()) return;
    longest_ = lengths.back();
    for (const std::size_t rounds : lengths) {
      rivals_.emplace_back(shape, rounds, held(longest_));
      raw_.emplace_back(rounds / 2);
      levelled_.emplace_back(rounds / 2);
    }
    twin_.emplace(shape, ShortMemory::all, held(longest_));
    own_level_.emplace(halves(lengths));
  }

  const Predictor& predictor() const override { return inner_->predictor(); }
  std::shared_ptr<const Predictor> snapshot() const override { return inner_->snapshot(); }
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override {
    return inner_->read_predictor(in);
  }
  void offered(const Contexts& contexts) override { inner_->offered(contexts); }
  void played(const Slice& context) override { inner_->played(context); }
  bool training_due() const override { return inner_->training_due(); }
  void prepare_training(std::vector<TrainJob>& jobs) override { inner_->prepare_training(jobs); }
  void finish_training() override { inner_->finish_training(); }
  bool retain(const Retention& retention) override { return inner_->retain(retention); }
  std::size_t memory() const override {
    std::size_t bytes = inner_->memory() + latest_.memory() + (twin_ ? twin_->memory() : 0);
    for (const ShortMemory& rival : rivals_) bytes += rival.memory();
    return bytes;
  }

  // What may fail comes first: forecasts, room, and the belief itself, which takes in all rounds or none.
  void observe(std::span<const Finished> rounds) override {
    const std::vector<Missed> ahead = watches() ? forecast(rounds) : std::vector<Missed>{};
    try {
      make_room(rounds);
      inner_->observe(rounds);
    } catch (...) {
      give_back();
      throw;
    }
    if (keep_ != everything) keep_ += rounds.size();
    if (watches()) watch(rounds, ahead);
    seen_ += rounds.size();
    fresh_ += rounds.size();
    let_go();
  }

  std::vector<std::string> notes() const override {
    auto notes = inner_->notes();
    if (changes_ > 0)
      notes.push_back(
          "a short memory predicted better than a long one, " + std::to_string(changes_) +
          " times so far, and what was learned before was let go each time; forget=never keeps it");
    if (automatic() && !watches())
      notes.push_back("contexts of " + std::to_string(shape_.length) +
                      " numbers are too long to be watched for a change: nothing is let go of; forget=window:N does");
    return notes;
  }

  void save(Writer& out) const override {
    inner_->save(out);
    for (const std::uint64_t value : {seen_, fresh_, changes_, since_}) out.value(value);
    if (!watches()) return;
    latest_.save(out);
    for (const ShortMemory& rival : rivals_) rival.save(out);
    twin_->save(out);
    save(raw_, out);
    own_level_->save(out);
    for (const std::uint64_t value : {watched_, last_, last_but_one_}) out.value(value);
    own_level_->save_latest(out);
    out.value(keep_);
    levels_.save(out);
    save(levelled_, out);
  }
  void load(Reader& in) override {
    inner_->load(in);
    keep_ = everything;
    for (std::uint64_t* value : {&seen_, &fresh_, &changes_, &since_}) *value = in.value<std::uint64_t>();
    if (automatic() && in.version() < ShortMemory::first_version) return begin_watching(in);
    if (!watches()) return;
    latest_.load(in, shape_);
    for (ShortMemory& rival : rivals_) rival.load(in);
    twin_->load(in);
    load(raw_, in);
    own_level_->load(in);
    for (std::uint64_t* value : {&watched_, &last_, &last_but_one_}) *value = in.value<std::uint64_t>();
    own_level_->load_latest(in);
    keep_ = in.value<std::uint64_t>();
    levels_.clear();
    for (Comparison& comparison : levelled_) comparison.clear();
    if (in.version() < levels_since) return;
    levels_.load(in);
    load(levelled_, in);
  }

 private:
  bool automatic() const { return forget_.kind == Forget::Kind::automatic; }
  bool watches() const { return !rivals_.empty(); }
  double length() const {
    return forget_.kind == Forget::Kind::window ? static_cast<double>(forget_.window)
                                                : 1 / (1 - forget_.discount);
  }

  static void save(const std::vector<Comparison>& comparisons, Writer& out) {
    for (const Forecaster other : {own, twin})
      for (const Comparison& comparison : comparisons) comparison.with(other).save(out);
  }
  static void load(std::vector<Comparison>& comparisons, Reader& in) {
    for (const Forecaster other : {own, twin})
      for (Comparison& comparison : comparisons) comparison.with(other).load(in);
  }

  // What an older file says of its short memories is of no use to those of today, which begin with the next round.
  void begin_watching(Reader& in) {
    since_ = 0;
    for (std::size_t i = 0; i <= memories.size(); ++i) ShortMemory::skip(in, shape_);
    PairedErrors errors(0);
    for (std::size_t i = 0; i < 2 * memories.size(); ++i) errors.load(in);
    if (in.at_end()) return;
    ErrorLevel level(halves(memories));
    level.load(in);
    for (std::uint64_t* value : {&watched_, &last_, &last_but_one_}) *value = in.value<std::uint64_t>();
    if (!in.at_end()) level.load_latest(in);
    if (!in.at_end()) keep_ = in.value<std::uint64_t>();
  }

  // Where there is no memory for it the past stays, and is let go with the next rounds.
  void let_go() {
    const bool due = automatic() ? keep_ != everything
                                 : seen_ > forget_.window && static_cast<double>(fresh_) >= length() / parts;
    if (!due) return;
    try {
      inner_->retain(automatic() ? Retention{.last = keep_}
                               : Retention{.last = forget_.memory(), .discount = forget_.discount});
      fresh_ = 0;
      keep_ = everything;
    } catch (const std::bad_alloc&) {
    }
  }

  // Of every round, before anybody has learned from any of them.
  std::vector<Missed> forecast(std::span<const Finished> rounds) {
    std::vector<Missed> ahead;
    ahead.reserve(rounds.size());
    for (const Finished& round : rounds) {
      double mean = 0;
      const auto block = static_cast<std::uint32_t>(round.context.block);
      scratch_.reset();
      inner_->predictor().predict(Contexts::disjoint(round.context.values, std::span(&block, 1)), scratch_,
                                  {&mean, 1}, {});
      Missed missed{round.reward - mean, round.reward - twin_->forecast(round.context)};
      for (std::size_t i = 0; i < rivals_.size(); ++i)
        missed[first_rival + i] = round.reward - rivals_[i].forecast(round.context);
      ahead.push_back(missed);
    }
    return ahead;
  }

  template <class Do>
  void with_memories(Do&& act) {
    for (ShortMemory& rival : rivals_) act(rival);
    if (twin_) act(*twin_);
  }
  void make_room(std::span<const Finished> rounds) {
    if (!watches()) return;
    latest_.reserve(std::min(rounds.size(), held(longest_) - latest_.size()), shape_.length);
    with_memories([&](ShortMemory& memory) { memory.make_room(rounds); });
  }
  void give_back() noexcept {
    with_memories([](ShortMemory& memory) { memory.give_back(); });
  }

  // The first rounds were forecast by nobody who had seen any. After a change the others that came with it are learned
  // from and no longer judged: they were forecast before it was noticed.
  void watch(std::span<const Finished> rounds, std::span<const Missed> ahead) {
    bool changed = false;
    const bool first = watched_ == 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      if (rounds[i].weight == 0) continue;
      if (latest_.size() >= held(longest_)) latest_.keep_last(longest_);
      latest_.append(rounds.subspan(i, 1));
      with_memories([&](ShortMemory& memory) { memory.learn(rounds[i], latest_); });
      ++since_, ++watched_;
      if (changed || first) continue;
      count(ahead[i]);
      const auto better = better_memory();
      if (!better) continue;
      changed = true;
      begin_anew(rivals_[*better].rounds());
      keep_ = since_ + (rounds.size() - 1 - i);
    }
    give_back();
  }

  void count(const Missed& missed) {
    const Missed levelled = levels_.without(missed);
    own_level_->count(missed[own] * missed[own]);
    for (std::size_t i = 0; i < rivals_.size(); ++i) {
      raw_[i].count(missed, i);
      levelled_[i].count(levelled, i);
    }
  }

  // The shortest memory that is better wins.
  std::optional<std::size_t> better_memory() const {
    for (std::size_t i = 0; i < rivals_.size(); ++i)
      if (since_ > rivals_[i].rounds() && is_better(i)) return i;
    return {};
  }

  bool restless() const { return changes_ >= 2 && watched_ - last_but_one_ <= memories.back(); }

  // In a world at rest, only where the belief itself has become worse than it was.
  bool is_better(std::size_t rival) const {
    const double deviations = restless() ? restless_caution : caution;
    return (restless() || own_level_->has_risen(rival)) && raw_[rival].rival_is_better(deviations) &&
           levelled_[rival].rival_is_better(level_caution);
  }

  // Part of what the rival remembers is of before the change, too.
  void begin_anew(std::size_t rounds) {
    since_ = own_level_->since_risen(rounds);
    twin_->begin_anew(latest_, since_);
    for (auto* list : {&raw_, &levelled_})
      for (Comparison& comparison : *list) comparison.clear();
    levels_.clear();
    own_level_->clear();
    last_but_one_ = std::exchange(last_, watched_);
    ++changes_;
  }

  std::unique_ptr<Belief> inner_;
  Forget forget_;
  Shape shape_;
  std::size_t longest_ = 0;  // memory
  RoundList latest_;         // rounds that short memories are made anew from
  std::vector<ShortMemory> rivals_;
  std::optional<ShortMemory> twin_;                 // one that remembers as much as the belief
  std::optional<ErrorLevel> own_level_;             // of the belief
  Levels levels_;
  std::vector<Comparison> raw_, levelled_;          // with each of the rivals
  std::uint64_t seen_ = 0, fresh_ = 0, changes_ = 0;
  std::uint64_t keep_ = everything;  // rounds that stay, where there was no memory yet to let the others go
  std::uint64_t since_ = 0;          // rounds that the belief remembers, with `automatic`
  std::uint64_t watched_ = 0, last_ = 0, last_but_one_ = 0;  // rounds so far, and at the last two changes
  Scratch scratch_;
};

}  // namespace

bool Forget::parse(const std::string& text, Forget& out) {
  out = {};
  if (text == "never" || text == "auto") {
    out.kind = text == "auto" ? Kind::automatic : Kind::never;
    return true;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const auto amount = parse_number(std::string_view(text).substr(colon + 1));
  if (!amount) return false;
  if (text.substr(0, colon) == "window" && *amount >= 1 && *amount <= 1e9)
    out.kind = Kind::window, out.window = static_cast<std::size_t>(*amount);
  else if (text.substr(0, colon) == "discount" && *amount > 0 && *amount < 1)
    out.kind = Kind::discount, out.discount = *amount;
  else
    return false;
  return true;
}

std::size_t Forget::memory() const {
  if (kind == Kind::window) return window;
  if (kind == Kind::discount)
    return static_cast<std::size_t>(std::ceil(std::log(negligible) / std::log(discount)));
  return kind == Kind::automatic ? memories.back() : 0;
}

std::unique_ptr<Belief> make_forgetting(std::unique_ptr<Belief> inner, const Forget& forget,
                                        const Shape& shape) {
  if (forget.kind == Forget::Kind::never) return inner;
  return std::make_unique<ForgettingBelief>(std::move(inner), forget, shape);
}

}  // namespace neuralts
