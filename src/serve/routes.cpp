// The table of calls, and the way from a request to one of them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "neuralts/version.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

const std::vector<Route>& routes() {
  using S = Service;
  static const std::vector<Route> table = {
      {"POST", "/v1/loops/{loop}/rank", Role::decide, &S::call_rank, "Decide: choose among the actions of one event or of a list", {200, 409, 422}, "Rank", "Ranked", {"event_id"}},
      {"POST", "/v1/loops/{loop}/slots", Role::decide, &S::call_slots, "Decide for several slots at once", {200, 409, 422}, "RankSlots", "RankedSlots"},
      {"POST", "/v1/events/{event}/reward", Role::reward, &S::call_reward, "Tell what an event earned", {200, 409, 422}, "Reward", "Rewarded", {"loop"}},
      {"POST", "/v1/events/{event}/activate", Role::reward, &S::call_activate, "Tell that a deferred event was shown", {200, 409, 422}, nullptr, "Activated", {"loop"}},
      {"GET", "/v1/loops", Role::metrics, &S::call_loops, "All loops", {200}, nullptr, "Loops"},
      {"GET", "/v1/loops/{loop}", Role::admin, &S::call_get_loop, "A loop's configuration", {200}, nullptr, "Loop"},
      {"PUT", "/v1/loops/{loop}", Role::admin, &S::call_put_loop, "Make or change a loop", {200, 201, 409, 422}, "Configuration", "Loop"},
      {"DELETE", "/v1/loops/{loop}", Role::admin, &S::call_delete_loop, "Forget a loop", {204}, nullptr, nullptr},
      {"GET", "/v1/loops/{loop}/model", Role::admin, &S::call_get_model, "Export a model", {200, 422}, nullptr, "Bytes", {"version"}},
      {"PUT", "/v1/loops/{loop}/model", Role::admin, &S::call_put_model, "Import a model; it serves, and is held, at once", {200, 422}, "Bytes", "Loop"},
      {"GET", "/v1/loops/{loop}/models", Role::metrics, &S::call_models, "The models that are kept", {200}, nullptr, "Models"},
      {"POST", "/v1/loops/{loop}/rollback", Role::admin, &S::call_rollback, "Bring an earlier model back and hold it; or release it", {200, 409, 422}, "Rollback", "Loop"},
      {"GET", "/v1/loops/{loop}/stats", Role::metrics, &S::call_stats, "Numbers about a loop", {200}, nullptr, "Stats"},
      {"GET", "/v1/loops/{loop}/evaluation", Role::metrics, &S::call_evaluation, "What other policies would have earned on the loop's own log", {200, 409, 422}, nullptr, "Evaluation", {"policies", "estimators", "events"}},
      {"GET", "/metrics", Role::metrics, &S::call_metrics, "Prometheus text", {200}, nullptr, "Text"},
      {"GET", "/healthz", Role::open, &S::call_health, "The process is alive", {200}, nullptr, "Status"},
      {"GET", "/readyz", Role::open, &S::call_ready, "Events are taken", {200}, nullptr, "Status"},
      {"GET", "/openapi.json", Role::open, &S::call_openapi, "This description", {200}, nullptr, "Any"},
      {"GET", "/", Role::open, &S::call_page, "The dashboard", {200}, nullptr, "Html"},
      {"GET", "/page.js", Role::open, &S::call_page_script, "The dashboard's script", {200}, nullptr, "Text"},
      {"POST", "/personalizer/v1.0/rank", Role::decide, &S::call_personalizer_rank, "Personalizer: rank", {201, 409, 422}, "PersonalizerRank", "PersonalizerRanked", {"loop"}},
      {"POST", "/personalizer/v1.0/events/{event}/reward", Role::reward, &S::call_personalizer_reward, "Personalizer: reward", {204, 409, 422}, "PersonalizerReward", nullptr, {"loop"}},
      {"POST", "/personalizer/v1.0/events/{event}/activate", Role::reward, &S::call_personalizer_activate, "Personalizer: activate", {204, 409, 422}, nullptr, nullptr, {"loop"}},
      {"GET", "/personalizer/v1.0/configurations/service", Role::admin, &S::call_personalizer_configuration, "Personalizer: configuration", {200}, nullptr, "PersonalizerConfiguration", {"loop"}},
      {"PUT", "/personalizer/v1.0/configurations/service", Role::admin, &S::call_personalizer_configure, "Personalizer: change it", {200, 422}, "PersonalizerConfiguration", "PersonalizerConfiguration", {"loop"}},
      {"GET", "/personalizer/v1.0/status", Role::decide, &S::call_personalizer_status, "Personalizer: status", {200}, nullptr, "Any", {"loop"}},
      {"POST", "/personalizer/multislot/rank", Role::decide, &S::call_personalizer_slots, "Personalizer: rank several slots", {201, 409, 422}, "PersonalizerSlots", "PersonalizerRankedSlots", {"loop"}},
      {"POST", "/personalizer/multislot/events/{event}/reward", Role::reward, &S::call_personalizer_slots_reward, "Personalizer: reward slots", {204, 409, 422}, "PersonalizerSlotReward", nullptr, {"loop"}},
      {"POST", "/personalizer/multislot/events/{event}/activate", Role::reward, &S::call_personalizer_activate, "Personalizer: activate slots", {204, 409, 422}, nullptr, nullptr, {"loop"}},
  };
  return table;
}

