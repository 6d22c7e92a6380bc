// Saved policies and agents. Layout (doc/formats.md): magic "NTSPOLCY", u32 version, u32 crc32 of what follows, then
// name, preset, params, shape, seed as a Writer puts them, a flag and the stream of an agent, and the policy's own payload.
#include <zlib.h>

#include <cstring>

#include "base/archive.hpp"
#include "base/file.hpp"
#include "neuralts/agent.hpp"

namespace neuralts {

namespace {

constexpr char magic[8] = {'N', 'T', 'S', 'P', 'O', 'L', 'C', 'Y'};
constexpr std::uint32_t version = 1;
constexpr std::size_t header_size = sizeof magic + 2 * sizeof(std::uint32_t);

struct Saved {
  std::unique_ptr<Policy> policy;
  bool has_stream = false;
  Stream::State stream;
};

std::uint32_t checksum(std::span<const char> bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::vector<char> encode(const Policy& policy, const Stream* stream) {
  Writer body;
  const PolicySpec& spec = policy.spec();
  body.text(spec.name);
  body.text(spec.preset);
  body.text(to_string(spec.params));
  body.value<std::uint64_t>(spec.shape.length);
  body.value<std::uint64_t>(spec.shape.blocks);
  body.value(spec.seed);
  body.value<std::uint8_t>(stream != nullptr);
  body.value(stream != nullptr ? stream->state() : Stream::State{});
  policy.save(body);

  Writer file;
  for (const char c : magic) file.value(c);
  file.value(version);
  file.value(checksum(body.bytes()));
  std::vector<char> bytes = file.bytes();
  bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
  return bytes;
}

Saved decode(std::span<const char> bytes, const std::string& path) {
  if (bytes.size() < header_size || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    throw Error(ErrorCode::corrupt, path, "this is not a saved policy", "expected a file made by save()");
  Reader header(bytes.subspan(sizeof magic, header_size - sizeof magic), path);
  if (const auto found = header.value<std::uint32_t>(); found != version)
    throw Error(ErrorCode::unsupported, path, "saved by format version " + std::to_string(found),
                "this program reads version " + std::to_string(version));
  const std::span<const char> body = bytes.subspan(header_size);
  if (header.value<std::uint32_t>() != checksum(body))
    throw Error(ErrorCode::corrupt, path, "the checksum does not match", "the file is truncated or damaged; use another copy");

  Reader in(body, path);
  PolicySpec spec;
  spec.name = in.text();
  spec.preset = in.text();
  spec.params = parse_params(in.text());
  spec.shape.length = in.value<std::uint64_t>();
  spec.shape.blocks = in.value<std::uint64_t>();
  spec.seed = in.value<std::uint64_t>();
  Saved saved;
  saved.has_stream = in.value<std::uint8_t>() != 0;
  saved.stream = in.value<Stream::State>();
  saved.policy = make_policy(spec);
  saved.policy->restore(in);
  if (!in.at_end()) in.fail();
  return saved;
}

}  // namespace

void save_policy(const Policy& policy, const std::string& path) { write_file(path, encode(policy, nullptr)); }
std::unique_ptr<Policy> load_policy(const std::string& path) { return decode(read_file(path), path).policy; }

void Agent::save(const std::string& path) const { write_file(path, to_bytes()); }
Agent Agent::load(const std::string& path) { return from_bytes(read_file(path), path); }

std::vector<char> Agent::to_bytes() const { return encode(*policy_, &stream_); }

Agent Agent::from_bytes(std::span<const char> bytes, const std::string& where) {
  Saved saved = decode(bytes, where);
  const Stream stream = saved.has_stream ? Stream(saved.stream) : Stream(saved.policy->spec().seed, Purpose::exploration);
  return {std::move(saved.policy), stream};
}

}  // namespace neuralts
