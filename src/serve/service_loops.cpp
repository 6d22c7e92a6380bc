// Loops, models and numbers: what a person asks for or changes.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/shallow_json.hpp"
#include "serve/judge.hpp"
#include "serve/model_file.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

constexpr std::size_t models_kept = 10;

json loop_json(const Loop& loop) {
  const auto current = loop.current();
  const auto published = loop.published();
  return {{"name", loop.name()},
          {"revision", current->revision},
          {"model", published->version},
          {"pinned", loop.pinned.load()},
          {"configuration", json::parse(to_json(current->config))}};
}

json model_json(const StoredModel& model, std::uint64_t serving) {
  return {
      {"version", model.version}, {"position", model.position},          {"time", iso_time(model.time_us)},
      {"sha256", model.sha256},   {"serving", model.version == serving}, {"note", json::parse(model.note)}};
}

}  // namespace

json body_of(std::string_view text) {
  auto body = parse_shallow(text, refuse_twice);
  if (!body || !body->is_object()) throw Problem(400, "", "the body must be a JSON object, not nested too deep");
  return std::move(*body);
}

void Service::call_loops(Call& call) {
  json list = json::array();
  for (const auto all = loops(); const auto& [name, runtime] : *all) list.push_back(loop_json(runtime->loop));
  call.answer(200, json{{"loops", list}}.dump());
}

void Service::call_get_loop(Call& call) { call.answer(200, loop_json(find(call.parts[0])->loop).dump()); }

void Service::call_put_loop(Call& call) {
  const std::string& name = call.parts[0];
  if (!is_loop_name(name))
    throw Problem(422, "loop", "a name has 1 to 64 of a-z A-Z 0-9 _ - . and begins with a letter or digit");
  const auto change = begin_change();
  const auto all = loops();
  const auto found = all->find(name);
  if (found == all->end()) {
    const auto made = create_loop(name, loop_config_from_json(call.request.body));
    return call.answer(201, loop_json(made->loop).dump());
  }
  Loop& loop = found->second->loop;
  reconfigure(loop, loop_config_from_json(call.request.body));
  call.answer(200, loop_json(loop).dump());
}

void Service::call_delete_loop(Call& call) {
  const auto change = begin_change();
  const auto runtime = find(call.parts[0]);
  store_loop(runtime->loop, true);
  forget_loop(runtime);
  journal_.drop_checkpoint(runtime->loop.id());
  log_.info("loop deleted", {{"loop", runtime->loop.name()}});
  call.answer(204, "");
}

void Service::call_get_model(Call& call) {
  const auto runtime = find(call.parts[0]);
  const std::string wanted = call.query_value("version");
  if (wanted.find_first_not_of("0123456789") != std::string::npos)
    throw Problem(422, "version", "a version is a whole number");
  const std::uint64_t version = wanted.empty() ? runtime->loop.published()->version
                                               : std::strtoull(wanted.c_str(), nullptr, 10);
  if (wanted.empty() && version == 0) throw Problem(404, "version", "no model has been published yet");
  const auto model = journal_.model(runtime->loop.id(), version);
  if (!model)
    throw Problem(404, "version",
                  fmt::format("there is no model {}: the last {} are kept", version, models_kept));
  call.reply({200,
              "application/octet-stream",
              model->bytes,
              {{"ETag", "\"" + model->sha256 + "\""}, {"Neuralts-Version", std::to_string(version)}}});
}

