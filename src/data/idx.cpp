// The IDX format: two zero bytes, the element type (8: unsigned byte), the number of dimensions, big-endian
// sizes, the bytes.
#include <algorithm>
#include <array>

#include "data/table.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 36;

class IdxFile {
 public:
  explicit IdxFile(Source& source) : source_(source) {
    std::array<char, 4> magic{};
    read_exactly(magic);
    if (magic[0] != 0 || magic[1] != 0) fail("this is not an IDX file", "expected it to begin with two zero bytes");
    if (magic[2] != 8)
      fail("the elements have type " + std::to_string(static_cast<unsigned char>(magic[2])),
           "expected unsigned bytes (type 8)");
    for (int i = 0; i < static_cast<unsigned char>(magic[3]); ++i) sizes_.push_back(read_size());
    if (sizes_.empty() || sizes_.front() == 0) fail("the file holds no items", "expected at least one");
  }

  std::size_t items() const { return sizes_.front(); }
  std::size_t item_size() const {
    std::size_t size = 1;
    for (std::size_t i = 1; i < sizes_.size(); ++i) {
      size *= sizes_[i];
      if (size == 0 || size > max_bytes / items())
        fail("an item has " + std::to_string(size) + " bytes",
             "expected at least one, and a file that fits in memory");
    }
    return size;
  }
  // Grows `into` with what is there, not with what the header promises.
  void append_items(std::vector<std::uint8_t>& into) {
    constexpr std::size_t chunk = std::size_t{1} << 24;
    for (std::size_t left = items() * item_size(); left > 0;) {
      const std::size_t before = into.size(), size = std::min(left, chunk);
      into.resize(before + size);
      read_exactly({reinterpret_cast<char*>(into.data()) + before, size});
      left -= size;
    }
    char more = 0;
    if (source_.read({&more, 1}) != 0)
      fail("the file goes on after its " + std::to_string(items()) + " items",
           "its header and its content disagree");
  }
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw Error(ErrorCode::bad_input, source_.name(), what, hint);
  }

 private:
  void read_exactly(std::span<char> into) {
    while (!into.empty()) {
      const std::size_t got = source_.read(into);
      if (got == 0) fail("the file ends too early", std::to_string(into.size()) + " more bytes expected");
      into = into.subspan(got);
    }
  }
  std::size_t read_size() {
    std::array<char, 4> bytes{};
    read_exactly(bytes);
    std::size_t size = 0;
    for (const char b : bytes) size = size << 8 | static_cast<unsigned char>(b);
    return size;
  }

  Source& source_;
  std::vector<std::size_t> sizes_;
};

// Labels are read first: a wrong pair of files is found before the large one is.
void append_labels(IdxFile& file, std::vector<std::uint32_t>& labels) {
  if (file.item_size() != 1)
    file.fail("a label has " + std::to_string(file.item_size()) + " bytes",
              "expected a file of labels, one byte each");
  std::vector<std::uint8_t> bytes;
  file.append_items(bytes);
  labels.insert(labels.end(), bytes.begin(), bytes.end());
}

void append_part(const IdxPart& part, Table& table, std::vector<std::uint8_t>& pixels, std::size_t& columns) {
  IdxFile images(*part.images), labels(*part.labels);
  if (images.items() != labels.items())
    labels.fail(std::to_string(labels.items()) + " labels for " + std::to_string(images.items()) + " images",
                "the two files do not belong together");
  if (columns != 0 && columns != images.item_size())
    images.fail("an item has " + std::to_string(images.item_size()) + " bytes",
                "expected " + std::to_string(columns) + " as in the part before");
  columns = images.item_size();
  append_labels(labels, table.labels);
  images.append_items(pixels);
}

}  // namespace

Table read_idx(const std::vector<IdxPart>& parts) {
  Table table;
  std::vector<std::uint8_t> pixels;
  std::size_t columns = 0;
  for (const auto& part : parts) append_part(part, table, pixels, columns);
  table.label = "class";
  const std::uint32_t highest = *std::max_element(table.labels.begin(), table.labels.end());
  for (std::uint32_t k = 0; k <= highest; ++k) table.classes.push_back(std::to_string(k));
  for (std::size_t i = 0; i < columns; ++i) table.columns.push_back({"pixel" + std::to_string(i + 1)});
  table.features = Matrix(table.labels.size(), columns, DenseBytes{std::move(pixels)});
  check_table(table, parts.front().images->name());
  return table;
}

}  // namespace neuralts
