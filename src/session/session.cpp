#include <fmt/format.h>

#include <cmath>
#include <random>
#include <set>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "neuralts/error.hpp"
#include "session/state.hpp"

namespace neuralts {

namespace {

std::string drawn_prefix() {
  std::random_device system;
  return fmt::format("{:08x}{:04x}", system(), system() & 0xffffu);
}

std::string id_of(Fields action, std::size_t position) {
  for (const Field& field : action) {
    if (field.name != "id") continue;
    if (field.kind == Field::Kind::text) return std::string(field.text);
    if (field.kind == Field::Kind::number) return format_number(field.number);
  }
  return std::to_string(position);
}

}  // namespace

const char* to_string(Settled settled) {
  switch (settled) {
    case Settled::learned: return "learned";
    case Settled::duplicate: return "duplicate";
    case Settled::expired: return "expired";
    case Settled::unknown: break;
  }
  return "unknown";
}

Session::State::State(SessionSpec given)
    : spec(std::move(given)),
      stream(spec.policy.seed, Purpose::exploration, 1),
      open(spec.remember),
      arms(spec.most_arms) {
  if (spec.id_prefix.empty()) spec.id_prefix = drawn_prefix();
}

void Session::State::begin() {
  spec.policy.shape = {1, blocks_in_all()};
  (void)make_policy(spec.policy);  // a specification that is wrong is refused now, not with the first schema
  learner.emplace(spec.features);
  if (spec.features.complete()) {
    take_schema(learner->schema());
    learner.reset();
  }
}

std::size_t Session::State::length_in(const Encoder& of) const {
  return by_name() ? of.schema().context_length() : of.length();
}

std::vector<std::string> Session::State::names_of(const FieldTable& objects) const {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < objects.rows(); ++i) names.push_back(id_of(objects.row(i), i - 1));
  return names;
}

void Session::State::check(const FieldTable& objects, double time, const std::string& event_id) const {
  if (objects.rows() < 2) throw ContractError("no action is offered");
  if (!std::isfinite(time)) throw ContractError("the time of a decision is not finite");
  if (!event_id.empty() && open.knows(event_id)) throw ContractError("the event id '" + event_id + "' is taken");
  if (log && !is_utf8(event_id))
    throw ContractError("the event id is not UTF-8 text: in the log it would be another one");
  if (!by_name()) return;
  const auto names = names_of(objects);
  std::set<std::string> different(names.begin(), names.end());
  if (different.size() < names.size()) throw ContractError("two actions have the same id: arms are known by it");
  std::size_t fresh = 0;
  for (const auto& name : different) fresh += !arms.has(name);
  if (fresh > arms.room())
    throw ContractError("there is no room for another arm beside the " + std::to_string(spec.most_arms) +
                        " that were declared: retire one, or declare more");
}

std::string Session::State::next_id() const {
  std::string id = fmt::format("{}-{}", spec.id_prefix, decisions);
  while (open.knows(id)) id += '-';  // a caller has called an event of its own so
  return id;
}

// What cannot be encoded is refused here, before arms or streams move. A schema that is still learned has seen
// these objects and gives way to one that can encode them.
void Session::State::encode(const FieldTable& objects) {
  try {
    encode_offered(objects);
  } catch (const ContractError&) {
    if (!learner) throw;
    take_schema(learner->schema());
    encode_offered(objects);
  }
}

void Session::State::encode_offered(const FieldTable& objects) {
  numbers.resize((by_name() ? 1 : objects.rows() - 1) * length());
  left_out += by_name() ? encoder->encode_context(objects.row(0), numbers) : encoder->encode(objects, numbers);
}

// Uniform before there is a schema; otherwise the policy's choice. Fills `choice`.
void Session::State::choose(const FieldTable& objects) {
  const std::size_t offered = objects.rows() - 1;
  ids = names_of(objects);
  if (by_name()) take_arms(ids);
  Decision& decision = choice.decision;
  if (!encoder) {
    for (auto* list : {&decision.probabilities, &decision.mean, &decision.width, &decision.score})
      list->assign(offered, 0.0);
    decision.probabilities.assign(offered, 1.0 / static_cast<double>(offered));
    decision.estimated = false;
    decision.arm = stream.below(offered);
    decision.probability = decision.probabilities[decision.arm];
  } else {
    decision = agent->select(by_name() ? Contexts::disjoint(numbers, blocks) : Contexts::per_arm(numbers, offered));
  }
  choice.arm = decision.arm;
  choice.probability = decision.probability;
  choice.action = ids[choice.arm];
}

void Session::State::keep_open(const FieldTable& objects, double time) {
  OpenEvent event{choice.event_id, time, {}, 0, OpenEvent::none};
  if (encoder && by_name()) {
    event.x = numbers;
    event.block = blocks[choice.arm];
  } else if (encoder) {
    const auto row = std::span(numbers).subspan(choice.arm * length(), length());
    event.x.assign(row.begin(), row.end());
  }
  if (learner) {
    event.early = early.size();
    early.push_back({objects, choice.arm, choice.action});
  }
  open.add(std::move(event));
}

void Session::State::log_choice(const FieldTable& objects, double time) {
  if (!log) return;
  Event event;
  event.id = choice.event_id;
  event.time = time;
  event.model = spec.policy.name;
  event.actions = ids;
  event.offer.objects = objects;
  event.set_arms(ids.size());
  event.arm = choice.arm;
  event.probabilities = choice.decision.probabilities;
  event.estimated = choice.decision.estimated;
  log->write(event);
}

Session::Session(SessionSpec spec) : state_(std::make_unique<State>(std::move(spec))) { state_->begin(); }
Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const Choice& Session::select(const FieldTable& objects, double time, const std::string& event_id) {
  State& s = *state_;
  s.check(objects, time, event_id);
  if (s.learner) s.learn_schema_from(objects);
  if (s.encoder) s.encode(objects);
  s.choose(objects);
  s.choice.event_id = event_id.empty() ? s.next_id() : event_id;
  s.log_choice(objects, time);
  ++s.decisions;
  s.keep_open(objects, time);
  return s.choice;
}

void Session::log_to(std::shared_ptr<LogWriter> log) { state_->log = std::move(log); }
std::size_t Session::open() const { return state_->open.size(); }
std::vector<std::string> Session::arms() const { return state_->arms.names(); }
const SessionSpec& Session::spec() const { return state_->spec; }
const Schema* Session::schema() const { return state_->encoder ? &state_->encoder->schema() : nullptr; }
bool Session::frozen() const { return state_->frozen(); }
const Policy* Session::policy() const { return state_->agent ? &state_->agent->policy() : nullptr; }
std::size_t Session::decisions() const { return state_->decisions; }

std::vector<std::string> Session::notes() const {
  auto all = state_->agent ? state_->agent->policy().notes() : std::vector<std::string>{};
  if (state_->left_out > 0)
    all.push_back(
        fmt::format("{} values of fields that the schema does not know were left out", state_->left_out));
  return all;
}

}  // namespace neuralts
