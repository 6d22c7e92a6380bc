#include "serve/http/wire_text.hpp"

#include "log/json_text.hpp"
#include "serve/problem.hpp"

namespace neuralts::serve {

void write_wire_text(const Answer& answer, bool keep_alive, bool head_only, std::string& out) {
  out.clear();
  out.reserve(256 + answer.body.size());
  out += "HTTP/1.1 ";
  append_number(out, answer.status);
  out += ' ';
  out += reason(answer.status);
  if (answer.status != 204) {  // which has none, and must not say so
    out += "\r\nContent-Length: ";
    append_number(out, answer.body.size());
  }
  if (!answer.body.empty()) out.append("\r\nContent-Type: ").append(answer.type);
  for (const auto& [name, value] : answer.headers) out.append("\r\n").append(name).append(": ").append(value);
  out += keep_alive ? "\r\nCache-Control: no-store\r\n\r\n"
                    : "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
  if (!head_only) out += answer.body;
}

Answer refusal(int status, const std::string& detail) {
  Answer answer{status, "application/problem+json", problem_json(Problem(status, "", detail)), {}};
  if (status == 429) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

}  // namespace neuralts::serve
