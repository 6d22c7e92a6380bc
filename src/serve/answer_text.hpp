// What is told of a decision, in the words of each dialect; written before the journal has given the event its id.
#pragma once

#include <string>
#include <string_view>

#include "serve/record.hpp"

namespace neuralts::serve {

/// The text of an answer around the event's id.
struct Told {
  std::string before, after;
  void append_to(std::string& out, std::string_view event_id) const;
};

/// {"event_id":ID,"action","probability","ranking","model","acknowledged"}
Told told(const EventRecord& event, std::string_view acknowledged);
/// {"ranking","eventId":ID,"rewardActionId"}
Told told_to_personalizer(const EventRecord& event);

/// {"id":slot,"action","probability"}, or {"id":slot,"rewardActionId"}
void append_slot(std::string& out, std::string_view slot, const EventRecord& event, bool personalizer);

}  // namespace neuralts::serve
