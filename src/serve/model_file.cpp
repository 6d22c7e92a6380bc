#include "serve/model_file.hpp"

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "neuralts/archive.hpp"

namespace neuralts::serve {

namespace {

constexpr std::string_view magic = "neuralts model 1\n";

}  // namespace

std::string model_bytes(Form form, std::uint32_t length, const Encoder* encoder, std::string_view policy) {
  Writer out;
  out.value(form);
  out.value(length);
  out.text(encoder == nullptr ? std::string() : encoder->schema().to_json());
  out.values(std::span<const char>(policy.data(), policy.size()));
  std::string bytes(magic);
  bytes.append(out.bytes().data(), out.bytes().size());
  const std::uint32_t sum = checksum(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

Published model_from_bytes(std::string_view bytes, const std::string& where) {
  const auto refuse = [&](const char* what) { throw Error(ErrorCode::corrupt, where, what, "export it again"); };
  if (bytes.size() < magic.size() + 4 || bytes.substr(0, magic.size()) != magic) refuse("these bytes are no model");
  std::uint32_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  bytes.remove_suffix(sizeof sum);
  if (sum != checksum(bytes)) refuse("the model's checksum is wrong");
  bytes.remove_prefix(magic.size());
  Reader in({bytes.data(), bytes.size()}, where);
  Published published;
  published.form = in.value<Form>();
  published.length = in.value<std::uint32_t>();
  if (const std::string schema = in.text(); !schema.empty())
    published.encoder = std::make_shared<Encoder>(Schema::from_json(schema, where));
  const auto policy = in.values<char>();
  if (!in.at_end()) in.fail();
  published.model = decision_model({policy.data(), policy.size()}, where);
  if (published.form != Form::vectors && published.form != Form::objects) refuse("the model takes nothing that there is");
  if (published.form == Form::objects && !published.encoder) refuse("the model has no encoder");
  const Shape& shape = published.model->shape();
  if (shape.blocks != 1 || shape.length != length_of(published)) refuse("the model's policy takes vectors of another length");
  return published;
}

std::shared_ptr<Published> stored_model(const StoredModel& stored) {
  auto published = std::make_shared<Published>(model_from_bytes(stored.bytes, fmt::format("model {}", stored.version)));
  published->version = stored.version;
  published->position = stored.position;
  return published;
}

}  // namespace neuralts::serve
