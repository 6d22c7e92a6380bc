#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feature/layout.hpp"
#include "math/running_moments.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr std::size_t most_values = 4096;  // counted per field; beyond it the field is hashed anyway
// Mean and deviation take numbers beyond it for it, so that neither their differences nor the squares of these overflow.
constexpr double farthest = 1e100;
// For ids that were not seen while the schema was learned, when all that were have slots of their own.
constexpr std::size_t newcomer_slots = 8;

// Of context and action each, unless a larger size is asked for: a matrix of twice as many columns still fits into memory.
constexpr std::size_t most_slots = 4096;

// What has been seen of one field.
struct Seen {
  std::size_t objects = 0, last = 0;  // that had it, and the number of the last one
  std::size_t truths = 0, texts = 0;
  bool repeated = false;  // several values in one object
  math::RunningMoments numbers;
  std::map<std::string, std::size_t, std::less<>> values;
  bool overflow = false;

  void add(const Field& field) {
    switch (field.kind) {
      case Field::Kind::missing: return;
      case Field::Kind::truth: ++truths; return add_value(field.number != 0 ? "true" : "false");
      case Field::Kind::text: ++texts; return add_value(field.text);
      case Field::Kind::number: break;
    }
    numbers.add(std::clamp(field.number, -farthest, farthest));
    add_value(format_number(field.number));
  }
  void add_value(std::string_view value) {
    const auto found = values.find(value);
    if (found != values.end())
      ++found->second;
    else if (values.size() < most_values && is_utf8(value))  // other bytes stay unlisted
      values.emplace(value, 1);
    else
      overflow = true;
  }
  FeatureKind looks_like(bool is_id) const {
    if (numbers.count == 0 && truths + texts == 0) return FeatureKind::ignored;
    if (is_id) return FeatureKind::id;
    if (repeated) return FeatureKind::list;
    if (texts > 0 || (numbers.count > 0 && truths > 0)) return FeatureKind::category;
    return truths > 0 ? FeatureKind::truth : FeatureKind::number;
  }
  double deviation() const {
    const double deviation = numbers.deviation();
    return deviation > 0 && std::isfinite(deviation) ? deviation : 1;
  }
  // One number or none, in so many rows: where what is 0 is left out, as indicators are.
  bool indicates(std::size_t rows) const {
    return values.size() == 1 && !overflow && numbers.mean != 0 && numbers.count < static_cast<double>(rows);
  }
};

using Part = std::map<std::string, Seen, std::less<>>;

// What see() refuses, before it counts anything: what no schema could encode, and what contradicts a declaration.
class Check {
 public:
  Check(const char* part, const std::vector<Feature>& declared, bool automatic)
      : part_(part), declared_(declared), automatic_(automatic) {}

  void object(Fields object) const {
    for (std::size_t i = 0; i < object.size(); ++i) {
      const Field& field = object[i];
      if (!is_utf8(field.name))
        throw ContractError("a field of the " + std::string(part_) + " has a name that is not UTF-8 text");
      if (field.kind == Field::Kind::number && !std::isfinite(field.number))
        refuse(field, "the number is not finite");
      const auto found = std::find_if(declared_.begin(), declared_.end(),
                                      [&](const Feature& feature) { return feature.name == field.name; });
      if (found != declared_.end())
        declaration(field, *found, object.first(i));
      else if (!automatic_)
        refuse(field, "the schema has no such field: declare it, or leave it out");
    }
  }

 private:
  void declaration(const Field& field, const Feature& feature, Fields before) const {
    const bool truth = feature.kind == FeatureKind::truth, number = feature.kind == FeatureKind::number;
    if ((truth || number) && field.kind == Field::Kind::text)
      refuse(field, "a " + std::string(to_string(feature.kind)) + " is needed, found a text");
    if (truth && field.kind == Field::Kind::number && field.number != 0 && field.number != 1)
      refuse(field, "a truth value is needed, found a number");
    if (feature.kind == FeatureKind::list || feature.kind == FeatureKind::ignored) return;
    for (const Field& other : before)
      if (other.name == field.name) refuse(field, "it is given twice: declare it a list");
  }
  [[noreturn]] void refuse(const Field& field, const std::string& what) const {
    throw ContractError("the " + std::string(part_) + "'s field '" + std::string(field.name) + "': " + what);
  }
  const char* part_;
  const std::vector<Feature>& declared_;
  bool automatic_;
};

void see_object(Fields object, std::size_t number, Part& part) {
  for (const Field& field : object) {
    auto found = part.find(field.name);
    if (found == part.end()) found = part.emplace(field.name, Seen{}).first;
    Seen& seen = found->second;
    if (seen.last == number)
      seen.repeated = true;
    else
      ++seen.objects, seen.last = number;
    seen.add(field);
  }
}

// The fields that most objects had come first.
std::vector<Part::const_iterator> by_frequency(const Part& part) {
  std::vector<Part::const_iterator> fields;
  for (auto field = part.begin(); field != part.end(); ++field) fields.push_back(field);
  std::stable_sort(fields.begin(), fields.end(),
                   [](auto a, auto b) { return a->second.objects > b->second.objects; });
  return fields;
}

