// A request on its way through the service.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "serve/problem.hpp"
#include "serve/service.hpp"

namespace neuralts::serve {

struct Service::Call {
  const Request& request;
  Worker& worker;
  Reply reply;
  std::vector<std::string> parts;          ///< what the pattern's {...} matched
  std::string_view query;
  bool personalizer = false;               ///< problems in that dialect
  std::int64_t start_us = 0;

  void answer(int status, std::string body) { reply({status, "application/json", std::move(body), {}}); }
  /// The value of a key of the query, decoded; empty when it is not there.
  std::string query_value(std::string_view key) const;
};

/// A problem as an answer, in the right dialect.
Answer answer_of(const Problem& problem, bool personalizer);
Answer answer_of(const JournalError& error, bool personalizer);
/// Whether its body is of `type`, in whatever case it was written.
bool has_type(const Request& request, std::string_view type);
inline constexpr std::string_view binary_type = "application/octet-stream";
/// "%41" -> "A". Throws Problem(400) for what cannot be decoded.
std::string decoded(std::string_view text);

/// The object that a body is. Throws Problem(400).
nlohmann::json body_of(std::string_view text);

/// Throws Problem(422) when a caller's id has the form of those that the service makes.
inline void check_own_id(const std::string& id) {
  if (IdSigner::has_form(id))
    throw Problem(422, "event_id", "this is the form of the service's own ids: choose another");
}

inline constexpr char slot_separator = '\x1f';
/// The name of one slot of a decision over several. No caller's id holds the separator.
inline std::string slot_name(const std::string& event_id, const std::string& slot) {
  return event_id + slot_separator + slot;
}
inline std::string slot_of(const std::string& name) { return name.substr(name.find(slot_separator) + 1); }

/// Who may call what, and what it is; the description at /openapi.json is made from the same table.
struct Route {
  const char* method;
  const char* pattern;                     ///< "/v1/loops/{loop}/rank"
  Role role;
  void (Service::*handler)(Service::Call&);
  const char* summary;
  std::vector<int> statuses;               ///< that it may answer with, beside those that every route may
  const char* request;                     ///< name of the body's schema, or nothing
  const char* response;                    ///< name of the answer's schema, or nothing
  std::vector<const char*> queries = {};   ///< what may stand behind the ? of its address
};
const std::vector<Route>& routes();
/// Every route may also answer: 400 (target or body unreadable), 401, 403, 404, 405, 413, 415, 429, 503.
std::string openapi_json();

template <class Answering>
void Service::submit(Call& call, std::vector<Entry> entries, Answering answer) {
  struct Answered final : Submission {
    Answered(Reply&& to, bool dialect, Answering&& how)
        : reply(std::move(to)), personalizer(dialect), answer(std::move(how)) {}
    void done(std::unique_ptr<Submission> self, const JournalError* error) override {
      const Reply to = std::move(reply);
      Answer out = error != nullptr ? answer_of(*error, personalizer) : of_entries();
      out.made_of = std::move(self);
      to(std::move(out));
    }
    Answer of_entries() {
      try {
        return answer(std::span(entries));
      } catch (const Problem& problem) {
        return answer_of(problem, personalizer);
      }
    }
    Reply reply;
    const bool personalizer;
    Answering answer;
  };
  auto answered = std::make_unique<Answered>(std::move(call.reply), call.personalizer, std::move(answer));
  Answered& kept = *answered;
  kept.entries = std::move(entries);
  std::unique_ptr<Submission> submission = std::move(answered);
  if (committer_.submit(submission)) return;
  call.reply = std::move(kept.reply);
  throw Problem(429, "", "too many requests at once: try again in a second");
}

}  // namespace neuralts::serve
