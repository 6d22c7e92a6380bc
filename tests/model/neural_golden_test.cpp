// Algorithm 1 and the released code, step by step, against an independent float64 program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "golden.hpp"
#include "model/cuda/engine.hpp"
#include "model/neural_belief.hpp"
#include "model/trainer.hpp"

namespace neuralts {
namespace {

using nlohmann::json;

// A matrix of the file (rows = outputs) or a plain list, as it stands in theta (input-major).
void append(const json& value, std::vector<double>& theta) {
  if (!value.is_array()) {
    theta.push_back(value.get<double>());
  } else if (value[0].is_array()) {
    for (std::size_t i = 0; i < value[0].size(); ++i)
      for (const auto& row : value) theta.push_back(row[i].get<double>());
  } else {
    for (const auto& number : value) theta.push_back(number.get<double>());
  }
}

std::vector<double> flatten(const json& layers) {
  std::vector<double> theta;
  for (const auto& layer : layers) append(layer, theta);
  return theta;
}

NeuralSettings paper_settings(const json& file, const std::string& weights) {
  NeuralSettings s;
  const json& first = file[weights][0];
  s.shape = {.input = {first[0].size(), 1},
             .units = file["m"],
             .depth = file["L"],
             .biases = false,
             .scale = std::sqrt(file["m"].get<double>())};
  s.theta0 = flatten(file[weights]);
  s.design_width = {.shape = s.shape, .lambda = file["lambda"], .normaliser = file["m"], .double_factor = true};
  s.posterior = file["posterior"] == "exact" ? PosteriorKind::exact : PosteriorKind::diagonal;
  s.trainer.step = file["eta"];
  s.trainer.iterations = file["J"];
  s.trainer.warm = file["start"] == "previous";
  s.trainer.decay = file["m"].get<double>() * file["lambda"].get<double>();
  return s;
}

NeuralSettings released_settings(const json& file) {
  NeuralSettings s;
  s.shape = {.input = {file["d"], 1}, .units = file["m"], .depth = 2, .biases = true, .scale = 1};
  s.theta0 = flatten(file["theta0"]);
  s.design_width = {.shape = s.shape, .lambda = file["lambda"], .normaliser = 1};
  s.posterior = PosteriorKind::diagonal;
  s.design = Design::played;
  s.trainer.step = file["lr"];
  s.trainer.iterations = file["J"];
  s.trainer.mean_loss = true;
  s.trainer.decay = file["lambda"];
  s.trainer.decay_over_n = true;
  s.trainer.anchor = Anchor::zero;
  return s;
}

// Near: absolutely for small numbers, relatively for large ones.
void expect_near(double found, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(found, expected, tolerance * std::max(1.0, std::abs(expected))) << what;
}

template <class T>
std::vector<T> stored_diagonal(const Posterior<T>& posterior) {
  Writer out;
  posterior.save(out);
  Reader in(out.bytes(), "U");
  in.value<double>();
  return in.values<T>();
}

template <class T>
class Replay {
 public:
  Replay(const NeuralSettings& settings, double nu, double tolerance, TrainEngine& engine)
      : belief_(settings), nu_(nu), tolerance_(tolerance), engine_(engine) {}

  // Plays the recorded round and compares what the belief says before it with `expect`. `upper`: mean + nu
  // width, no draw.
  void round(const json& round, const json& expect, double scale, int copies, bool upper) {
    const std::size_t arms = round["contexts"].size();
    std::vector<double> numbers, mean(arms), width(arms), score(arms);
    for (const auto& row : round["contexts"])
      for (int copy = 0; copy < copies; ++copy)
        for (const auto& value : row) numbers.push_back(scale * value.get<double>());
    const Contexts contexts = Contexts::per_arm(numbers, arms);
    scratch_.reset();
    belief_.predictor().predict(contexts, scratch_, mean, width);
    for (std::size_t k = 0; k < arms; ++k) {
      score[k] = mean[k] + nu_ * width[k] * (upper ? 1.0 : round["normals"][k].get<double>());
      expect_near(mean[k], expect["mean"][k], tolerance_, "mean");
      if (expect.contains("variance"))
        expect_near(width[k] * width[k], expect["variance"][k], tolerance_, "variance");
      if (expect.contains("sigma")) expect_near(nu_ * width[k], expect["sigma"][k], tolerance_, "sigma");
      expect_near(score[k], expect[expect.contains("sampled") ? "sampled" : "score"][k], tolerance_, "score");
    }
    const auto arm = static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin());
    ASSERT_EQ(arm, expect["arm"].get<std::size_t>());
    const Finished finished{contexts[arm], round["rewards"][arm]};
    belief_.played(contexts[arm]);
    learn(belief_, std::span(&finished, 1), engine_);
    compare_state(expect);
  }

