// This library's own lines: a head, decisions, rewards (doc/formats.md).
#include <cmath>

#include "log/json_door.hpp"
#include "log/record_parser.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr double most = 100'000'000;

BadRecord not_json() { return {"expected one JSON object", "a line was cut off, or this is another format"}; }

std::string quoted(std::string_view key) { return "\"" + std::string(key) + "\""; }

double finite(json::element value, std::string_view key) {
  double number = 0;
  if (value.get_double().get(number) != simdjson::SUCCESS || !std::isfinite(number))
    throw BadRecord{quoted(key) + " is not a finite number"};
  return number;
}

std::size_t whole(json::element value, std::string_view key) {
  const double number = finite(value, key);
  if (!(number >= 0 && number < most && number == std::floor(number)))
    throw BadRecord{quoted(key) + " is not a whole number from 0 on"};
  return static_cast<std::size_t>(number);
}

json::array list(json::element value, std::string_view key) {
  json::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) throw BadRecord{quoted(key) + " is not a list"};
  return array;
}

void add_numbers(json::element value, std::string_view key, std::vector<double>& out) {
  for (const json::element item : list(value, key)) {
    double number = 0;
    if (item.get_double().get(number) != simdjson::SUCCESS)
      throw BadRecord{quoted(key) + " holds something that is not a finite number"};
    out.push_back(number);
  }
}

void add_texts(json::element value, std::string_view key, std::vector<std::string>& out) {
  for (const json::element item : list(value, key)) {
    std::string_view text;
    if (item.get_string().get(text) != simdjson::SUCCESS)
      throw BadRecord{quoted(key) + " holds something that is not a text"};
    out.emplace_back(text);
  }
}

std::string_view text_of(json::element value, std::string_view key) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) throw BadRecord{quoted(key) + " is not a text"};
  return text;
}

json::object object_of(json::element value, std::string_view key) {
  json::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) throw BadRecord{quoted(key) + " is not an object"};
  return object;
}

// The members a decision needs beside its event.
struct Found {
  bool arm = false, probabilities = false, probability = false, context = false, shared = false;
  std::size_t rows = 0;
};

class OwnParser final : public RecordParser {
 public:
  explicit OwnParser(LogHead& head) : head_(head) {}

  Outcome parse(std::string_view line, Event& out) override {
    out.clear();
    features_.clear();
    Found found;
    try {
      const json::object object = parse_json(parser_, line);
      if (object.at_key("neuralts_log").error() == simdjson::SUCCESS) return read_head(line, object);
      if (object.at_key("reward_of").error() == simdjson::SUCCESS) return Outcome::nothing;  // joined beforehand
      for (const auto& [key, value] : object) member(key, value, out, found);
    } catch (const simdjson::simdjson_error&) {
      throw not_json();
    } catch (const Error& error) {
      throw BadRecord{error.what()};
    }
    complete(out, found);
    return Outcome::event;
  }

 private:
  void member(std::string_view key, json::element value, Event& out, Found& found) {
    if (key == "event") {
      out.id = text_of(value, key);
    } else if (key == "contexts") {
      for (const json::element row : list(value, key)) {
        const std::size_t before = out.offer.numbers.size();
        add_numbers(row, key, out.offer.numbers);
        if (found.rows++ == 0) out.offer.length = out.offer.numbers.size();
        check_length(key, out.offer.numbers.size() - before, out.offer.length);
      }
    } else if (key == "shared") {
      found.shared = true;
      add_numbers(value, key, out.offer.numbers);
      out.offer.length = out.offer.numbers.size();
      check_length(key, out.offer.length, out.offer.length);
    } else if (key == "blocks") {
      for (const json::element item : list(value, key)) out.offer.blocks.push_back(block(whole(item, key)));
    } else if (key == "context") {
      found.context = true;
      out.offer.objects.start_row();
      add_fields(object_of(value, key), out.offer.objects);
    } else if (key == "features") {
      for (const json::element item : list(value, key)) {
        features_.start_row();
        add_fields(object_of(item, key), features_);
      }
    } else if (key == "actions") {
      add_texts(value, key, out.actions);
    } else if (key == "arm") {
      found.arm = true;
      out.arm = whole(value, key);
    } else if (key == "probabilities") {
      found.probabilities = true;
      add_numbers(value, key, out.probabilities);
    } else if (key == "probability") {
      found.probability = true;
      single_ = finite(value, key);
    } else {
      number_member(key, value, out);
    }
  }

  static void set_reward(json::element value, Event& out) {
    if (!value.is_null()) out.reward = finite(value, "reward");
  }

