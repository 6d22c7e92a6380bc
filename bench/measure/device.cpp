#include "measure/device.hpp"

#include <chrono>
#include <cmath>
#include <memory>

#include "base/parallel.hpp"
#include "lab/device_runs.hpp"
#include "lab/lock_step.hpp"
#include "model/cuda/engine.hpp"
#include "model/cuda/limit.hpp"
#include "neuralts/lab.hpp"
#include "neuralts/random.hpp"

namespace neuralts::bench {

namespace {

constexpr std::size_t units = 100, runs = 264;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

History<float> random_history(const Shape& shape, std::size_t n, std::uint64_t seed) {
  History<float> history(shape);
  Stream stream(seed, Purpose::theory);
  std::vector<float> x(shape.length);
  for (std::size_t i = 0; i < n; ++i) {
    for (float& value : x)
      value = static_cast<float>(stream.normal() / std::sqrt(static_cast<double>(shape.length)));
    history.append(stream.below(shape.blocks), std::span<const float>(x), static_cast<float>(i % 2));
  }
  return history;
}

/// A run's network, as the released dialect trains it.
struct Member {
  NetworkShape shape;
  TrainerSettings settings;
  History<float> history;
  Network<float> network;
  FitState<float> state;

  Member(const Shape& input, std::size_t n, std::size_t steps, std::uint64_t seed)
      : shape{.input = input, .units = units, .depth = 2, .biases = true, .scale = 1},
        settings{.step = 1e-4, .iterations = steps, .mean_loss = true, .decay = 1e-3, .decay_over_n = true, .anchor = Anchor::zero},
        history(random_history(input, n, seed)), network(shape, Initialisation::uniform, seed), state(settings, network, seed) {}
  TrainJob job() {
    return {FitJob<float>{.network = &network, .history = &history, .settings = &settings, .state = &state}};
  }
};

/// TFLOP/s of a training of all runs together, counting layer 1's two products (4 n d m a step); everything
/// else is in the time, too: parameters to the device and back, and the host's part.
double training_rate(TrainEngine& engine, const Shape& shape, std::size_t n, std::size_t steps, int repetitions,
                     std::size_t networks = runs) {
  std::vector<std::unique_ptr<Member>> members(networks);
  parallel_for(networks, 0, [&](std::size_t i) { members[i] = std::make_unique<Member>(shape, n, steps, i + 1); });
  std::vector<TrainJob> jobs;
  for (const auto& member : members) jobs.push_back(member->job());
  engine.train(jobs, {.threads = 0});  // histories travel once
  double best = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    engine.train(jobs, {.threads = 0});
    const double seconds = seconds_since(start);
    best = best == 0 ? seconds : std::min(best, seconds);
  }
  return 4.0 * static_cast<double>(n * shape.length * units * steps * networks) / best / 1e12;
}

/// Runs one after the other; what becomes of them is not kept.
class Runs final : public WorkSource {
 public:
  explicit Runs(std::vector<RunSpec> specs) : specs_(std::move(specs)) {}
  std::optional<Work> next() override {
    if (next_ == specs_.size()) return std::nullopt;
    const std::size_t place = next_++;
    return Work{place, specs_[place]};
  }
  void finished(std::size_t, Record record) override {
    if (!record.ok())
      throw Error(ErrorCode::unsupported, "bench", "a run failed: " + record.error,
                  "neuralts bench measures the processor");
  }

 private:
  std::vector<RunSpec> specs_;
  std::size_t next_ = 0;
};

struct Seconds {
  double all, training;
};

/// All runs together in lock-step, each training after every round.
Seconds lock_step(const CudaEngines& engines, std::size_t rounds) {
  Grid grid{.envs = {"quadratic"}, .policies = {"neural-ts"}, .presets = {"released"}};
  grid.seeds.clear();
  for (std::uint64_t seed = 1; seed <= runs; ++seed) grid.seeds.push_back(seed);
  grid.rounds = rounds;
  grid.device = "cuda";
  Runs work(expand({{grid}}));
  Worlds worlds("", {});
  LockStep steps{.engines = engines.all(), .worlds = worlds};
  steps.carry_out(work);
  return {steps.seconds, steps.training_seconds};
}

/// Rounds a second over `rounds`, and the share of trainings in what `longer` runs take beyond them.
void measure_lock_step(std::size_t rounds, std::size_t longer, std::vector<Measurement>& out) {
  constexpr double asked_for = 95;
  const CudaEngines engines(0);
  const Seconds first = lock_step(engines, rounds), second = lock_step(engines, longer);
  out.push_back({"cuda_lock_step", static_cast<double>(runs * rounds) / first.all, "rounds/s", 0, 0, {}});
  const double share = 100 * (second.training - first.training) / (second.all - first.all);
  out.push_back({"cuda_training_share", share, "%", asked_for, share / asked_for, "asked for"});
}

}  // namespace

const std::vector<std::string>& device_measurements() {
  static const std::vector<std::string> names{"cuda_product",   "cuda_train_d10",     "cuda_train_d22",
                                              "cuda_train_d54", "cuda_train_d784",    "cuda_train_mnist",
                                              "cuda_lock_step", "cuda_training_share"};
  return names;
}

std::vector<Measurement> measure_device(bool quick, const std::string& only) {
  const auto wanted = [&](const std::string& name) { return only.empty() || only == name; };
  const auto engine = make_cuda_engine();
  const bool rates = only.empty() || only.starts_with("cuda_train_") || only == "cuda_product";
  const double limit = rates ? cublas_rate() : 0;
  std::vector<Measurement> all;
  const auto rate = [&](const char* name, const auto& measure) {
    if (!wanted(name)) return;
    const double value = measure();
    all.push_back({name, value, "TFLOP/s", limit, limit > 0 ? value / limit : 0, limit > 0 ? "cuBLAS" : ""});
  };
  const int repetitions = quick ? 2 : 5;
  const std::size_t n = quick ? 2000 : 8000;
  rate("cuda_product", [&] { return limit; });
  rate("cuda_train_d10", [&] { return training_rate(*engine, {10, 2}, n, 100, repetitions); });
  rate("cuda_train_d22", [&] { return training_rate(*engine, {22, 2}, n, 100, repetitions); });
  rate("cuda_train_d54", [&] { return training_rate(*engine, {54, 7}, n, 100, repetitions); });
  rate("cuda_train_d784", [&] { return training_rate(*engine, {784, 10}, 1000, quick ? 10 : 100, 2); });
  // 264 histories would not fit.
  rate("cuda_train_mnist", [&] { return training_rate(*engine, {784, 10}, n, 100, 2, 33); });
  if (wanted("cuda_lock_step") || wanted("cuda_training_share"))
    measure_lock_step(quick ? 200 : 1000, quick ? 400 : 2000, all);
  std::erase_if(all, [&](const Measurement& one) { return !wanted(one.name); });
  return all;
}

}  // namespace neuralts::bench
