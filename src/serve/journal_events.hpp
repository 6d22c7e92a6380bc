// A loop's journal as the events that evaluations read: decisions with their rewards, in the order in which the
// rewards became final.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "neuralts/evaluate.hpp"
#include "serve/decide.hpp"
#include "serve/join.hpp"

namespace neuralts::serve {

/// Reads the journal anew at every rewind. An event offers the actions that were eligible, in the order given. Events kept
/// without all actions' features are left out: the others stand for them (Event::kept). So are events of another form than
/// the loop's first.
class JournalEvents final : public EventSource {
 public:
  using MakeReader = std::function<std::unique_ptr<JournalReader>()>;

  /// `now_us`: windows that are over by then are closed, whether or not a later record says so.
  JournalEvents(MakeReader make_reader, std::uint32_t loop, Join::ConfigOf config_of, std::int64_t now_us);

  void rewind() override;
  /// Those without a final reward come last, without one.
  bool next(Event& out) override;
  std::string place() const override { return place_; }

 private:
  bool read_more();
  void read_open();
  void add(Sequence sequence, std::int64_t time_us, const EventRecord& record, const Joined* joined);
  bool fits(const EventRecord& record);

  MakeReader make_reader_;
  const std::uint32_t loop_;
  Join::ConfigOf config_of_;
  const std::int64_t now_us_;
  std::unique_ptr<JournalReader> reader_, finder_;
  std::unique_ptr<Join> join_;
  Sequence at_ = 0, open_at_ = 0;
  bool joined_all_ = false, done_ = false;
  Form form_ = Form::none;
  std::uint32_t length_ = 0;
  std::deque<Event> ready_;
  Offered offered_;
  std::vector<std::uint32_t> eligible_;
  std::string place_;
};

}  // namespace neuralts::serve
