// One run at a time, from a specification to its record.
#include "lab/machine.hpp"
#include "lab/run_failure.hpp"
#include "lab/worlds.hpp"
#include "neuralts/lab.hpp"
#include "neuralts/version.hpp"

namespace neuralts {

Record blank_record(const RunSpec& spec, std::string key) {
  Record record;
  record.key = std::move(key);
  record.spec = spec;
  record.version = version();
  record.cpu = this_machine().cpu;
  record.cores = this_machine().cores;
  return record;
}

Runner::Runner(std::string data_dir, const GivenWorlds& worlds, const GivenContestants& policies)
    : worlds_(std::make_unique<Worlds>(std::move(data_dir), worlds)), policies_(policies) {}
Runner::~Runner() = default;

std::string Runner::key(const RunSpec& spec) const {
  std::string identity = worlds_->identity(spec.env);
  if (const auto own = policies_.find(spec.policy.name); own != policies_.end())
    identity += "\n" + own->second.identity;
  return run_key(spec, identity);
}

Record Runner::operator()(const RunSpec& spec, const RunHooks& given) {
  Record record = blank_record(spec, key(spec));
  RunHooks hooks = given;
  if (const auto own = policies_.find(spec.policy.name); own != policies_.end())
    hooks.contestant = own->second.make;
  try {
    record.result = run(*worlds_->get(spec.env), spec, hooks);
  } catch (const Error& problem) {
    // A typing error of the whole experiment, not a failure of this run.
    if (problem.code() == ErrorCode::bad_spec) throw;
    record.error = problem.what();
  } catch (const std::exception& problem) {
    record.error = run_failure(problem);
  }
  return record;
}

}  // namespace neuralts
