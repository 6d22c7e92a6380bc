#include "command_line.hpp"

#include <fmt/format.h>

#include <fstream>

namespace neuralts::cli {

namespace {

std::string quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string command_line() {
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::string text, word;
  while (std::getline(words, word, '\0'))
    text += text.empty() ? std::string("neuralts") : fmt::format(" {}", quoted(word));
  return text;
}

}  // namespace neuralts::cli
