// The vector of an action is s (1; c) x (1; a). Where the products c x a have no slots of their own they are
// sketched: product (i, j) is added, with sign s(i) t(j), to slot (h(i) + g(j)) mod D (Pham, Pagh 2013), which
// keeps inner products right on average.
#include <algorithm>

#include "feature/field_encoder.hpp"
#include "feature/layout.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

// Where a slot of the context or of the action goes in the sketch, and with which sign.
struct SketchSlot {
  std::uint32_t at = 0;
  double sign = 1;
};

std::vector<SketchSlot> sketch_slots(std::size_t count, std::size_t width, std::uint64_t seed) {
  std::vector<SketchSlot> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t h = mixed(mixed(seed) + i * 0x9e3779b97f4a7c15u);
    all[i] = {static_cast<std::uint32_t>(((h & 0xffffffffu) * width) >> 32), (h >> 63) != 0 ? 1.0 : -1.0};
  }
  return all;
}

// A touched slot, ready to be multiplied.
struct Factor {
  std::uint32_t at = 0;
  double value = 0;
};

}  // namespace

struct Encoder::State {
  explicit State(Schema given)
      : schema(std::move(given)),
        layout(schema),
        context(schema.context, schema.strict, FieldPart::context),
        action(schema.action, schema.strict, FieldPart::action) {
    if (layout.products == 0 || layout.exact) return;
    context_sketch = sketch_slots(layout.crossed_context.slots, layout.products, 1);
    action_sketch = sketch_slots(layout.crossed_action.slots, layout.products, 2);
  }

  void context_factors(const std::vector<Touched>& touched, std::vector<Factor>& out) const {
    factors(touched, layout.crossed_context, layout.product_weight, context_sketch,
            layout.crossed_action.slots, out);
  }
  void action_factors(const std::vector<Touched>& touched, std::vector<Factor>& out) const {
    factors(touched, layout.crossed_action, 1, action_sketch, 1, out);
  }
  void factors(const std::vector<Touched>& touched, const Crossed& crossed, double weight,
               const std::vector<SketchSlot>& sketch, std::size_t stride, std::vector<Factor>& out) const {
    out.clear();
    if (layout.products == 0) return;
    for (const Touched& t : touched)
      if (const auto at = crossed.at[t.slot]; at != Crossed::none)
        out.push_back(factor(at, t.value * weight, sketch, stride));
  }
  Factor factor(std::size_t slot, double value, const std::vector<SketchSlot>& sketch, std::size_t stride) const {
    if (layout.exact) return {static_cast<std::uint32_t>(slot * stride), value};
    return {sketch[slot].at, sketch[slot].sign * value};
  }
  // Where product (c, a) goes.
  std::size_t product_slot(const Factor& c, const Factor& a) const {
    const std::size_t sum = std::size_t{c.at} + a.at;
    return layout.exact || sum < layout.products ? sum : sum - layout.products;
  }
  void add_products(const std::vector<Factor>& cs, const std::vector<Factor>& as, double* products) const;
  void put_shared(const std::vector<Touched>& touched, double* row) const;

  Schema schema;
  Layout layout;
  FieldEncoder context, action;
  std::vector<SketchSlot> context_sketch, action_sketch;
};

// Sums of places stay below 2 D: they are collected there and folded once, instead of a remainder per product.
void Encoder::State::add_products(const std::vector<Factor>& cs, const std::vector<Factor>& as,
                                  double* products) const {
  if (layout.exact) {
    for (const Factor& a : as)
      for (const Factor& c : cs) products[c.at + a.at] += c.value * a.value;
    return;
  }
  thread_local std::vector<double> twice;
  twice.assign(2 * layout.products, 0.0);
  for (const Factor& a : as)
    for (const Factor& c : cs) twice[c.at + a.at] += c.value * a.value;
  for (std::size_t i = 0; i < layout.products; ++i) products[i] = twice[i] + twice[i + layout.products];
}

void Encoder::State::put_shared(const std::vector<Touched>& touched, double* row) const {
  row[0] = layout.constant_weight;
  for (const Touched& t : touched) row[layout.context_at() + t.slot] += layout.context_weight * t.value;
}

Encoder::Encoder(Schema schema) : state_(std::make_unique<State>(std::move(schema))) {}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const Schema& Encoder::schema() const { return state_->schema; }
std::size_t Encoder::length() const { return state_->layout.length(); }

std::size_t Encoder::encode(const FieldTable& objects, std::span<double> out, std::size_t most) const {
  if (objects.rows() < 2) throw ContractError("no action is offered");
  thread_local std::vector<Fields> actions;
  actions.clear();
  for (std::size_t k = 0; k < std::min(most, objects.rows() - 1); ++k) actions.push_back(objects.row(1 + k));
  return encode(objects.row(0), actions, out);
}

