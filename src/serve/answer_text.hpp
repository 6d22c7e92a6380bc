// What is told of a decision, in the words of each dialect; written before the journal has given the event its id,
// with room for it.
#pragma once

#include <string>
#include <string_view>

#include "serve/record.hpp"

namespace neuralts::serve {

/// The text of an answer. Of an event without a name IdSigner::length characters at `id_at` are still to be written.
struct Told {
  std::string text;
  std::size_t id_at = 0;
};

/// {"event_id":NAME,"action","probability","ranking","model","acknowledged"}
Told told(const EventRecord& event, std::string_view name, std::string_view acknowledged);
/// {"ranking","eventId":NAME,"rewardActionId"}
Told told_to_personalizer(const EventRecord& event, std::string_view name);

/// {"id":slot,"action","probability"}, or {"id":slot,"rewardActionId"}
void append_slot(std::string& out, std::string_view slot, const EventRecord& event, bool personalizer);

}  // namespace neuralts::serve
