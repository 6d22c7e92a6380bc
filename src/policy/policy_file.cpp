#include "policy/policy_file.hpp"

#include <map>

#include "base/file.hpp"
#include "base/sealed.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/archive.hpp"

namespace neuralts {

namespace {

constexpr SealedKind sealed_policy{"NTSPOLCY", policy_file_version, oldest_policy_file_version, "policy"};
constexpr std::size_t tag_size = 4;

struct Sections : std::map<std::string, std::span<const char>, std::less<>> {
  std::uint32_t version = policy_file_version;
};

void add_section(Writer& body, std::string_view tag, const std::vector<char>& bytes) {
  body.characters(tag);
  body.values(bytes);
}

Sections open_sections(std::span<const char> bytes, const std::string& where) {
  const auto [version, body] = unseal(sealed_policy, bytes, where);
  Reader in(body, where);
  Sections sections;
  sections.version = version;
  while (!in.at_end()) {
    std::string tag;
    for (std::size_t i = 0; i < tag_size; ++i) tag += in.value<char>();
    if (!sections.emplace(tag, in.view<char>()).second) in.fail();
  }
  return sections;
}

std::vector<char> spec_bytes(const ModelHead& head) {
  Writer out;
  out.text(head.spec.name);
  out.text(head.spec.preset);
  out.text(to_string(head.spec.params));
  out.text(to_string(head.resolved));
  out.value<std::uint64_t>(head.spec.shape.length);
  out.value<std::uint64_t>(head.spec.shape.blocks);
  out.value(head.spec.seed);
  return out.bytes();
}

ModelHead read_spec(std::span<const char> bytes, const std::string& where) {
  Reader in(bytes, where);
  ModelHead head;
  head.spec.name = in.text();
  head.spec.preset = in.text();
  head.spec.params = parse_params(in.text());
  head.resolved = parse_params(in.text());
  head.spec.shape.length = in.value<std::uint64_t>();
  head.spec.shape.blocks = in.value<std::uint64_t>();
  head.spec.seed = in.value<std::uint64_t>();
  if (!in.at_end()) in.fail();
  return head;
}

std::span<const char> section(const Sections& sections, std::string_view tag, const std::string& where) {
  const auto found = sections.find(tag);
  if (found == sections.end())
    throw Error(ErrorCode::corrupt, where, "the file has no part '" + std::string(tag) + "'",
                tag == "modl" ? "a model is asked for: was it made by save_model()?"
                              : "a policy is asked for: was it made by save()?");
  return found->second;
}

// A learner as specified, and the section it belongs to.
std::unique_ptr<Learner> make_for(const Sections& sections, std::string_view tag, const std::string& where) {
  const ModelHead head = read_spec(section(sections, "spec", where), where);
  const auto beside = head.resolved.find("beside");
  if (sections.version < oldest_with_ridges && beside != head.resolved.end() && beside->second == "ridge")
    refuse_version(sealed_policy, sections.version, where);
  return make_saved_learner(head.spec, head.resolved, where, section(sections, tag, where).size());
}

}  // namespace

std::vector<char> encode_policy(const Learner& learner, const SavedParts& parts) {
  Writer body, state;
  add_section(body, "spec", spec_bytes({learner.spec(), learner.resolved()}));
  if (parts.stream) {
    Writer stream;
    stream.value(*parts.stream);
    add_section(body, "strm", stream.bytes());
  }
  if (!parts.encoder.empty()) add_section(body, "encd", parts.encoder);
  learner.save(state);
  add_section(body, "stat", state.bytes());
  return seal(sealed_policy, body);
}

SavedPolicy decode_policy(std::span<const char> bytes, const std::string& where) {
  const Sections sections = open_sections(bytes, where);
  SavedPolicy saved{make_for(sections, "stat", where), {}};
  Reader state(section(sections, "stat", where), where, sections.version);
  saved.learner->restore(state);
  if (!state.at_end()) state.fail();
  if (const auto stream = sections.find("strm"); stream != sections.end())
    saved.parts.stream = Reader(stream->second, where).value<Stream::State>();
  if (const auto encoder = sections.find("encd"); encoder != sections.end())
    saved.parts.encoder.assign(encoder->second.begin(), encoder->second.end());
  return saved;
}

void save_policy(const Policy& policy, const std::string& path) {
  write_file(path, encode_policy(policy.learner(), {}));
}
std::unique_ptr<Policy> load_policy(const std::string& path) {
  return std::make_unique<Policy>(decode_policy(read_file(path), path).learner);
}

std::vector<char> model_to_bytes(const Model& model) {
  Writer body, known;
  add_section(body, "spec", spec_bytes(*model.head()));
  model.save(known);
  add_section(body, "modl", known.bytes());
  return seal(sealed_policy, body);
}

std::shared_ptr<const Model> model_from_bytes(std::span<const char> bytes, const std::string& where) {
  const Sections sections = open_sections(bytes, where);
  const auto learner = make_for(sections, "modl", where);
  Reader known(section(sections, "modl", where), where, sections.version);
  auto model = learner->read_model(known);
  if (!known.at_end()) known.fail();
  return model;
}

void save_model(const Model& model, const std::string& path) { write_file(path, model_to_bytes(model)); }
std::shared_ptr<const Model> load_model(const std::string& path) { return model_from_bytes(read_file(path), path); }

void Agent::save(const std::string& path) const { write_file(path, to_bytes()); }
Agent Agent::load(const std::string& path) { return from_bytes(read_file(path), path); }

std::vector<char> Agent::to_bytes() const { return encode_policy(policy_->learner(), {.stream = stream_.state()}); }
Agent Agent::from_bytes(std::span<const char> bytes, const std::string& where) {
  SavedPolicy saved = decode_policy(bytes, where);
  // A policy saved without a stream starts the one that an agent of its seed would have.
  const Stream stream = saved.parts.stream ? Stream(*saved.parts.stream)
                                           : Stream(saved.learner->spec().seed, Purpose::exploration);
  return {std::make_unique<Policy>(std::move(saved.learner)), stream};
}

}  // namespace neuralts