std::size_t Encoder::encode(Fields context, std::span<const Fields> actions, std::span<double> out) const {
  const State& s = *state_;
  const std::size_t length = s.layout.length();
  if (out.size() != actions.size() * length)
    throw ContractError("room for " + std::to_string(out.size()) + " numbers, " +
                        std::to_string(actions.size() * length) + " are needed");
  thread_local std::vector<Touched> touched, own;
  thread_local std::vector<Factor> cs, as;
  touched.clear();
  std::size_t left_out = s.context.encode(context, touched);
  s.context_factors(touched, cs);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t k = 0; k < actions.size(); ++k) {
    double* row = out.data() + k * length;
    own.clear();
    left_out += s.action.encode(actions[k], own);
    s.put_shared(touched, row);
    for (const Touched& t : own) row[s.layout.action_at() + t.slot] += s.layout.action_weight * t.value;
    if (s.layout.products == 0) continue;
    s.action_factors(own, as);
    s.add_products(cs, as, row + s.layout.products_at());
  }
  return left_out;
}

std::size_t Encoder::encode_context(Fields context, std::span<double> out) const {
  const State& s = *state_;
  if (out.size() != s.schema.context_length())
    throw ContractError("room for " + std::to_string(out.size()) + " numbers, " +
                        std::to_string(s.schema.context_length()) + " are needed");
  const double scale = std::sqrt(s.layout.context > 0 ? 0.5 : 1.0);
  thread_local std::vector<Touched> touched;
  touched.clear();
  const std::size_t left_out = s.context.encode(context, touched);
  std::fill(out.begin(), out.end(), 0.0);
  out[0] = scale;
  for (const Touched& t : touched)
    out[1 + t.slot] += scale * s.layout.context_weight / s.layout.constant_weight * t.value;
  return left_out;
}

std::vector<Term> Encoder::context_terms(Fields context) const {
  const State& s = *state_;
  const double scale = std::sqrt(s.layout.context > 0 ? 0.5 : 1.0);
  std::vector<Touched> touched;
  s.context.encode(context, touched);
  std::vector<Term> all{{"constant", 0, scale}};
  for (const Touched& t : touched)
    all.push_back({s.context.term_name(t, context), 1 + t.slot,
                   scale * s.layout.context_weight / s.layout.constant_weight * t.value});
  return all;
}

std::vector<Term> Encoder::terms(Fields context, Fields action) const {
  const State& s = *state_;
  std::vector<Touched> touched, own;
  std::vector<Factor> cs, as;
  s.context.encode(context, touched);
  s.action.encode(action, own);
  std::vector<Term> all{{"constant", 0, s.layout.constant_weight}};
  for (const Touched& t : touched)
    all.push_back(
        {s.context.term_name(t, context), s.layout.context_at() + t.slot, s.layout.context_weight * t.value});
  for (const Touched& t : own)
    all.push_back(
        {s.action.term_name(t, action), s.layout.action_at() + t.slot, s.layout.action_weight * t.value});
  if (s.layout.products == 0) return all;
  s.context_factors(touched, cs);
  s.action_factors(own, as);
  std::erase_if(touched, [&](const Touched& t) { return s.layout.crossed_context.at[t.slot] == Crossed::none; });
  std::erase_if(own, [&](const Touched& t) { return s.layout.crossed_action.at[t.slot] == Crossed::none; });
  for (std::size_t i = 0; i < cs.size(); ++i)
    for (std::size_t j = 0; j < as.size(); ++j)
      all.push_back({s.context.term_name(touched[i], context) + " x " + s.action.term_name(own[j], action),
                     s.layout.products_at() + s.product_slot(cs[i], as[j]), cs[i].value * as[j].value});
  return all;
}

namespace {

std::vector<std::string> crossed_names(const FieldEncoder& object, const Crossed& crossed) {
  std::vector<std::string> names;
  for (std::size_t slot = 0; slot < crossed.at.size(); ++slot)
    if (crossed.at[slot] != Crossed::none) names.push_back(object.slot_name(slot));
  return names;
}

}  // namespace

std::vector<std::string> Encoder::column_names() const {
  const State& s = *state_;
  std::vector<std::string> names{"constant"};
  for (std::size_t i = 0; i < s.layout.context; ++i) names.push_back(s.context.slot_name(i));
  for (std::size_t j = 0; j < s.layout.action; ++j) names.push_back(s.action.slot_name(j));
  const auto of_context = crossed_names(s.context, s.layout.crossed_context),
             of_action = crossed_names(s.action, s.layout.crossed_action);
  for (std::size_t k = 0; k < s.layout.products; ++k)
    names.push_back(s.layout.exact
                        ? of_context[k / of_action.size()] + " x " + of_action[k % of_action.size()]
                        : "products #" + std::to_string(k));
  return names;
}

}  // namespace neuralts
