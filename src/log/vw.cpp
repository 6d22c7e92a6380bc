#include "base/text.hpp"
#include "log/features.hpp"
#include "base/number.hpp"

namespace neuralts {

namespace {

// One decision while its lines are read.
struct Block {
  Log::Row shared;
  std::vector<Log::Row> actions;
  LoggedEvent event;
  bool labelled = false;
};

class VwText {
 public:
  explicit VwText(const LineReader& lines) : lines_(lines), features_(lines) {}

  void line(std::string_view text) {
    text = trim(text);
    if (text.empty()) return end_block();
    const std::size_t bar = text.find('|');
    if (bar == std::string_view::npos)
      lines_.fail("expected '|' before the features, found " + shown(text), "this is read as VW's cb_adf text");
    const auto head = trim(text.substr(0, bar));
    if (head.starts_with("shared") && !block_.actions.empty()) end_block();
    Log::Row& row = head.starts_with("shared") ? block_.shared : block_.actions.emplace_back();
    if (!head.starts_with("shared")) read_label(head);
    read_features(text.substr(bar), row);
  }

  Log finish() {
    end_block();
    features_.finish(log_);
    return std::move(log_);
  }

 private:
  void end_block() {
    if (block_.labelled) features_.finish_event(log_, block_.event, block_.shared, std::move(block_.actions));
    block_ = {};
  }

  // "action:cost:probability", then perhaps a tag; nothing on the arms that were not played.
  void read_label(std::string_view head) {
    const auto word = head.substr(0, head.find_first_of(" \t"));
    const auto parts = split(word, ':');
    if (word.empty() || parts.size() == 1) return;
    const auto cost = parts.size() == 3 ? read_number(parts[1]) : std::nullopt;
    const auto probability = parts.size() == 3 ? read_number(parts[2]) : std::nullopt;
    if (!cost || !probability || !(*cost - *cost == 0)) lines_.fail("expected action:cost:probability, found " + shown(word));
    if (block_.labelled)
      lines_.fail("two actions of a decision are labelled", "expected the one that was played; decisions are parted by an empty line");
    block_.labelled = true;
    block_.event.arm = static_cast<std::uint32_t>(block_.actions.size() - 1);
    block_.event.reward = -*cost;
    block_.event.probability = *probability;
  }

  // "|namespace[:weight] name[:value] ..." again and again.
  void read_features(std::string_view text, Log::Row& row) {
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
            space = name, weight = value;
          else
            features_.add(row, space.empty() ? name : space + "^" + name, weight * value);
        }
        first = false;
      }
    }
  }

  std::pair<std::string, double> named_value(std::string_view word) const {
    const std::size_t colon = word.rfind(':');
    if (colon == std::string_view::npos) return {std::string(word), 1};
    const auto value = read_number(word.substr(colon + 1));
    if (!value) lines_.fail("expected name:number, found " + shown(word));
    return {std::string(word.substr(0, colon)), *value};
  }

  const LineReader& lines_;
  LogFeatures features_;
  Log log_;
  Block block_;
};

}  // namespace

Log read_vw_text(LineReader& lines, std::string_view first_line) {
  VwText text(lines);
  text.line(first_line);
  std::string_view line;
  while (lines.next(line)) text.line(line);
  return text.finish();
}

}  // namespace neuralts
