#include "arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace neuralts::cli {

namespace {

// A validator's answer: empty when the text is right, else what is wrong with it.
std::string refuse_empty(const std::string& text) {
  return text.empty() ? "an empty text is no value: leave the option out for its default" : "";
}

std::string refuse_count(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return fmt::format("{} is too large: at most 18446744073709551615", text);
  if (error != std::errc() || end != text.data() + text.size())
    return fmt::format("{} is no whole number from 0 on", shown(text));
  return "";
}

std::string refuse_number(const std::string& text) {
  const auto value = parse_number(text);
  return value && std::isfinite(*value) ? "" : fmt::format("{} is no finite number", shown(text));
}

CLI::Validator named(std::string (*refuse)(const std::string&)) {
  return {[refuse](std::string& text) { return refuse(text); }, ""};
}

void check_option(CLI::Option& option) {
  if (option.get_expected_max() == 0 || option.get_type_size_max() == 0) return;  // a flag
  const std::string type = option.get_type_name();
  if (type.starts_with("UINT"))
    option.check(named(refuse_count));
  else if (type.starts_with("FLOAT"))
    option.check(named(refuse_number));
  else
    option.check(named(refuse_empty));
}

}  // namespace

const CLI::Validator at_least_one{[](std::string& text) {
                                    return refuse_count(text).empty() &&
                                                   text.find_first_not_of('0') == text.npos
                                               ? std::string("0 is too small: at least 1")
                                               : std::string();
                                  },
                                  "", "at_least_one"};

void check_arguments(CLI::App& app) {
  for (auto* option : app.get_options()) check_option(*option);
  for (auto* command : app.get_subcommands({})) check_arguments(*command);
}

}  // namespace neuralts::cli
