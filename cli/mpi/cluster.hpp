// The same command on several machines: under mpirun rank 0 hands out runs and keeps the records, the others work.
//
// A worker sends `ask` and gets a run (its index and its specification as JSON) or an empty answer: go home. It
// sends `record` when the run is done. One that has runs under way sends `ask_more`; an empty answer to that
// means: none for now. Only rank 0 touches the results folder, so that the machines need not share a file
// system; and since specifications travel, a worker needs to know nothing of the experiment.
#pragma once

#include <memory>

#include "neuralts/lab.hpp"

namespace neuralts::cli {

class Cluster {
 public:
  /// Joins the other processes when this one was started by mpirun or srun as one of several; otherwise null,
  /// at no cost. Throws Error(unsupported) when it was but this build has no MPI. To be called once.
  static std::unique_ptr<Cluster> join();
  /// On rank 0: sends the workers home.
  virtual ~Cluster() = default;
  virtual bool leads() const = 0;
  /// On rank 0: hands out `work` until there is none and every worker has nothing to do.
  virtual void serve(WorkSource& work) = 0;
  /// On the other ranks: does runs until sent home, one at a time or in lock-step on the rank's own device.
  virtual void work(const std::string& data_dir, bool on_device) = 0;
  virtual int processes() const = 0;
  /// Which of the processes of its machine this is, from 0 on: the number of its device.
  virtual int place_on_machine() const = 0;
};

/// The cluster of this process, joined by the first call; null when it is alone.
Cluster* cluster();

}  // namespace neuralts::cli
