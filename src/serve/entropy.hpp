// Randomness as an argument. A service draws its secret and the seeds of its threads' streams from here, and
// nothing else.
#pragma once

#include <cstdint>

#include "neuralts/random.hpp"

namespace neuralts::serve {

class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual std::uint64_t bits64() = 0;
};

/// The operating system's generator. Any thread.
class SystemEntropy final : public Entropy {
 public:
  std::uint64_t bits64() override;
};

/// Repeats itself for the same seed.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : stream_(seed, Purpose::environment, 1) {}
  std::uint64_t bits64() override { return stream_.bits64(); }

 private:
  Stream stream_;
};

}  // namespace neuralts::serve
