// The dashboard, as strings made at build time from page/.
#pragma once

#include <string_view>

namespace neuralts::serve::page {

extern const std::string_view html;    ///< complete: style inside, script at /page.js
extern const std::string_view script;  ///< the charts, and Vega as packaged

}  // namespace neuralts::serve::page
