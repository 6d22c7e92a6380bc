// The decision service without its wires: requests go in, answers come out, and steps drive what a process
// gives to threads.
//
// Everything outside is an argument (journal, clock, randomness, log), so a simulation runs this same code in
// one thread with virtual time and a disk that fails; the HTTP door and the threads of a process are in server.hpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shared_cell.hpp"
#include "serve/access.hpp"
#include "serve/bodies.hpp"
#include "serve/committer.hpp"
#include "serve/entropy.hpp"
#include "serve/event_id.hpp"
#include "serve/latency.hpp"
#include "serve/log.hpp"
#include "serve/loop.hpp"
#include "serve/loop_learner.hpp"
#include "serve/metrics.hpp"

namespace neuralts::serve {

struct Request {
  std::string_view method, target;         ///< target as it came: path and query
  std::string_view body, content_type;
  std::string_view token;                  ///< without "Bearer "
  std::string_view content_encoding = {};
};

struct Answer {
  int status = 200;
  const char* type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  /// What it was made of, if anything: ends with the answer, by the thread that sends it.
  std::unique_ptr<Submission> made_of = nullptr;
};

/// Called once, from any thread that drives the service.
using Reply = std::function<void(Answer&&)>;

struct ServiceOptions {
  BodyLimits body;
  std::size_t pending_max = 2048;          ///< records that may wait for their commit; more are answered with 429
  std::size_t batch_max = 256;
  std::size_t loops_max = 64;
  std::string tokens;                      ///< the file of tokens; empty: no token is asked for
  const char* acknowledged = "durable";    ///< how an answer says that it is stored
  bool several = false;                    ///< other processes share the journal: see refresh() and set_learning()
  std::uint16_t writer = 0;                ///< whose sequences its ids hold; 0: the journal's own
  std::string node;                        ///< this process among several
  LoopConfig default_loop;
};

/// What a thread that handles requests keeps from one to the next.
class Worker {
 public:
  Worker(const BodyLimits& limits, std::uint64_t seed) : parser(limits), seeds(seed, Purpose::exploration) {}
  BodyParser parser;
  Workspace workspace;
  Verdict verdict;
  EventRecord record;
  Stream seeds;   ///< every decision's seed, logged with it
};

/// A loop and who learns for it.
struct LoopRuntime {
  LoopRuntime(std::uint32_t id, const std::string& name, std::deque<LoopConfig> revisions, LoopMeters& loop_meters)
      : loop(id, name, std::move(revisions)), meters(loop_meters) {}
  Loop loop;
  LoopMeters& meters;
  std::unique_ptr<LoopLearner> learner;    ///< one thread
  std::atomic<bool> resume{false};         ///< another process may have learned meanwhile
  // The learner's thread:
  std::int64_t next_share_us = 0;          ///< when the others are told again
  std::int64_t next_tick_us = 0;
};

class Service {
 public:
  using Loops = std::map<std::string, std::shared_ptr<LoopRuntime>, std::less<>>;
  static constexpr const char* loop_prefix = "loop/";   ///< of the settings that hold loops

  /// Finds its loops in the journal; makes the loop `default` where there is none. Throws Error.
  Service(const ServiceOptions& options, Journal& journal, const Clock& clock, Entropy& entropy, const Log& log);
  ~Service();

  /// Any thread, each with its own worker. Never throws. The views of `request` are not used after the return.
  void handle(const Request& request, Worker& worker, Reply reply);
  std::unique_ptr<Worker> make_worker();

  /// One batch of the journal. False: nothing waited. One thread.
  bool commit_step() { return committer_.step(); }
  Committer& committer() { return committer_; }
  /// One stretch of a loop's learner, and its tick when one is due. False: nothing more to read for now. One
  /// thread per loop.
  bool learn_step(LoopRuntime& runtime, const std::stop_token& stop);
  std::shared_ptr<const Loops> loops() const { return loops_.load(); }
  /// Told of every loop that is there or comes to be: whoever drives learners starts one.
  void on_loop(std::function<void(std::shared_ptr<LoopRuntime>)> hook);

  /// Takes up loops, configurations and models that other processes have stored. Throws JournalError.
  void refresh();
  /// Among several processes one learns; until it is told so, none does. Any thread.
  void set_learning(bool learning);
  bool learning() const { return learning_; }

  /// From now on its ids hold sequences of another writer. Any thread.
  void go_on_as(std::uint16_t writer) { writer_ = writer; }
  /// What a node tells about itself, as JSON, for the numbers.
  void set_node_state(std::function<std::string()> state) { node_state_ = std::move(state); }

  /// Who runs work that takes seconds, apart from decisions; without one it is done at once, by the caller.
  void set_background(std::function<void(std::function<void()>)> run) { background_ = std::move(run); }

  /// From now on every request is answered 503: the service is going down.
  void stop_taking() { stopping_ = true; }
  bool ready();
  /// Writes a tick to a journal that failed: who is not ready may be asked for nothing more, and would stay so. The
  /// thread that commits.
  void try_again();
  /// Drops journal segments that no loop wants any more. The thread that commits.
  void forget_old();
  Access& access() { return access_; }
  Metrics& metrics() { return metrics_; }
  const IdSigner& signer() const { return *signer_; }
  Journal& journal() { return journal_; }

