#include "model/cuda/append.hpp"
#include "model/cuda/device_job.hpp"

namespace neuralts::cuda {

namespace {

__global__ void append(const NewRows* pieces) {
  const NewRows piece = pieces[blockIdx.x];
  for (unsigned i = threadIdx.x; i < piece.count * piece.d; i += blockDim.x) {
    const unsigned row = piece.row + i / piece.d, k = i % piece.d;
    piece.x[(static_cast<std::size_t>(row / tile_rows) * piece.d + k) * tile_rows + row % tile_rows] = piece.values[i];
  }
  for (unsigned i = threadIdx.x; i < piece.count; i += blockDim.x) piece.rewards[piece.row + i] = piece.values[piece.count * piece.d + i];
}

}  // namespace

void append_rows(const Queue& queue, const NewRows* pieces, unsigned count) {
  if (count == 0) return;
  append<<<count, 128, 0, queue.get()>>>(pieces);
  check(cudaGetLastError(), "new rounds");
}

}  // namespace neuralts::cuda
