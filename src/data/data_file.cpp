#include "data/data_file.hpp"

#include <filesystem>

#include "neuralts/error.hpp"

namespace neuralts {

namespace {

struct Format {
  const char* ending;
  Table (*read)(const std::string& path, const ReadOptions& options);
};

Table read_csv_file(const std::string& path, const ReadOptions& options) {
  return read_csv(*open_source(path), options);
}

Table read_arff_file(const std::string& path, const ReadOptions& options) {
  return read_arff(*open_source(path), options);
}

// These formats have one label and no names of columns.
void refuse_rewards(const std::string& path, const ReadOptions& options) {
  if (!options.rewards.empty())
    throw Error(ErrorCode::bad_spec, path, "this kind of file has no columns with rewards",
                "use .csv, .tsv or .arff");
}

Table read_libsvm_file(const std::string& path, const ReadOptions& options) {
  refuse_rewards(path, options);
  if (!options.label.empty())
    throw Error(ErrorCode::bad_spec, path, "label=" + options.label + " for a LibSVM file",
                "its label is the first word of a line");
  return read_libsvm(*open_source(path));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.rfind(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

IdxPart part_of(const std::string& images) {
  return {open_source(images), open_source(replaced(replaced(images, "images", "labels"), "idx3", "idx1"))};
}

// MNIST is its training part, then its test part where that lies beside it.
Table read_idx_files(const std::string& path, const ReadOptions& options) {
  refuse_rewards(path, options);
  std::vector<IdxPart> parts;
  parts.push_back(part_of(path));
  const std::string test = replaced(path, "train-images", "t10k-images");
  if (test != path && std::filesystem::is_regular_file(test)) parts.push_back(part_of(test));
  return read_idx(parts);
}

constexpr Format formats[] = {{".csv", read_csv_file},
                              {".tsv", read_csv_file},
                              {".arff", read_arff_file},
                              {".libsvm", read_libsvm_file},
                              {".svm", read_libsvm_file},
                              {"-images-idx3-ubyte", read_idx_files}};

const Format* format_of(std::string path) {
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  for (const auto& format : formats)
    if (path.ends_with(format.ending)) return &format;
  return nullptr;
}

}  // namespace

bool is_data_file(const std::string& path) { return format_of(path) != nullptr; }

Table read_table(const std::string& path, const ReadOptions& options) {
  const Format* format = format_of(path);
  if (format == nullptr)
    throw Error(ErrorCode::bad_spec, path, "unknown kind of data file",
                "known endings: .csv, .tsv, .arff, .libsvm, .svm, -images-idx3-ubyte, plain or .gz");
  return format->read(path, options);
}

DataFile locate(const PublishedSet& set, const std::string& data_dir) {
  if (const auto path = find_data(set, data_dir)) {
    const bool raw_values = path->find(".arff") == std::string::npos;  // OpenML's covertype is scaled already
    return {*path, set.reading, raw_values ? set.ranges : std::map<std::string, Range>{}};
  }
  std::string folders;
  for (const auto& folder : data_folders(data_dir)) folders += (folders.empty() ? "" : ", ") + folder;
  throw Error(ErrorCode::not_found, "data set " + set.name, "not found in " + folders,
              "run 'neuralts data fetch " + set.name + "', or name its folder with --data or $NEURALTS_DATA");
}

}  // namespace neuralts
