#include "math/unit_update.hpp"

#include <cmath>

namespace neuralts::math {

template <class T>
void UnitPart<T>::solve(T* x, double* carry) const {
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    const T *pj = p_.data() + j * B_, *wj = w_.data() + j * B_;
    double rest = static_cast<double>(x[j]);
    for (std::size_t b = 0; b < B_; ++b) rest -= static_cast<double>(wj[b]) * carry[b];
    rest /= static_cast<double>(scale_[j]);
    for (std::size_t b = 0; b < B_; ++b) carry[b] += static_cast<double>(pj[b]) * rest;
    x[j] = static_cast<T>(rest);
  }
}

template <class T>
UnitUpdate<T>::UnitUpdate(std::size_t B) : B_(B), q_(B * B), u_(B) {
  for (std::size_t b = 0; b < B; ++b) q_[b * B + b] = 1;
}

template <class T>
UnitPart<T> UnitUpdate<T>::next(std::size_t n, const T* w, std::size_t ldw) {
  UnitPart<T> part;
  part.B_ = B_;
  part.scale_.resize(n);
  part.p_.resize(n * B_);
  part.w_.resize(n * B_);
  for (std::size_t j = 0; j < n; ++j) {
    T *pj = part.p_.data() + j * B_, *wj = part.w_.data() + j * B_;
    for (std::size_t b = 0; b < B_; ++b) wj[b] = w[b * ldw + j];
    double square = 1;
    for (std::size_t b = 0; b < B_; ++b) {
      u_[b] = 0;
      for (std::size_t c = 0; c < B_; ++c) u_[b] += q_[b * B_ + c] * static_cast<double>(wj[c]);
      square += u_[b] * static_cast<double>(wj[b]);
    }
    const double scale = std::sqrt(square);
    part.scale_[j] = static_cast<T>(scale);
    for (double& u : u_) u /= scale;
    for (std::size_t b = 0; b < B_; ++b) {
      pj[b] = static_cast<T>(u_[b]);
      for (std::size_t c = 0; c < B_; ++c) q_[b * B_ + c] -= u_[b] * u_[c];
    }
  }
  return part;
}

template class UnitPart<float>;
template class UnitPart<double>;
template class UnitUpdate<float>;
template class UnitUpdate<double>;

}  // namespace neuralts::math
