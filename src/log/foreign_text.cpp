// Events as VW's two formats have them.
#include <algorithm>
#include <numeric>

#include "base/timestamp.hpp"
#include "log/event.hpp"
#include "log/json_text.hpp"

namespace neuralts {

namespace {

// Numbers without names are called x0, x1, ...; an arm that shares its x with others is named by its block.
class ForeignFields {
 public:
  explicit ForeignFields(const Event& event) : event_(event) {}

  Fields context() {
    table_.clear();
    table_.start_row();
    if (event_.offer.has_objects()) add_fields(event_.offer.objects.row(0));
    if (!event_.offer.blocks.empty()) add_numbers(0);
    return table_.row(0);
  }
  Fields action(std::size_t arm) {
    table_.clear();
    table_.start_row();
    if (event_.offer.has_objects()) add_fields(event_.offer.objects.row(1 + arm));
    const bool has_id = std::any_of(table_.row(0).begin(), table_.row(0).end(),
                                    [](const Field& field) { return field.name == "id"; });
    if (!has_id && !event_.actions.empty()) table_.add(Field::of("id", event_.actions[arm]));
    if (!event_.offer.blocks.empty()) table_.add(Field::of("block", std::to_string(event_.offer.blocks[arm])));
    if (event_.offer.blocks.empty() && event_.offer.has_numbers()) add_numbers(arm);
    return table_.row(0);
  }

 private:
  // A list of texts becomes indicators: the real reader takes no texts in lists.
  void add_fields(Fields fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Field& field = fields[i];
      if (field.kind == Field::Kind::missing) continue;
      const auto same = [&](const Field& other) { return other.name == field.name; };
      if (field.kind == Field::Kind::text && std::count_if(fields.begin(), fields.end(), same) > 1)
        table_.add(Field::truth_of(std::string(field.name) + "=" + std::string(field.text), true));
      else
        table_.add(field);
    }
  }
  void add_numbers(std::size_t row) {
    const std::size_t length = event_.offer.length;
    for (std::size_t i = 0; i < length; ++i)
      if (const double value = event_.offer.numbers[row * length + i]; value != 0)
        table_.add(Field::of("x" + std::to_string(i), value));
  }
  const Event& event_;
  FieldTable table_;
};

// Arms with the played one first, as the format asks.
std::vector<std::size_t> played_first(const Event& event) {
  std::vector<std::size_t> order(event.arms());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[event.arm]);
  return order;
}

// VW's text has no quotes: what would end a word becomes an underscore.
void append_word(std::string& out, std::string_view text) {
  for (const char c : text)
    out += c == ' ' || c == '|' || c == ':' || c == '\n' || c == '\r' || c == '\t' ? '_' : c;
}

void append_words(std::string& out, Fields fields) {
  for (const Field& field : fields) {
    out += ' ';
    append_word(out, field.name);
    if (field.kind == Field::Kind::text) append_word(out += '=', field.text);
    if (field.kind == Field::Kind::truth && field.number == 0) out += "=false";
    if (field.kind == Field::Kind::number) append_number(out += ':', field.number);
  }
}

}  // namespace

void append_dsjson(std::string& out, const Event& event) {
  ForeignFields fields(event);
  out += '{';
  if (event.reward) {
    append_number(out += "\"_label_cost\":", 0.0 - *event.reward);
    append_number(out += ",\"_label_probability\":", event.probability());
    append_number(out += ",\"_label_Action\":", event.arm + 1);
    append_number(out += ",\"_labelIndex\":", event.arm);
    out += ",\"o\":[],";
  }
  out += "\"Timestamp\":\"" + format_timestamp(event.time) + "\",\"Version\":\"1\",\"EventId\":";
  append_text(out, event.id);
  const auto order = played_first(event);
  append_list(out += ",\"a\":", order, [](std::string& text, std::size_t arm) { append_number(text, arm + 1); });
  out += ",\"c\":{";
  append_members(out, fields.context());
  out += out.back() == '{' ? "\"_multi\":[" : ",\"_multi\":[";
  for (std::size_t k = 0; k < event.arms(); ++k) {
    if (k > 0) out += ',';
    append_object(out, fields.action(k));
  }
  out += "]},\"p\":";
  if (event.probabilities.size() == event.arms())
    append_list(out, order,
                [&](std::string& text, std::size_t arm) { append_number(text, event.probabilities[arm]); });
  else
    append_numbers(out, event.probabilities);
  if (event.kept != 1) append_number(out += ",\"pdrop\":", 1 - event.kept);
  append_text(out += ",\"VWState\":{\"m\":", event.model);
  out += '}';
  if (event.reward) append_number(out += ",\"_original_label_cost\":", 0.0 - *event.reward);
  out += "}\n";
}

void append_vw(std::string& out, const Event& event) {
  ForeignFields fields(event);
  append_words(out += "shared |", fields.context());
  for (std::size_t k = 0; k < event.arms(); ++k) {
    out += '\n';
    if (k == event.arm && event.reward) {
      append_number(out, k + 1);
      append_number(out += ':', 0.0 - *event.reward);
      append_number(out += ':', event.probability());
      out += ' ';
    }
    append_words(out += '|', fields.action(k));
  }
  out += "\n\n";
}

}  // namespace neuralts
