#include "mpi/cluster.hpp"

namespace neuralts::cli {

Cluster* cluster() {
  static const std::unique_ptr<Cluster> joined = Cluster::join();
  return joined.get();
}

}  // namespace neuralts::cli
