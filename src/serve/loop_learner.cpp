#include "serve/loop_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/sealed.hpp"
#include "neuralts/error.hpp"
#include "neuralts/limits.hpp"
#include "serve/event_id.hpp"
#include "serve/model_file.hpp"
#include "serve/standing_back.hpp"

namespace neuralts::serve {

namespace {

constexpr SealedKind sealed_checkpoint{"NTSCHKPT", 3, 3, "checkpoint"};
constexpr std::uint32_t bare_state_version = 1, unsealed_version = 2;
constexpr std::size_t models_kept = 10;
// Objects are encoded from here on, and once more when all of the schema's events are there.
constexpr std::uint64_t first_fit = 16;
constexpr std::size_t recent_max = 20;

}  // namespace

LoopLearner::LoopLearner(Loop& loop, Journal& journal, const Clock& clock, const Log& log)
    : loop_(loop),
      journal_(journal),
      clock_(clock),
      log_(log),
      reader_(journal.reader()),
      join_(loop.id(), [this](std::uint32_t revision) -> const LoopConfig& { return loop_.config(revision); }) {
  configure();
  load_newest_model();
  restore();
  next_checkpoint_us_ = clock_.ticks_us() + static_cast<std::int64_t>(config_.checkpoint_seconds * 1e6);
  show();
}

void LoopLearner::configure() {
  config_ = loop_.current()->config;
  features_ = parse_features(config_.features);
  last_fit_ = features_.complete() ? 1 : std::max<std::uint64_t>(1, features_.events);
}

/// One that is damaged must not keep the others from serving: the next one is published from what is learned.
void LoopLearner::load_newest_model() {
  for (const StoredModel& listed : journal_.models(loop_.id())) {
    const auto stored = journal_.model(loop_.id(), listed.version);
    if (!stored) continue;
    try {
      auto published = stored_model(*stored);
      loop_.learner.published_us = stored->time_us;
      return loop_.publish(std::move(published));
    } catch (const Error& error) {
      unreadable_ = std::max(unreadable_, listed.version);
      log_.error("model not used: the one before it is", {{"loop", loop_.name()}, {"why", error.what()}});
    }
  }
}

/// As if no record had been read.
void LoopLearner::reset() {
  configure();
  position_ = 0;
  form_ = {};
  join_ = Join(loop_.id(), [this](std::uint32_t revision) -> const LoopConfig& { return loop_.config(revision); });
  stats_ = {};
  judge_ = {};
  learner_.reset();
  learned_ = events_ = fitted_ = 0;
  early_.clear();
  recent_.clear();
}

/// After a failure in the middle of a record: back to the last checkpoint. What was learned since is learned
/// again, alike.
void LoopLearner::reload() {
  reset();
  restore();
  broken_ = false;
}

std::string LoopLearner::save() const {
  Writer out;
  out.text(to_json(config_));
  out.value(position_);
  out.value(learned_);
  out.value(form_.form);
  out.value(form_.length);
  out.text(form_.encoder ? form_.encoder->schema().to_json() : std::string());
  out.value(events_);
  out.value(fitted_);
  out.values(early_);
  join_.save(out);
  stats_.save(out);
  judge_.save(out);
  out.text(learner_ ? learner_->save() : std::string());
  const auto bytes = seal(sealed_checkpoint, out);
  return {bytes.begin(), bytes.end()};
}

/// A checkpoint that knows records the journal does not have (a segment was lost, or an older copy restored) is of another
/// journal: new records of those sequences would never be read. What cannot be read a whole journal tells again; where its
/// beginning was dropped, nobody else knows it.
void LoopLearner::restore() {
  const auto checkpoint = journal_.get_checkpoint(loop_.id());
  if (!checkpoint) return;
  const JournalInfo journal = journal_.info();
  if (checkpoint->position > journal.last)
    return log_.error("checkpoint not used: it is ahead of the journal, which is learned from its beginning",
                      {{"loop", loop_.name()}, {"position", checkpoint->position}, {"journal", journal.last}});
  try {
    restore(*checkpoint);
  } catch (const std::exception& error) {
    if (journal.first > 1)
      throw Error(ErrorCode::corrupt, "checkpoint of loop " + loop_.name(),
                  fmt::format("it cannot be read ({}), and what came before record {} is in no segment any more", error.what(),
                              journal.first),
                  "restore the folder from a backup; or delete it from the table `checkpoints` to learn from what there is");
    reset();
    log_.error("checkpoint not used: it cannot be read, and the journal is learned from its beginning",
               {{"loop", loop_.name()}, {"why", error.what()}});
  }
}

void LoopLearner::restore(const Checkpoint& checkpoint) {
  const std::string where = "checkpoint of loop " + loop_.name();
  const bool sealed = is_sealed(sealed_checkpoint, checkpoint.bytes);
  Reader in(sealed ? unseal(sealed_checkpoint, checkpoint.bytes, where).body
                   : std::span<const char>(checkpoint.bytes),
            where);
  const auto version = sealed ? sealed_checkpoint.version : in.value<std::uint32_t>();
  if (!sealed && version != unsealed_version && version != bare_state_version) in.fail();
  if (!loop_config_from_json(in.text()).learns_like(config_)) return;
  position_ = in.value<Sequence>();
  learned_ = in.value<std::uint64_t>();
  form_.form = in.value<Form>();
  form_.length = in.value<std::uint32_t>();
  if (const std::string schema = in.text(); !schema.empty())
    form_.encoder = std::make_shared<const Encoder>(Schema::from_json(schema, "checkpoint"));
  events_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  early_ = in.values<Early>();
  join_.restore(in, position_);
  stats_.restore(in);
  judge_.restore(in);
  const std::string state = in.text();
  if (!in.at_end() || position_ != checkpoint.position) in.fail();
  if (state.empty()) return;
  if (form_.form == Form::objects && !form_.encoder) in.fail();
  if (version == bare_state_version) learner_.emplace(spec(), state);
  else learner_.emplace(state);
  const std::size_t length = length_of(form_);
  if (learner_->spec().shape != Shape{length, 1} || !judge_.judges(length)) in.fail();
  unpublished_ = loop_.published()->position < position_;
}

void LoopLearner::fix_form(const EventRecord& event) {
  form_.form = event.form;
  form_.length = event.length;
  if (form_.form == Form::vectors) make_learner();
}

PolicySpec LoopLearner::spec() const {
  return {.name = config_.policy,
          .preset = config_.preset,
          .params = config_.params,
          .shape = {length_of(form_), 1},
          .seed = config_.seed};
}

void LoopLearner::make_learner() {
  learner_.emplace(spec());
  judge_ = {};
  learned_ = 0;
  unpublished_ = true;
}

/// Makes the schema from the events so far when it is time. True: there is a new one, and nothing has been
/// learned with it.
bool LoopLearner::fit_features() {
  if (form_.form != Form::objects) return false;
  if (fitted_ >= last_fit_ || (events_ != last_fit_ && events_ != std::min(first_fit, last_fit_))) return false;
  SchemaLearner schema(features_);
  std::vector<Record> events;
  reader_->read_events(0, events_, loop_.id(), events);
  for (const Record& event : events) {
    offered_from(decode_event(event.payload), offered_);
    try {
      if (!offered_.objects.empty()) schema.see(offered_.objects);
    } catch (const ContractError&) {
      stats_.misfit();
    }
  }
  const bool same = form_.encoder && form_.encoder->schema() == schema.schema();
  fitted_ = events_;
  if (!same) form_.encoder = std::make_shared<const Encoder>(schema.schema());
  return !same;
}

void LoopLearner::relearn_early(const std::stop_token& stop) {
  make_learner();
  for (const Early& round : early_) {
    const auto event = reader_->find(round.sequence);
    if (stopped_ || !event) return;
    learn(decode_event(event->payload), round.sequence, round.reward, stop);
  }
}

bool LoopLearner::step(std::size_t limit, const std::stop_token& stop) {
  if (broken_) reload();
  const auto current = loop_.current();
  if (!current->config.learns_like(config_)) {  // everything is learned again from the first record
    reset();
    log_.info("relearn", {{"loop", loop_.name()}, {"policy", config_.policy}});
  }
  config_ = current->config;
  const std::int64_t before_us = clock_.ticks_us();
  const bool more = read_and_learn(limit, stop);
  if (stopped_) return false;
  loop_.learner.position = position_;
  loop_.learner.learned = learned_;
  loop_.learner.waiting = join_.waiting();
  const std::int64_t now_us = clock_.ticks_us();
  loop_.learner.training_us += now_us - before_us;
  if (std::exchange(held_, loop_.pinned.load()) && !held_) unpublished_ = true;  // released: the recalled model goes
  if (unpublished_ && now_us >= next_publish_us_) publish();
  if (unsaved_ && now_us >= next_checkpoint_us_) checkpoint();
  if (now_us >= next_show_us_) show();
  return more;
}

bool LoopLearner::read_and_learn(std::size_t limit, const std::stop_token& stop) {
  records_.clear();
  const Sequence seen = reader_->read(position_, limit, loop_.id(), records_);
  broken_ = true;  // until all of them are taken
  for (const Record& record : records_) {
    take(record, stop);
    if (stopped_) return false;
    position_ = record.sequence;
    loop_.learner.position_us = record.time_us;
  }
  broken_ = false;
  position_ = std::max(position_, seen);
  unsaved_ = unsaved_ || !records_.empty();
  return records_.size() == limit;
}

void LoopLearner::take(const Record& record, const std::stop_token& stop) {
  step_aside();
  if (record.kind == Kind::event) see_event(record, stop);
  join_.take(record, *reader_, [&](const Joined& joined) {
    if (!stopped_) settle(joined, stop);
  });
}

void LoopLearner::see_event(const Record& record, const std::stop_token& stop) {
  EventRecord event = decode_event(record.payload);
  ++events_;
  if (form_.form == Form::none && event.form != Form::none &&
      (config_.length == 0 || config_.length == event.length))
    fix_form(event);
  if (fit_features()) relearn_early(stop);
  stats_.event(record, event);
  recent_.push_back({record.sequence, record.time_us, std::move(event), std::nullopt, std::nullopt});
  if (recent_.size() > recent_max) recent_.pop_front();
}

/// A share of the rounds, spread evenly and the same in every replay.
bool LoopLearner::held_out(Sequence sequence) const {
  const std::uint64_t mixed = sequence * 0x9E3779B97F4A7C15ULL;
  return static_cast<double>(mixed >> 11) * 0x1p-53 < config_.holdout;
}

void LoopLearner::settle(const Joined& joined, const std::stop_token& stop) {
  for (auto& recent : recent_)
    if (recent.sequence == joined.sequence) recent.reward = joined.reward;
  if (loop_.config(joined.event->revision).mode == Mode::logging) return stats_.joined(joined, false);
  if (form_.form == Form::objects && fitted_ < last_fit_) early_.push_back({joined.sequence, joined.reward});
  stats_.joined(joined, learn(*joined.event, joined.sequence, joined.reward, stop));
}

/// False: it was held out, or there is nothing that could learn it.
bool LoopLearner::learn(const EventRecord& event, Sequence sequence, double reward, const std::stop_token& stop) {
  if (!learner_) return false;
  // A sum of rewards may be more than each may be.
  if (!played_context(form_, event, offered_, context_) || std::abs(reward) > largest_number) {
    stats_.misfit();
    return false;
  }
  if (held_out(sequence)) {
    judge_.add(context_, reward);
    return false;
  }
  if (offered_contexts(form_, event, offered_, contexts_))
    learner_->offered(Contexts::per_arm(contexts_, contexts_.size() / context_.size()));
  learner_->observe({context_}, reward);
  step_aside();
  ++learned_;
  unpublished_ = true;
  stopped_ = !learner_->train(stop);
  return true;
}

void LoopLearner::publish() try {
  next_publish_us_ = clock_.ticks_us() + static_cast<std::int64_t>(config_.publish_seconds * 1e6);
  if (!learner_ || loop_.pinned) return;
  const std::int64_t start_us = clock_.ticks_us();
  const std::string bytes = model_bytes(form_.form, form_.length, form_.encoder.get(), learner_->publish());
  auto next = std::make_shared<Published>(model_from_bytes(bytes, "a new model"));
  const auto serving = loop_.published();
  unpublished_ = false;
  if (const auto refusal = judge_.refusal(serving->model.get(), *next->model)) {
    ++loop_.learner.refused;
    log_.error("model refused", {{"loop", loop_.name()}, {"position", position_}, {"why", *refusal}});
    return;
  }
  const auto publishing = loop_.begin_publishing();
  if (loop_.pinned) return;  // a person was quicker
  const auto models = journal_.models(loop_.id());
  const std::uint64_t newest = models.empty() ? 0 : models.front().version;
  if (newest > std::max(serving->version, unreadable_)) {
    unpublished_ = true;  // another process has stored it, perhaps to hold it: it is taken up first
    return;
  }
  next->version = newest + 1;
  next->position = position_;
  const std::string note =
      nlohmann::json({{"learned", learned_}, {"policy", config_.policy}, {"held_out", judge_.size()}}).dump();
  journal_.put_model(loop_.id(), {next->version, position_, clock_.now_us(), sha256_hex(bytes), note, bytes},
                     models_kept);
  loop_.publish(next);
  loop_.learner.published_us = clock_.now_us();
  ++loop_.learner.published;
  // A model that is dear to write is written less often.
  next_publish_us_ = std::max(next_publish_us_, clock_.ticks_us() + 20 * (clock_.ticks_us() - start_us));
} catch (const JournalError& error) {
  unpublished_ = true;
  ++loop_.learner.failures;
  log_.error("model not stored", {{"loop", loop_.name()}, {"why", error.what()}});
} catch (const ContractError& error) {  // another process has published meanwhile: the next version is tried next
  unpublished_ = true;
  log_.error("model not stored", {{"loop", loop_.name()}, {"why", error.what()}});
} catch (const Error& error) {
  ++loop_.learner.refused;
  log_.error("model refused", {{"loop", loop_.name()}, {"why", error.what()}});
}

void LoopLearner::checkpoint() try {
  const std::int64_t start_us = clock_.ticks_us();
  journal_.put_checkpoint(loop_.id(), {position_, save()});
  ++loop_.learner.checkpoints;
  unsaved_ = false;
  const std::int64_t now_us = clock_.ticks_us();
  next_checkpoint_us_ = now_us + std::max(static_cast<std::int64_t>(config_.checkpoint_seconds * 1e6),
                                          20 * (now_us - start_us));
} catch (const JournalError& error) {
  next_checkpoint_us_ = clock_.ticks_us() + 1'000'000;
  ++loop_.learner.failures;
  log_.error("checkpoint not written", {{"loop", loop_.name()}, {"why", error.what()}});
}

bool LoopLearner::tick_due(std::int64_t now_us) {
  const auto close_us = join_.next_close_us(position_, *reader_);
  return close_us && *close_us <= now_us;
}

void LoopLearner::flush() {
  if (stopped_ || broken_) return;
  if (unpublished_) publish();
  if (unsaved_) checkpoint();
  show();
}

std::string LoopLearner::learned() const { return learner_ ? learner_->publish() : std::string(); }

}  // namespace neuralts::serve
