#include "serve/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace neuralts::serve {

namespace {

constexpr std::size_t fields_max = 64;

std::string spelled(const Field& field) {
  switch (field.kind) {
    case Field::Kind::text: return fmt::format("{}={}", field.name, field.text.substr(0, 40));
    case Field::Kind::truth: return fmt::format("{}={}", field.name, field.number != 0);
    case Field::Kind::number: return fmt::format("{}={:.4g}", field.name, field.number);
    case Field::Kind::missing: break;
  }
  return fmt::format("{} missing", field.name);
}

/// The context and the action without one field of the two, counted through.
FieldTable without(const FieldTable& whole, std::size_t left_out) {
  FieldTable out;
  std::size_t at = 0;
  for (std::size_t row = 0; row < whole.rows(); ++row) {
    out.start_row();
    for (const Field& field : whole.row(row))
      if (at++ != left_out) out.add(field);
  }
  return out;
}

/// A row of the model's numbers for the action as it was, and one for each field or number left out; their names.
std::vector<std::string> ask_of_objects(const Published& published, const Offered& offered,
                                        std::vector<double>& rows) {
  std::vector<std::string> names;
  const std::size_t length = length_of(published);
  for (std::size_t row = 0; row < offered.objects.rows(); ++row)
    for (const Field& field : offered.objects.row(row)) names.push_back(spelled(field));
  if (names.size() > fields_max) return {};
  rows.assign((names.size() + 1) * length, 0.0);
  const std::span<double> all(rows);
  published.encoder->encode(offered.objects, all.first(length));
  for (std::size_t i = 0; i < names.size(); ++i)
    published.encoder->encode(without(offered.objects, i), all.subspan((i + 1) * length, length));
  return names;
}

std::vector<std::string> ask_of_vector(const Offered& offered, std::vector<double>& rows) {
  std::vector<std::string> names;
  const std::size_t length = offered.length;
  if (length > fields_max) return {};
  for (std::size_t row = 0; row <= length; ++row)
    rows.insert(rows.end(), offered.vectors.begin(), offered.vectors.end());
  for (std::size_t i = 0; i < length; ++i) {
    rows[(i + 1) * length + i] = 0;
    names.push_back(fmt::format("x[{}]={:.4g}", i, offered.vectors[i]));
  }
  return names;
}

}  // namespace

std::vector<Reason> reasons(const Published& published, const EventRecord& event, std::size_t most) {
  if (!published.model || event.form != published.form || event.length != published.length) return {};
  Offered offered;
  played_from(event, offered);
  std::vector<double> rows;
  std::vector<std::string> names;
  Decision asked;
  try {
    names = event.form == Form::objects ? ask_of_objects(published, offered, rows) : ask_of_vector(offered, rows);
    if (names.empty()) return {};
    Stream unused(1, Purpose::exploration);
    Scratch scratch;
    published.model->select(Contexts::per_arm(rows, names.size() + 1), unused, scratch, asked);
  } catch (const ContractError&) {  // the encoder or the model refuses the event
    return {};
  }
  std::vector<Reason> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({std::move(names[i]), asked.mean[0] - asked.mean[i + 1]});
  std::stable_sort(all.begin(), all.end(),
                   [](const Reason& a, const Reason& b) { return std::abs(a.effect) > std::abs(b.effect); });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace neuralts::serve
