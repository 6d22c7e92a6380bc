// The text of the exception of type E that `call` throws; empty when it throws none.
#pragma once

#include <string>

namespace neuralts {

template <class E, class Call>
std::string error_text(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

}  // namespace neuralts
