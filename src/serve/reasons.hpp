// Why this action: what each of its fields adds to the reward that the model expects.
#pragma once

#include <string>
#include <vector>

#include "serve/decide.hpp"

namespace neuralts::serve {

struct Reason {
  std::string name;      ///< "country=DE", "price=3.5", or "x[4]=0.1" of a vector
  double effect = 0;     ///< the expected reward less what it is without the field
};

/// Of the played action: each field of the context and of the action, or each number of a vector, is left out
/// in turn and the model is asked again. The largest first, at most `most`. Empty: there is no model, it takes
/// another form, or there are too many fields.
std::vector<Reason> reasons(const Published& published, const EventRecord& event, std::size_t most);

}  // namespace neuralts::serve
