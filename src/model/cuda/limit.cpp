#include "model/cuda/limit.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "model/cuda/runtime.hpp"

namespace neuralts {

namespace {

using Handle = void*;

/// The four functions of cuBLAS that a product needs. The library is the machine's, if it has one: nothing is
/// linked.
class Cublas {
 public:
  Cublas() {
    for (const char* name :
         {"libcublas.so", "libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
      if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW);
    if (library_ == nullptr) return;
    create_ = find<int (*)(Handle*)>("cublasCreate_v2");
    destroy_ = find<int (*)(Handle)>("cublasDestroy_v2");
    stream_ = find<int (*)(Handle, cudaStream_t)>("cublasSetStream_v2");
    product_ = find<Product>("cublasSgemm_v2");
    if (create_ != nullptr && stream_ != nullptr && product_ != nullptr && create_(&handle_) != 0)
      handle_ = nullptr;
  }
  ~Cublas() {
    if (handle_ != nullptr && destroy_ != nullptr) destroy_(handle_);
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  bool there() const { return handle_ != nullptr; }
  void product(const cuda::Queue& queue, int n, const float* a, const float* b, float* c) const {
    const float one = 1, zero = 0;
    stream_(handle_, queue.get());
    product_(handle_, 0, 0, n, n, n, &one, a, n, b, n, &zero, c, n);
  }

 private:
  using Product = int (*)(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int,
                          const float*, float*, int);
  template <class F>
  F find(const char* name) const {
    return reinterpret_cast<F>(dlsym(library_, name));
  }
  void* library_ = nullptr;  // stays open: its threads may outlive this
  Handle handle_ = nullptr;
  int (*create_)(Handle*) = nullptr;
  int (*destroy_)(Handle) = nullptr;
  int (*stream_)(Handle, cudaStream_t) = nullptr;
  Product product_ = nullptr;
};

/// Milliseconds between two moments of a queue.
class Timer {
 public:
  Timer() {
    for (auto& event : events_) cuda::check(cudaEventCreate(&event), "an event");
  }
  ~Timer() {
    for (auto& event : events_) cudaEventDestroy(event);
  }
  void mark(const cuda::Queue& queue, int which) const {
    cuda::check(cudaEventRecord(events_[which], queue.get()), "an event");
  }
  float between() const {
    float time = 0;
    cuda::check(cudaEventElapsedTime(&time, events_[0], events_[1]), "an event");
    return time;
  }

 private:
  cudaEvent_t events_[2] = {};
};

}  // namespace

double cublas_rate(int device) {
  constexpr int n = 8192, repetitions = 5;
  cuda::check(cudaSetDevice(device), "the device");
  const Cublas cublas;
  if (!cublas.there()) return 0;
  const cuda::Queue queue;
  cuda::DeviceBytes matrices[3];
  std::vector<float> numbers(std::size_t{n} * n);
  // Zeros run faster.
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i * 2654435761u % 1000) / 500 - 1;
  for (auto& matrix : matrices) {
    matrix.reserve(numbers.size() * sizeof(float));
    cuda::check(
        cudaMemcpy(matrix.data(), numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice),
        "sending");
  }
  const auto at = [&](int i) { return reinterpret_cast<float*>(matrices[i].data()); };
  const Timer timer;
  float best = 0;
  for (int i = 0; i <= repetitions; ++i) {  // the first one warms up
    timer.mark(queue, 0);
    cublas.product(queue, n, at(0), at(1), at(2));
    timer.mark(queue, 1);
    queue.wait();
    if (i > 0) best = best == 0 ? timer.between() : std::min(best, timer.between());
  }
  return 2.0 * n * n * n / (static_cast<double>(best) * 1e-3) / 1e12;
}

}  // namespace neuralts
