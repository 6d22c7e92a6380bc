#include "model/forgetting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.hpp"
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

// `automatic` asks three things of a short memory: to be better than the belief; to be better than a twin of
// its own kind that remembers as much as the belief; and that the belief itself has become worse than it was.
// One that predicts as well as ever has not become wrong, however well a line does that sees nothing but what
// the policy plays of late.
class ForgettingBelief final : public Belief {
 public:
  ForgettingBelief(std::unique_ptr<Belief> inner, const Forget& forget, const Shape& shape)
      : inner_(std::move(inner)), forget_(forget) {
    if (forget.kind != Forget::Kind::automatic) return;
    std::vector<double> half;
    for (const std::size_t rounds : memories) {
      half.push_back(static_cast<double>(rounds) / 2);
      rivals_.emplace_back(shape, rounds);
      errors_.emplace_back(rounds / 2);
      twin_errors_.emplace_back(rounds / 2);
    }
    twin_.emplace(rivals_.front());
    twin_->stay(0);
    own_level_.emplace(std::move(half));
  }

  const Predictor& predictor() const override { return inner_->predictor(); }
  std::shared_ptr<const Predictor> snapshot() const override { return inner_->snapshot(); }
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override {
    return inner_->read_predictor(in);
  }
  void played(const Slice& context) override { inner_->played(context); }
  bool training_due() const override { return inner_->training_due(); }
  void prepare_training(std::vector<TrainJob>& jobs) override { inner_->prepare_training(jobs); }
  void finish_training() override { inner_->finish_training(); }
  bool retain(const Retention& retention) override { return inner_->retain(retention); }
  std::size_t memory() const override {
    std::size_t bytes = inner_->memory() + (twin_ ? twin_->memory() : 0);
    for (const ShortMemory& rival : rivals_) bytes += rival.memory();
    return bytes;
  }

  void observe(std::span<const Finished> rounds) override {
    std::size_t keep = SIZE_MAX;
    if (forget_.kind == Forget::Kind::automatic)
      for (std::size_t i = 0; i < rounds.size(); ++i)
        if (const auto since = watch(rounds[i])) keep = *since + (rounds.size() - 1 - i);
    inner_->observe(rounds);
    seen_ += rounds.size();
    fresh_ += rounds.size();
    if (keep != SIZE_MAX) return let_go({.last = keep});
    if (forget_.kind != Forget::Kind::automatic && seen_ > forget_.window &&
        static_cast<double>(fresh_) >= length() / parts)
      let_go({.last = forget_.memory(), .discount = forget_.discount});
  }

  std::vector<std::string> notes() const override {
    auto notes = inner_->notes();
    if (changes_ > 0)
      notes.push_back(
          "a short memory predicted better than a long one, " + std::to_string(changes_) +
          " times so far, and what was learned before was let go each time; forget=never keeps it");
    return notes;
  }

  void save(Writer& out) const override {
    inner_->save(out);
    for (const std::uint64_t value : {seen_, fresh_, changes_, since_}) out.value(value);
    for (const ShortMemory& rival : rivals_) rival.save(out);
    if (twin_) twin_->save(out);
    for (const auto* list : {&errors_, &twin_errors_})
      for (const PairedErrors& errors : *list) errors.save(out);
    if (!own_level_) return;
    own_level_->save(out);
    for (const std::uint64_t value : {watched_, last_, last_but_one_}) out.value(value);
    own_level_->save_latest(out);
  }
  void load(Reader& in) override {
    inner_->load(in);
    for (std::uint64_t* value : {&seen_, &fresh_, &changes_, &since_}) *value = in.value<std::uint64_t>();
    for (ShortMemory& rival : rivals_) rival.load(in);
    if (twin_) twin_->load(in);
    for (auto* list : {&errors_, &twin_errors_})
      for (PairedErrors& errors : *list) errors.load(in);
    if (!own_level_ || in.at_end()) return;  // files of before end here: then it begins now
    own_level_->load(in);
    for (std::uint64_t* value : {&watched_, &last_, &last_but_one_}) *value = in.value<std::uint64_t>();
    if (!in.at_end()) own_level_->load_latest(in);
  }

 private:
  double length() const {
    return forget_.kind == Forget::Kind::window ? static_cast<double>(forget_.window)
                                                : 1 / (1 - forget_.discount);
  }

  void let_go(const Retention& retention) {
    inner_->retain(retention);
    fresh_ = 0;
  }

  // One step ahead: who has been nearer to the reward. The shortest memory that is better wins.
  std::optional<std::size_t> watch(const Finished& round) {
    if (round.weight == 0) return {};
    double mean = 0;
    const auto block = static_cast<std::uint32_t>(round.context.block);
    scratch_.reset();
    inner_->predictor().predict(Contexts::disjoint(round.context.values, std::span(&block, 1)), scratch_,
                                {&mean, 1}, {});
    const double own = (round.reward - mean) * (round.reward - mean);
    const double twin = std::pow(round.reward - twin_->forecast(round.context, scratch_), 2);
    twin_->learn(round);
    own_level_->count(own);
    std::optional<std::size_t> better;
    ++since_, ++watched_;
    for (std::size_t i = rivals_.size(); i-- > 0;) {
      const double rival = std::pow(round.reward - rivals_[i].forecast(round.context, scratch_), 2);
      errors_[i].count(own, rival);
      twin_errors_[i].count(twin, rival);
      rivals_[i].learn(round);
      if (since_ > rivals_[i].rounds() && is_better(i)) better = i;
    }
    if (!better) return {};
    begin_anew(rivals_[*better]);
    return since_;
  }

  bool restless() const { return changes_ >= 2 && watched_ - last_but_one_ <= memories.back(); }

  // In a world at rest, only where the belief itself has become worse than it was.
  bool is_better(std::size_t rival) const {
    const double deviations = restless() ? restless_caution : caution;
    return (restless() || own_level_->has_risen(rival)) && errors_[rival].a_is_worse(deviations) &&
           twin_errors_[rival].a_is_worse(deviations);
  }

  // Part of what the rival remembers is of before the change, too.
  void begin_anew(const ShortMemory& rival) {
    since_ = own_level_->since_risen(rival.rounds());
    twin_ = rival;
    twin_->stay(since_);
    for (auto* list : {&errors_, &twin_errors_})
      for (PairedErrors& errors : *list) errors.clear();
    own_level_->clear();
    last_but_one_ = std::exchange(last_, watched_);
    ++changes_;
  }

  std::unique_ptr<Belief> inner_;
  Forget forget_;
  std::vector<ShortMemory> rivals_;
  std::optional<ShortMemory> twin_;                 // one that remembers as much as the belief
  std::optional<ErrorLevel> own_level_;             // of the belief
  std::vector<PairedErrors> errors_, twin_errors_;  // of the belief, of the twin, and each of the rivals
  std::uint64_t seen_ = 0, fresh_ = 0, changes_ = 0;
  std::uint64_t since_ = 0;  // rounds that the belief remembers, with `automatic`
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
