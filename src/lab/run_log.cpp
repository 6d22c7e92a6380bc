#include "neuralts/run_log.hpp"

#include <nlohmann/json.hpp>

#include "base/file.hpp"
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
    if (k > 0 && contexts.shared()) continue;
    event.offer.numbers.insert(event.offer.numbers.end(), context.values.begin(), context.values.end());
  }
  return event;
}

}  // namespace

struct RunLog::File {
  FileWriter writer;
};

RunLog::RunLog(const std::string& path, const EnvironmentInfo& env, const RunSpec& spec)
    : file_(new File{FileWriter(path)}) {
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

RunLog::~RunLog() = default;

void RunLog::append(const std::string& line) { file_->writer.write(line); }

void RunLog::write(const RoundRecord& record) {
  std::string extra = "\"round\":" + std::to_string(record.round) + ",\"regret\":";
  append_number(extra, record.regret);
  std::string line;
  append_event(line, event_of(record), extra);
  append(line);
}

void RunLog::finish() { file_->writer.commit(); }

}  // namespace neuralts
