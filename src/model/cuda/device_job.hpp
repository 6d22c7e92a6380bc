// One training as the kernels see it: plain numbers and device pointers, nothing of the host's types.
//
// Letters: d values of a context, K blocks, m units, L depth, p parameters, n rounds; theta is laid out as in
// network.hpp.
#pragma once

namespace neuralts::cuda {

/// Rounds of a block lie in tiles of so many: value k of all rounds of a tile side by side (d x tile_rows
/// numbers a tile).
constexpr unsigned tile_rows = 16;
/// A training's rounds are cut into at most so many chunks whose gradients are summed in a fixed order. How
/// many follows from the rounds alone, so that the numbers do not depend on how many multiprocessors share the
/// training.
constexpr unsigned chunks_max = 8;

enum class StepRule : unsigned { descent, momentum, adam };

/// The rounds of one block. All arrays are padded with zeros to a multiple of 64 rounds.
struct BlockRows {
  const float* x = nullptr;
  const float* rewards = nullptr;
  const float* weights = nullptr;  ///< null: all 1
  unsigned rows = 0;
};

/// A block's side of a training in the span of its rows (fit_span.cuh). Arrays of rows have 104 numbers a row,
/// for as many rounds as there are, rounded up to a multiple of 64.
struct SpanBlock {
  const float* gram = nullptr;  ///< G, rows of ld numbers, 0 past the rounds
  unsigned ld = 0;
  float *started = nullptr, *anchored = nullptr, *signals = nullptr;
  float *c = nullptr, *velocity = nullptr;  ///< 0 at the beginning; velocity: null without momentum
};

struct DeviceJob {
  unsigned d = 0, K = 1, m = 0, L = 2, p = 0;
  unsigned biases = 0;
  float scale = 1;
  const BlockRows* blocks = nullptr;  ///< K of them

  const SpanBlock* span = nullptr;    ///< K of them: layer 1 is trained in the span of its rows; null: as it is

  float* theta = nullptr;             ///< p, changed in place
  const float* anchor = nullptr;      ///< p; null: 0
  float* first = nullptr;             ///< p, momentum's velocity or Adam's first moment; null for descent
  float* second = nullptr;            ///< p, Adam's second moment; null for the others
  float* partial = nullptr;           ///< chunks_max rows of ld numbers: the chunks' gradients
  unsigned ld = 0;                    ///< p, rounded up to a multiple of 4

  StepRule rule = StepRule::descent;
  unsigned steps = 0;                 ///< J
  float weight = 1, decay = 0, momentum = 0;
  double length = 0;                  ///< of a step, unless it is measured
  /// Chunks_max sums of w_i |g_i|^2: the step is 1 / (decay + weight * their sum); null: `length`.
  double* squares = nullptr;
  double power1 = 1, power2 = 1;      ///< Adam's beta_1^k and beta_2^k before the first step
};

constexpr double adam_beta2 = 0.999, adam_epsilon = 1e-8;

}  // namespace neuralts::cuda
