#include "measure/blas.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "math/simd.hpp"

namespace neuralts::bench {

namespace {

// Of the C interface to BLAS (cblas.h), which every library has in common.
constexpr int row_major = 101, as_it_is = 111, transpose = 112;

struct Candidate {
  const char *name, *file, *set_threads, *describe;
};
constexpr std::array candidates = {
    Candidate{"MKL", "libmkl_rt.so.2", "MKL_Set_Num_Threads", nullptr},
    Candidate{"OpenBLAS", "libopenblas.so.0", "openblas_set_num_threads", "openblas_get_config"},
    Candidate{"BLIS", "libblis.so.4", "bli_thread_set_num_threads", nullptr},
};

template <class Function>
Function find(void* library, const char* symbol) {
  return symbol == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library, symbol));
}

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." says more than a table holds.
std::string first_words(const std::string& text, int words) {
  std::size_t end = 0;
  for (int i = 0; i < words && end != std::string::npos; ++i) end = text.find(' ', end + 1);
  return text.substr(0, end);
}

}  // namespace

const Blas& Blas::best() {
  static const Blas blas;
  return blas;
}

Blas::Blas() {
  for (const char* threads : {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"})
    ::setenv(threads, "1", 1);
  for (const Candidate& candidate : candidates) {
    void* library = ::dlopen(candidate.file, RTLD_NOW | RTLD_LOCAL);  // stays open: this is for the whole program
    if (library == nullptr) continue;
    sgemm_ = find<Sgemm>(library, "cblas_sgemm");
    if (sgemm_ == nullptr) continue;
    if (const auto set_threads = find<void (*)(int)>(library, candidate.set_threads)) set_threads(1);
    const auto describe = find<const char* (*)()>(library, candidate.describe);
    name_ = describe != nullptr ? first_words(describe(), 2) : candidate.name;
    return;
  }
}

void Blas::product(bool transposed, std::size_t m, std::size_t n, std::size_t k, const float* a,
                   const float* b, float* c) const {
  if (sgemm_ == nullptr) {
    math::gemm<float>(m, n, k, a, transposed ? 1 : k, transposed ? m : 1, b, n, 0, c, n);
    return;
  }
  const auto integer = [](std::size_t size) { return static_cast<int>(size); };
  sgemm_(row_major, transposed ? transpose : as_it_is, as_it_is, integer(m), integer(n), integer(k), 1.0f, a,
         integer(transposed ? m : k), b, integer(n), 0.0f, c, integer(n));
}

}  // namespace neuralts::bench
