#include "mpi/cluster.hpp"
#include "mpi/launched.hpp"

namespace neuralts::cli {

std::unique_ptr<Cluster> Cluster::join() {
  if (launched_as_one_of_many())
    throw Error(ErrorCode::unsupported, "mpirun", "this build of neuralts has no MPI",
                "configure with -DNEURALTS_WITH_MPI=ON (package libopenmpi-dev)");
  return nullptr;
}

}  // namespace neuralts::cli
