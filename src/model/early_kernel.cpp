#include "model/early_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {

constexpr double rounds_heard = 400, alone = 0.25, alone_if_shared = 0.5;  // the others shares of the first
constexpr double alone_a_weight = 3;  // rounds, for each of the arms' lines
constexpr double affordable_work = 2e6, affordable_numbers = 1e6;  // of a decision's widths; of the points
constexpr double least_first_odds = 5, most_first_odds = 10;  // logarithms
constexpr double imagined_noise = 10;  // rounds in which nobody knew anything
constexpr double largest_error = 10;

std::size_t rounds_of(const Shape& shape) {
  const double arms = static_cast<double>(shape.blocks), columns = static_cast<double>(std::max<std::size_t>(shape.length, 1)),
               until_lines_know = shape.blocks > 1 ? alone_a_weight * (columns + 1) * arms / alone : rounds_heard;
  return static_cast<std::size_t>(std::min(
      {rounds_heard, until_lines_know, std::sqrt(2 * affordable_work / arms), affordable_numbers / columns}));
}

// Lines of few columns soon know what there is to know; where contexts share their weights a line does not tell actions
// apart, however few there are.
double first_odds(const Shape& shape) {
  if (shape.blocks == 1) return most_first_odds;
  return std::clamp(static_cast<double>(shape.length), least_first_odds, most_first_odds);
}

}  // namespace

EarlyKernel::EarlyKernel(const Shape& shape, const Settings& settings)
    : shape_(shape),
      intercept_(shape.blocks > 1 ? settings.intercept : 0),  // one for all tells nothing
      most_rounds_(settings.speaks ? rounds_of(shape) : 0) {
  if (most_rounds_ > 0) belief_ = blank();
}

auto EarlyKernel::blank() const -> std::shared_ptr<Known> {
  StandardisedSettings settings{.shape = shape_, .standardise = {}, .intercept = intercept_};
  settings.standardise.inputs = settings.standardise.rewards = true;
  return std::make_shared<Known>(settings, KernelBelief(settings.inner_shape(), {}));
}

void EarlyKernel::make_room(std::span<const Finished> rounds) {
  if (!speaks()) return;
  next_ = std::make_shared<Known>(*belief_);
  next_->observe(rounds);
}

void EarlyKernel::take_in(std::span<const Finished> rounds) noexcept {
  if (!speaks()) return;
  belief_ = std::move(next_);
  rounds_ += static_cast<std::uint64_t>(
      std::count_if(rounds.begin(), rounds.end(), [](const Finished& round) { return round.weight > 0; }));
  if (rounds_ >= most_rounds_) end();
}

double EarlyKernel::forecast(const Contexts& one, Scratch& scratch) const {
  double mean = 0;
  belief_->predictor().predict(one, scratch, std::span(&mean, 1), {});
  return mean;
}

void EarlyKernel::compare(double error, double error_of_mixture) {
  const auto squared = [](double value) { return std::min(value * value, largest_error * largest_error); };
  const double own = squared(error), other = squared(error_of_mixture);
  ++compared_, squares_ += own, squares_of_mixture_ += other;
  const double noise = (imagined_noise + std::min(squares_, squares_of_mixture_)) / (imagined_noise + compared_);
  lead_ += (other - own) / (2 * noise);
}

double EarlyKernel::part() const {
  if (!speaks()) return 0;
  const double gone = static_cast<double>(rounds_) / static_cast<double>(most_rounds_),
               until = shape_.blocks > 1 ? alone : alone_if_shared;
  return std::clamp((1 - gone) / (1 - until), 0.0, 1.0) / (1 + std::exp(-first_odds(shape_) - lead_));
}

double EarlyKernel::time_for(std::size_t arms, std::size_t rounds) {
  const double n = static_cast<double>(rounds), work = static_cast<double>(arms) * n * n / 2;
  return std::clamp(2 * (1 - work / affordable_work), 0.0, 1.0);
}

auto EarlyKernel::predictor() const -> std::shared_ptr<const Spoken> {
  if (!speaks()) return {};
  return {belief_, &belief_->predictor()};
}

auto EarlyKernel::read_predictor(Reader& in) const -> std::shared_ptr<const Spoken> {
  return std::static_pointer_cast<const Spoken>(blank()->read_predictor(in));
}

void EarlyKernel::save(Writer& out) const {
  if (!expected()) return;
  out.value<std::uint8_t>(speaks());
  if (!speaks()) return;
  out.value(rounds_);
  for (const double value : {compared_, squares_, squares_of_mixture_, lead_}) out.value(value);
  belief_->save(out);
}

void EarlyKernel::load(Reader& in) {
  end();
  if (!in_file(in.version()) || in.value<std::uint8_t>() == 0) return;
  rounds_ = in.value<std::uint64_t>();
  for (double* value : {&compared_, &squares_, &squares_of_mixture_, &lead_}) *value = in.value<double>();
  auto read = blank();
  read->load(in);
  belief_ = std::move(read);
}

}  // namespace neuralts