// The most frequent values, in alphabetical order.
std::vector<std::string> top_values(const Seen& seen, std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> counted;
  for (const auto& [value, count] : seen.values) counted.emplace_back(count, value);
  std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  counted.resize(std::min(counted.size(), most));
  std::vector<std::string> values;
  for (auto& [count, value] : counted) values.push_back(std::move(value));
  std::sort(values.begin(), values.end());
  return values;
}

void fill_values(Feature& feature, const Seen& seen, std::size_t cap, std::size_t id_slots) {
  const bool all_fit = !seen.overflow && seen.values.size() <= cap;
  const bool id = feature.kind == FeatureKind::id;
  if (all_fit)
    feature.hashed = id ? std::min(newcomer_slots, id_slots) : 0;
  else
    feature.hashed = id ? id_slots : (cap + 1) / 2;
  feature.values = all_fit ? top_values(seen, cap) : id ? std::vector<std::string>{} : top_values(seen, cap / 2);
}

Feature learn(Feature feature, const Seen& seen, std::size_t rows, std::size_t cap, std::size_t id_slots) {
  feature.learned = false;
  if (feature.kind == FeatureKind::number) {
    const bool from_zero = seen.indicates(rows);  // at its mean it would be 0, as if it were missing
    feature.mean = from_zero ? 0 : seen.numbers.mean;
    feature.deviation = from_zero ? std::abs(seen.numbers.mean) : seen.deviation();
    feature.curved = seen.overflow || seen.values.size() > 2;  // two values lie on a line
  } else if (feature.kind != FeatureKind::truth && feature.kind != FeatureKind::ignored) {
    fill_values(feature, seen, cap, id_slots);
  }
  return feature;
}

}  // namespace

struct SchemaLearner::State {
  FeatureSettings settings;
  Part context, action;
  std::size_t events = 0, objects = 0;

  std::vector<Feature> features(const std::vector<Feature>& declared, const Part& part, bool actions,
                                std::size_t cap, std::size_t id_slots) const {
    const std::size_t rows = actions ? objects - events : events;
    std::map<std::string, Feature> all;
    for (const auto& feature : declared) {
      const auto seen = part.find(feature.name);
      all[feature.name] = feature.learned
                              ? learn(feature, seen == part.end() ? Seen{} : seen->second, rows, cap, id_slots)
                              : feature;
    }
    std::size_t slots = 0;
    for (const auto field : by_frequency(part)) {
      const auto& [name, seen] = *field;
      if (!settings.automatic || all.count(name) > 0) continue;
      Feature feature;
      feature.name = name;
      feature.kind = seen.looks_like(actions && name == "id");
      feature = learn(feature, seen, rows, cap, id_slots);
      if ((slots += feature.slots()) > std::max(most_slots, settings.size)) break;
      all[name] = std::move(feature);
    }
    std::vector<Feature> list;
    for (auto& [name, feature] : all) list.push_back(std::move(feature));
    return list;
  }
};

SchemaLearner::SchemaLearner(FeatureSettings settings) : state_(std::make_unique<State>()) {
  state_->settings = std::move(settings);
}
SchemaLearner::~SchemaLearner() = default;
SchemaLearner::SchemaLearner(SchemaLearner&&) noexcept = default;
SchemaLearner& SchemaLearner::operator=(SchemaLearner&&) noexcept = default;

std::size_t SchemaLearner::events() const { return state_->events; }

void SchemaLearner::see(const FieldTable& objects) {
  if (objects.rows() < 2) throw ContractError("no action is offered");
  const FeatureSettings& settings = state_->settings;
  Check("context", settings.context, settings.automatic).object(objects.row(0));
  for (std::size_t i = 1; i < objects.rows(); ++i)
    Check("action", settings.action, settings.automatic).object(objects.row(i));
  see_object(objects.row(0), ++state_->objects, state_->context);
  for (std::size_t i = 1; i < objects.rows(); ++i) see_object(objects.row(i), ++state_->objects, state_->action);
  ++state_->events;
}

// Vocabularies shrink until constant, context and action take half of the size; the products take the rest.
Schema SchemaLearner::schema() const {
  const State& s = *state_;
  Schema schema;
  schema.interactions = s.settings.interactions;
  schema.personal_ids = s.settings.personal_ids;
  schema.strict = !s.settings.automatic;
  std::size_t id_slots = s.settings.id_slots;
  for (std::size_t cap = s.settings.values;; cap /= 2, id_slots = std::max<std::size_t>(8, id_slots / 2)) {
    schema.context = s.features(s.settings.context, s.context, false, cap, id_slots);
    schema.action = s.features(s.settings.action, s.action, true, cap, id_slots);
    if (2 * (1 + slots_of(schema.context) + slots_of(schema.action)) <= s.settings.size || cap <= 4) break;
  }
  const Layout exact(schema);
  if (exact.products > 0 && exact.length() > s.settings.size) {
    constexpr std::size_t least = 32;
    const std::size_t direct = exact.products_at();
    schema.interaction_slots = s.settings.size > direct + least ? s.settings.size - direct : least;
  }
  return schema;
}

}  // namespace neuralts
