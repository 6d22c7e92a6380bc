// Request bodies, read and checked: what comes out of here is sound, or a Problem has named the field.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/decide.hpp"
#include "serve/place.hpp"

namespace neuralts::serve {

/// Bounds on what a caller may send.
struct BodyLimits {
  std::size_t actions_max = 1000;
  std::size_t batch_max = 256;         ///< events in one request
  std::size_t id_bytes_max = 256;
  std::size_t vector_max = 8192;       ///< a linear policy of so many numbers takes half a GiB
  std::size_t text_bytes_max = 4096;   ///< of a feature
  std::size_t depth_max = 8;
  std::size_t slots_max = 64;
};

struct SlotBody {
  std::string id;
  std::vector<std::uint32_t> excluded;
  std::uint32_t baseline = 0;
  FieldTable features;                 ///< one row, or none
};

struct RankBody {
  std::string event_id;                ///< empty: the service makes one
  bool defer = false;
  Offered offered;
  std::uint32_t baseline = 0;
  std::vector<SlotBody> slots;         ///< several slots only
  void clear();
};

struct SlotReward {
  std::string slot;                    ///< empty: the event has one slot
  double value = 0;
};

struct RewardBody {
  std::vector<SlotReward> rewards;
  std::string key;                     ///< empty: a second reward of the event is a duplicate
};

/// One per thread: it keeps its memory. Results hold until the next call.
class BodyParser {
 public:
  explicit BodyParser(const BodyLimits& limits);
  ~BodyParser();

  /// One event, or the list of a batch. `batch` says which it was.
  std::span<RankBody> rank(std::string_view body, bool& batch);
  /// {"context":..., "actions":[...], "slots":[{"id":...,"features":{...}}]}
  RankBody& slots(std::string_view body);
  /// u32 actions, u32 length, then float32 numbers, a row per action, little-endian. The ids are "0", "1", ...
  RankBody& rank_binary(std::string_view body);
  RewardBody reward(std::string_view body);

  /// The other dialect's (personalizer_bodies.cpp).
  RankBody& personalizer_rank(std::string_view body, bool slots);
  RewardBody personalizer_reward(std::string_view body, bool slots);

 private:
  struct Json;
  RankBody& fresh();
  BodyLimits limits_;
  std::unique_ptr<Json> json_;
  std::vector<RankBody> bodies_;
};

/// Ids of callers: 1 to `bytes_max` bytes, no control characters. Throws Problem(422).
void check_id(std::string_view id, const Place& place, std::size_t bytes_max);

}  // namespace neuralts::serve
