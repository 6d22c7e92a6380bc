// A labelled data set in memory, and how to read one from a file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/matrix.hpp"
#include "base/source.hpp"

namespace neuralts {

struct Column {
  std::string name;
  bool nominal = false;
  std::vector<std::string> values{};  ///< of a nominal column; a cell holds the index of its value
  std::size_t missing = 0;            ///< cells without a value
  /// 1 or 0 for a value of a nominal column, or a few of them: not to be scaled.
  bool indicator = false;
};

struct Table {
  std::vector<Column> columns;  ///< the features, without the label
  Matrix features;
  std::string label;                  ///< the label's name
  std::vector<std::string> classes;   ///< the label's values
  std::vector<std::uint32_t> labels;  ///< per row, an index into `classes`
  /// Row-major, a number per row and class; empty: the label's class pays 1, the others 0.
  std::vector<float> rewards{};
};

/// What a file does not say about itself.
struct ReadOptions {
  std::string label{};                                         ///< name of the label column; empty: the last one
  /// Values of nominal columns, in the order of their codes.
  std::map<std::string, std::vector<std::string>> declared{};
  std::vector<std::string> drop{};                             ///< columns to leave out
  /// Of CSV; 0: as the file's name says, a tab for .tsv.
  char separator = '\0';
  /// Columns that begin with it hold the reward of an arm each, named by what follows; there is no label then.
  /// Empty: none.
  std::string rewards{};
  bool costs = false;  ///< the rewards are costs: they count with their sign turned
};

/// Text with a header, fields between `separator`; quotes as in RFC 4180; "?" and empty are missing. A column
/// is numeric when all its cells are; other columns are nominal, their values in alphabetical order unless
/// declared. At most two passes.
Table read_csv(Source& source, const ReadOptions& options);

/// "comma", "semicolon", "tab", "pipe", "space"; 0 for any other word.
char separator_called(std::string_view word);

/// ARFF, dense or sparse rows: declared lists keep their order, a string column is read as in CSV.
Table read_arff(Source& source, const ReadOptions& options);

/// LibSVM's text; columns are called "feature 1", ... as they have no names.
Table read_libsvm(Source& source);

/// MNIST's binary files: unsigned bytes, images (any number of dimensions) and labels. Several parts are put
/// one after another.
struct IdxPart {
  std::unique_ptr<Source> images, labels;
};
Table read_idx(const std::vector<IdxPart>& parts);

/// Every reader ends here: at least one row, one feature and two classes, or Error(bad_input).
void check_table(const Table& table, const std::string& where);

}  // namespace neuralts
