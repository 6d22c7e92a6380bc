// One service per folder.
#pragma once

#include <string>

namespace neuralts::serve {

class FolderLock {
 public:
  /// Throws Error(io): the folder cannot be used, or another process holds it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace neuralts::serve
