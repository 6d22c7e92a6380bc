#include "serve/options_file.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <sstream>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "serve/loop_config.hpp"
#include "serve/problem.hpp"

namespace neuralts {

namespace {

using Setter = std::function<void(const toml::node& value, const std::string& where)>;

constexpr char reference[] = "see doc/service.md";

[[noreturn]] void refuse(const std::string& where, const std::string& what, const std::string& hint = reference) {
  throw Error(ErrorCode::bad_input, where, what, hint);
}

Setter text(std::string& to) {
  return [&to](const toml::node& value, const std::string& where) {
    const auto given = value.value<std::string>();
    if (!given || !value.is_string()) refuse(where, "a text is needed");
    to = *given;
  };
}

Setter count(std::size_t& to) {
  return [&to](const toml::node& value, const std::string& where) {
    const auto given = value.value<std::int64_t>();
    if (!given || !value.is_integer() || *given < 0) refuse(where, "a whole number is needed");
    to = static_cast<std::size_t>(*given);
  };
}

/// Of what a service cannot do without.
Setter some(std::size_t& to) {
  return [&to](const toml::node& value, const std::string& where) {
    count(to)(value, where);
    if (to == 0) refuse(where, "a whole number above 0 is needed");
  };
}

Setter number(double& to) {
  return [&to](const toml::node& value, const std::string& where) {
    constexpr double most = 1e6;  // hours and seconds alike: more is a slip of the keyboard, and does not fit a clock
    const auto given = value.value<double>();
    if (!given || !value.is_number() || !(*given > 0 && *given <= most))
      refuse(where, "a number above 0 is needed, at most a million");
    to = *given;
  };
}

Setter truth(bool& to) {
  return [&to](const toml::node& value, const std::string& where) {
    if (!value.is_boolean()) refuse(where, "true or false is needed");
    to = *value.value<bool>();
  };
}

std::map<std::string, Setter> setters(ServeOptions& o) {
  return {{"dir", text(o.folder)},
          {"listen", text(o.listen)},
          {"node", text(o.node)},
          {"journal.address", text(o.journal)},
          {"threads", count(o.threads)},
          {"tokens", text(o.tokens)},
          {"certificate", text(o.certificate)},
          {"key", text(o.key)},
          {"open", truth(o.open)},
          {"acknowledge",
           [&o](const toml::node& value, const std::string& where) {
             std::string word;
             text(word)(value, where);
             if (word != "durable" && word != "written" && word != "shared")
               refuse(where, "'" + word + "' is none of durable, written and shared");
             o.acknowledge = word == "durable"  ? Acknowledge::durable
                             : word == "shared" ? Acknowledge::shared
                                                : Acknowledge::written;
           }},
          {"limits.body_bytes", some(o.body_bytes_max)},
          {"limits.header_bytes", some(o.header_bytes_max)},
          {"limits.actions", some(o.actions_max)},
          {"limits.vector", some(o.vector_max)},
          {"limits.batch", some(o.batch_max)},
          {"limits.loops", some(o.loops_max)},
          {"limits.connections", some(o.connections_max)},
          {"limits.connections_per_address", some(o.connections_per_address_max)},
          {"limits.pending", some(o.pending_max)},
          {"limits.header_seconds", number(o.header_seconds)},
          {"limits.body_seconds", number(o.body_seconds)},
          {"limits.idle_seconds", number(o.idle_seconds)},
          {"journal.segment_bytes", some(o.segment_bytes_max)},
          {"journal.segment_hours", number(o.segment_hours_max)},
          {"loop", [&o](const toml::node& value, const std::string& where) {
             if (!value.is_table()) refuse(where, "a table is needed: [loop]");
             std::ostringstream out;
             out << toml::json_formatter(*value.as_table());
             o.default_loop = out.str();
             try {
               serve::loop_config_from_json(o.default_loop);
             } catch (const serve::Problem& problem) {
               refuse(where + "." + problem.field(), problem.what(), "");
             }
           }}};
}

void apply(const std::string& path, const std::string& prefix, const toml::table& table,
           const std::map<std::string, Setter>& known) {
  for (const auto& [key, value] : table) {
    const std::string name = prefix + std::string(key.str());
    const std::string where = fmt::format("{}:{}: {}", path, key.source().begin.line, name);
    const auto found = known.find(name);
    if (found != known.end()) {
      found->second(value, where);
    } else if (value.is_table() && (name == "limits" || name == "journal")) {
      apply(path, name + ".", *value.as_table(), known);
    } else {
      std::vector<std::string> names;
      for (const auto& [known_name, setter] : known) names.push_back(known_name);
      refuse(where, "unknown key", suggest(name, names));
    }
  }
}

}  // namespace

ServeOptions serve::options_from_toml(std::string_view text, const std::string& path,
                                      const ServeOptions& base) {
  ServeOptions options = base;
  apply(path, "", read_toml(text, path, reference), setters(options));
  check_serve_options(options);
  return options;
}

ServeOptions read_serve_options(const std::string& path, const ServeOptions& base) {
  const auto bytes = read_file(path);
  return serve::options_from_toml({bytes.data(), bytes.size()}, path, base);
}

}  // namespace neuralts
