// The shared engine against the promises of journal.hpp.
#include <fmt/format.h>

#include "../journal_suite.hpp"
#include "main.hpp"
#include "serve/journal/postgres/postgres_journal.hpp"

namespace neuralts::serve {

namespace {

class PostgresEngine final : public Engine {
 public:
  PostgresEngine() {
    static int made = 0;
    options_.schema = fmt::format("engine_{}", ++made);
    reopen();
  }
  Journal& journal() override { return *journal_; }
  void reopen() override {
    journal_.reset();
    journal_ = std::make_unique<PostgresJournal>(test_server().address(), options_, 1);
  }
  void rotate_soon() override { options_.segment_us_max = 1000; }

 private:
  PostgresOptions options_;
  std::unique_ptr<PostgresJournal> journal_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Engines, JournalTest,
                         testing::Values(EngineCase{"postgres", [] { return std::make_unique<PostgresEngine>(); }}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace neuralts::serve
