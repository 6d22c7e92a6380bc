// MD5, for checksums that data services publish; not for anything an adversary could touch.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace neuralts {

class Md5 {
 public:
  Md5();
  ~Md5();
  void update(std::span<const char> bytes);
  /// 32 hexadecimal digits. Call once, last.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neuralts
