#include "serve/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts::serve {

FolderLock::FolderLock(const std::string& folder) {
  file_ = ::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) throw Error(ErrorCode::io, folder, std::strerror(errno), "choose another folder with --dir");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    throw Error(ErrorCode::io, folder, "another service runs in this folder",
                "stop it, or choose another folder with --dir");
  }
}

FolderLock::~FolderLock() { ::close(file_); }

}  // namespace neuralts::serve
