#include "serve/node/parcel.hpp"

#include "neuralts/archive.hpp"

namespace neuralts::serve {

namespace {

constexpr std::uint8_t format_version = 1;

}  // namespace

std::string wrap(const Entry& entry) {
  Writer out;
  out.value(format_version);
  out.value(entry.kind);
  out.value(entry.loop);
  out.value(entry.writer);
  out.value(entry.target);
  for (const std::string* text : {&entry.name, &entry.alias, &entry.key, &entry.payload}) out.text(*text);
  return {out.bytes().begin(), out.bytes().end()};
}

Entry unwrap(std::string_view bytes) {
  Reader in({bytes.data(), bytes.size()}, "spool");
  if (in.value<std::uint8_t>() != format_version) in.fail();
  Entry entry;
  entry.kind = in.value<Kind>();
  entry.loop = in.value<std::uint32_t>();
  entry.writer = in.value<std::uint16_t>();
  entry.target = in.value<Sequence>();
  for (std::string* text : {&entry.name, &entry.alias, &entry.key, &entry.payload}) *text = in.text();
  if (!in.at_end()) in.fail();
  return entry;
}

}  // namespace neuralts::serve
