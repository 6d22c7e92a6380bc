// What the device itself can do, to compare with.
#pragma once

namespace neuralts {

/// TFLOP/s of a product of two 8192 x 8192 matrices of float32 by cuBLAS, found at run time; 0 where there is none.
double cublas_rate(int device = 0);

}  // namespace neuralts
