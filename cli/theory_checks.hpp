// neuralts theory gap, neuralts theory events: the theory held against networks and runs.
#pragma once

namespace CLI {
class App;
}

namespace neuralts::cli {

void add_theory_gap(CLI::App& theory);
void add_theory_events(CLI::App& theory);

}  // namespace neuralts::cli
