#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace neuralts::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string clock_text(double seconds) {
  const auto s = static_cast<long long>(std::llround(seconds));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

double part_done(const SweepProgress& progress) {
  const auto to_do = static_cast<double>(progress.total - progress.skipped);
  return to_do > 0 ? std::min(1., (static_cast<double>(progress.done) + progress.running) / to_do) : 1;
}

std::string speed_text(double runs_a_second) {
  return runs_a_second < 10 ? fmt::format("  {:.2g}/s", runs_a_second) : fmt::format("  {:.0f}/s", runs_a_second);
}

}  // namespace

ProgressView::ProgressView() : terminal_(::isatty(STDERR_FILENO) != 0), start_(Clock::now()) {}

void ProgressView::show(const SweepProgress& progress) {
  if (progress.latest != nullptr) note_best(*progress.latest);
  if (terminal_)
    draw_bar(progress);
  else
    print_line(progress);
}

void ProgressView::close() {
  if (open_) fmt::print(stderr, "\n");
  open_ = false;
}

void ProgressView::note_best(const Record& record) {
  if (!record.ok() || !record.result.regret_known) return;
  const auto [place, fresh] = best_.try_emplace(record.spec.env, record.result.regret);
  if (!fresh && record.result.regret > place->second) return;
  place->second = record.result.regret;
  best_text_ = fmt::format("best {} {} {:.1f}", record.spec.env, record.spec.policy.name, record.result.regret);
}

std::string ProgressView::describe(const SweepProgress& progress) {
  const double elapsed = seconds_since(start_), part = part_done(progress);
  std::string text = fmt::format("{}/{} runs", progress.done + progress.skipped, progress.total);
  if (progress.done > 0 && elapsed > 0) text += speed_text(static_cast<double>(progress.done) / elapsed);
  if (part > 0 && part < 1 && elapsed > 1)
    text += fmt::format("  {} left", clock_text(elapsed * (1 - part) / part));
  if (progress.failed > 0) text += fmt::format("  {} failed", progress.failed);
  return best_text_.empty() ? text : text + "  " + best_text_;
}

void ProgressView::draw_bar(const SweepProgress& progress) {
  constexpr std::size_t width = 24;
  const auto filled = static_cast<std::size_t>(part_done(progress) * width);
  fmt::print(stderr, "\r\033[K[{}{}] {}", std::string(filled, '#'), std::string(width - filled, '.'),
             describe(progress));
  std::fflush(stderr);
  open_ = true;
}

void ProgressView::print_line(const SweepProgress& progress) {
  const bool last = progress.done + progress.skipped == progress.total;
  if (!last && seconds_since(printed_) < 5) return;
  if (!last && progress.latest == nullptr && seconds_since(start_) < 2) return;
  printed_ = Clock::now();
  fmt::print(stderr, "{}\n", describe(progress));
}

}  // namespace neuralts::cli
