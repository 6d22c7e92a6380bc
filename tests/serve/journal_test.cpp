// The embedded engine against the promises of journal.hpp.
#include "journal_suite.hpp"
#include "serve/journal/sqlite_journal.hpp"
#include "sim_disk.hpp"

namespace neuralts::serve {

namespace {

class SqliteEngine final : public Engine {
 public:
  SqliteEngine() { reopen(); }
  Journal& journal() override { return *journal_; }
  void reopen() override {
    journal_.reset();
    SqliteOptions options;
    options.vfs = disk_.name();
    if (rotate_) options.segment_us_max = 1000;
    journal_ = std::make_unique<SqliteJournal>("j", options);
  }
  void rotate_soon() override { rotate_ = true; }

 private:
  SimDisk disk_{1};
  bool rotate_ = false;
  std::unique_ptr<SqliteJournal> journal_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Engines, JournalTest,
                         testing::Values(EngineCase{"sqlite", [] { return std::make_unique<SqliteEngine>(); }}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace neuralts::serve
