#include "evaluation_view.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace neuralts::cli {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string describe(const EvaluationProgress& progress) {
  if (progress.of == 0) return fmt::format("{}: {}", progress.step, progress.done);
  return fmt::format("{}: {} of {}", progress.step, progress.done, progress.of);
}

}  // namespace

EvaluationView::EvaluationView()
    : terminal_(::isatty(STDERR_FILENO) != 0), next_(Clock::now() + (terminal_ ? seconds(0) : seconds(2))) {}

EvaluationView::~EvaluationView() { close(); }

bool EvaluationView::due() {
  const auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + (terminal_ ? milliseconds(100) : milliseconds(5000));
  return true;
}

void EvaluationView::show(const EvaluationProgress& progress) {
  if (!due()) return;
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", describe(progress), terminal_ ? "" : "\n");
  std::fflush(stderr);
  open_ = terminal_;
}

void EvaluationView::close() {
  if (open_) fmt::print(stderr, "\r\033[K");
  open_ = false;
}

}  // namespace neuralts::cli
