// Nominal columns as numbers: a column of its own for every value, the value's code, or a few columns that
// values share by hashing.
#pragma once

#include "data/table.hpp"

namespace neuralts {

enum class NominalCoding {
  automatic,  ///< onehot, and hashed above `most_values` values
  onehot,     ///< "color=red" is 1 where the value is red; "color missing" where none is known
  code,       ///< the value's place in the list, as the published data sets have it
  /// Values share a few columns "color #3", each with a sign of its own; slots, signs and names are an
  /// Encoder's.
  hashed,
};
constexpr std::size_t most_values = 64;   ///< of a column that becomes one column per value by itself
constexpr std::size_t hashed_columns = 32;  ///< per nominal column

/// `table` with its nominal columns recoded; the others as they are.
Table recode_nominal(Table table, NominalCoding coding);
/// How many columns a nominal one with so many values becomes.
std::size_t columns_of(std::size_t values, bool missing, NominalCoding coding);

}  // namespace neuralts
