// A labelled data set as a world: each class is an arm, the right one pays 1, or each what the table says.
#pragma once

#include <memory>

#include "data/scaling.hpp"
#include "neuralts/environment.hpp"

namespace neuralts {

enum class ArmEncoding {
  disjoint,    ///< arm k sees x in block k of K blocks: one model per class behind the first layer
  onehot_arm,  ///< arm k sees [x; e_k]: one model over the features, for many classes
};

struct ClassificationSettings {
  std::string name;
  std::string identity{};  ///< as WorldFacts'
  ArmEncoding encoder = ArmEncoding::disjoint;
  ColumnScaling scaling;
  bool unit_rows = true;  ///< every context is divided by its l2 norm
  std::size_t switch_at = 0;  ///< from this round on every class means the next one; 0: never
  double missing = -1;    ///< stands for a value that is not there, after scaling
};

/// Rows in an order shuffled by the seed. Default horizon: the smaller of 10,000 and the rows there are.
std::shared_ptr<const Environment> make_classification(std::shared_ptr<const Table> table,
                                                       const ClassificationSettings& settings);

}  // namespace neuralts
