#include "data/http.hpp"

#include "neuralts/error.hpp"

#ifndef NEURALTS_HAS_CURL

namespace neuralts {

namespace {

[[noreturn]] void unsupported(const std::string& url) {
  throw Error(ErrorCode::unsupported, url, "this build cannot fetch",
              "build with libcurl (NEURALTS_FETCH=ON), or download the file yourself");
}

}  // namespace

std::string http_text(const std::string& url, const HttpOptions&) { unsupported(url); }
void http_append(const std::string& url, const std::string&, const HttpOptions&) { unsupported(url); }

}  // namespace neuralts

#else

#include <curl/curl.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

namespace neuralts {

namespace {

struct Cleanup {
  void operator()(CURL* curl) const { ::curl_easy_cleanup(curl); }
};

class Transfer {
 public:
  Transfer(const std::string& url, const HttpOptions& options)
      : url_(url), options_(options), curl_(::curl_easy_init()) {
    if (!curl_) throw Error(ErrorCode::io, url, "cannot start a transfer");
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 5L);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, "neuralts");
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::ceil(options.stall_seconds * 1000)));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(std::ceil(options.stall_seconds)));
    set(CURLOPT_ERRORBUFFER, message_);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, options.progress ? 0L : 1L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, this);
  }

  void resume_at(std::size_t offset) {
    offset_ = offset;
    set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(offset));
  }

  /// Calls take(bytes) for what arrives; false from it ends the transfer.
  /// What take() or the progress throws ends the transfer and is thrown from here: no exception passes through C.
  CURLcode perform(const std::function<bool(std::span<const char>)>& take) {
    take_ = &take;
    const CURLcode code = ::curl_easy_perform(curl_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    return code;
  }

  long status() const {
    long status = 0;
    ::curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  [[noreturn]] void fail(CURLcode code, const std::string& hint) const {
    if (code == CURLE_HTTP_RETURNED_ERROR)
      throw Error(status() == 404 || status() == 412 ? ErrorCode::not_found : ErrorCode::io, url_,
                  "the server answered " + std::to_string(status()), hint);
    throw Error(ErrorCode::io, url_, message_[0] != 0 ? message_ : ::curl_easy_strerror(code), hint);
  }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    ::curl_easy_setopt(curl_.get(), option, value);
  }

  static std::size_t on_bytes(char* bytes, std::size_t, std::size_t size, void* self) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    return transfer.guarded([&] { return (*transfer.take_)({bytes, size}); }) ? size : 0;
  }
  static int on_progress(void* self, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) noexcept {
    auto& transfer = *static_cast<Transfer*>(self);
    const auto offset = transfer.offset_;
    return transfer.guarded([&] {
      transfer.options_.progress(offset + static_cast<std::size_t>(done), total > 0 ? offset + static_cast<std::size_t>(total) : 0);
      return true;
    }) ? 0 : 1;
  }
  /// What `call` says, or false when it threw; the exception waits for perform().
  template <class Call>
  bool guarded(Call call) noexcept {
    try {
      return call();
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  std::string url_;
  const HttpOptions& options_;
  std::unique_ptr<CURL, Cleanup> curl_;
  char message_[CURL_ERROR_SIZE] = {};
  std::size_t offset_ = 0;
  const std::function<bool(std::span<const char>)>* take_ = nullptr;
  std::exception_ptr thrown_;
};

}  // namespace

std::string http_text(const std::string& url, const HttpOptions& options) {
  constexpr std::size_t most = std::size_t{16} << 20;
  Transfer transfer(url, options);
  std::string text;
  const CURLcode code = transfer.perform([&](std::span<const char> bytes) {
    text.append(bytes.begin(), bytes.end());
    return text.size() <= most;
  });
  if (code != CURLE_OK) transfer.fail(code, "check the address and the network");
  return text;
}

void http_append(const std::string& url, const std::string& path, const HttpOptions& options) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  const std::size_t have = none ? 0 : size;
  Transfer transfer(url, options);
  if (have > 0) transfer.resume_at(have);
  std::ofstream file(path, std::ios::binary | std::ios::app);
  const CURLcode code = transfer.perform([&](std::span<const char> bytes) {
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.good();
  });
  file.close();
  // The server has nothing behind what is here, or cannot continue: begin anew.
  const bool cannot_resume = have > 0 && (code == CURLE_RANGE_ERROR ||
                                          (code == CURLE_HTTP_RETURNED_ERROR && transfer.status() == 416));
  if (cannot_resume && std::filesystem::remove(path)) return http_append(url, path, options);
  if (file.fail()) throw Error(ErrorCode::io, path, "cannot write", "is the disk full?");
  if (code != CURLE_OK) transfer.fail(code, "what has arrived is kept; run it again to go on from there");
}

}  // namespace neuralts

#endif
