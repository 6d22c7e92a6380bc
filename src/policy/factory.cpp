#include <algorithm>
#include <deque>
#include <mutex>
#include <set>

#include "base/text.hpp"
#include "policy/policy_file.hpp"
#include "policy/registry.hpp"

namespace neuralts {

namespace {

// What a policy's name and keys, and lists of them, are told apart by.
constexpr std::string_view separators = " ,;:=";

bool is_name(const std::string& text) {
  return !text.empty() && text.find_first_of(separators) == std::string::npos;
}

// What would go wrong later, far from whoever wrote it.
void check_entry(const PolicyEntry& entry) {
  const std::string where = "policy '" + entry.info.name + "'";
  const auto refuse = [&](const std::string& what) { throw ContractError(where + ": " + what); };
  if (!is_name(entry.info.name))
    refuse("its name is empty or holds one of '" + std::string(separators) + "'");
  if (!entry.make) refuse("there is no function `make`");
  std::set<std::string> keys;
  for (const ParamInfo& param : entry.info.params) {
    if (!is_name(param.key))
      refuse("the key '" + param.key + "' is empty or holds one of '" + std::string(separators) + "'");
    if (!keys.insert(param.key).second) refuse("the key '" + param.key + "' stands in its table twice");
  }
  if (!entry.info.default_preset.empty() && !entry.info.presets.contains(entry.info.default_preset))
    refuse("the default preset '" + entry.info.default_preset + "' is none of its presets");
  resolve(where, entry.info.params, {}, {});
  for (const auto& [name, params] : entry.info.presets)
    resolve(where + ", preset '" + name + "'", entry.info.params, params, {});
}

// Entries stay where they are: policy_info() hands out references.
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }
  /// `where` and `hint`: of the refusal; without a hint the nearest name is offered.
  const PolicyEntry& find(const std::string& name, const std::string& where = "policy",
                          const std::string& hint = "") const {
    const std::lock_guard guard(mutex_);
    std::vector<std::string> names;
    for (const auto& entry : entries_) {
      if (entry.info.name == name) return entry;
      names.push_back(entry.info.name);
    }
    throw Error(ErrorCode::bad_spec, where, "unknown policy '" + name + "'",
                hint.empty() ? suggest(name, names) : hint);
  }
  void add(PolicyEntry entry) {
    entry = with_floor(std::move(entry));
    check_entry(entry);
    const std::lock_guard guard(mutex_);
    for (const auto& known : entries_)
      if (known.info.name == entry.info.name)
        throw Error(ErrorCode::bad_spec, "policy " + entry.info.name, "there is one of that name already",
                    "choose another name");
    entries_.push_back(std::move(entry));
  }
  std::vector<PolicyInfo> infos() const {
    const std::lock_guard guard(mutex_);
    std::vector<PolicyInfo> all;
    for (const auto& entry : entries_) all.push_back(entry.info);
    return all;
  }

 private:
  // Every policy has a floor: Model sees to it.
  static PolicyEntry with_floor(PolicyEntry entry) {
    entry.info.params.push_back({"floor", "0", "0 .. 1",
                                 "the least probability of every arm offered (at most an even share); above 0, a log can judge any other policy"});
    return entry;
  }
  Registry() {
    for (PolicyEntry& entry : entries_) entry = with_floor(std::move(entry));
  }

  mutable std::mutex mutex_;
  std::deque<PolicyEntry> entries_ = {
      neural_ts_entry(),
      neural_ucb_entry(),
      neural_linear_entry(),
      neural_greedy_entry(),
      bootstrap_entry(),
      kernel_ts_entry(),
      kernel_ucb_entry(),
      linear_ts_entry(),
      linear_ucb_entry(),
      random_entry(),
  };
};

const Params& find_preset(const PolicyInfo& info, const std::string& preset) {
  static const Params none;
  const std::string& name = preset.empty() ? info.default_preset : preset;
  if (name.empty()) return none;
  if (const auto found = info.presets.find(name); found != info.presets.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, params] : info.presets) names.push_back(known);
  throw Error(ErrorCode::bad_spec, "policy " + info.name, "unknown preset '" + name + "'", suggest(name, names));
}

const ParamInfo* find_param(const std::vector<ParamInfo>& table, const std::string& key) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const ParamInfo& info) { return info.key == key; });
  return found == table.end() ? nullptr : &*found;
}

