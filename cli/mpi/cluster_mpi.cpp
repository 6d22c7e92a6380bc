#include <mpi.h>

#include <chrono>
#include <deque>
#include <optional>
#include <thread>

#include "mpi/cluster.hpp"
#include "mpi/launched.hpp"

namespace neuralts::cli {

namespace {

enum Tag : int { ask = 1, answer, record, ask_more };

struct Message {
  int source, tag;
  std::string text;
};

void send(int rank, Tag tag, const std::string& text = "") {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, tag, MPI_COMM_WORLD);
}

/// A blocking receive of Open MPI keeps a core busy, which the runs of rank 0 need: look, then sleep.
Message receive() {
  MPI_Status status;
  for (int there = 0;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, status.MPI_TAG, std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.source, message.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return message;
}

std::string pack(std::size_t index, const Record& content) {
  return std::to_string(index) + " " + to_json(content);
}

std::pair<std::size_t, Record> unpack(const std::string& text) {
  const auto space = text.find(' ');
  return {std::stoull(text.substr(0, space)), record_from_json(std::string_view(text).substr(space + 1))};
}

/// A mistyped specification was refused on rank 0 already; should one arrive, it is a failed run here.
Record run_remotely(Runner& runner, const RunSpec& spec) {
  try {
    return runner(spec);
  } catch (const Error& problem) {
    Record failed;
    failed.spec = spec;
    failed.error = problem.what();
    return failed;
  }
}

/// Runs asked for one by one over the wire; several may be under way.
class RemoteWork final : public WorkSource {
 public:
  bool sent_home() const { return sent_home_; }

  std::optional<Work> next() override {
    send(0, under_way_ == 0 ? ask : ask_more);
    const Message message = receive();
    if (message.text.empty()) {
      sent_home_ = under_way_ == 0;
      return std::nullopt;
    }
    auto [index, content] = unpack(message.text);
    ++under_way_;
    return Work{index, std::move(content.spec)};
  }
  void finished(std::size_t index, Record content) override {
    --under_way_;
    send(0, record, pack(index, content));
  }

 private:
  std::size_t under_way_ = 0;
  bool sent_home_ = false;
};

class MpiCluster final : public Cluster {
 public:
  MpiCluster() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);  // only the main thread sends and receives
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &place_);
    MPI_Comm_free(&machine);
  }
  ~MpiCluster() override {
    if (leads()) send_home();
    MPI_Finalize();
  }
  bool leads() const override { return rank_ == 0; }

  void serve(WorkSource& work) override {
    for (auto left = idle_.size(); left > 0; --left) {
      const int rank = idle_.front();
      idle_.pop_front();
      hand_out(work, {rank, ask, ""});
    }
    while (static_cast<int>(idle_.size()) < size_ - 1) take(receive(), work);
  }

  void work(const std::string& data_dir, bool on_device) override {
    RemoteWork runs;
    SweepOptions options;
    options.data_dir = data_dir;
    while (on_device && !runs.sent_home()) run_on_device(runs, place_on_machine(), options);
    Runner runner(data_dir);
    for (std::optional<Work> work; !on_device && (work = runs.next());)
      runs.finished(work->index, run_remotely(runner, work->spec));
  }

  int processes() const override { return size_; }
  int place_on_machine() const override { return place_; }

 private:
  void take(const Message& message, WorkSource& work) {
    if (message.tag == ask || message.tag == ask_more) return hand_out(work, message);
    auto [index, content] = unpack(message.text);
    work.finished(index, std::move(content));
  }
  void hand_out(WorkSource& work, const Message& message) {
    const int rank = message.source;
    const auto next = work.next();
    if (!next) return message.tag == ask ? idle_.push_back(rank) : send(rank, answer);
    Record content;
    content.spec = next->spec;
    content.error = "not run yet";  // a record without a result
    send(rank, answer, pack(next->index, content));
  }
  void send_home() {
    while (static_cast<int>(idle_.size()) < size_ - 1)
      if (const Message message = receive(); message.tag == ask)
        idle_.push_back(message.source);
      else if (message.tag == ask_more)
        send(message.source, answer);
    for (const int rank : idle_) send(rank, answer);
  }

  int rank_ = 0, size_ = 1, place_ = 0;
  std::deque<int> idle_;  // ranks that have asked and got no answer yet
};

}  // namespace

std::unique_ptr<Cluster> Cluster::join() {
  if (!launched_as_one_of_many()) return nullptr;
  return std::make_unique<MpiCluster>();
}

}  // namespace neuralts::cli
