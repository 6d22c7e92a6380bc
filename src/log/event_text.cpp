#include "log/event.hpp"
#include "log/json_text.hpp"

namespace neuralts {

namespace {

// A shared context is written once, with the arms' blocks.
void append_offer(std::string& out, const Offer& offer) {
  if (!offer.blocks.empty()) {
    out += ",\"shared\":";
    append_numbers(out, offer.numbers);
    out += ",\"blocks\":";
    append_numbers(out, offer.blocks);
  } else if (offer.has_numbers()) {
    out += ",\"contexts\":[";
    for (std::size_t at = 0; at < offer.numbers.size(); at += offer.length) {
      if (at > 0) out += ',';
      append_numbers(out, std::span(offer.numbers).subspan(at, offer.length));
    }
    out += ']';
  }
  if (!offer.has_objects()) return;
  out += ",\"context\":";
  append_object(out, offer.objects.row(0));
  out += ",\"features\":[";
  for (std::size_t i = 1; i < offer.objects.rows(); ++i) {
    if (i > 1) out += ',';
    append_object(out, offer.objects.row(i));
  }
  out += ']';
}

}  // namespace

void append_event(std::string& out, const Event& event, const std::string& extra) {
  const std::size_t begin = out.size();
  if (!event.id.empty()) append_text(out += ",\"event\":", event.id);
  if (!extra.empty()) (out += ',') += extra;
  if (event.time != 0) append_number(out += ",\"time\":", event.time);
  if (!event.model.empty()) append_text(out += ",\"model\":", event.model);
  if (!event.actions.empty()) append_texts(out += ",\"actions\":", event.actions);
  append_offer(out, event.offer);
  append_number(out += ",\"arm\":", event.arm);
  if (event.probabilities.size() == event.arms())
    append_numbers(out += ",\"probabilities\":", event.probabilities);
  else
    append_number(out += ",\"probability\":", event.probability());
  if (event.estimated) out += ",\"estimated\":true";
  if (event.kept != 1) append_number(out += ",\"kept\":", event.kept);
  if (event.reward) append_number(out += ",\"reward\":", *event.reward);
  if (event.reward && event.reward_time != 0) append_number(out += ",\"reward_time\":", event.reward_time);
  out[begin] = '{';  // instead of the first comma
  out += "}\n";
}

void append_reward(std::string& out, const std::string& id, double reward, double time) {
  append_text(out += "{\"reward_of\":", id);
  append_number(out += ",\"reward\":", reward);
  if (time != 0) append_number(out += ",\"time\":", time);
  out += "}\n";
}

void append_head(std::string& out, const LogHead& head) {
  if (!head.json.empty()) {
    out += head.json;
    out += '\n';
    return;
  }
  out += "{\"neuralts_log\":2";
  if (head.length > 0) append_number(out += ",\"length\":", head.length);
  if (head.blocks > 0) append_number(out += ",\"blocks\":", head.blocks);
  if (!head.arm_labels.empty()) append_texts(out += ",\"arm_labels\":", head.arm_labels);
  if (!head.column_names.empty()) append_texts(out += ",\"column_names\":", head.column_names);
  out += "}\n";
}

}  // namespace neuralts
