#include "model/cuda/engine.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>

#include "base/parallel.hpp"
#include "model/cuda/device_trainer.hpp"

namespace neuralts {

namespace {

using Job = FitJob<float>;

bool keeps_moments(const Job& job) { return job.settings->keep_moments && job.settings->warm; }

/// Why the processor has to run the job; nullptr: it need not.
const char* refusal(const TrainJob& any) {
  const Job* job = std::get_if<Job>(&any.fit);
  if (job == nullptr) return "precision=float64";
  const TrainerSettings& settings = *job->settings;
  const NetworkShape& shape = job->network->shape();
  if (settings.batch > 0 && settings.batch < job->history->size()) return "mini-batches (batch)";
  if (settings.tolerance > 0) return "early stopping (tolerance)";
  if (std::max({shape.input.length, shape.input.blocks, shape.units, shape.depth}) > 100000 ||
      !cuda::fits(static_cast<unsigned>(shape.input.length), static_cast<unsigned>(shape.input.blocks),
                  static_cast<unsigned>(shape.units), static_cast<unsigned>(shape.depth)))
    return "a network of this size";
  return nullptr;
}

std::vector<cuda::HostRows> host_rows(const Job& job) {
  std::vector<cuda::HostRows> rows;
  const bool weighted = job.weights != nullptr && !job.weights->empty();
  for (std::size_t k = 0; k < job.history->blocks().size(); ++k) {
    const auto& block = job.history->blocks()[k];
    rows.push_back(
        {block.x.data(), block.rewards.data(), weighted ? (*job.weights)[k].data() : nullptr, block.rows()});
  }
  return rows;
}

/// Steps keep layer 1 in the span of its rows unless Adam bends them or moments come from before.
bool in_span(const Job& job) {
  if (job.settings->optimiser == Optimiser::adam ||
      (job.settings->optimiser == Optimiser::momentum && keeps_moments(job)))
    return false;
  const NetworkShape& shape = job.network->shape();
  std::vector<std::size_t> rows;
  for (const auto& block : job.history->blocks()) rows.push_back(block.rows());
  return cuda::span_pays(static_cast<unsigned>(shape.input.length), static_cast<unsigned>(shape.units),
                         static_cast<unsigned>(shape.depth), rows);
}

cuda::Request request_of(const Job& job) {
  const TrainerSettings& settings = *job.settings;
  const NetworkShape& shape = job.network->shape();
  const double n = job.rounds > 0 ? job.rounds : static_cast<double>(job.history->size());
  cuda::Request request;
  request.d = static_cast<unsigned>(shape.input.length);
  request.m = static_cast<unsigned>(shape.units);
  request.L = static_cast<unsigned>(shape.depth);
  request.biases = shape.biases;
  request.scale = static_cast<float>(shape.scale);
  request.history = job.history->identity().history();
  request.generation = job.history->identity().generation();
  request.blocks = host_rows(job);
  request.span = in_span(job);
  request.theta = settings.warm ? job.network->theta() : std::span<const float>(job.state->theta0);
  request.anchor = settings.anchor == Anchor::initial ? job.state->theta0.data() : nullptr;
  request.rule = static_cast<cuda::StepRule>(settings.optimiser);
  request.steps = static_cast<unsigned>(settings.iterations);
  request.length = settings.step;
  request.weight = settings.mean_loss ? 2 / n : 1;
  request.decay = settings.decay_over_n ? settings.decay / n : settings.decay;
  request.momentum = settings.momentum;
  if (keeps_moments(job)) {
    const double k = static_cast<double>(job.state->steps);
    request.first = job.state->first;
    request.second = job.state->second;
    request.power1 = std::pow(settings.momentum, k);
    request.power2 = std::pow(cuda::adam_beta2, k);
  }
  return request;
}

bool finite(std::span<const float> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float value) { return std::isfinite(value); });
}

void apply(const cuda::Fitted& fitted, Job& job) {
  FitState<float>& state = *job.state;
  if (!finite(fitted.theta)) {
    state.forget_moments();
    ++state.diverged;
    return;
  }
  std::copy(fitted.theta.begin(), fitted.theta.end(), job.network->mutable_theta().begin());
  job.network->refresh();
  if (!keeps_moments(job)) state.forget_moments();
  std::copy(fitted.first.begin(), fitted.first.end(), state.first.begin());
  std::copy(fitted.second.begin(), fitted.second.end(), state.second.begin());
  state.steps += job.settings->iterations;
  job.steps_taken = job.settings->iterations;
}

class Engine final : public CudaEngine {
 public:
  explicit Engine(int device) : trainer_(device) {}

  bool train(std::span<TrainJob> jobs, const Training& how) override {
    const std::lock_guard guard(mutex_);
    if (how.stop.stop_requested()) return false;
    std::vector<Job*> here;
    std::vector<TrainJob> others;
    std::vector<TrainJob*> others_from;
    for (TrainJob& job : jobs) {
      if (const char* reason = refusal(job)) {
        refused_.insert(reason);
        others.push_back(job);
        others_from.push_back(&job);
        continue;
      }
      Job& own = std::get<Job>(job.fit);
      own.steps_taken = 0;
      if (own.history->size() > 0) here.push_back(&own);
    }
    std::vector<cuda::Request> requests;
    for (const Job* job : here) requests.push_back(request_of(*job));
    trainer_.train(requests, crew(how.threads));
    if (!others.empty() && !processor_engine().train(others, how)) return false;
    for (std::size_t i = 0; i < others.size(); ++i) *others_from[i] = others[i];
    crew_->run(here.size(), [&](std::size_t i) { apply(trainer_.fitted(i), *here[i]); });
    return true;
  }

  std::vector<std::string> notes() const override {
    const std::lock_guard guard(mutex_);
    std::vector<std::string> notes;
    for (const auto& reason : refused_) notes.push_back("not for the device, trained on the processor: " + reason);
    return notes;
  }

 private:
  /// The same one as long as the number of threads stays the same.
  Crew& crew(std::size_t threads) {
    if (threads == 0) threads = hardware_threads();
    if (!crew_ || crew_->threads() != threads) crew_ = std::make_unique<Crew>(threads);
    return *crew_;
  }

  mutable std::mutex mutex_;
  cuda::DeviceTrainer trainer_;
  std::unique_ptr<Crew> crew_;
  std::set<std::string> refused_;
};

}  // namespace

std::unique_ptr<CudaEngine> make_cuda_engine(int device) { return std::make_unique<Engine>(device); }

std::vector<std::string> cuda_devices() { return cuda::device_names(); }

}  // namespace neuralts
