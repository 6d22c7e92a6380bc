// Data sets from OpenML: its description names the file's address, its checksum and the column to predict.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "data/md5.hpp"
#include "base/text.hpp"
#include "data/arff_text.hpp"
#include "data/http.hpp"
#include "data/catalogue.hpp"
#include "neuralts/data.hpp"

namespace neuralts {

namespace {

namespace fs = std::filesystem;

struct Wanted {
  std::string id, file;  // OpenML's number, and the name of the file here
};

struct Description {
  std::string url, md5, label;
};

Wanted find_wanted(const std::string& name) {
  constexpr std::string_view prefix = "openml:";
  if (const PublishedSet* set = find_published(name)) return {std::to_string(set->openml_id), set->name + ".arff"};
  const std::string id = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
  if (!id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos)
    return {id, "openml-" + id + ".arff"};
  throw Error(ErrorCode::bad_spec, "data set", "'" + name + "' is neither a known name nor openml:ID",
              suggest(name, published_names()));
}

std::string service(const FetchOptions& options) {
  if (!options.from.empty()) return options.from;
  const char* chosen = std::getenv("NEURALTS_OPENML");
  return chosen != nullptr && *chosen != 0 ? chosen : "https://www.openml.org";
}

std::string text_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Description describe(const std::string& url, const HttpOptions& http) {
  const auto reply = nlohmann::json::parse(http_text(url, http), nullptr, false);
  const auto description = reply.is_object() ? reply.value("data_set_description", nlohmann::json())
                                             : nlohmann::json();
  if (!description.is_object())
    throw Error(ErrorCode::bad_input, url, "the reply is not a data set's description",
                "is this an OpenML service?");
  const Description found{text_at(description, "url"), text_at(description, "md5_checksum"),
                          text_at(description, "default_target_attribute")};
  if (const auto format = text_at(description, "format");
      !same_ignoring_case(format, "arff") && !same_ignoring_case(format, "sparse_arff"))
    throw Error(ErrorCode::unsupported, url, "the data set's format is " + format, "expected ARFF");
  if (found.url.empty() || found.md5.size() != 32)
    throw Error(ErrorCode::bad_input, url, "the description lacks the file's address or its MD5 checksum",
                "is this an OpenML service?");
  return found;
}

std::string md5_of(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return "";
  Md5 md5;
  std::vector<char> buffer(1 << 16);
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file))
    md5.update(std::span(buffer).first(got));
  std::fclose(file);
  return md5.finish();
}

// A transfer that breaks off is continued a few times; each attempt keeps what arrived.
void download(const std::string& url, const std::string& part, const HttpOptions& http) {
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) try {
      return http_append(url, part, http);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io || attempt == attempts) throw;
    }
}

void remove_if_empty(const std::string& path) {
  std::error_code none;
  if (fs::file_size(path, none) == 0) fs::remove(path, none);
}

}  // namespace

Fetched fetch_data(const std::string& name, const FetchOptions& options) {
  const Wanted wanted = find_wanted(name);
  const fs::path folder = options.folder.empty() ? user_data_folder() : options.folder;
  const HttpOptions quiet{.stall_seconds = options.stall_seconds}, shown{options.stall_seconds, options.progress};
  const Description description = describe(service(options) + "/api/v1/json/data/" + wanted.id, quiet);
  const std::string path = (folder / wanted.file).string();
  if (md5_of(path) == description.md5) return {path, description.label, true};

  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(ErrorCode::io, folder.string(), "cannot create the folder", failed.message());
  const std::string part = (folder / ("." + wanted.file + "." + description.md5 + ".part")).string();
  try {
    download(description.url, part, shown);
  } catch (...) {
    remove_if_empty(part);
    throw;
  }
  if (const auto found = md5_of(part); found != description.md5) {
    fs::remove(part, failed);
    throw Error(ErrorCode::corrupt, description.url,
                "the file's MD5 is " + found + ", the service promised " + description.md5,
                "try again later");
  }
  publish_file(part, path);
  return {path, description.label, false};
}

}  // namespace neuralts
