#include "log/logged.hpp"

#include <algorithm>

#include "base/dictionary.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

// From events to rows.
class Collector {
 public:
  explicit Collector(const LogReader& reader) : reader_(reader) {
    log_.shape = {reader.head().length, std::max<std::size_t>(1, reader.head().blocks)};
    log_.arm_labels = reader.head().arm_labels;
    log_.column_names = reader.head().column_names;
  }

  void add(const Event& event) {
    LoggedEvent logged;
    logged.arms = static_cast<std::uint32_t>(event.arms());
    logged.arm = static_cast<std::uint32_t>(event.arm);
    logged.shared = !event.offer.blocks.empty();
    logged.reward = *event.reward;
    logged.probability = event.probability();
    rows_.clear();
    if (event.offer.has_numbers())
      add_numbers(event.offer);
    else
      add_objects(event.offer.objects);
    log_.add(logged, rows_, event.offer.blocks);
  }

  Log finish() {
    if (!names_.values().empty()) {
      log_.shape = {names_.values().size(), 1};
      log_.column_names = names_.values();
    }
    log_.shape.length = std::max<std::size_t>(1, log_.shape.length);
    return std::move(log_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = "") const {
    throw Error(ErrorCode::bad_input, reader_.name(), what, hint);
  }

  void add_numbers(const Offer& offer) {
    if (!names_.values().empty())
      fail("some decisions have numbers, others objects", "a log is replayed from one kind");
    if (log_.shape.length == 0) log_.shape.length = offer.length;
    if (offer.length != log_.shape.length)
      fail("contexts have " + std::to_string(log_.shape.length) + " numbers, then " +
           std::to_string(offer.length));
    for (const std::uint32_t block : offer.blocks)
      log_.shape.blocks = std::max<std::size_t>(log_.shape.blocks, block + 1);
    for (std::size_t at = 0; at < offer.numbers.size(); at += offer.length) {
      Log::Row& row = rows_.emplace_back();
      for (std::size_t i = 0; i < offer.length; ++i)
        if (offer.numbers[at + i] != 0) row.emplace_back(static_cast<std::uint32_t>(i), offer.numbers[at + i]);
    }
  }

  void add_objects(const FieldTable& objects) {
    if (log_.shape.length > 0)
      fail("some decisions have numbers, others objects", "a log is replayed from one kind");
    Log::Row shared;
    add_fields(objects.row(0), shared);
    for (std::size_t i = 1; i < objects.rows(); ++i) add_fields(objects.row(i), rows_.emplace_back(shared));
  }

  void add_fields(Fields fields, Log::Row& row) {
    for (const Field& field : fields) {
      if (field.kind == Field::Kind::number) add_feature(field.name, field.number, row);
      if (field.kind == Field::Kind::truth && field.number != 0) add_feature(field.name, 1, row);
      if (field.kind == Field::Kind::text)
        add_feature(std::string(field.name) + "=" + std::string(field.text), 1, row);
    }
  }

  void add_feature(std::string_view name, double value, Log::Row& row) {
    constexpr std::int64_t most = 1'000'000;
    const std::int64_t column = names_.code(name);
    if (column < 0 || column >= most)
      fail("more than " + std::to_string(most) + " different features",
           "contexts are dense here: hash or drop features first");
    row.emplace_back(static_cast<std::uint32_t>(column), value);
  }

  const LogReader& reader_;
  Log log_;
  Dictionary names_;
  std::vector<Log::Row> rows_;
};

}  // namespace

void Log::add(LoggedEvent event, const std::vector<Row>& rows, std::span<const std::uint32_t> blocks) {
  event.first_row = starts_.size() - 1;
  event.first_block = blocks_.size();
  blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      columns_.push_back(column);
      values_.push_back(value);
    }
    starts_.push_back(values_.size());
  }
  events_.push_back(event);
}

// A feature named twice counts twice.
void Log::row(std::size_t i, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t at = starts_[i]; at < starts_[i + 1]; ++at) out[columns_[at]] += values_[at];
}

Log collect_log(LogReader& reader) {
  Collector collector(reader);
  std::size_t events = 0;
  for (Event event; reader.next(event);) {
    if (!event.reward) continue;
    collector.add(event);
    ++events;
  }
  if (events == 0)
    throw Error(ErrorCode::bad_input, reader.name(), "the log holds no decision with a reward",
                reader.counts().cut.empty() ? "there is nothing to replay" : reader.counts().cut);
  return collector.finish();
}

}  // namespace neuralts
