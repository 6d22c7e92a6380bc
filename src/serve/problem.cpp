#include "serve/problem.hpp"

#include <fmt/format.h>

#include "log/json_text.hpp"

namespace neuralts::serve {

const char* reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    default: return "Internal Server Error";
  }
}

namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_text(out, text);
  return out;
}

}  // namespace

std::string problem_json(const Problem& problem) {
  std::string text = fmt::format(R"({{"type":"about:blank","title":"{}","status":{},"detail":{})",
                                 reason(problem.status()), problem.status(), quoted(problem.what()));
  if (!problem.field().empty()) text += fmt::format(R"(,"field":{})", quoted(problem.field()));
  return text + "}";
}

std::string personalizer_problem_json(const Problem& problem) {
  const char* code = problem.status() == 404   ? "ResourceNotFound"
                     : problem.status() == 401 ? "Unauthorized"
                     : problem.status() == 403 ? "Forbidden"
                     : problem.status() == 409 ? "DuplicateEventId"
                     : problem.status() == 413 ? "RequestTooLarge"
                     : problem.status() == 429 ? "TooManyRequests"
                     : problem.status() >= 500 ? "InternalServerError"
                                               : "BadArgument";
  return fmt::format(R"({{"error":{{"code":"{}","message":{},"target":{},"details":[],"innerError":{{}}}}}})", code,
                     quoted(problem.what()), quoted(problem.field()));
}

}  // namespace neuralts::serve
