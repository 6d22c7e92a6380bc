// Data sets: which are known, which are here, what is in a file, and where to get one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "neuralts/error.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// A data set the library knows by name.
struct DataSet {
  std::string name, summary, origin;
  int openml_id = 0;
  std::size_t rows = 0, features = 0, classes = 0;  ///< as its source states them
  std::string path;                                 ///< empty: not here
};
/// `data_dir`: where they are looked for first; then $NEURALTS_DATA, then the user's data folder.
std::vector<DataSet> list_data(const std::string& data_dir = "");

struct DataColumn {
  std::string name;
  bool nominal = false;
  std::size_t values = 0;             ///< of a nominal column, declared ones included
  std::size_t missing = 0;            ///< cells without a value
  double min = 0, mean = 0, max = 0;  ///< of the cells that have one; nominal: of the codes
};
struct DataClass {
  std::string label;
  std::size_t rows = 0;
};
struct DataReport {
  std::string path;
  std::size_t rows = 0;
  std::string label;  ///< the label column's name
  std::vector<DataColumn> columns;
  std::vector<DataClass> classes;
  std::vector<std::string> warnings;  ///< what a user should know before learning from it
  bool published = false;             ///< one of the known sets: nominal columns keep their published codes
};
/// Reads a data set by name, or a file; `label` and `sep` as in an environment's parameters.
/// Throws Error(not_found | io | bad_input | bad_spec).
DataReport describe_data(const std::string& name_or_file, const std::string& data_dir = "",
                         const std::string& label = "", const std::string& sep = "auto");

struct FetchOptions {
  std::string from{};         ///< the service's address; empty: $NEURALTS_OPENML, then OpenML's public one
  std::string folder{};       ///< where to keep it; empty: the user's data folder
  double stall_seconds = 30;  ///< give up on a transfer that has stood still for so long
  std::function<void(std::size_t done, std::size_t total)> progress{};  ///< bytes; total 0: unknown
};
struct Fetched {
  std::string path;
  std::string label;    ///< the column the service calls the target; may be empty
  bool cached = false;  ///< it was here already
};
/// Fetches a data set by its name or as "openml:ID" and checks it against the service's checksum. The file
/// appears under its name only when it is whole; what arrived of a broken transfer is kept under a hidden name,
/// and the next call goes on from there. Throws Error(bad_spec | io | bad_input | corrupt | unsupported).
Fetched fetch_data(const std::string& name, const FetchOptions& options = {});

}  // namespace neuralts
#pragma GCC visibility pop
