// Why a saved policy with features would choose what it would choose; or, without an event, how it sees objects.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "neuralts/session.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  std::string file, event;
  long arm = -1;
  std::size_t most = 12;
  bool json = false;
};

// The action with the highest mean, unless one was named.
std::size_t arm_of(const Flags& flags, const Session& session, const FieldTable& objects) {
  if (flags.arm >= 0) return static_cast<std::size_t>(flags.arm);
  std::size_t best = 0;
  const Explanation first = session.explain(objects, 0);
  for (std::size_t k = 1; k + 1 < objects.rows(); ++k) {
    const Explanation why = session.explain(objects, k);
    if (why.mean >= why.other_mean) best = k;
  }
  return first.mean >= first.other_mean ? 0 : best;
}

void print_json(const Explanation& why) {
  nlohmann::json parts = nlohmann::json::array();
  for (const auto& part : why.contributions)
    parts.push_back({{"name", part.name}, {"mean", part.mean}, {"width", part.width}});
  const nlohmann::json line = {{"action", why.action},         {"mean", why.mean},
                               {"width", why.width},           {"other", why.other},
                               {"other_mean", why.other_mean}, {"other_width", why.other_width},
                               {"contributions", parts}};
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void execute(const Flags& flags) {
  const Session session = Session::load(flags.file);
  if (flags.event.empty()) {
    if (session.schema() == nullptr)
      throw Error(ErrorCode::bad_input, flags.file, "the policy has no schema yet",
                  "it has seen too few events");
    fmt::print("{}", session.schema()->to_text());
    return;
  }
  const FieldTable objects = parse_objects(flags.event, "--event");
  const Explanation why = session.explain(objects, arm_of(flags, session, objects));
  if (flags.json)
    print_json(why);
  else
    fmt::print("{}", why.to_text(flags.most));
}

}  // namespace

void add_explain(CLI::App& app, int&) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "explain", "what moved a choice of a saved policy with features; without --event, how it sees objects");
  command->add_option("POLICY", flags->file, "A file that save() of a policy with features wrote")->required();
  command->add_option("--event", flags->event, "JSON: {\"context\": {...}, \"actions\": [{\"id\": ...}, ...]}");
  command->add_option("--arm", flags->arm,
                      "Position of the action to explain, from 0; default: the one believed best");
  command->add_option("--most", flags->most, "Lines shown");
  command->add_flag("--json", flags->json, "One line of JSON with everything");
  command->footer(
      "Examples:\n  neuralts explain shop.nts\n"
      "  neuralts explain shop.nts --event '{\"context\": {\"country\": \"DE\"}, \"actions\": [\"item7\", \"item9\"]}'");
  command->callback([flags] { execute(*flags); });
}

}  // namespace neuralts::cli
