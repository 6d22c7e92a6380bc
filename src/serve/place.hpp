// Where a value stands in a body ("actions[3].id"): made of views on the way down, spelled out when something
// is wrong there.
#pragma once

#include <string>
#include <string_view>

namespace neuralts::serve {

/// Points to the place around it, which must outlive it: made on the stack, passed down.
class Place {
 public:
  Place() = default;  // nowhere: the body itself
  Place(const char* name) : name_(name) {}  // NOLINT: "event_id" is a place
  Place(const Place& outer, std::string_view name) : outer_(&outer), name_(name) {}
  Place(const Place& outer, std::size_t index) : outer_(&outer), index_(index), in_list_(true) {}

  std::string text() const {
    std::string out = outer_ == nullptr ? std::string() : outer_->text();
    if (in_list_) return out + '[' + std::to_string(index_) + ']';
    if (!out.empty() && !name_.empty()) out += '.';
    return out.append(name_);
  }

 private:
  const Place* outer_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  bool in_list_ = false;
};

}  // namespace neuralts::serve
