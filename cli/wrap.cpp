#include "wrap.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

namespace neuralts::cli {

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  return given > 0 ? static_cast<std::size_t>(given) : std::numeric_limits<std::size_t>::max();
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines, line;
  const auto flush = [&] {
    if (!line.empty()) lines += std::string(indent, ' ') + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() == text.size() ? word.size() : word.size() + 1);
    if (line.size() + 1 + word.size() > width - indent) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  flush();
  return lines;
}

std::string describe(const ParamInfo& param) {
  return fmt::format("\n{}{}",
                     wrap(fmt::format("{}={}  [{}]", param.key, param.default_value, param.range), 4),
                     wrap(param.doc, 8));
}

}  // namespace neuralts::cli
