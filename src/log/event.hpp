// The event as a record of each format. One implementation: what is written here is read by the readers beside it.
#pragma once

#include <string>

#include "neuralts/event.hpp"
#include "neuralts/log.hpp"

namespace neuralts {

/// This library's line: the decision, and its reward where it is known. `extra`: further members,
/// "key":value,... or nothing.
void append_event(std::string& out, const Event& event, const std::string& extra = {});
/// A reward that came later, as a line of its own.
void append_reward(std::string& out, const std::string& id, double reward, double time);
/// The first line of a log.
void append_head(std::string& out, const LogHead& head);

/// VW's decision service JSON, labels before "c". Without a reward there is no label.
void append_dsjson(std::string& out, const Event& event);
/// VW's cb_adf text, with the empty line that ends it. The share of events kept and the probabilities of other
/// arms are not said.
void append_vw(std::string& out, const Event& event);

}  // namespace neuralts
