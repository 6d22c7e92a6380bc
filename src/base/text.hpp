// Small helpers on text: numbers, lists, the nearest known word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neuralts {

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// The whole text as a number, or nothing.
std::optional<double> parse_number(std::string_view text);
/// Whether the whole text is a number that no double comes near: 1e999, 1e-999.
bool is_beyond_double(std::string_view text);
/// The shortest text that reads back as the same number.
std::string format_number(double value);
/// The candidate with the smallest edit distance to `word`; empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
/// "did you mean 'x'?" or, when nothing is near, "known: a, b, c".
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

/// `text` in quotes, shortened when it is long: for messages.
std::string shown(std::string_view text);

}  // namespace neuralts
