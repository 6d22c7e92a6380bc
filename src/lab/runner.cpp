// One run at a time, from a specification to its record.
#include "lab/machine.hpp"
#include "lab/worlds.hpp"
#include "neuralts/lab.hpp"
#include "neuralts/version.hpp"

namespace neuralts {

Record blank_record(const RunSpec& spec) {
  Record record;
  record.spec = spec;
  record.version = version();
  record.cpu = this_machine().cpu;
  record.cores = this_machine().cores;
  return record;
}

Runner::Runner(std::string data_dir, const GivenWorlds& worlds) : worlds_(std::make_unique<Worlds>(std::move(data_dir), worlds)) {}
Runner::~Runner() = default;

Record Runner::operator()(const RunSpec& spec, const RunHooks& hooks) {
  Record record = blank_record(spec);
  try {
    record.result = run(*worlds_->get(spec.env), spec, hooks);
  } catch (const Error& problem) {
    if (problem.code() == ErrorCode::bad_spec) throw;  // a typing error of the whole experiment, not a failure of this run
    record.error = problem.what();
  } catch (const std::exception& problem) {
    record.error = problem.what();
  }
  return record;
}

}  // namespace neuralts
