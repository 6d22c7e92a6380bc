// Random streams: counter-based (Philox 4x32-10), split by purpose, so that a run is a pure function of its seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace neuralts {

/// What a stream is for. Streams of different purpose or index never overlap, whatever is drawn from them.
enum class Purpose : std::uint32_t { data_order = 1, initialisation, exploration, environment, training, delay, bootstrap, theory, replay };

/// An endless sequence of random numbers. Cheap to copy; a copy continues on its own from the same point.
/// One stream per thread: drawing changes it.
class Stream {
 public:
  struct State {
    std::array<std::uint32_t, 2> key{};
    std::array<std::uint32_t, 4> counter{};
    std::uint32_t used = 4;  // how many of the current block's four words have been handed out
    bool operator==(const State&) const = default;
  };

  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t index = 0);
  explicit Stream(const State& state);

  std::uint32_t bits32();
  std::uint64_t bits64();
  double uniform();                       ///< in [0, 1), 53 bits
  double normal();                        ///< mean 0, variance 1
  std::uint64_t below(std::uint64_t n);   ///< uniform on 0 .. n-1, without bias. REQUIRES n > 0
  void shuffle(std::span<std::uint32_t> items);

  /// The whole state: Stream(s.state()) continues exactly as s does.
  const State& state() const { return state_; }

 private:
  void refill();
  State state_;
  std::array<std::uint32_t, 4> block_{};
};

}  // namespace neuralts
#pragma GCC visibility pop
