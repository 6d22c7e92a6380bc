// VW's cb_adf text: a block of lines per decision, "shared |..." first, "action:cost:probability |..." on the
// action played.
#include <cmath>

#include "base/text.hpp"
#include "log/record_parser.hpp"

namespace neuralts {

namespace {

class VwParser final : public RecordParser {
 public:
  Outcome parse(std::string_view line, Event& out) override {
    const std::string_view text = trim(line);
    if (text.empty()) return hand_over(out) ? Outcome::event : Outcome::nothing;
    const std::size_t bar = text.find('|');
    if (bar == std::string_view::npos)
      throw BadRecord{"expected '|' before the features, found " + shown(text),
                      "this is read as VW's cb_adf text"};
    const std::string_view head = trim(text.substr(0, bar));
    const bool complete = head.starts_with("shared") && arms_ > 0 && hand_over(out);
    begin();
    if (!head.starts_with("shared")) {
      ++arms_;
      objects_.start_row();
      read_label(head);
    }
    read_features(text.substr(bar));
    return complete ? Outcome::event : Outcome::nothing;
  }
  bool finish(Event& out) override { return hand_over(out); }
  void recover() override { reset(); }

 private:
  void reset() {
    objects_.clear();
    arms_ = 0;
    labelled_ = false;
  }
  // The context's row comes first, whether a line has it or not.
  void begin() {
    if (objects_.empty()) objects_.start_row();
  }
  // A block without a label is passed over.
  bool hand_over(Event& out) {
    const bool complete = labelled_;
    if (complete) {
      out.clear();
      out.set_arms(arms_);
      out.arm = arm_;
      out.reward = 0.0 - cost_;
      out.probabilities.assign(1, probability_);
      std::swap(out.offer.objects, objects_);
    }
    reset();
    return complete;
  }

  // "action:cost:probability", then perhaps a tag; nothing on the arms that were not played.
  void read_label(std::string_view head) {
    const auto word = head.substr(0, head.find_first_of(" \t"));
    const auto parts = split(word, ':');
    if (word.empty() || parts.size() == 1) return;
    const auto cost = parts.size() == 3 ? parse_number(parts[1]) : std::nullopt;
    const auto probability = parts.size() == 3 ? parse_number(parts[2]) : std::nullopt;
    if (!cost || !probability || !std::isfinite(*cost))
      throw BadRecord{"expected action:cost:probability, found " + shown(word)};
    if (labelled_)
      throw BadRecord{"two actions of a decision are labelled",
                      "expected the one that was played; decisions are parted by an empty line"};
    labelled_ = true;
    arm_ = arms_ - 1;
    cost_ = *cost;
    probability_ = *probability;
  }

  // "|namespace[:weight] name[:value] ..." again and again.
  void read_features(std::string_view text) {
    for (const auto& part : split(text.substr(1), '|')) {
      const bool named = !part.empty() && part.front() != ' ' && part.front() != '\t';
      std::string space;
      double weight = 1;
      bool first = true;
      for (const auto& word : split(part, ' ')) {
        const auto trimmed = trim(word);
        if (!trimmed.empty()) {
          const auto [name, value] = named_value(trimmed);
          if (first && named)
            space = std::string(name), weight = value;
          else
            add(space, name, weight * value);
        }
        first = false;
      }
    }
  }
  void add(const std::string& space, std::string_view name, double value) {
    if (!std::isfinite(value)) throw BadRecord{"the feature " + shown(name) + " is not a finite number"};
    objects_.add(Field::of(space.empty() ? std::string(name) : space + "^" + std::string(name), value));
  }
  static std::pair<std::string_view, double> named_value(std::string_view word) {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string_view::npos) return {word, 1};
    const auto value = parse_number(word.substr(colon + 1));
    if (!value) throw BadRecord{"expected name:number, found " + shown(word)};
    return {word.substr(0, colon), *value};
  }

  FieldTable objects_;
  std::size_t arms_ = 0, arm_ = 0;
  bool labelled_ = false;
  double cost_ = 0, probability_ = 0;
};

}  // namespace

std::unique_ptr<RecordParser> vw_parser() { return std::make_unique<VwParser>(); }

}  // namespace neuralts