 private:
  void compare_state(const json& expect) {
    if (expect.contains("theta")) {
      const auto theta = flatten(expect["theta"]);
      ASSERT_EQ(theta.size(), belief_.predictor().network().theta().size());
      for (std::size_t i = 0; i < theta.size(); ++i)
        expect_near(static_cast<double>(belief_.predictor().network().theta()[i]), theta[i], tolerance_,
                    "theta");
    }
    if (expect.contains("logdet_U"))
      expect_near(belief_.predictor().posterior().log_det(), expect["logdet_U"], tolerance_, "log det U");
    if (expect.contains("U")) {
      std::vector<double> first;  // unlike theta, the diagonal is kept output-major, as the file has it
      for (const auto& row : expect["U"])
        for (const auto& value : row) first.push_back(value.get<double>());
      const auto u = stored_diagonal(belief_.predictor().posterior());
      for (std::size_t i = 0; i < first.size(); ++i)
        expect_near(static_cast<double>(u[i]), first[i], tolerance_, "U");
    }
  }

  NeuralBelief<T> belief_;
  double nu_, tolerance_;
  TrainEngine& engine_;
  Scratch scratch_;
};

std::vector<std::string> files(const std::string& prefix) {
  const char* folder = std::getenv("NEURALTS_GOLDEN");
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder != nullptr ? folder : NEURALTS_GOLDEN_DEFAULT))
    if (entry.path().filename().string().starts_with(prefix)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

template <class T>
void replay(const json& file, const NeuralSettings& settings, double nu, double tolerance, double scale = 1,
            int copies = 1, bool upper = false, TrainEngine& engine = processor_engine()) {
  Replay<T> run(settings, nu, tolerance, engine);
  for (std::size_t t = 0; t < file["rounds"].size() && !testing::Test::HasFatalFailure(); ++t)
    run.round(file["rounds"][t], file["expect"][t], scale, copies, upper);
}

TEST(NeuralGolden, Algorithm1InFloat64) {
  ASSERT_FALSE(files("algorithm1_").empty());
  for (const auto& name : files("algorithm1_")) {
    SCOPED_TRACE(name);
    const json file = golden_file(name);
    replay<double>(file, paper_settings(file, "W0"), file["nu"], 1e-8);
  }
}

// With factors in float64, and as policies have them by default, in float32 as everything else.
TEST(NeuralGolden, Algorithm1InFloat32) {
  for (const bool double_factor : {true, false})
    for (const auto& name : files("algorithm1_")) {
      SCOPED_TRACE(name + (double_factor ? ", factor in float64" : ", factor in float32"));
      const json file = golden_file(name);
      NeuralSettings settings = paper_settings(file, "W0");
      settings.design_width.double_factor = double_factor;
      replay<float>(file, settings, file["nu"], 1e-3);
    }
}

TEST(NeuralGolden, DoublingTheContextsChangesNothing) {
  const json file = golden_file("doubling_equivalence.json");
  replay<double>(file, paper_settings(file, "W0_plain"), file["nu"], 1e-8);
  replay<double>(file, paper_settings(file, "W0_doubled"), file["nu"], 1e-8, std::sqrt(0.5), 2);
}

TEST(NeuralGolden, ReleasedCode) {
  ASSERT_FALSE(files("released_code_").empty());
  for (const auto& name : files("released_code_")) {
    SCOPED_TRACE(name);
    const json file = golden_file(name);
    const double factor = std::sqrt(file["nu"].get<double>());
    replay<double>(file, released_settings(file), factor, 1e-8, 1, 1, file["style"] == "ucb");
    replay<float>(file, released_settings(file), factor, 1e-3, 1, 1, file["style"] == "ucb");
  }
}

// The processor's tolerance in float32.
TEST(CudaGolden, Algorithm1) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device, or a build without CUDA";
  const auto engine = make_cuda_engine();
  for (const auto& name : files("algorithm1_")) {
    SCOPED_TRACE(name);
    const json file = golden_file(name);
    replay<float>(file, paper_settings(file, "W0"), file["nu"], 1e-3, 1, 1, false, *engine);
  }
  EXPECT_TRUE(engine->notes().empty());  // nothing went to the processor
}

TEST(CudaGolden, ReleasedCode) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device, or a build without CUDA";
  const auto engine = make_cuda_engine();
  for (const auto& name : files("released_code_")) {
    SCOPED_TRACE(name);
    const json file = golden_file(name);
    replay<float>(file, released_settings(file), std::sqrt(file["nu"].get<double>()), 1e-3, 1, 1,
                  file["style"] == "ucb", *engine);
  }
  EXPECT_TRUE(engine->notes().empty());
}

}  // namespace
}  // namespace neuralts
