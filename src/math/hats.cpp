#include "math/hats.hpp"

#include <algorithm>

namespace neuralts::math {

template <class T>
void hats(std::size_t d, const T* x, std::size_t places, double reach, double height, double* out) {
  out = std::copy_n(x, d, out);
  *out++ = 1;
  std::fill_n(out, d * places, 0.0);
  const auto cells = static_cast<double>(places - 1);
  for (std::size_t i = 0; i < d; ++i, out += places) {
    const double at = cells * (std::clamp(static_cast<double>(x[i]) / reach, -1.0, 1.0) + 1) / 2;
    const auto cell = std::min(static_cast<std::size_t>(at), places - 2);
    const double beyond = at - static_cast<double>(cell);
    out[cell] = height * (1 - beyond);
    out[cell + 1] = height * beyond;
  }
}

template void hats<float>(std::size_t, const float*, std::size_t, double, double, double*);
template void hats<double>(std::size_t, const double*, std::size_t, double, double, double*);

}  // namespace neuralts::math