namespace {

/// True: the path has the pattern's form; `parts` gets what its {...} stand for.
bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& parts) {
  parts.clear();
  while (!pattern.empty() || !path.empty()) {
    const auto pattern_end = pattern.find('/', 1), path_end = path.find('/', 1);
    const auto expected = pattern.substr(0, pattern_end), given = path.substr(0, path_end);
    if (expected.starts_with("/{") && given.size() > 1)
      parts.push_back(decoded(given.substr(1)));
    else if (expected != given)
      return false;
    pattern.remove_prefix(expected.size());
    path.remove_prefix(given.size());
  }
  return true;
}

const Route& route_of(std::string_view method, std::string_view path, std::vector<std::string>& parts) {
  std::string allowed;
  for (const Route& route : routes()) {
    if (!matches(route.pattern, path, parts)) continue;
    if (method == route.method || (method == "HEAD" && std::string_view(route.method) == "GET")) return route;
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  if (!allowed.empty()) throw MethodProblem(allowed);
  throw Problem(404, "", "there is nothing at this address: see /openapi.json");
}

void check_access(const Access& access, const Request& request, Role role) {
  switch (access.check(request.token, role)) {
    case Access::Answer::allowed: return;
    case Access::Answer::unknown: throw Problem(401, "", "a token is needed: Authorization: Bearer TOKEN");
    case Access::Answer::forbidden:
      throw Problem(403, "", fmt::format("the token lacks the role '{}'", name_of(role)));
  }
}

/// Form posts of a browser are the one kind of request that another site could make it send.
void check_type(const Request& request) {
  if (request.method != "POST" && request.method != "PUT") return;
  if (!request.content_encoding.empty() && request.content_encoding != "identity")
    throw Problem(415, "", "the body has a Content-Encoding: send it as it is, not compressed");
  if (request.body.empty() || has_type(request, "application/json") || has_type(request, binary_type)) return;
  throw Problem(415, "", "the body's Content-Type must be application/json or application/octet-stream");
}

}  // namespace

bool has_type(const Request& request, std::string_view type) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const std::string_view given = request.content_type;
  return given.size() >= type.size() &&
         std::equal(type.begin(), type.end(), given.begin(), [&](char wanted, char c) { return wanted == lower(c); });
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
    if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0)
      throw Problem(400, "", "the address has a broken %-code");
    out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
    i += 2;
  }
  return out;
}

std::string Service::Call::query_value(std::string_view key) const {
  for (const auto& pair : split(query, '&')) {
    const auto equals = pair.find('=');
    if (pair.substr(0, equals) == key && equals != std::string::npos)
      return decoded(std::string_view(pair).substr(equals + 1));
  }
  return "";
}

Answer answer_of(const Problem& problem, bool personalizer) {
  Answer answer{problem.status(), personalizer ? "application/json" : "application/problem+json",
                personalizer ? personalizer_problem_json(problem) : problem_json(problem), {}};
  if (const auto* method = dynamic_cast<const MethodProblem*>(&problem))
    answer.headers.emplace_back("Allow", method->allowed());
  if (problem.status() == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (problem.status() == 429 || problem.status() == 503) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

void Service::handle(const Request& request, Worker& worker, Reply reply) {
  const auto question = request.target.find('?');
  const std::string_view path = request.target.substr(0, question);
  Call call{request, worker, std::move(reply), {}, question == std::string_view::npos ? "" : request.target.substr(question + 1),
            path.starts_with("/personalizer/"), clock_.ticks_us()};
  try {
    const Route& route = route_of(request.method, path, call.parts);
    if (stopping_ && path != "/healthz" && path != "/readyz") throw Problem(503, "", "the service is going down");
    check_access(access_, request, route.role);
    check_type(request);
    (this->*route.handler)(call);
  } catch (const Problem& problem) {
    if (call.reply) call.reply(answer_of(problem, call.personalizer));
  } catch (const JournalError& error) {
    log_.error("request failed", {{"why", error.what()}});
    if (call.reply) call.reply(answer_of(Problem(503, "", "the journal cannot be used: nothing was changed"), call.personalizer));
  } catch (const std::exception& error) {
    log_.error("request failed", {{"path", std::string(path.substr(0, 100))}, {"why", error.what()}});
    if (call.reply) call.reply(answer_of(Problem(500, "", "this is a fault of the service"), call.personalizer));
  }
}

void Service::call_openapi(Call& call) { call.answer(200, openapi_json()); }

}  // namespace neuralts::serve
