#include "handles.hpp"
#include "json_objects.hpp"

using namespace neuralts;
using namespace neuralts::capi;

extern "C" {

neuralts_status neuralts_encoder_create(const char* schema, neuralts_encoder** out) {
  return guarded(__func__, [&] {
    hand_out(out, std::make_unique<neuralts_encoder>(
                      neuralts_encoder{Encoder(Schema::from_json(text(schema, "schema")))}));
  });
}

size_t neuralts_encoder_length(const neuralts_encoder* encoder) {
  return encoder == nullptr ? 0 : encoder->encoder.length();
}

neuralts_status neuralts_encoder_encode(const neuralts_encoder* encoder, const char* context,
                                        const char* actions, double* values, size_t room, size_t* arms) {
  return guarded(__func__, [&] {
    thread_local FieldTable objects;
    const Encoder& own = given(encoder, "encoder").encoder;
    std::size_t& count = given(arms, "arms");
    read_objects(context, actions, objects);
    const std::size_t needed = (objects.rows() - 1) * own.length();
    if (room < needed) {
      count = objects.rows() - 1;
      throw ContractError("room for " + std::to_string(room) + " numbers, but there are " + std::to_string(needed));
    }
    if (needed > 0) own.encode(objects, std::span(&given(values, "values"), needed));
    count = objects.rows() - 1;
  });
}

void neuralts_encoder_free(neuralts_encoder* encoder) { delete encoder; }
}
