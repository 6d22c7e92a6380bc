// What can go wrong, in two words: a bug of the caller (ContractError) and a failure of the world (Error).
#pragma once

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace neuralts {

enum class ErrorCode {
  bad_spec,      // an unknown name or key, a value out of its range
  bad_input,     // a file or stream whose content is not what its format asks for
  not_found,     // a file, a data set or a name that is not there
  io,            // the operating system or the network said no
  corrupt,       // a saved file that is truncated or whose checksum is wrong
  unsupported,   // asked for something this build or this policy does not have
};

/// The world failed: a missing file, a corrupt file, a bad specification. Nothing was changed by the call that
/// threw. what() reads "where: what: hint"; the hint says what to do and may be absent.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& where, const std::string& what, const std::string& hint = "");
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// A broken contract: the caller passed something the function's REQUIRES excludes (a NaN, a wrong size, no arms).
/// The message holds the offending values. Nothing was changed by the call that threw.
class ContractError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace neuralts
#pragma GCC visibility pop
