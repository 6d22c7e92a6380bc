// What a layer does besides its product, on rows of m numbers that lie one after the other; width chosen at run
// time (layers.cpp). relu'(0) = 0: a unit is active where its activation is above 0.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// rows = max(rows + bias, 0), n rows; bias (m numbers) may be null.
template <class T>
void rectify(std::size_t n, std::size_t m, const T* bias, T* rows);

/// signals_ij = weights_i scale last_j where activations_ij > 0, else 0: what the last layer sends back. Null
/// weights: all 1.
template <class T>
void send_back(std::size_t n, std::size_t m, const T* weights, T scale, const T* last, const T* activations,
               T* signals);

/// signals = 0 where activations are not above 0.
template <class T>
void keep_active(std::size_t size, const T* activations, T* signals);

/// out_i += factor sum_j rows_ij^2 (weights_ij + shared_j), n rows; weights or shared (m numbers) may be null,
/// not both.
template <class T>
void add_weighted_squares(std::size_t n, std::size_t m, T factor, const T* rows, const T* weights,
                          const T* shared, T* out);

}  // namespace neuralts::math
