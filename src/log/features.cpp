#include "log/features.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace neuralts {

void LogFeatures::add(Log::Row& row, const std::string& name, double value) {
  constexpr std::int64_t most = 1'000'000;
  if (!std::isfinite(value)) lines_.fail("the feature '" + name + "' is not a finite number");
  const std::int64_t column = names_.code(name);
  if (column < 0 || column >= most)
    lines_.fail("more than " + std::to_string(most) + " different features", "contexts are dense here: hash or drop features first");
  row.emplace_back(static_cast<std::uint32_t>(column), value);
}

void LogFeatures::finish_event(Log& log, LoggedEvent event, const Log::Row& shared, std::vector<Log::Row> actions) const {
  if (!(event.probability > 0 && event.probability <= 1))
    lines_.fail("the probability is " + format_number(event.probability), "expected above 0, at most 1");
  for (auto& action : actions) action.insert(action.begin(), shared.begin(), shared.end());
  event.arms = static_cast<std::uint32_t>(actions.size());
  log.add(event, actions);
}

void LogFeatures::finish(Log& log) const {
  log.shape = {std::max<std::size_t>(1, names_.values().size()), 1};
  log.column_names = names_.values();
}

}  // namespace neuralts
