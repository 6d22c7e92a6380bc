// What a request got wrong, as RFC 9457 wants it told.
#pragma once

#include <stdexcept>
#include <string>

namespace neuralts::serve {

/// Thrown by whoever finds the fault; becomes the answer at the door.
class Problem : public std::runtime_error {
 public:
  /// `field`: where in the body or address, as a person would point at it ("actions[3].id"); empty: nowhere.
  Problem(int status, std::string field, const std::string& detail)
      : std::runtime_error(detail), status_(status), field_(std::move(field)) {}
  int status() const { return status_; }
  const std::string& field() const { return field_; }

 private:
  int status_;
  std::string field_;
};

/// 405: the address is right, the method is not.
class MethodProblem : public Problem {
 public:
  /// `allowed`: "GET, PUT".
  explicit MethodProblem(std::string allowed)
      : Problem(405, "", std::string("this address takes ").append(allowed)), allowed_(std::move(allowed)) {}
  const std::string& allowed() const { return allowed_; }

 private:
  std::string allowed_;
};

/// 422: a key of a body stands twice.
[[noreturn]] inline void refuse_twice(const std::string& key) { throw Problem(422, key, "the key stands twice"); }

const char* reason(int status);

/// {"type":"about:blank","title":"Bad Request","status":400,"detail":"...","field":"..."}
std::string problem_json(const Problem& problem);
/// {"error":{"code":"BadArgument","message":"...","target":"...","details":[],"innerError":{}}}
std::string personalizer_problem_json(const Problem& problem);

}  // namespace neuralts::serve
