// Prometheus' door: counters that the service bumps, and the text that a scrape gets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace neuralts::serve {

/// The counters of one loop; any thread.
class LoopMeters {
 public:
  virtual ~LoopMeters() = default;
  virtual void decided(std::size_t events, double seconds) = 0;
  /// outcome: applied, accepted, duplicate, late, unknown, forged
  virtual void rewarded(const char* outcome) = 0;
};

/// What is not counted but measured when asked.
struct LoopGauges {
  double lag_events = 0, lag_seconds = 0, training_seconds = 0, model_version = 0, model_age_seconds = 0;
  double published = 0, refused = 0, learned = 0, waiting = 0;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  LoopMeters& loop(const std::string& name);
  void responded(int status);
  void committed(std::size_t entries, double seconds);
  void set(const std::string& loop, const LoopGauges& gauges);
  /// Of a node among several. `backlog`: nothing where it is not known.
  void set_node(bool learns, std::optional<double> backlog);
  void set_service(double pending, double journal_bytes, double ready);
  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace neuralts::serve