  static void number_member(std::string_view key, json::element value, Event& out) {
    if (key == "time") out.time = finite(value, key);
    else if (key == "reward") set_reward(value, out);
    else if (key == "reward_time") out.reward_time = finite(value, key);
    else if (key == "kept") out.kept = finite(value, key);
    else if (key == "estimated") out.estimated = value.get_bool();
    else if (key == "model") out.model = text_of(value, key);
  }

  std::uint32_t block(std::size_t number) const {
    if (head_.blocks > 0 && number >= head_.blocks)
      throw BadRecord{"a block is " + std::to_string(number),
                      "the log's header says " + std::to_string(head_.blocks) + " blocks"};
    return static_cast<std::uint32_t>(number);
  }

  void check_length(std::string_view key, std::size_t length, std::size_t first) const {
    if (length == 0 || length != first || (head_.length > 0 && length != head_.length))
      throw BadRecord{"a context of " + quoted(key) + " has " + std::to_string(length) + " numbers",
                      head_.length > 0 ? "the log's header says " + std::to_string(head_.length)
                                       : "contexts are of one length, at least 1"};
  }

  void complete(Event& out, const Found& found) {
    if (!found.arm) throw BadRecord{"the object has no \"arm\""};
    if (!found.probabilities && !found.probability) throw BadRecord{"the object has no \"probabilities\""};
    if (found.shared && out.offer.blocks.empty()) throw BadRecord{"\"shared\" needs \"blocks\""};
    if (!found.shared && !out.offer.blocks.empty()) throw BadRecord{"\"blocks\" needs \"shared\""};
    if (!found.context && features_.rows() > 0) out.offer.objects.start_row();
    out.offer.objects.append(features_);
    const std::size_t with_features = out.offer.has_objects() ? out.offer.objects.rows() - 1 : 0;
    const std::size_t arms = found.shared ? out.offer.blocks.size() : found.rows > 0 ? found.rows : with_features;
    if (arms == 0) throw BadRecord{"the round offers no arm", "\"contexts\", \"shared\" or \"features\" is needed"};
    out.set_arms(arms);
    if (!found.probabilities)
      out.probabilities.assign(1, single_);
    else if (out.probabilities.size() != arms)
      throw BadRecord{"there are " + std::to_string(out.probabilities.size()) + " probabilities for " +
                      std::to_string(arms) + " arms"};
  }

  Outcome read_head(std::string_view line, json::object object) {
    LogHead head;
    head.json = line;
    for (const auto& [key, value] : object) {
      if (key == "neuralts_log") {
        if (const auto version = whole(value, key); version != 1 && version != 2)
          throw BadRecord{"the log has a version this program does not read", "expected version 1 or 2"};
      } else if (key == "length" || key == "block") {
        head.length = size(value, key);
      } else if (key == "blocks") {
        head.blocks = size(value, key);
      } else if (key == "arm_labels") {
        add_texts(value, key, head.arm_labels);
      } else if (key == "column_names") {
        add_texts(value, key, head.column_names);
      }
    }
    if (seen_head_ && (head.length != head_.length || head.blocks != head_.blocks))
      throw BadRecord{"a second header says another shape", "logs of different shapes are read one by one"};
    if (!seen_head_) head_ = std::move(head);
    seen_head_ = true;
    return Outcome::nothing;
  }

  static std::size_t size(json::element value, std::string_view key) {
    const std::size_t number = whole(value, key);
    if (number == 0) throw BadRecord{quoted(key) + " must be at least 1"};
    return number;
  }

  LogHead& head_;
  bool seen_head_ = false;
  double single_ = 0;  // the probability of the arm played, where no other is known
  json::parser parser_;
  FieldTable features_;
};

}  // namespace

std::unique_ptr<RecordParser> own_parser(LogHead& head) { return std::make_unique<OwnParser>(head); }

Collected collect_reward(std::string_view line, std::uint32_t file, std::size_t number, LateRewards& rewards) {
  thread_local json::parser parser;
  try {
    const json::object object = parse_json(parser, line);
    json::element named;
    if (object.at_key("reward_of").get(named) != simdjson::SUCCESS) return Collected::nothing;
    const std::string_view id = text_of(named, "reward_of");
    LateReward late{.line = number, .file = file};
    bool paid = false;
    for (const auto& [key, value] : object) {
      if (key == "reward") late.reward = finite(value, key), paid = true;
      else if (key == "time") late.time = finite(value, key);
    }
    if (!paid) throw BadRecord{"the reward of '" + std::string(id) + "' has no \"reward\""};
    return rewards.add(id, late) ? Collected::reward : Collected::second;
  } catch (const simdjson::simdjson_error&) {
    throw not_json();
  }
}

}  // namespace neuralts
