#include "serve/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/most_told.hpp"
#include "feature/field_error.hpp"
#include "neuralts/limits.hpp"
#include "policy/even_share.hpp"
#include "serve/bytes.hpp"
#include "serve/field_bytes.hpp"
#include "serve/problem.hpp"

namespace neuralts::serve {

void eligible_actions(std::size_t actions, std::span<const std::uint32_t> excluded, std::vector<std::uint32_t>& out) {
  out.clear();
  auto next = excluded.begin();
  for (std::uint32_t k = 0; k < actions; ++k) {
    if (next != excluded.end() && *next == k)
      ++next;
    else
      out.push_back(k);
  }
}

namespace {

void find_eligible(const Offered& offered, std::vector<std::uint32_t>& eligible) {
  eligible_actions(offered.ids.size(), offered.excluded, eligible);
  if (eligible.empty()) throw Problem(422, "excluded", "every action is excluded: leave at least one");
}

void check_form(const Published& published, const Offered& offered) {
  if (published.form == Form::none) return;
  if (published.form != offered.form)
    throw Problem(422, "actions",
                  published.form == Form::vectors ? "this loop takes vectors: give every action a 'vector'"
                                                  : "this loop takes objects: give 'features', not 'vector'");
  if (published.form == Form::vectors && published.length != offered.length)
    throw Problem(422, "actions[0].vector",
                  fmt::format("{} numbers; this loop takes {}", offered.length, published.length));
}

/// The numbers that a model sees, a row for each of the first `most` actions. REQUIRES the form and length that it takes. Throws
/// ContractError for objects that the encoder refuses.
void contexts_of(const Published& published, const Offered& offered, std::vector<double>& out,
                 std::size_t most = SIZE_MAX) {
  const std::size_t count = std::min(most, offered.ids.size());
  if (published.form == Form::vectors) {
    const auto begin = offered.vectors.begin();
    return out.assign(begin, begin + static_cast<std::ptrdiff_t>(count * offered.length));
  }
  out.resize(count * length_of(published));
  published.encoder->encode(offered.objects, out, most);
}

void ask_model(const Published& published, const Offered& offered, Stream& explore, Workspace& w) {
  contexts_of(published, offered, w.contexts);
  const std::vector<double>* contexts = &w.contexts;
  if (w.eligible.size() < offered.ids.size()) {
    const std::size_t length = length_of(published);
    w.eligible_contexts.clear();
    for (const std::uint32_t k : w.eligible)
      w.eligible_contexts.insert(w.eligible_contexts.end(),
                                 w.contexts.begin() + static_cast<std::ptrdiff_t>(k * length),
                                 w.contexts.begin() + static_cast<std::ptrdiff_t>((k + 1) * length));
    contexts = &w.eligible_contexts;
  }
  published.model->select(Contexts::per_arm(*contexts, w.eligible.size()), explore, w.scratch, w.decision);
}

void draw_evenly(Stream& explore, Workspace& w) {
  for (auto* list : {&w.decision.probabilities, &w.decision.mean, &w.decision.width})
    list->assign(w.eligible.size(), 0.0);
  w.decision.estimated = false;
  w.decision.arm = 0;
  spread_evenly(1, explore, w.decision);
}

}  // namespace

void Offered::clear() {
  ids.clear();
  excluded.clear();
  form = Form::none;
  length = 0;
  vectors.clear();
  objects.clear();
}

void decide(const Published& published, const Offered& offered, double exploration, std::uint64_t seed,
            Workspace& w, Verdict& out) {
  find_eligible(offered, w.eligible);
  check_form(published, offered);
  Stream explore(seed, Purpose::exploration);
  try {
    if (published.model == nullptr)
      draw_evenly(explore, w);
    else
      ask_model(published, offered, explore, w);
  } catch (const FieldError& error) {
    throw Problem(422, error.part() == FieldPart::context ? "context" : "actions", error.what());
  } catch (const ContractError& error) {
    throw Problem(422, "actions", error.what());
  }
  if (published.model != nullptr && exploration > 0) spread_evenly(exploration, explore, w.decision);
  out.action = w.eligible[w.decision.arm];
  out.estimated = w.decision.estimated;
  out.probabilities.assign(offered.ids.size(), 0);
  out.mean.assign(offered.ids.size(), 0);
  out.width.assign(offered.ids.size(), 0);
  for (std::size_t i = 0; i < w.eligible.size(); ++i) {
    out.probabilities[w.eligible[i]] = static_cast<float>(w.decision.probabilities[i]);
    out.mean[w.eligible[i]] = w.decision.mean[i];
    out.width[w.eligible[i]] = w.decision.width[i];
  }
}

void offered_from(const EventRecord& record, Offered& out) {
  if (record.chosen_only) return played_from(record, out);
  out.clear();
  out.ids = record.ids;
  out.excluded = record.excluded;
  out.form = record.form;
  out.length = record.length;
  out.vectors = record.vectors;
  if (record.form == Form::objects) read_fields(record.objects, out.objects);
  if (record.form == Form::objects && out.objects.rows() != 1 + out.ids.size()) Cursor::damaged();
}

void played_from(const EventRecord& record, Offered& out) {
  const std::size_t row = record.chosen_only ? 0 : record.chosen;
  out.clear();
  out.ids.push_back(record.ids[record.chosen]);
  out.form = record.form;
  out.length = record.length;
  if (record.form == Form::vectors) {
    const auto begin = record.vectors.begin() + static_cast<std::ptrdiff_t>(row * record.length);
    out.vectors.assign(begin, begin + record.length);
  }
  if (record.form == Form::objects) read_fields_of(record.objects, row, out.objects);
}

std::size_t length_of(const Published& published) {
  return published.form == Form::objects ? published.encoder->length() : published.length;
}

namespace {

bool takes(const Published& published, const EventRecord& record) {
  return record.form == published.form && record.length == published.length;
}

bool encoded(const Published& published, const Offered& offered, std::vector<double>& out, std::size_t most) {
  try {
    contexts_of(published, offered, out, most);
  } catch (const ContractError&) {
    return false;
  }
  return std::all_of(out.begin(), out.end(), [](double x) { return std::abs(x) <= largest_number; });
}

}  // namespace

bool played_context(const Published& published, const EventRecord& record, Offered& workspace,
                    std::vector<double>& out) {
  if (!takes(published, record)) return false;
  played_from(record, workspace);
  return encoded(published, workspace, out, 1);
}

bool offered_contexts(const Published& published, const EventRecord& record, Offered& workspace,
                      std::vector<double>& out) {
  if (record.chosen_only || !takes(published, record)) return false;
  offered_from(record, workspace);
  return encoded(published, workspace, out, most_told);
}

}  // namespace neuralts::serve
