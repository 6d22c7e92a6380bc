// The journal of a node that goes on while the shared one is away: entries go into a spool of its own and are
// acknowledged there; a shipper hands them on. Records are read, and models, checkpoints and configurations
// kept, in the shared journal; of the last two the spool has copies, so that a node starts and decides
// without it.
#pragma once

#include <atomic>
#include <mutex>

#include "serve/clock.hpp"
#include "serve/journal/shared_journal.hpp"

namespace neuralts::serve {

class SpoolJournal final : public Journal {
 public:
  /// `writer`: the node's number in the shared journal. All three are used until the end.
  SpoolJournal(Journal& spool, SharedJournal& shared, const Clock& clock, std::uint16_t writer)
      : spool_(spool), shared_(shared), clock_(clock), writer_(writer) {}

  /// Into the spool. What is about an event that is not this node's is stored as a parcel:
  /// Outcome::forwarded.
  void append(std::span<Entry> batch, std::int64_t now_us) override;
  void tidy() override { spool_.tidy(); }
  std::unique_ptr<JournalReader> reader() override { return shared_.reader(); }
  /// The spool's, but `first` and `last` are the shared journal's.
  JournalInfo info() override;
  /// Of the spool what has been shipped and is older than names are remembered. The shared journal's turn
  /// comes with drop_shared(): who commits must not wait for it.
  std::size_t drop_before(std::int64_t time_us) override;
  /// What the last drop_before() wanted, in the shared journal, by the process that learns. Returns how many
  /// segments. Throws JournalError.
  std::size_t drop_shared();

  void put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint) override {
    shared_.put_checkpoint(loop, checkpoint);
  }
  /// Nothing on a node that does not learn.
  std::optional<Checkpoint> get_checkpoint(std::uint32_t loop) override;
  void drop_checkpoint(std::uint32_t loop) override { shared_.drop_checkpoint(loop); }
  void put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) override;
  std::vector<StoredModel> models(std::uint32_t loop) override;
  std::vector<StoredModel> models_seen(std::uint32_t loop) override { return shared_.models_seen(loop); }
  std::optional<StoredModel> model(std::uint32_t loop, std::uint64_t version) override;
  void put_setting(const std::string& key, const std::string& value) override;
  std::optional<std::string> get_setting(const std::string& key) override;
  std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix) override;
  void drop_setting(const std::string& key) override { shared_.drop_setting(key); }
  bool lease(const std::string& name, const std::string& owner, std::int64_t now_us,
             std::int64_t until_us) override {
    return shared_.lease(name, owner, now_us, until_us);
  }
  /// Nothing while the shared journal is away: nothing can be changed then. While it is held, what the shared
  /// journal cannot answer is a JournalError, not a memory.
  std::shared_ptr<void> turn() override;

  /// Events appended from now on are another writer's. Any thread.
  void go_on_as(std::uint16_t writer) { writer_ = writer; }
  void set_learning(bool learning) { learning_ = learning; }
  /// Up to here the spool has been shipped, and when that record was made.
  void set_shipped(Sequence sequence, std::int64_t time_us) { shipped_ = sequence, shipped_us_ = time_us; }

 private:
  Entry spooled(const Entry& entry) const;
  template <class Ask, class Remember>
  auto ask(const Ask& ask_shared, const Remember& remembered) -> decltype(remembered());
  void remember(const std::string& key, const std::string& value);
  void remember(std::uint32_t loop, const StoredModel& model);
  std::optional<StoredModel> copy_of(std::uint32_t loop);

  Journal& spool_;
  SharedJournal& shared_;
  const Clock& clock_;
  std::atomic<std::uint16_t> writer_;
  std::atomic<bool> learning_{false};
  std::atomic<int> turns_{0};  // of this process that are held
  std::atomic<Sequence> shipped_{0};
  std::atomic<std::int64_t> shipped_us_{0}, away_until_us_{0}, last_append_us_{0}, drop_before_us_{0};
};

}  // namespace neuralts::serve
