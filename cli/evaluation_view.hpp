// How an evaluation is going, on standard error: a line that changes on a terminal, lines now and then elsewhere.
#pragma once

#include <chrono>

#include "neuralts/evaluate.hpp"

namespace neuralts::cli {

class EvaluationView {
 public:
  EvaluationView();
  ~EvaluationView();
  EvaluationView(const EvaluationView&) = delete;
  EvaluationView& operator=(const EvaluationView&) = delete;
  void show(const EvaluationProgress& progress);
  /// Takes the terminal's line away.
  void close();

 private:
  bool due();

  bool terminal_;
  bool open_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace neuralts::cli
