#include "neuralts/run_log.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "log/event.hpp"
#include "log/json_text.hpp"

namespace neuralts {

namespace {

Event event_of(const RoundRecord& record) {
  const Contexts& contexts = record.contexts;
  Event event;
  event.set_arms(contexts.arms());
  event.arm = record.decision.arm;
  event.probabilities = record.decision.probabilities;
  event.estimated = record.decision.estimated;
  event.reward = record.reward;
  event.offer.length = contexts[0].values.size();
  for (std::size_t k = 0; k < contexts.arms(); ++k) {
    const Slice context = contexts[k];
    if (contexts.shared()) event.offer.blocks.push_back(static_cast<std::uint32_t>(context.block));
    if (k == 0 || !contexts.shared()) event.offer.numbers.insert(event.offer.numbers.end(), context.values.begin(), context.values.end());
  }
  return event;
}

}  // namespace

struct RunLog::Files {
  std::string path, temporary;
  FILE* file;
  [[noreturn]] void fail(const std::string& doing) const {
    throw Error(ErrorCode::io, path, "cannot " + doing + " the log", std::strerror(errno));
  }
};

RunLog::RunLog(const std::string& path, const EnvironmentInfo& env, const RunSpec& spec)
    : files_(new Files{path, path + ".tmp" + std::to_string(::getpid()), nullptr}) {
  files_->file = std::fopen(files_->temporary.c_str(), "wb");
  if (files_->file == nullptr) files_->fail("create");
  const nlohmann::ordered_json head = {{"neuralts_log", 2},
                               {"env", spec.env},
                               {"policy", spec.policy.name},
                               {"preset", spec.policy.preset},
                               {"params", spec.policy.params},
                               {"seed", spec.seed},
                               {"delay", to_string(spec.delay)},
                               {"length", env.shape.length},
                               {"blocks", env.shape.blocks},
                               {"arm_labels", env.arm_labels},
                               {"column_names", env.column_names}};
  append(head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

RunLog::~RunLog() {
  if (files_->file == nullptr) return;
  std::fclose(files_->file);
  ::unlink(files_->temporary.c_str());
}

void RunLog::append(const std::string& line) {
  if (std::fwrite(line.data(), 1, line.size(), files_->file) != line.size()) files_->fail("write");
}

void RunLog::write(const RoundRecord& record) {
  std::string extra = "\"round\":" + std::to_string(record.round) + ",\"regret\":";
  append_number(extra, record.regret);
  std::string line;
  append_event(line, event_of(record), extra);
  append(line);
}

void RunLog::finish() {
  FILE* file = std::exchange(files_->file, nullptr);
  const bool flushed = std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
  if (std::fclose(file) == 0 && flushed && std::rename(files_->temporary.c_str(), files_->path.c_str()) == 0) return;
  const int reason = errno;
  ::unlink(files_->temporary.c_str());
  errno = reason;
  files_->fail("write");
}

}  // namespace neuralts
