#include "handles.hpp"
#include "json_objects.hpp"

using namespace neuralts;
using namespace neuralts::capi;

namespace {

neuralts_settled settled_of(Settled settled) {
  switch (settled) {
    case Settled::learned: return NEURALTS_LEARNED;
    case Settled::duplicate: return NEURALTS_DUPLICATE;
    case Settled::expired: return NEURALTS_EXPIRED;
    case Settled::unknown: break;
  }
  return NEURALTS_UNKNOWN;
}

void hand_out_session(neuralts_session** out, Session session) {
  hand_out(out, std::make_unique<neuralts_session>(neuralts_session{std::move(session), {}}));
}

/// What a session has only once it has seen events.
template <class T>
const T& known(const T* pointer) {
  if (pointer == nullptr)
    throw Error(ErrorCode::unsupported, "session", "there is no schema yet",
                "let it see more events, or declare the features");
  return *pointer;
}

}  // namespace

extern "C" {

neuralts_status neuralts_session_create(const char* policy, const char* preset, const char* params,
                                        const char* features, size_t arms, uint64_t seed,
                                        neuralts_session** out) {
  return guarded(__func__, [&] {
    SessionSpec spec{.policy = spec_of(policy, preset, params, seed)};
    spec.features = parse_features(features == nullptr ? "auto" : features);
    spec.most_arms = arms;
    hand_out_session(out, Session(std::move(spec)));
  });
}

neuralts_status neuralts_session_select(neuralts_session* session, const char* context, const char* actions,
                                        double time, const char* event_id, neuralts_choice* out) {
  return guarded(__func__, [&] {
    neuralts_session& own = given(session, "session");
    neuralts_choice& place = given(out, "out");
    read_objects(context, actions, own.objects);
    const Choice& choice = own.session.select(own.objects, time, text_or_empty(event_id));
    place = {choice.event_id.c_str(), choice.action.c_str(), seen(choice.decision)};
  });
}

neuralts_status neuralts_session_reward(neuralts_session* session, const char* event_id, double reward, double time,
                                        neuralts_settled* settled) {
  return guarded(__func__, [&] {
    const Settled what = given(session, "session").session.reward(text(event_id, "event_id"), reward, time);
    if (settled != nullptr) *settled = settled_of(what);
  });
}

neuralts_status neuralts_session_expire(neuralts_session* session, double now, double after, double reward,
                                        size_t* settled) {
  return guarded(__func__, [&] {
    const std::size_t count = given(session, "session").session.expire(now, after, reward);
    if (settled != nullptr) *settled = count;
  });
}

size_t neuralts_session_open(const neuralts_session* session) {
  return session == nullptr ? 0 : session->session.open();
}

neuralts_status neuralts_session_schema(const neuralts_session* session, neuralts_bytes** out) {
  return guarded(__func__, [&] {
    hand_out(out, bytes_of_text(known(given(session, "session").session.schema()).to_json()));
  });
}

neuralts_status neuralts_session_publish(const neuralts_session* session, neuralts_model** out) {
  return guarded(__func__, [&] {
    auto model = known(given(session, "session").session.policy()).publish();
    hand_out(out, std::make_unique<neuralts_model>(neuralts_model{std::move(model)}));
  });
}

neuralts_status neuralts_session_save(const neuralts_session* session, const char* path) {
  return guarded(__func__, [&] { given(session, "session").session.save(text(path, "path")); });
}

neuralts_status neuralts_session_load(const char* path, neuralts_session** out) {
  return guarded(__func__, [&] { hand_out_session(out, Session::load(text(path, "path"))); });
}

void neuralts_session_free(neuralts_session* session) { delete session; }
}
