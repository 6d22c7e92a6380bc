// The six data sets of the published experiments: where they come from and what their files do not say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/scaling.hpp"
#include "data/table.hpp"

namespace neuralts {

struct PublishedSet {
  std::string name, summary, origin;
  int openml_id = 0;
  std::size_t rows = 0, features = 0, classes = 0;  ///< as published; covertype's file may hold a part of the rows
  ReadOptions reading{};
  std::map<std::string, Range> ranges{};  ///< columns the published contexts scale to [0, 1]
};

const std::vector<PublishedSet>& published_sets();
std::vector<std::string> published_names();
/// Null when there is none of that name.
const PublishedSet* find_published(const std::string& name);

/// Where data sets are looked for, in order: `data_dir`, $NEURALTS_DATA, the user's data folder (XDG).
std::vector<std::string> data_folders(const std::string& data_dir);
/// Where fetched data sets are kept: $XDG_DATA_HOME/neuralts, else ~/.local/share/neuralts.
std::string user_data_folder();

/// The set's file (MNIST: the first of its four), or nothing where it is not there.
std::optional<std::string> find_data(const PublishedSet& set, const std::string& data_dir);

}  // namespace neuralts
