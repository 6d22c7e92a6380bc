// A build without CUDA.
#include "model/cuda/engine.hpp"
#include "model/cuda/limit.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

std::unique_ptr<CudaEngine> make_cuda_engine(int) {
  throw Error(ErrorCode::unsupported, "--device cuda", "this build has no CUDA",
              "configure it with -DNEURALTS_CUDA=ON");
}

std::vector<std::string> cuda_devices() { return {}; }

double cublas_rate(int) { return 0; }

}  // namespace neuralts
