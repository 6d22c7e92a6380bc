#include "wrap.hpp"

#include <fmt/core.h>

namespace neuralts::cli {

std::string wrap(std::string_view text, std::size_t indent) {
  constexpr std::size_t width = 80;
  std::string lines, line;
  const auto flush = [&] {
    if (!line.empty()) lines += std::string(indent, ' ') + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() == text.size() ? word.size() : word.size() + 1);
    if (indent + line.size() + 1 + word.size() > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  flush();
  return lines;
}

std::string describe(const ParamInfo& param) {
  return fmt::format("\n{}{}", wrap(fmt::format("{}={}  [{}]", param.key, param.default_value, param.range), 4), wrap(param.doc, 8));
}

}  // namespace neuralts::cli
