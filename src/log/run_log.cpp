#include "neuralts/run_log.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace neuralts {

namespace {

void append_number(std::string& line, double value) {
  char buffer[32];
  line.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

template <class Values>
void append_list(std::string& line, const Values& values) {
  line += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line += ',';
    append_number(line, static_cast<double>(values[i]));
  }
  line += ']';
}

// A shared context is written once, with the arms' blocks when they are not 0, 1, 2, ...
void append_contexts(std::string& line, const Contexts& contexts) {
  if (!contexts.shared()) {
    line += ",\"contexts\":[";
    for (std::size_t k = 0; k < contexts.arms(); ++k) {
      if (k > 0) line += ',';
      append_list(line, contexts[k].values);
    }
    line += ']';
    return;
  }
  line += ",\"shared\":";
  append_list(line, contexts[0].values);
  std::vector<std::size_t> blocks;
  for (std::size_t k = 0; k < contexts.arms(); ++k) blocks.push_back(contexts[k].block);
  line += ",\"blocks\":";
  append_list(line, blocks);
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
  const nlohmann::json head = {{"neuralts_log", 1},
                               {"env", spec.env},
                               {"policy", spec.policy.name},
                               {"preset", spec.policy.preset},
                               {"params", spec.policy.params},
                               {"seed", spec.seed},
                               {"delay", to_string(spec.delay)},
                               {"block", env.shape.length},
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
  std::string line = "{\"round\":" + std::to_string(record.round);
  append_contexts(line, record.contexts);
  line += ",\"arm\":" + std::to_string(record.decision.arm) + ",\"reward\":";
  append_number(line, record.reward);
  line += ",\"probabilities\":";
  append_list(line, record.decision.probabilities);
  line += ",\"regret\":";
  append_number(line, record.regret);
  append(line + "}\n");
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