  struct Call;  // a request on its way (service_call.hpp)
  void call_rank(Call& call);
  void call_slots(Call& call);
  void call_reward(Call& call);
  void call_activate(Call& call);
  void call_loops(Call& call);
  void call_get_loop(Call& call);
  void call_put_loop(Call& call);
  void call_delete_loop(Call& call);
  void call_get_model(Call& call);
  void call_put_model(Call& call);
  void call_models(Call& call);
  void call_rollback(Call& call);
  void call_stats(Call& call);
  void call_evaluation(Call& call);
  void call_metrics(Call& call);
  void call_health(Call& call);
  void call_ready(Call& call);
  void call_openapi(Call& call);
  void call_page(Call& call);
  void call_page_script(Call& call);
  void call_personalizer_rank(Call& call);
  void call_personalizer_reward(Call& call);
  void call_personalizer_activate(Call& call);
  void call_personalizer_slots(Call& call);
  void call_personalizer_slots_reward(Call& call);
  void call_personalizer_configuration(Call& call);
  void call_personalizer_configure(Call& call);
  void call_personalizer_status(Call& call);

 private:
  std::shared_ptr<LoopRuntime> find(std::string_view name) const;
  std::shared_ptr<LoopRuntime> find(std::uint32_t id) const;
  std::shared_ptr<LoopRuntime> add_loop(std::uint32_t id, const std::string& name,
                                        std::deque<LoopConfig> revisions);
  std::shared_ptr<LoopRuntime> create_loop(const std::string& name, const LoopConfig& config);
  void store_loop(const Loop& loop, bool deleted);
  /// One change of loops at a time, here and among all processes, each from what the others have stored.
  struct Change {
    std::unique_lock<std::mutex> here;
    std::shared_ptr<void> everywhere;
  };
  Change begin_change();
  void refresh_loops();
  void take_loop(const std::string& stored);
  void submit_tick(std::uint32_t loop);
  void share_numbers(LoopRuntime& runtime);
  void take_numbers();
  void forget_loop(const std::shared_ptr<LoopRuntime>& runtime);
  void reconfigure(Loop& loop, const LoopConfig& config);
  void hold(Loop& loop, std::shared_ptr<Published> published, const std::string& bytes, const std::string& note);
  void let_go(Loop& loop, bool before);
  /// Answers when the entries are durable, with what `answer` makes of them (Answer(std::span<Entry>), may
  /// throw Problem); 503 when they cannot be stored. Throws Problem(429). In service_call.hpp.
  template <class Answering>
  void submit(Call& call, std::vector<Entry> entries, Answering answer);

  void decide_into(const LoopRuntime& runtime, const RankBody& body, Worker& worker, EventRecord& record) const;
  std::vector<Entry> decide_slots(const LoopRuntime& runtime, RankBody& body, Worker& worker,
                                  std::vector<std::string>& chosen) const;
  void count_decisions(const LoopRuntime& runtime, std::size_t events, std::int64_t start_us);
  void rank_all(Call& call, const std::shared_ptr<LoopRuntime>& runtime, std::span<RankBody> bodies,
                bool batch, bool personalizer);
  void rank_slots(Call& call, const std::shared_ptr<LoopRuntime>& runtime, RankBody& body, bool personalizer);
  std::string id_of(const Entry& entry) const;
  bool aim(Call& call, const std::string& id, Entry& entry);
  std::string rewarded_text(const char* outcome) const;
  void reward_one(Call& call, const std::string& id, RewardBody body, std::uint32_t loop, bool personalizer);
  void reward_slots(Call& call, const std::string& id, RewardBody body, std::uint32_t loop);
  void activate(Call& call, const std::string& id, std::uint32_t loop, bool personalizer);
  std::shared_ptr<LoopRuntime> personalizer_loop(const Call& call);

  const ServiceOptions options_;
  Journal& journal_;
  const Clock& clock_;
  Entropy& entropy_;
  const Log& log_;
  Metrics metrics_;
  Access access_;
  Committer committer_;
  LatencyMeter latency_;
  std::unique_ptr<IdSigner> signer_;
  SharedCell<const Loops> loops_;
  std::mutex admin_mutex_;                 // one change of loops at a time
  std::uint32_t next_loop_ = 1;
  std::map<std::string, std::string> stored_loops_;   // as they were last seen in the journal
  std::atomic<bool> learning_;
  std::atomic<std::uint16_t> writer_;      // whose sequences its ids hold
  std::function<std::string()> node_state_;
  std::function<void(std::shared_ptr<LoopRuntime>)> on_loop_;
  std::atomic<bool> stopping_{false}, evaluating_{false};
  std::function<void(std::function<void()>)> background_ = [](const std::function<void()>& work) { work(); };
  std::int64_t started_us_ = 0;
};

}  // namespace neuralts::serve
