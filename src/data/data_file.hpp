// Which file is which data set, and which reader it needs.
#pragma once

#include "data/catalogue.hpp"
#include "data/table.hpp"

namespace neuralts {

/// A set's file and how to read it.
struct DataFile {
  std::string path;
  ReadOptions reading;
  std::map<std::string, Range> ranges;
};

/// Throws Error(not_found) that names the folders searched and how to fetch the set.
DataFile locate(const PublishedSet& set, const std::string& data_dir);

/// Whether `path` ends like a data file: .csv, .tsv, .arff, .libsvm, .svm, each plain or .gz, or -idx3-ubyte.
bool is_data_file(const std::string& path);

/// Reads a file with the reader its name asks for. An IDX file of images finds its labels (and MNIST's test
/// part) beside it. Throws Error(not_found | io | bad_input | bad_spec).
Table read_table(const std::string& path, const ReadOptions& options);

}  // namespace neuralts
