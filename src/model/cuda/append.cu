#include "model/cuda/append.hpp"
#include "model/cuda/device_job.hpp"

namespace neuralts::cuda {

namespace {

__global__ void append(const NewRows* pieces) {
  const NewRows piece = pieces[blockIdx.x];
  for (unsigned i = threadIdx.x; i < piece.count * piece.d; i += blockDim.x) {
    const unsigned row = piece.row + i / piece.d, k = i % piece.d;
    piece.x[(static_cast<std::size_t>(row / tile_rows) * piece.d + k) * tile_rows + row % tile_rows] =
        piece.values[i];
  }
  for (unsigned i = threadIdx.x; i < piece.count; i += blockDim.x)
    piece.rewards[piece.row + i] = piece.values[piece.count * piece.d + i];
}

// A thread block has one new round against all before it and itself.
__global__ void append_gram(const NewGram* pieces) {
  extern __shared__ float own[];
  const NewGram piece = pieces[blockIdx.x];
  if (blockIdx.y >= piece.count) return;
  const unsigned row = piece.row + blockIdx.y, d = piece.d;
  const auto at = [&](unsigned r, unsigned k) {
    return (static_cast<std::size_t>(r / tile_rows) * d + k) * tile_rows + r % tile_rows;
  };
  for (unsigned k = threadIdx.x; k < d; k += blockDim.x) own[k] = piece.x[at(row, k)];
  __syncthreads();
  for (unsigned j = threadIdx.x; j <= row; j += blockDim.x) {
    float sum = 0;
    for (unsigned k = 0; k < d; ++k) sum = fmaf(own[k], piece.x[at(j, k)], sum);
    piece.gram[static_cast<std::size_t>(row) * piece.ld + j] = sum;
    piece.gram[static_cast<std::size_t>(j) * piece.ld + row] = sum;
  }
}

}  // namespace

void append_grams(const Queue& queue, const NewGram* pieces, unsigned count) {
  constexpr unsigned columns_max = 12 << 10;  // what every device's shared memory takes
  if (count == 0) return;
  append_gram<<<dim3(count, new_rows_max), 256, columns_max * sizeof(float), queue.get()>>>(pieces);
  check(cudaGetLastError(), "new rounds");
}

void append_rows(const Queue& queue, const NewRows* pieces, unsigned count) {
  if (count == 0) return;
  append<<<count, 128, 0, queue.get()>>>(pieces);
  check(cudaGetLastError(), "new rounds");
}

}  // namespace neuralts::cuda