// The name that `name` has today, when `known` says that it is unknown itself.
template <class Known>
std::string current_name(const Params& renamed, const std::string& name, const Known& known) {
  const auto found = renamed.find(name);
  return found != renamed.end() && !known(name) && known(found->second) ? found->second : name;
}

// Keys and values that had another name in earlier versions.
Params with_current_names(const Params& given, const std::vector<ParamInfo>& table) {
  static const Params keys{{"width", "units"}};
  static const Params values{
      {"sqrt-width", "sqrt-units"}, {"width-lambda", "units-lambda"}, {"width", "units"}};
  Params params;
  for (const auto& [old_key, value] : given) {
    const std::string key = current_name(
        keys, old_key, [&](const auto& name) { return find_param(table, name) != nullptr; });
    const ParamInfo* info = find_param(table, key);
    params[key] = info == nullptr ? value : current_name(values, value, [&](const auto& word) {
      return ParamRange(info->range).holds(word);
    });
  }
  return params;
}

/// Numbers of a context times blocks: what sizes are computed from must not overflow when it is multiplied by a
/// history's rounds.
constexpr std::size_t largest_dimension = std::size_t{1} << 31;

bool fits(const Shape& shape) {
  return shape.length > 0 && shape.blocks > 0 && shape.length <= largest_dimension &&
         shape.blocks <= largest_dimension / shape.length;
}

void check_shape(const Shape& shape) {
  if (fits(shape)) return;
  throw ContractError("a policy needs a shape of 1 to 2^31 numbers: length = " + std::to_string(shape.length) +
                      ", blocks = " + std::to_string(shape.blocks));
}

// Files keep parameters as KEY=VALUE,KEY=VALUE.
void check_can_be_told(const std::string& where, const Params& params) {
  for (const auto& [key, value] : params)
    if (value.find(',') != std::string::npos || trim(value).size() != value.size())
      throw Error(ErrorCode::bad_spec, where,
                  "parameter " + key + "=" + shown(value) + " holds a comma, or a space at an end",
                  "files could not tell it from another parameter");
}

std::unique_ptr<Learner> make_with(const PolicyEntry& entry, const PolicySpec& spec,
                                   const Settings& settings) {
  auto learner = entry.make(spec, settings);
  if (learner == nullptr) throw ContractError("policy '" + spec.name + "': its function `make` made nothing");
  return learner;
}

}  // namespace

std::unique_ptr<Learner> make_learner(const PolicySpec& spec) {
  const PolicyEntry& entry = Registry::instance().find(spec.name);
  check_shape(spec.shape);
  if (!spec.weights.empty() && !entry.takes_weights)
    throw Error(ErrorCode::bad_spec, "policy " + spec.name, "it takes no weights",
                "neural-ts and neural-ucb start from given ones");
  PolicySpec named = spec;
  if (named.preset.empty()) named.preset = entry.info.default_preset;
  named.params = with_current_names(spec.params, entry.info.params);
  const Settings settings = resolve("policy " + spec.name, entry.info.params,
                                    find_preset(entry.info, spec.preset), named.params);
  check_can_be_told("policy " + spec.name, settings.values());
  return make_with(entry, named, settings);
}

std::unique_ptr<Learner> make_saved_learner(const PolicySpec& spec, const Params& in_force,
                                            const std::string& where, std::size_t state_bytes) {
  const PolicyEntry& entry = Registry::instance().find(
      spec.name, where, "a policy of your own is registered before its files are read (neuralts/extend.hpp)");
  const Settings settings = resolve(where, entry.info.params, {}, in_force);
  if (!fits(spec.shape) ||
      (entry.least_state && entry.least_state(spec, settings) > static_cast<double>(state_bytes)))
    throw Error(ErrorCode::corrupt, where, "the saved state is smaller than its specification",
                "the file is damaged; use another copy");
  return make_with(entry, spec, settings);
}

std::unique_ptr<Policy> make_policy(const PolicySpec& spec) { return std::make_unique<Policy>(make_learner(spec)); }

void register_policy(PolicyEntry entry) { Registry::instance().add(std::move(entry)); }

const PolicyInfo& policy_info(const std::string& name) { return Registry::instance().find(name).info; }

std::vector<PolicyInfo> policy_catalog() { return Registry::instance().infos(); }

}  // namespace neuralts
