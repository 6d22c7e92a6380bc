#include "handles.hpp"

namespace neuralts::capi {

std::size_t cells(std::size_t rows, std::size_t length) {
  if (length != 0 && rows > PTRDIFF_MAX / sizeof(double) / length)
    throw ContractError(std::to_string(rows) + " rows of " + std::to_string(length) +
                        " numbers are more than memory can hold");
  return rows * length;
}

Contexts rows_of(const double* contexts, std::size_t arms, std::size_t length) {
  return Contexts::per_arm(numbers(contexts, cells(arms, length), "contexts"), arms);
}

Contexts shared_of(const double* x, std::size_t length, const std::uint32_t* blocks, std::size_t arms) {
  const auto values = numbers(x, length, "x");
  return blocks == nullptr ? Contexts::disjoint(values, arms) : Contexts::disjoint(values, std::span(blocks, arms));
}

neuralts_decision seen(const Decision& decision) {
  return {decision.arm,
          decision.probability,
          decision.estimated ? 1 : 0,
          decision.probabilities.size(),
          decision.probabilities.data(),
          decision.mean.data(),
          decision.width.data()};
}

std::unique_ptr<neuralts_bytes> bytes_of(std::vector<char> data) {
  const std::size_t size = data.size();
  return std::make_unique<neuralts_bytes>(neuralts_bytes{std::move(data), size});
}

std::unique_ptr<neuralts_bytes> bytes_of_text(const std::string& text) {
  std::vector<char> data(text.begin(), text.end());
  data.push_back('\0');
  return std::make_unique<neuralts_bytes>(neuralts_bytes{std::move(data), text.size()});
}

PolicySpec spec_of(const char* policy, const char* preset, const char* params, std::uint64_t seed) {
  PolicySpec spec;
  spec.name = text(policy, "policy");
  spec.preset = text_or_empty(preset);
  spec.params = parse_params(text_or_empty(params));
  spec.seed = seed;
  return spec;
}

}  // namespace neuralts::capi

extern "C" {

const void* neuralts_bytes_data(const neuralts_bytes* bytes) {
  return bytes == nullptr ? nullptr : bytes->data.data();
}
size_t neuralts_bytes_size(const neuralts_bytes* bytes) { return bytes == nullptr ? 0 : bytes->size; }
void neuralts_bytes_free(neuralts_bytes* bytes) { delete bytes; }
}
