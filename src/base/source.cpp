#include "base/source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file.hpp"

namespace neuralts {

namespace {

struct CloseGz {
  void operator()(gzFile file) const { ::gzclose_r(file); }
};

class FileSource final : public Source {
 public:
  explicit FileSource(const std::string& path) : Source(path), file_(::gzopen(checked_path(path).c_str(), "rb")) {
    if (!file_)
      throw Error(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, path, "cannot open",
                  std::strerror(errno));
    ::gzbuffer(file_.get(), 1 << 17);
  }

  std::size_t read(std::span<char> into) override {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(into.size(), 1 << 30));
    const int got = ::gzread(file_.get(), into.data(), wanted);
    if (got <= 0) check_end();
    return static_cast<std::size_t>(got);
  }
  void rewind() override {
    if (::gzrewind(file_.get()) != 0)
      throw Error(ErrorCode::io, name(), "cannot read it a second time", "give a plain file, not a pipe");
  }

 private:
  // A read that gave nothing: the end, or the reason why there is no more.
  void check_end() const {
    int code = Z_OK;
    const char* message = ::gzerror(file_.get(), &code);
    if (code == Z_ERRNO) throw Error(ErrorCode::io, name(), "cannot read", std::strerror(errno));
    if (code == Z_BUF_ERROR)
      throw CutOff(ErrorCode::bad_input, name(), "the gzip file is truncated", "fetch or compress it again");
    if (code != Z_OK && code != Z_STREAM_END)
      throw Error(ErrorCode::bad_input, name(), "the gzip file is damaged (" + std::string(message) + ")",
                  "fetch or compress it again");
  }

  std::unique_ptr<gzFile_s, CloseGz> file_;
};

class TextSource final : public Source {
 public:
  TextSource(std::string_view text, const std::string& name) : Source(name), text_(text) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t size = text_.copy(into.data(), into.size(), at_);
    at_ += size;
    return size;
  }
  void rewind() override { at_ = 0; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Source> open_source(const std::string& path) { return std::make_unique<FileSource>(path); }

std::unique_ptr<Source> text_source(std::string_view text, const std::string& name) {
  return std::make_unique<TextSource>(text, name);
}

}  // namespace neuralts