namespace {

std::string taken_by(const Published& model) {
  return model.form == Form::objects ? "objects" : fmt::format("vectors of {} numbers", model.length);
}

/// Throws Problem(422) for a model that answers with something that is not finite, or that takes what this loop's events
/// are not.
void check_model(const Published& model, const Loop& loop) {
  Judge probes;
  const double n = static_cast<double>(length_of(model));
  for (const double x : {1.0, -1.0}) probes.add(std::vector<double>(length_of(model), x / std::sqrt(n)), 0);
  if (const auto why = probes.refusal(nullptr, *model.model)) throw Problem(422, "body", fmt::format("the model makes {}", *why));
  const auto serving = loop.published();
  const std::uint32_t length = loop.current()->config.length;
  const bool as_before = serving->form == Form::none || (serving->form == model.form && serving->length == model.length);
  if (!as_before || (length > 0 && length != model.length))
    throw Problem(422, "body",
                  fmt::format("the model takes {}, this loop {}", taken_by(model),
                              as_before ? fmt::format("vectors of {} numbers", length) : taken_by(*serving)));
}

/// A model from outside.
std::shared_ptr<Published> model_in(const std::string& bytes, const Loop& loop) {
  try {
    auto model = std::make_shared<Published>(model_from_bytes(bytes, "the model"));
    check_model(*model, loop);
    return model;
  } catch (const Problem&) {
    throw;
  } catch (const std::exception& error) {
    throw Problem(422, "body", error.what());
  }
}

/// As the loop's next version. Another process may be quicker, until it has heard of the hold.
void put_next(Journal& journal, std::uint32_t loop, StoredModel& model) {
  for (int tries = 1;; ++tries) {
    const auto models = journal.models(loop);
    model.version = (models.empty() ? 0 : models.front().version) + 1;
    try {
      return journal.put_model(loop, model, models_kept);
    } catch (const ContractError&) {
      if (tries == 10)
        throw JournalError(JournalError::Why::failed, "journal", "another node publishes all the time", "try again");
    }
  }
}

}  // namespace

/// An imported or recalled model serves at once, and is held until it is released. The hold is stored first: without it
/// the model would be gone with the next one that is learned.
void Service::hold(Loop& loop, std::shared_ptr<Published> published, const std::string& bytes, const std::string& note) {
  const auto publishing = loop.begin_publishing();
  const bool before = loop.pinned.exchange(true);
  try {
    store_loop(loop, false);
    published->position = loop.learner.position;
    StoredModel model{0, published->position, clock_.now_us(), sha256_hex(bytes), note, bytes};
    put_next(journal_, loop.id(), model);
    published->version = model.version;
  } catch (const JournalError&) {
    let_go(loop, before);
    throw;
  }
  loop.publish(std::move(published));
}

/// After a hold that failed: as it was. Where that cannot be stored either, a restart finds the loop held.
void Service::let_go(Loop& loop, bool before) {
  loop.pinned = before;
  if (before) return;
  try {
    store_loop(loop, false);
  } catch (const JournalError& error) {
    log_.error("loop not stored", {{"loop", loop.name()}, {"why", error.what()}});
  }
}

void Service::call_put_model(Call& call) {
  const auto runtime = find(call.parts[0]);
  Loop& loop = runtime->loop;
  const auto change = begin_change();
  const std::string bytes(call.request.body);
  hold(loop, model_in(bytes, loop), bytes, json{{"imported", true}}.dump());
  log_.info("model imported", {{"loop", loop.name()}, {"version", loop.published()->version}});
  call.answer(200, loop_json(loop).dump());
}

void Service::call_models(Call& call) {
  const auto runtime = find(call.parts[0]);
  const std::uint64_t serving = runtime->loop.published()->version;
  json list = json::array();
  for (const auto& model : journal_.models_seen(runtime->loop.id())) list.push_back(model_json(model, serving));
  call.answer(200, json{{"models", list}}.dump());
}

void Service::call_rollback(Call& call) {
  const auto runtime = find(call.parts[0]);
  Loop& loop = runtime->loop;
  const json body = body_of(call.request.body.empty() ? "{}" : call.request.body);
  for (const auto& [key, value] : body.items())
    if (key != "version" && key != "resume") throw Problem(422, key, "unknown key: there are version, resume");
  if (body.contains("resume") && !body["resume"].is_boolean())
    throw Problem(422, "resume", "true or false is needed");
  const auto change = begin_change();
  if (body.value("resume", false)) {
    const bool before = loop.pinned.exchange(false);
    try {
      store_loop(loop, false);
    } catch (const JournalError&) {
      loop.pinned = before;
      throw;
    }
    return call.answer(200, loop_json(loop).dump());
  }
  const auto models = journal_.models(loop.id());
  if (!body.contains("version") && models.size() < 2) throw Problem(409, "version", "there is no earlier model");
  if (body.contains("version") && !body["version"].is_number_unsigned())
    throw Problem(422, "version", "a version is a whole number");
  const std::uint64_t version = body.contains("version") ? body["version"].get<std::uint64_t>() : models[1].version;
  const auto model = journal_.model(loop.id(), version);
  if (!model)
    throw Problem(404, "version",
                  fmt::format("there is no model {}: the last {} are kept", version, models_kept));
  hold(loop, stored_model(*model), model->bytes, json{{"recalled", version}}.dump());
  log_.info("model recalled", {{"loop", loop.name()}, {"version", version}, {"as", loop.published()->version}});
  call.answer(200, loop_json(loop).dump());
}

