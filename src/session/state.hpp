// What a session holds, and how its parts work together.
#pragma once

#include <optional>

#include "neuralts/agent.hpp"
#include "neuralts/session.hpp"
#include "session/arm_names.hpp"
#include "session/arm_rounds.hpp"
#include "session/open_events.hpp"

namespace neuralts {

/// An event of the time in which the schema was learned, to be encoded again.
struct EarlyEvent {
  FieldTable objects;
  std::size_t arm = 0;  ///< chosen
  std::string action{};
  std::optional<double> reward{};
};

struct Session::State {
  /// Then begin() or load().
  explicit State(SessionSpec given);
  void begin();

  bool by_name() const { return spec.most_arms > 0; }
  std::size_t blocks_in_all() const { return by_name() ? spec.most_arms : 1; }
  bool frozen() const { return encoder && !learner; }
  std::size_t length() const { return length_in(*encoder); }  ///< of a context
  std::size_t length_in(const Encoder& of) const;

  // session.cpp: choosing
  void check(const FieldTable& objects, double time, const std::string& event_id) const;
  void encode(const FieldTable& objects);
  void encode_offered(const FieldTable& objects);
  void choose(const FieldTable& objects);
  std::string next_id() const;
  void keep_open(const FieldTable& objects, double time);
  void log_choice(const FieldTable& objects, double time);

  // learning.cpp: settling and schemas
  void learn_schema_from(const FieldTable& objects);
  void take_schema(Schema schema);
  void take_as_paid(std::span<const OpenEvent* const> events, double reward, double time);
  void learn(std::span<const Finished> rounds);
  void encode_chosen(const FieldTable& objects, std::size_t arm, std::span<double> out) const;
  void tell_offered(const FieldTable& objects);
  void take_arms(const std::vector<std::string>& names);
  void relearn_without(std::span<const std::uint32_t> blocks);
  std::vector<std::string> names_of(const FieldTable& objects) const;

  void freeze();

  // fit.cpp
  void learn_schema_from_log(const std::string& path, const FitOptions& options);
  std::uint32_t block_of_logged(const Event& event, const std::string& path);

  // session_file.cpp
  void save(Writer& out) const;
  void load(Reader& in, const std::string& where);
  void check_rounds(Reader& in) const;
  void check_round(Reader& in, const Finished& round) const;

  SessionSpec spec;
  std::optional<SchemaLearner> learner;  ///< while the schema is not frozen
  std::optional<Encoder> encoder;
  std::optional<Agent> agent;            ///< as soon as there is an encoder
  Stream stream;                         ///< for choices before
  OpenEvents open;
  ArmNames arms;
  std::vector<EarlyEvent> early;
  ArmRounds kept;                        ///< of arms by name
  std::uint64_t decisions = 0;
  std::uint64_t left_out = 0;  ///< fields that the schema does not know
  Choice choice;
  std::vector<std::string> ids;    ///< of the actions offered now
  std::vector<double> numbers;     ///< encoded now
  std::vector<std::uint32_t> blocks;
  std::shared_ptr<LogWriter> log;
};

}  // namespace neuralts
