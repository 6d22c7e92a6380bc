// Two passes over columns of a factor, each of which loads a column once for several vectors (columns.cpp).
//
// Letters: column j of L at l + j * ldl, n numbers; vector b at v + b * ldv (or s + b * lds), n numbers.
#pragma once

#include <cstddef>

namespace neuralts::math {

template <class T>
struct Columns {
  std::size_t n, J;
  T* l;
  std::size_t ldl;
};

/// v_b -= sum_j y[b * J + j] l_j, for B vectors: what solving does below the rows just solved.
template <class T>
void eliminate(const Columns<const T>& columns, std::size_t B, const T* y, T* v, std::size_t ldv);

/// How many vectors multiply() takes.
inline constexpr std::size_t most_factors = 8;

/// L = L M for M lower triangular with M_jj = scale[j] and M_kj = w_k.p_j below the diagonal, w_k and p_k the k-th B numbers of
/// w and p. Goes through the columns from the last to the first:   l_j = scale_j l_j + sum_b p_jb s_b;   s_b += w_jb (old l_j).
/// s_b starts as what columns further right contribute, and ends as what these and those do. REQUIRES B <= most_factors.
template <class T>
void multiply(const Columns<T>& columns, std::size_t B, const T* scale, const T* p, const T* w, T* s, std::size_t lds);

}  // namespace neuralts::math
