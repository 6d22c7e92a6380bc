// Every parser of the service's bodies and records: reads, or refuses with a Problem (4xx) or Error(corrupt).
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "serve/bodies.hpp"
#include "serve/problem.hpp"
#include "serve/record.hpp"

namespace {

template <class Read>
void survives(const Read& read) {
  try {
    read();
  } catch (const neuralts::serve::Problem& problem) {
    if (problem.status() >= 500) throw std::logic_error("a body is no fault of the service");
  } catch (const neuralts::Error& error) {
    if (error.code() != neuralts::ErrorCode::corrupt) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neuralts::serve;
  static BodyParser parser({});
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  bool batch = false;
  survives([&] { parser.rank(bytes, batch); });
  survives([&] { parser.slots(bytes); });
  survives([&] { parser.rank_binary(bytes); });
  survives([&] { parser.reward(bytes); });
  for (const bool slots : {false, true}) {
    survives([&] { parser.personalizer_rank(bytes, slots); });
    survives([&] { parser.personalizer_reward(bytes, slots); });
  }
  survives([&] { decode_event(bytes); });
  survives([&] { decode_reward(bytes); });
  return 0;
}
