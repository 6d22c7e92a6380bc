#include "data/table.hpp"

#include "neuralts/error.hpp"

namespace neuralts {

void check_table(const Table& table, const std::string& where) {
  if (table.labels.empty())
    throw Error(ErrorCode::bad_input, where, "the file holds no rows", "a data set needs at least one");
  if (table.columns.empty())
    throw Error(ErrorCode::bad_input, where, "the file holds no feature columns",
                "expected features and a label");
  if (table.classes.size() < 2)
    throw Error(ErrorCode::bad_input, where, "all rows have the same class '" + table.classes.front() + "'",
                "a choice needs two classes; is '" + table.label + "' the label column?");
}

}  // namespace neuralts
