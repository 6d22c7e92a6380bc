// What the opaque handles hold, and how a C caller's numbers become contexts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "guard.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/feature.hpp"
#include "neuralts/session.hpp"

struct neuralts_bytes {
  std::vector<char> data;
  std::size_t size;  // without the zero byte after a text
};
struct neuralts_model {
  std::shared_ptr<const neuralts::Model> model;
};
struct neuralts_decider {
  neuralts::Stream stream;
  neuralts::Scratch scratch;
  neuralts::Decision decision;
};
struct neuralts_agent {
  neuralts::Agent agent;
};
struct neuralts_encoder {
  neuralts::Encoder encoder;
};
struct neuralts_session {
  neuralts::Session session;
  neuralts::FieldTable objects;  // its memory is used again
};

namespace neuralts::capi {

/// `count` numbers at `pointer`; no pointer is needed for none.
template <class T>
std::span<const T> numbers(const T* pointer, std::size_t count, const char* name) {
  return {count == 0 ? pointer : &given(pointer, name), count};
}

/// Throws ContractError where rows * length is beyond what can be addressed.
std::size_t cells(std::size_t rows, std::size_t length);

Contexts rows_of(const double* contexts, std::size_t arms, std::size_t length);
Contexts shared_of(const double* x, std::size_t length, const std::uint32_t* blocks, std::size_t arms);

/// Views of `decision`.
neuralts_decision seen(const Decision& decision);

std::unique_ptr<neuralts_bytes> bytes_of(std::vector<char> data);
std::unique_ptr<neuralts_bytes> bytes_of_text(const std::string& text);

PolicySpec spec_of(const char* policy, const char* preset, const char* params, std::uint64_t seed);

}  // namespace neuralts::capi
