// Decisions that wait for their rewards, and the ids of those that wait no longer.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "neuralts/archive.hpp"
#include "neuralts/session.hpp"

namespace neuralts {

struct OpenEvent {
  std::string id;
  double time = 0;
  std::vector<double> x;    ///< what was chosen, encoded; empty: there was no schema yet
  std::uint32_t block = 0;
  std::size_t early = none;  ///< its place among the events the schema is learned from
  static constexpr std::size_t none = ~std::size_t{0};
};

class OpenEvents {
 public:
  explicit OpenEvents(std::size_t remember) : remember_(remember) {}

  /// REQUIRES an id that knows() does not.
  void add(OpenEvent event);
  bool knows(const std::string& id) const { return open_ids_.count(id) > 0 || settled_.count(id) > 0; }
  /// Null: not open.
  const OpenEvent* find(const std::string& id) const;
  /// Of an id that is not open.
  Settled settled(const std::string& id) const;
  void settle(const std::string& id, Settled how);

  std::size_t size() const { return open_.size(); }
  /// In the order in which they were added.
  std::map<std::uint64_t, OpenEvent>& all() { return open_; }
  const std::map<std::uint64_t, OpenEvent>& all() const { return open_; }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::size_t remember_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, OpenEvent> open_;
  std::unordered_map<std::string, std::uint64_t> open_ids_;
  std::deque<std::string> settled_order_;
  std::unordered_map<std::string, Settled> settled_;
};

}  // namespace neuralts
