#include "serve/page.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

/// Nothing from elsewhere, no inline script, no evaluation of text.
constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::vector<std::pair<std::string, std::string>> headers() {
  return {{"Content-Security-Policy", policy},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"}};
}

}  // namespace

void Service::call_page(Call& call) {
  call.reply({200, "text/html; charset=utf-8", std::string(page::html), headers()});
}

void Service::call_page_script(Call& call) {
  call.reply({200, "text/javascript; charset=utf-8", std::string(page::script), headers()});
}

}  // namespace neuralts::serve
