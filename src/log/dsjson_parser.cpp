// VW's decision service JSON: an object per line, "c" with the shared features and "_multi", the actions'.
#include <algorithm>
#include <cmath>

#include "base/timestamp.hpp"
#include "log/json_door.hpp"
#include "log/record_parser.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

// What a line says before it is put together.
struct Parts {
  bool has_cost = false, has_probability = false, has_index = false, has_context = false, has_multi = false,
       skipped = false;
  double cost = 0, probability = 0, index = 0, drop = 0;
  std::vector<double> order, probabilities;  // "a" and "p"
};

double number(json::element value, std::string_view key) {
  double read = 0;
  if (value.get_double().get(read) != simdjson::SUCCESS || !std::isfinite(read))
    throw BadRecord{"\"" + std::string(key) + "\" is not a finite number"};
  return read;
}

class DsjsonParser final : public RecordParser {
 public:
  Outcome parse(std::string_view line, Event& out) override {
    out.clear();
    actions_.clear();
    Parts parts;
    try {
      const json::object object = parse_json(parser_, line);
      for (const auto& [key, value] : object) member(key, value, out, parts);
    } catch (const simdjson::simdjson_error&) {
      throw BadRecord{"expected one JSON object", "a line was cut off, or this is another format"};
    } catch (const Error& error) {
      throw BadRecord{error.what()};
    }
    // An observation or activation alone, or marked as not for learning.
    if (!parts.has_context || parts.skipped) return Outcome::other;
    if (!parts.has_multi || actions_.rows() == 0) {
      if (!parts.has_cost) return Outcome::other;
      throw BadRecord{"\"c\" has no list \"_multi\" of actions",
                      "only decisions between actions with features are read"};
    }
    put_together(out, parts);
    return Outcome::event;
  }

 private:
  void member(std::string_view key, json::element value, Event& out, Parts& parts) {
    if (key == "_label_cost") parts.cost = number(value, key), parts.has_cost = true;
    else if (key == "_label_probability") parts.probability = number(value, key), parts.has_probability = true;
    else if (key == "_labelIndex") parts.index = number(value, key), parts.has_index = true;
    else if (key == "pdrop") parts.drop = number(value, key);
    else if (key == "_skipLearn") parts.skipped = value.get_bool();
    else if (key == "EventId") out.id = std::string_view(value.get_string());
    else if (key == "Timestamp") out.time = parse_timestamp(value.get_string());
    else if (key == "a") numbers(value, parts.order);
    else if (key == "p") numbers(value, parts.probabilities);
    else if (key == "VWState") state(value, out);
    else if (key == "c") context(value.get_object(), out, parts);
  }

  static void numbers(json::element value, std::vector<double>& out) {
    if (!value.is_array()) return;  // what is not whole is passed over below
    for (const json::element item : value.get_array()) out.push_back(item.get_double());
  }
  static void state(json::element value, Event& out) {
    for (const auto& [key, item] : value.get_object())
      if (key == "m" && item.is_string()) out.model = std::string_view(item);
  }

  // The shared features in order; the actions aside, since rows follow one another.
  void context(json::object object, Event& out, Parts& parts) {
    parts.has_context = true;
    FieldTable& table = out.offer.objects;
    table.start_row();
    for (const auto& [key, value] : object) {
      if (key == "_multi") {
        parts.has_multi = true;
        for (const json::element action : value.get_array()) {
          actions_.start_row();
          add_fields(action, actions_, false);
        }
      } else if (!key.starts_with('_')) {
        add_named_value(std::string(key), value, table, false);
      }
    }
  }

  void put_together(Event& out, const Parts& parts) {
    const std::size_t arms = actions_.rows();
    out.set_arms(arms);
    out.offer.objects.append(actions_);
    const bool labelled = parts.has_cost && parts.has_probability && parts.has_index;
    if (parts.has_cost && !labelled)
      throw BadRecord{parts.has_index ? "the object has no \"_label_probability\""
                                      : "the object has no \"_labelIndex\""};
    const double index = labelled ? parts.index : parts.order.empty() ? 0 : parts.order[0] - 1;
    if (!(index >= 0 && index < static_cast<double>(arms) && index == std::floor(index)))
      throw BadRecord{"\"_labelIndex\" is not an integer from 0 to " + std::to_string(arms - 1)};
    out.arm = static_cast<std::size_t>(index);
    if (labelled) out.reward = 0.0 - parts.cost;
    out.kept = 1 - parts.drop;
    probabilities(out, parts, labelled);
    action_ids(out);
  }

  // "p" is in the order of "a"; where either is not whole, the label's probability is all that is known.
  static void probabilities(Event& out, const Parts& parts, bool labelled) {
    const std::size_t arms = out.arms();
    std::vector<bool> named(arms, false);
    bool whole = parts.order.size() == arms && parts.probabilities.size() == arms;
    for (std::size_t i = 0; whole && i < arms; ++i) {
      const double action = parts.order[i] - 1;
      whole = action >= 0 && action < static_cast<double>(arms) && action == std::floor(action) &&
              !named[static_cast<std::size_t>(action)];
      if (whole) named[static_cast<std::size_t>(action)] = true;
    }
    if (!whole && !labelled)
      throw BadRecord{"neither a label nor \"a\" and \"p\" of all actions say how likely the choice was"};
    if (!whole) return void(out.probabilities.assign(1, parts.probability));
    out.probabilities.resize(arms);
    for (std::size_t i = 0; i < arms; ++i)
      out.probabilities[static_cast<std::size_t>(parts.order[i] - 1)] = parts.probabilities[i];
    if (labelled && std::abs(out.probabilities[out.arm] - parts.probability) > 1e-3)
      throw BadRecord{"\"_label_probability\" and \"p\" disagree about the action that was played"};
  }

  static void action_ids(Event& out) {
    for (std::size_t k = 0; k < out.arms(); ++k)
      for (const Field& field : out.offer.objects.row(1 + k))
        if (field.name == "id" && field.kind == Field::Kind::text && out.actions.size() == k)
          out.actions.emplace_back(field.text);
    if (out.actions.size() != out.arms()) out.actions.clear();
  }

  json::parser parser_;
  FieldTable actions_;
};

}  // namespace

std::unique_ptr<RecordParser> dsjson_parser() { return std::make_unique<DsjsonParser>(); }

}  // namespace neuralts
