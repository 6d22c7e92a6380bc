// The features of a data set, kept small: bytes, floats or sparse floats; one row at a time becomes doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace neuralts {

/// A value that is not there, in a matrix.
constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

struct DenseFloats {
  std::vector<float> values;  // row-major
};
struct DenseBytes {
  std::vector<std::uint8_t> values;  // row-major
};
struct SparseFloats {
  std::vector<std::size_t> starts{0};  // of each row, and the end of the last
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

class Matrix {
 public:
  using Storage = std::variant<DenseFloats, DenseBytes, SparseFloats>;
  Matrix() = default;
  /// REQUIRES storage of `rows` whole rows, every sparse column below `columns`.
  Matrix(std::size_t rows, std::size_t columns, Storage storage)
      : rows_(rows), columns_(columns), storage_(std::move(storage)) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  /// Row i into `out` (columns() numbers); missing_value where nothing is known.
  void row(std::size_t i, std::span<double> out) const;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  Storage storage_;
};

}  // namespace neuralts
