#include "handles.hpp"

using namespace neuralts;
using namespace neuralts::capi;

namespace {

void select(const neuralts_model* model, neuralts_decider* decider, const Contexts& contexts,
            neuralts_decision* out) {
  neuralts_decision& place = given(out, "out");
  neuralts_decider& own = given(decider, "decider");
  given(model, "model").model->select(contexts, own.stream, own.scratch, own.decision);
  place = seen(own.decision);
}

void hand_out_model(neuralts_model** out, std::shared_ptr<const Model> model) {
  hand_out(out, std::make_unique<neuralts_model>(neuralts_model{std::move(model)}));
}

}  // namespace

extern "C" {

neuralts_status neuralts_decider_create(uint64_t seed, neuralts_decider** out) {
  return guarded(__func__, [&] {
    hand_out(out, std::unique_ptr<neuralts_decider>(
                      new neuralts_decider{Stream(seed, Purpose::exploration), {}, {}}));
  });
}

void neuralts_decider_free(neuralts_decider* decider) { delete decider; }

neuralts_status neuralts_model_select(const neuralts_model* model, neuralts_decider* decider,
                                      const double* contexts, size_t arms, size_t length,
                                      neuralts_decision* out) {
  return guarded(__func__, [&] { select(model, decider, rows_of(contexts, arms, length), out); });
}

neuralts_status neuralts_model_select_shared(const neuralts_model* model, neuralts_decider* decider,
                                             const double* x, size_t length, const uint32_t* blocks,
                                             size_t arms, neuralts_decision* out) {
  return guarded(__func__, [&] { select(model, decider, shared_of(x, length, blocks, arms), out); });
}

neuralts_status neuralts_model_share(const neuralts_model* model, neuralts_model** out) {
  return guarded(__func__, [&] { hand_out_model(out, given(model, "model").model); });
}

neuralts_status neuralts_model_save(const neuralts_model* model, const char* path) {
  return guarded(__func__, [&] { save_model(*given(model, "model").model, text(path, "path")); });
}

neuralts_status neuralts_model_load(const char* path, neuralts_model** out) {
  return guarded(__func__, [&] { hand_out_model(out, load_model(text(path, "path"))); });
}

neuralts_status neuralts_model_to_bytes(const neuralts_model* model, neuralts_bytes** out) {
  return guarded(__func__, [&] { hand_out(out, bytes_of(model_to_bytes(*given(model, "model").model))); });
}

neuralts_status neuralts_model_from_bytes(const void* data, size_t size, neuralts_model** out) {
  return guarded(__func__, [&] {
    const auto bytes = numbers(static_cast<const char*>(data), size, "data");
    hand_out_model(out, model_from_bytes(bytes, "bytes"));
  });
}

void neuralts_model_free(neuralts_model* model) { delete model; }
}
