// |x'M|^2 for an upper triangular M that is asked about very often: M is packed once into panels of 32 columns,
// each row after row as far down as its columns go, so that a product reads memory from front to back and no
// zero below the diagonal but those of small squares on it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace neuralts::math {

class UpperPanels {
 public:
  /// Of no size: nothing may be asked.
  UpperPanels() = default;
  /// `m`: n x n, row after row; what lies below its diagonal is not read.
  UpperPanels(std::size_t n, const float* m);

  bool empty() const { return panels_.empty(); }
  /// out[i] = |x_i'M|^2, in single precision, for `count` vectors of n numbers, one behind the other. Several
  /// together take less time each. Same machine, same call: same bytes. REQUIRES working.size() >= working_size().
  void squares(std::size_t count, const double* x, std::span<float> working, double* out) const;
  std::size_t working_size() const { return n_ * pitch_max; }
  std::size_t memory() const { return lines_.capacity() * sizeof(Line); }

  // The kernel's side.
  static constexpr std::size_t pitch_max = 12;
  static constexpr std::size_t half = 16;  // numbers of a line, half of a panel's columns
  struct alignas(64) Line {
    std::array<float, half> numbers;
  };
  struct Panel {
    std::size_t first;        // of its lines: rows of both halves, then rows of the second alone
    std::size_t both, right;  // how many rows of each
  };

 private:
  std::size_t n_ = 0;
  std::vector<Panel> panels_;
  std::vector<Line> lines_;
};

}  // namespace neuralts::math
