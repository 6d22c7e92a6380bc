// Where bytes come from: a file, plain or gzip, or memory. The one door to zlib's reading half.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "neuralts/error.hpp"

namespace neuralts {

/// A gzip file that ends before its end: perhaps it is still being written.
class CutOff : public Error {
 public:
  using Error::Error;
};

/// Bytes in order, and from the beginning again.
class Source {
 public:
  virtual ~Source() = default;
  /// Fills a part of `into`; 0 at the end. Throws Error(io) when the system says no, Error(bad_input) for a
  /// damaged gzip file, which is a CutOff where its end is missing.
  virtual std::size_t read(std::span<char> into) = 0;
  virtual void rewind() = 0;
  const std::string& name() const { return name_; }

 protected:
  explicit Source(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// A file; gzip is told by its first bytes, not by its name. Throws Error(not_found | io).
std::unique_ptr<Source> open_source(const std::string& path);

/// Text in memory, which must outlive the source.
std::unique_ptr<Source> text_source(std::string_view text, const std::string& name);

}  // namespace neuralts
