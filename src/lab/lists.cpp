// Lists as a person types them: worlds, policies, delays, seeds.
#include <cctype>

#include "base/text.hpp"
#include "base/whole_number.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {

namespace {

bool reads_key_value(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' || text[i] == '-'))
    ++i;
  return i > 0 && i < text.size() && text[i] == '=';
}

[[noreturn]] void refuse_seeds(std::string_view text) {
  throw Error(ErrorCode::bad_spec, "seeds", "cannot read '" + std::string(text) + "'",
              "write 1..20, 1,2,5 or 1..3,7");
}

std::uint64_t parse_seed(std::string_view text, std::string_view whole) {
  const auto seed = parse_whole<std::uint64_t>(text);
  if (!seed) refuse_seeds(whole);
  return *seed;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  for (const auto& group : split(text, ';')) {
    const std::size_t first = items.size();
    for (const auto& part : split(group, ',')) {
      const std::string_view piece = trim(part);
      if (items.size() > first && reads_key_value(piece))
        items.back().append(",").append(piece);
      else if (!piece.empty())
        items.emplace_back(piece);
    }
  }
  return items;
}

std::vector<std::uint64_t> parse_seeds(std::string_view text) {
  constexpr std::uint64_t most = 1'000'000;
  std::vector<std::uint64_t> seeds;
  for (const auto& part : split(text, ',')) {
    const std::string_view piece = trim(part);
    const std::size_t dots = piece.find("..");
    const std::uint64_t first = parse_seed(piece.substr(0, dots), text);
    const std::uint64_t last = dots == std::string_view::npos ? first : parse_seed(piece.substr(dots + 2), text);
    if (last < first || last - first >= most) refuse_seeds(text);
    for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
  }
  return seeds;
}

std::map<std::string, std::vector<std::string>> parse_set(std::string_view text) {
  std::map<std::string, std::vector<std::string>> set;
  std::string key;
  for (const auto& piece : split(text, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals != std::string::npos) key = trim(std::string_view(piece).substr(0, equals));
    const std::string_view value = trim(
        equals == std::string::npos ? piece : std::string_view(piece).substr(equals + 1));
    if (key.empty() || value.empty())
      throw Error(ErrorCode::bad_spec, "set", "cannot read '" + std::string(text) + "'",
                  "write KEY=VALUE or KEY=VALUE,VALUE");
    set[key].emplace_back(value);
  }
  return set;
}

}  // namespace neuralts
