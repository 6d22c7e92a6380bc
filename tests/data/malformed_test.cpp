// Bad files: each is refused with a message that names the place and what was expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "data/data_file.hpp"
#include "log/logged.hpp"
#include "base/temp_folder.hpp"
#include "neuralts/error.hpp"

namespace neuralts {
namespace {

using namespace std::string_literals;

struct Bad {
  const char* name;  // of the case
  const char* file;  // its ending chooses the reader
  std::string bytes;
  const char* message;  // what follows the file's name
};

std::string gz(const std::string& text) {
  std::string out(text.size() + 200, 0);
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflate");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string flipped(std::string bytes, std::size_t at) {
  bytes.at(at) = static_cast<char>(bytes[at] ^ 0x55);
  return bytes;
}

std::string idx(std::vector<int> head, const std::string& items) {
  std::string bytes;
  for (const int b : head) bytes += static_cast<char>(b);
  return bytes + items;
}

const std::string good_csv = "a,b,class\n1,x,p\n2,y,e\n3,x,p\n4,y,e\n";
const std::string arff_head = "@relation r\n@attribute a numeric\n@attribute b {x, y}\n@attribute class {p, e}\n";
const std::string log_head = "{\"neuralts_log\":1,\"block\":2,\"blocks\":2}\n";

const std::vector<Bad>& table() {
  static const std::vector<Bad> all = {
      // CSV
      {"empty", "f.csv", "", ": the file is empty: expected a header line"},
      {"blank_lines_only", "f.csv", "\n  \n\r\n", ": the file is empty: expected a header line"},
      {"byte_order_mark_only", "f.csv", "\xEF\xBB\xBF", ": the file is empty"},
      {"header_only", "f.csv", "a,b,class\n", ": the file holds no rows"},
      {"no_header", "f.csv", "1,2,3\n4,5,6\n", ", line 1: expected a header line with the columns' names, found only numbers"},
      {"label_only", "f.csv", "class\np\ne\n", ": the file holds no feature columns"},
      {"one_class", "f.csv", "a,class\n1,p\n2,p\n", ": all rows have the same class 'p'"},
      {"row_too_short", "f.csv", "a,b,class\n1,2,p\n1,p\n", ", line 3: expected 3 fields as in the header, found 2"},
      {"row_too_long", "f.csv", "a,b,class\n1,2,p,4\n", ", line 2: expected 3 fields as in the header, found 4"},
      {"trailing_comma", "f.csv", "a,b,class\n1,2,p,\n", ", line 2: expected 3 fields as in the header, found 4"},
      {"ragged_after_blank_line", "f.csv", "a,class\n1,p\n\n\n2\n", ", line 5: expected 2 fields as in the header, found 1"},
      {"ragged_crlf", "f.csv", "a,class\r\n1,p\r\n2\r\n", ", line 3: expected 2 fields as in the header, found 1"},
      {"duplicate_header", "f.csv", "a,a,class\n1,2,p\n", ": two columns are called 'a': give every column a name of its own"},
      {"duplicate_header_quoted", "f.csv", "\"a\",a,class\n1,2,p\n", ": two columns are called 'a'"},
      {"nul_byte", "f.csv", "a,class\n1\0,p\n"s, ", line 2: the line holds a NUL byte"},
      {"nul_in_header", "f.csv", "a\0,class\n1,p\n"s, ", line 1: the line holds a NUL byte"},
      {"utf16", "f.csv", "\xFF\xFE"s + "a\0,\0c\0\n\0"s,
       ", line 1: the line holds a NUL byte: is this a text file? UTF-16 must be converted"},
      {"line_of_ten_megabytes", "f.csv", "a,class\n" + std::string(10'000'000, '7') + ",p\n", ", line 2: the line is longer than 8 MiB"},
      {"quoted_field_of_ten_megabytes", "f.csv", "a,class\n\"" + std::string(10'000'000, '\n'), "the line is longer than 8 MiB"},
      {"quote_never_closed", "f.csv", "a,class\n\"1,p\n2,e\n", ", line 3: a quote opened on line 2 is never closed"},
      {"quote_in_the_middle", "f.csv", "a,class\nx\"y\",p\n", ", line 2: field 1 holds a quote but does not begin with one"},
      {"text_after_quote", "f.csv", "a,class\n\"x\"y,p\n", ", line 2: field 1 goes on after its closing quote: expected the separator"},
      {"infinite_number", "f.csv", "a,class\n1,p\ninf,e\n",
       ", line 3, column 1 (a): expected a finite number, found 'inf': write ? for a missing value"},
      {"number_too_large", "f.csv", "a,class\n1e39,p\n2,e\n", ", line 2, column 1 (a): expected a number up to 3.4e38, found '1e39': use another unit"},
      {"number_beyond_double", "f.csv", "a,b,class\n1,2,p\n1,1e999,e\n", ", line 3, column 2 (b): expected a number of a size that fits (0, or 1e-307 to 3.4e38), found '1e999': use another unit"},
      {"number_below_double", "f.csv", "a,class\n-1e-999,p\n2,e\n", ", line 2, column 1 (a): expected a number of a size that fits"},
      {"first_number_that_does_not_fit", "f.csv", "a,class\n1e999,p\ninf,e\n", ", line 2, column 1 (a)"},
      {"na_label_among_numbers", "f.csv", "a,class\n1,0\n2,NA\n3,1\n", ", line 3, column 2 (class): expected a class label, found 'NA': the others are numbers"},
      {"none_label_among_numbers", "f.csv", "a,class\n1,None\n2,0\n3,1\n", ", line 2, column 2 (class): expected a class label, found 'None'"},
      {"nan_label", "f.csv", "a,class\n1,p\n2,NaN\n", ", line 3, column 2 (class): expected a class label, found 'NaN'"},
      {"missing_label", "f.csv", "a,class\n1,?\n", ", line 2, column 2 (class): expected a class label, found '?'"},
      {"empty_label", "f.csv", "a,class\n1,\n", ", line 2, column 2 (class): expected a class label, found ''"},
      {"row_is_cut_off", "f.csv", "a,b,class\n1,2,p\n3,4", ", line 3: expected 3 fields as in the header, found 2"},
      // gzip
      {"gz_truncated", "f.csv.gz", gz(good_csv).substr(0, 30), ": the gzip file is truncated: fetch or compress it again"},
      {"gz_without_trailer", "f.csv.gz", gz(good_csv).substr(0, gz(good_csv).size() - 8), ": the gzip file is truncated"},
      {"gz_wrong_checksum", "f.csv.gz", flipped(gz(good_csv), gz(good_csv).size() - 6), ": the gzip file is damaged"},
      {"gz_flipped_bits", "f.csv.gz", flipped(gz(good_csv), 12), ": the gzip file is damaged"},
      {"gz_of_nothing", "f.csv.gz", gz(""), ": the file is empty"},
      {"gz_header_only", "f.csv.gz", gz(good_csv).substr(0, 10), ": the gzip file is truncated"},
      // ARFF
      {"arff_empty", "f.arff", "", ": the file ends before @data"},
      {"arff_no_data_line", "f.arff", arff_head, ": the file ends before @data: expected an ARFF header and rows"},
      {"arff_no_rows", "f.arff", arff_head + "@data\n% nothing\n", ": the file holds no rows"},
      {"arff_no_attributes", "f.arff", "@relation r\n@data\n1,2\n", ", line 2: @data before any @attribute"},
      {"arff_unknown_keyword", "f.arff", "@relation r\n@atribute a numeric\n",
       ", line 2: expected @relation, @attribute or @data, found '@atribute'"},
      {"arff_is_csv", "f.arff", good_csv, ", line 1: expected @relation, @attribute or @data, found 'a,b,class'"},
      {"arff_unknown_type", "f.arff", "@attribute when date 'yyyy'\n@data\n", ", line 1: attribute 'when' has type 'date'"},
      {"arff_no_name", "f.arff", "@attribute\n", ", line 1: the attribute has no name"},
      {"arff_list_not_closed", "f.arff", "@attribute b {x, y\n@data\n", ", line 1: the list of attribute 'b' is never closed"},
      {"arff_empty_value", "f.arff", "@attribute b {x,,y}\n", ", line 1: attribute 'b' declares an empty value"},
      {"arff_value_twice", "f.arff", "@attribute b {x, y, x}\n", ", line 1: attribute 'b': the value 'x' is declared twice"},
      {"arff_name_twice", "f.arff", "@attribute a numeric\n@attribute a numeric\n@data\n1,2\n", ": two columns are called 'a'"},
      {"arff_wrong_nominal", "f.arff", arff_head + "@data\n1,z,p\n",
       ", line 6, column 2 (b): expected one of the declared values, found 'z': declared: x, y"},
      {"arff_wrong_number", "f.arff", arff_head + "@data\none,x,p\n", ", line 6, column 1 (a): expected a number, found 'one'"},
      {"arff_wrong_class", "f.arff", arff_head + "@data\n1,x,q\n",
       ", line 6, column 3 (class): expected one of the declared values, found 'q'"},
      {"arff_row_too_short", "f.arff", arff_head + "@data\n1,x\n", ", line 6: expected 3 values as declared, found 2"},
      {"arff_row_too_long", "f.arff", arff_head + "@data\n1,x,p,7\n", ", line 6: expected 3 values as declared, found 4"},
      {"arff_quote_never_closed", "f.arff", arff_head + "@data\n1,'x,p\n", ", line 6: a quoted value is never closed"},
      {"arff_sparse_index_too_large", "f.arff", arff_head + "@data\n{0 1, 3 x}\n",
       ", line 6: expected a column's index from 0 to 2, found '3'"},
      {"arff_sparse_negative_index", "f.arff", arff_head + "@data\n{-1 1}\n",
       ", line 6: expected a column's index from 0 to 2, found '-1'"},
      {"arff_sparse_index_twice", "f.arff", arff_head + "@data\n{0 1, 0 2}\n", ", line 6: index 0 after index 0: indices must grow"},
      {"arff_sparse_not_closed", "f.arff", arff_head + "@data\n{0 1\n", ", line 6: the sparse row is never closed"},
      {"arff_sparse_weight", "f.arff", arff_head + "@data\n{0 1}, {5}\n", ", line 6: the row goes on after its closing brace"},
      {"arff_mixed_rows", "f.arff", arff_head + "@data\n1,x,p\n{0 1}\n", ", line 7: dense and sparse rows in one file"},
      {"arff_sparse_string", "f.arff", "@attribute s string\n@attribute class {p, e}\n@data\n{0 x}\n",
       ", line 4: sparse rows with a string attribute 's'"},
      // LibSVM
      {"libsvm_empty", "f.libsvm", "", ": the file holds no rows"},
      {"libsvm_comments_only", "f.svm", "# nothing\n", ": the file holds no rows"},
      {"libsvm_no_features", "f.libsvm", "1\n2\n", ": the file holds no feature columns"},
      {"libsvm_one_class", "f.libsvm", "1 1:2\n+1 1:3\n", ": all rows have the same class '1'"},
      {"libsvm_text_label", "f.libsvm", "p 1:2\n", ", line 1: expected a number as the class label, found 'p'"},
      {"libsvm_nan_label", "f.libsvm", "1 1:2\nnan 1:2\n", ", line 2: expected a number as the class label, found 'nan'"},
      {"libsvm_no_label", "f.libsvm", "1:2 2:3\n", ", line 1: expected a number as the class label, found '1:2'"},
      {"libsvm_index_zero", "f.libsvm", "1 0:2\n", ", line 1: expected an index from 1 to 2000000, found '0:2': indices begin with 1"},
      {"libsvm_negative_index", "f.libsvm", "1 -3:2\n", ", line 1: expected an index from 1 to 2000000, found '-3:2'"},
      {"libsvm_huge_index", "f.libsvm", "1 4000000000:2\n", ", line 1: expected an index from 1 to 2000000"},
      {"libsvm_falling_index", "f.libsvm", "1 2:1 1:1\n", ", line 1: index 1 after index 2: indices must grow"},
      {"libsvm_no_colon", "f.libsvm", "1 1:2 3\n", ", line 1: expected index:value, found '3'"},
      {"libsvm_no_value", "f.libsvm", "1 1:\n", ", line 1: expected a finite number after the colon, found '1:'"},
      {"libsvm_infinite_value", "f.libsvm", "1 1:inf\n", ", line 1: expected a finite number after the colon, found '1:inf'"},
      {"libsvm_query_id", "f.libsvm", "1 qid:3 1:2\n", ", line 1: expected an index from 1 to 2000000, found 'qid:3'"},
      // IDX; its labels lie in f-labels-idx1-ubyte, see below
      {"idx_empty", "f-images-idx3-ubyte", "", ": the file ends too early: 4 more bytes expected"},
      {"idx_wrong_magic", "f-images-idx3-ubyte", idx({1, 2, 8, 3}, ""), ": this is not an IDX file"},
      {"idx_floats", "f-images-idx3-ubyte", idx({0, 0, 13, 1, 0, 0, 0, 2}, "xxxxxxxx"),
       ": the elements have type 13: expected unsigned bytes"},
      {"idx_no_dimensions", "f-images-idx3-ubyte", idx({0, 0, 8, 0}, ""), ": the file holds no items"},
      {"idx_no_items", "f-images-idx3-ubyte", idx({0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 2}, ""), ": the file holds no items"},
      {"idx_empty_items", "f-images-idx3-ubyte", idx({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 0}, ""), ": an item has 0 bytes"},
      {"idx_header_cut_off", "f-images-idx3-ubyte", idx({0, 0, 8, 3, 0, 0}, ""), ": the file ends too early"},
      {"idx_items_cut_off", "f-images-idx3-ubyte", idx({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3}, "abcd"),
       ": the file ends too early: 2 more bytes expected"},
      {"idx_promises_terabytes", "f-images-idx3-ubyte", idx({0, 0, 8, 3, 0, 0, 0, 2, 127, 0, 0, 0, 127, 0, 0, 0}, "abcd"),
       "a file that fits in memory"},
      {"idx_too_long", "f-images-idx3-ubyte", idx({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1}, "abc"), ": the file goes on after its 2 items"},
      {"idx_other_number_of_labels", "f-images-idx3-ubyte", idx({0, 0, 8, 2, 0, 0, 0, 3, 0, 0, 0, 1}, "abc"), ": 2 labels for 3 images"},
      // logs
      {"log_empty", "f.log", "", ": the log holds no decision with a reward"},
      {"log_without_rounds", "f.log", log_head, ": the log holds no decision with a reward"},
      {"log_of_the_future", "f.log", "{\"neuralts_log\":3,\"block\":2,\"blocks\":2}\n",
       ", line 1: the log has a version this program does not read"},
      {"log_no_block", "f.log", "{\"neuralts_log\":1,\"block\":0,\"blocks\":1}\n", ", line 1: \"block\" must be at least 1"},
      {"log_cut_off", "f.log", log_head + "{\"round\":1,\"shared\":[1,", ", line 2: the last record is not whole: 23 bytes are left out"},
      {"log_short_context", "f.log", log_head + "{\"shared\":[1],\"blocks\":[0,1],\"arm\":0,\"reward\":1,\"probabilities\":[0.5,0.5]}\n",
       ", line 2: a context of \"shared\" has 1 numbers: the log's header says 2"},
      {"log_unknown_block", "f.log", log_head + "{\"shared\":[1,2],\"blocks\":[0,2],\"arm\":0,\"reward\":1,\"probabilities\":[0.5,0.5]}\n",
       ", line 2: a block is 2: the log's header says 2 blocks"},
      {"log_unknown_arm", "f.log", log_head + "{\"shared\":[1,2],\"blocks\":[0,1],\"arm\":2,\"reward\":1,\"probabilities\":[0.5,0.5]}\n",
       ", line 2: arm 2 was not among the 2 offered"},
      {"log_no_arms", "f.log", log_head + "{\"contexts\":[],\"arm\":0,\"reward\":1,\"probabilities\":[]}\n",
       ", line 2: the round offers no arm"},
      {"log_text_reward", "f.log", log_head + "{\"contexts\":[[1,2]],\"arm\":0,\"reward\":\"1\",\"probabilities\":[1]}\n",
       ", line 2: \"reward\" is not a finite number"},
      {"log_null_in_context", "f.log", log_head + "{\"contexts\":[[1,null]],\"arm\":0,\"reward\":1,\"probabilities\":[1]}\n",
       ", line 2: \"contexts\" holds something that is not a finite number"},
      {"log_few_probabilities", "f.log", log_head + "{\"contexts\":[[1,2],[3,4]],\"arm\":0,\"reward\":1,\"probabilities\":[1]}\n",
       ", line 2: there are 1 probabilities for 2 arms"},
      {"log_impossible_choice", "f.log", log_head + "{\"contexts\":[[1,2],[3,4]],\"arm\":0,\"reward\":1,\"probabilities\":[0,1]}\n",
       ", line 2: the probability of the arm that was played is 0"},
      {"dsjson_no_actions", "f.log", "{\"_label_cost\":1,\"c\":{}}\n", ", line 1: \"c\" has no list \"_multi\" of actions"},
      {"dsjson_wrong_index", "f.log", "{\"_label_cost\":1,\"_label_probability\":1,\"_labelIndex\":1,\"c\":{\"_multi\":[{\"a\":1}]}}\n",
       ", line 1: \"_labelIndex\" is not an integer from 0 to 0"},
      {"dsjson_no_decision", "f.log", "{\"EventId\":\"x\",\"RewardValue\":1}\n", ": the log holds no decision"},
      {"dsjson_not_an_object", "f.log", "{\"a\":1}\n[1]\n", ", line 2: expected one JSON object"},
      {"vw_no_bar", "f.log", "shared user\n", ", line 1: expected '|' before the features, found 'shared user'"},
      {"vw_no_probability", "f.log", "0:1 | a\n", ", line 1: expected action:cost:probability, found '0:1'"},
      {"vw_two_labels", "f.log", "0:1:0.5 | a\n1:1:0.5 | b\n", ", line 2: two actions of a decision are labelled"},
      {"vw_wrong_value", "f.log", "0:1:0.5 | a:x\n", ", line 1: expected name:number, found 'a:x'"},
      {"vw_wrong_probability", "f.log", "0:1:1.5 | a\n\n", ", line 2: a probability is 1.5, not from 0 to 1"},
      {"vw_nothing_labelled", "f.log", "shared | u\n| a\n| b\n", ": the log holds no decision with a reward"},
  };
  return all;
}

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

void read_whole_log(const std::string& path) {
  LogReader reader(path);
  (void)collect_log(reader);
}

class Malformed : public testing::TestWithParam<Bad> {};

TEST_P(Malformed, IsRefusedWithItsPlaceAndWhatWasExpected) {
  const auto& bad = GetParam();
  const TempFolder folder;
  const std::string path = folder.write(bad.file, bad.bytes);
  folder.write("f-labels-idx1-ubyte", idx({0, 0, 8, 1, 0, 0, 0, 2}, "\1\2"));
  try {
    if (std::string_view(bad.file) == "f.log")
      read_whole_log(path);
    else
      (void)read_table(path, {});
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.what(), testing::StartsWith(folder.path()));
    EXPECT_THAT(error.what(), testing::HasSubstr(bad.message));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Malformed, testing::ValuesIn(table()),
                         [](const auto& bad) { return std::string(bad.param.name); });

TEST(Malformed, TheGoodNeighbourIsTaken) {
  const TempFolder folder;
  EXPECT_EQ(read_table(folder.write("f.csv.gz", gz(good_csv)), {}).features.rows(), 4u);
  EXPECT_EQ(read_table(folder.write("f.arff", arff_head + "@data\n1,x,p\n2,y,e\n"), {}).features.rows(), 2u);
}

TEST(Malformed, FilesThatAreNotThere) {
  const auto code_of = [](const std::string& path, const ReadOptions& options = {}) {
    try {
      (void)read_table(path, options);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::corrupt;
  };
  const TempFolder folder;
  EXPECT_EQ(code_of(folder.file("none.csv")), ErrorCode::not_found);
  EXPECT_EQ(code_of(folder.file("none.txt")), ErrorCode::bad_spec);
  EXPECT_EQ(code_of(folder.write("f.csv", good_csv), {.label = "clas"}), ErrorCode::bad_spec);
  std::filesystem::create_directory(folder.file("folder.csv"));
  EXPECT_EQ(code_of(folder.file("folder.csv")), ErrorCode::io);
}

}  // namespace
}  // namespace neuralts
