// Writing JSON by hand where every decision passes; elsewhere nlohmann's does it.
#pragma once

#include <string>
#include <string_view>

namespace neuralts::serve {

/// Appends `text` in quotes, escaped. REQUIRES UTF-8.
void put_quoted(std::string& out, std::string_view text);
/// Appends the shortest text that reads back as the same number. REQUIRES a finite one.
void put_number(std::string& out, double value);
void put_number(std::string& out, float value);
std::string quoted(std::string_view text);

}  // namespace neuralts::serve