void Service::call_stats(Call& call) {
  const auto runtime = find(call.parts[0]);
  const Loop& loop = runtime->loop;
  json out = json::parse(loop.stats());
  const JournalInfo info = journal_.info();
  const std::int64_t now_us = clock_.ticks_us();
  const auto published = loop.published();
  out["loop"] = loop.name();
  out["mode"] = name_of(loop.current()->config.mode);
  out["policy"] = loop.current()->config.policy;
  out["model"] = {
      {"version", published->version}, {"position", published->position}, {"pinned", loop.pinned.load()}};
  if (published->version > 0) out["model"]["time"] = iso_time(loop.learner.published_us);
  out["latency_ms"] = {{"p50", latency_.quantile_us(0.5, now_us) / 1e3},
                       {"p99", latency_.quantile_us(0.99, now_us) / 1e3}};
  out["learner"] = {{"lag_records", info.last - std::min(info.last, loop.learner.position.load())},
                    {"published", loop.learner.published.load()}, {"refused", loop.learner.refused.load()},
                    {"checkpoints", loop.learner.checkpoints.load()}, {"failures", loop.learner.failures.load()},
                    {"busy_seconds", static_cast<double>(loop.learner.training_us.load()) / 1e6}};
  if (options_.several)
    out["learner"]["node"] = learning_ ? json(options_.node) : out.value("learner_node", json());
  out.erase("learner_node");
  out["journal"] = {
      {"records", info.last}, {"segments", info.segments}, {"bytes", info.bytes}, {"failed", info.failed}};
  out["pending"] = committer_.pending();
  if (node_state_) out["node"] = json::parse(node_state_());
  out["versions"] = json::array();
  for (const auto& model : journal_.models_seen(loop.id()))
    out["versions"].push_back(model_json(model, published->version));
  call.answer(200, out.dump());
}

void Service::call_metrics(Call& call) {
  const JournalInfo info = journal_.info();
  for (const auto all = loops(); const auto& [name, runtime] : *all) {
    const Loop& loop = runtime->loop;
    const LearnerState& learner = loop.learner;
    const auto lag = static_cast<double>(info.last - std::min(info.last, learner.position.load()));
    metrics_.set(
        name, {.lag_events = lag,
               .lag_seconds = lag == 0 ? 0 : static_cast<double>(clock_.now_us() - learner.position_us) / 1e6,
               .training_seconds = static_cast<double>(learner.training_us) / 1e6,
               .model_version = static_cast<double>(loop.published()->version),
               .model_age_seconds = learner.published_us == 0
                                        ? 0
                                        : static_cast<double>(clock_.now_us() - learner.published_us) / 1e6,
               .published = static_cast<double>(learner.published),
               .refused = static_cast<double>(learner.refused),
               .learned = static_cast<double>(learner.learned),
               .waiting = static_cast<double>(learner.waiting)});
  }
  if (node_state_) {
    const json state = json::parse(node_state_()), backlog = state.value("backlog", json());
    metrics_.set_node(state.at("learns"), backlog.is_null() ? std::nullopt : std::optional(backlog.get<double>()));
  }
  metrics_.set_service(static_cast<double>(committer_.pending()), static_cast<double>(info.bytes), ready() ? 1 : 0);
  call.reply({200, "text/plain; version=0.0.4", metrics_.text(), {}});
}

void Service::call_health(Call& call) { call.answer(200, R"({"status":"alive"})"); }

void Service::call_ready(Call& call) {
  if (ready()) return call.answer(200, R"({"status":"ready"})");
  throw Problem(503, "", stopping_ ? "the service is going down" : "the journal cannot be written");
}

}  // namespace neuralts::serve
