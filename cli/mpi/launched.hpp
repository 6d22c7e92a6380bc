#pragma once

#include <cstdlib>

namespace neuralts::cli {

/// Whether a launcher (Open MPI's, or Slurm's through PMI) started this process as one of several.
inline bool launched_as_one_of_many() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"})
    if (const char* value = std::getenv(name); value != nullptr && std::atoi(value) > 1) return true;
  const char* tasks = std::getenv("SLURM_NTASKS");
  return tasks != nullptr && std::atoi(tasks) > 1 && std::getenv("PMIX_RANK") != nullptr;
}

}  // namespace neuralts::cli
