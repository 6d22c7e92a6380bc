// The report's page, its style and scripts, put into the library at build time (cmake/embed_page.cmake).
#pragma once

#include <string_view>

namespace neuralts::page {

extern const std::string_view page;     ///< HTML with {{places}}
extern const std::string_view style;    ///< CSS
extern const std::string_view vega;     ///< Vega's modules, as functions in a table
extern const std::string_view modules;  ///< the loader that turns the table into `vega`
extern const std::string_view charts;   ///< our charts

}  // namespace neuralts::page
