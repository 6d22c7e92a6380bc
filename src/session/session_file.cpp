// A session in a file (base/sealed.hpp): the parts below as a Writer puts them. What the schema learner has counted is
// not saved: it is counted again from the early events.
#include <cmath>

#include "base/file.hpp"
#include "base/sealed.hpp"
#include "neuralts/limits.hpp"
#include "session/state.hpp"

namespace neuralts {

namespace {

constexpr SealedKind sealed_session{"NTSSESSN", 1, 1, "session"};

void save_objects(Writer& out, const FieldTable& objects) {
  out.value<std::uint64_t>(objects.rows());
  for (std::size_t i = 0; i < objects.rows(); ++i) {
    out.value<std::uint64_t>(objects.row(i).size());
    for (const Field& field : objects.row(i)) {
      out.text(std::string(field.name));
      out.value(static_cast<std::uint8_t>(field.kind));
      out.value(field.number);
      out.text(std::string(field.text));
    }
  }
}

FieldTable load_objects(Reader& in) {
  FieldTable objects;
  for (auto rows = in.value<std::uint64_t>(); rows > 0; --rows) {
    objects.start_row();
    for (auto fields = in.value<std::uint64_t>(); fields > 0; --fields) {
      const std::string name = in.text();
      const auto kind = in.value<std::uint8_t>();
      const auto number = in.value<double>();
      const std::string text = in.text();
      if (kind > static_cast<std::uint8_t>(Field::Kind::text)) in.fail();
      objects.add({name, static_cast<Field::Kind>(kind), number, text});
    }
  }
  return objects;
}

void save_spec(Writer& out, const SessionSpec& spec) {
  out.text(spec.policy.name);
  out.text(spec.policy.preset);
  out.text(to_string(spec.policy.params));
  out.value(spec.policy.seed);
  out.values(spec.policy.weights);
  out.text(spec.features.to_json());
  out.value<std::uint64_t>(spec.most_arms);
  out.text(spec.id_prefix);
  out.value<std::uint64_t>(spec.remember);
}

SessionSpec load_spec(Reader& in) {
  SessionSpec spec;
  spec.policy.name = in.text();
  spec.policy.preset = in.text();
  spec.policy.params = parse_params(in.text());
  spec.policy.seed = in.value<std::uint64_t>();
  spec.policy.weights = in.values<double>();
  spec.features = parse_features(in.text());
  spec.most_arms = in.value<std::uint64_t>();
  spec.id_prefix = in.text();
  spec.remember = in.value<std::uint64_t>();
  PolicySpec known = spec.policy;
  known.shape = {1, 1};  // how many arms there are says what is saved of them
  (void)make_policy(known);
  return spec;
}

}  // namespace

void Session::State::save(Writer& out) const {
  save_spec(out, spec);
  out.value<std::uint64_t>(decisions);
  out.value<std::uint64_t>(left_out);
  out.value(stream.state());
  out.value<std::uint8_t>(learner.has_value());
  out.value<std::uint64_t>(early.size());
  for (const auto& event : early) {
    save_objects(out, event.objects);
    out.value<std::uint64_t>(event.arm);
    out.text(event.action);
    out.value<std::uint8_t>(event.reward.has_value());
    out.value(event.reward.value_or(0));
  }
  out.text(encoder ? encoder->schema().to_json() : "");
  out.values(agent ? agent->to_bytes() : std::vector<char>{});
  open.save(out);
  arms.save(out);
  kept.save(out);
}

void Session::State::load(Reader& in, const std::string& where) {
  decisions = in.value<std::uint64_t>();
  left_out = in.value<std::uint64_t>();
  stream = Stream(in.value<Stream::State>());
  const bool learning = in.value<std::uint8_t>() != 0;
  if (learning) learner.emplace(spec.features);
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    EarlyEvent& event = early.emplace_back();
    event.objects = load_objects(in);
    event.arm = in.value<std::uint64_t>();
    event.action = in.text();
    const bool rewarded = in.value<std::uint8_t>() != 0;
    const double reward = in.value<double>();
    if (rewarded) event.reward = reward;
    if (event.objects.rows() < 2 || event.arm + 1 >= event.objects.rows() || !learning) in.fail();
    learner->see(event.objects);
  }
  if (const std::string schema = in.text(); !schema.empty())
    encoder.emplace(Schema::from_json(schema, where));
  if (const auto bytes = in.values<char>(); !bytes.empty())
    agent.emplace(Agent::from_bytes(bytes, where));
  if (agent.has_value() != encoder.has_value() || !(agent || learning)) in.fail();
  spec.policy.shape = {agent ? length() : 1, blocks_in_all()};
  if (agent && agent->policy().spec().shape != spec.policy.shape) in.fail();
  open.load(in);
  arms.load(in);
  kept.load(in);
}

/// What was loaded can be learned: of the numbers and blocks that the policy takes. Throws ContractError.
void Session::State::check_rounds(Reader& in) const {
  for (const auto& event : early) check_reward(event.reward.value_or(0));
  for (const auto& [number, event] : open.all()) {
    if ((event.early != OpenEvent::none && event.early >= early.size()) || !std::isfinite(event.time))
      in.fail();
    if (!event.x.empty()) check_round(in, {{event.x, event.block}});
  }
  for (std::size_t i = 0; i < kept.size(); ++i) check_round(in, kept[i]);
}

void Session::State::check_round(Reader& in, const Finished& round) const {
  if (!agent || !(round.weight >= 0 && round.weight <= largest_number)) in.fail();
  check_slice(round.context, spec.policy.shape);
  check_reward(round.reward);
}

std::vector<char> Session::to_bytes() const {
  Writer body;
  state_->save(body);
  return seal(sealed_session, body);
}

bool Session::is_session(std::span<const char> bytes) { return is_sealed(sealed_session, bytes); }

Session Session::from_bytes(std::span<const char> bytes, const std::string& where) {
  Reader in(unseal(sealed_session, bytes, where).body, where);
  try {
    auto state = std::make_unique<State>(load_spec(in));
    state->load(in, where);
    if (!in.at_end()) in.fail();
    state->check_rounds(in);
    return Session(std::move(state));
  } catch (const ContractError&) {  // what no session has taken
    in.fail();
  } catch (const Error& error) {  // names and keys that a newer program knows
    if (error.code() != ErrorCode::bad_spec) throw;
    throw Error(error.code(), where, error.what());
  }
}

void Session::save(const std::string& path) const { write_file(path, to_bytes()); }
Session Session::load(const std::string& path) { return from_bytes(read_file(path), path); }

}  // namespace neuralts
