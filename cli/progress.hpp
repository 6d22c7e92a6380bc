// How a sweep is going, on standard error: a bar on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "neuralts/lab.hpp"

namespace neuralts::cli {

class ProgressView {
 public:
  ProgressView();
  void show(const SweepProgress& progress);
  /// Ends the bar's line.
  void close();

 private:
  std::string describe(const SweepProgress& progress);
  void note_best(const Record& record);
  void draw_bar(const SweepProgress& progress);
  void print_line(const SweepProgress& progress);

  bool terminal_;
  bool open_ = false;
  std::chrono::steady_clock::time_point start_, printed_{};
  std::map<std::string, double> best_;  // world -> least regret
  std::string best_text_;
};

}  // namespace neuralts::cli
