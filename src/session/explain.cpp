// What moved a choice: each field is left out in turn, and the belief asked again. For a linear belief the
// difference is gradient times input, exactly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "neuralts/error.hpp"
#include "session/state.hpp"

namespace neuralts {

namespace {

// Mean and width of contexts, each in a block of its own choosing.
class Asked {
 public:
  explicit Asked(const Policy& policy) : policy_(policy) {}
  struct Answer {
    double mean = 0, width = 0;
  };
  std::vector<Answer> rows(std::span<const double> numbers, std::size_t rows, std::uint32_t block, bool blocked) {
    std::vector<Answer> all;
    const std::size_t length = numbers.size() / rows;
    if (!blocked) {
      ask(Contexts::per_arm(numbers, rows));
      for (std::size_t i = 0; i < rows; ++i) all.push_back({decision_.mean[i], decision_.width[i]});
      return all;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      ask(Contexts::disjoint(numbers.subspan(i * length, length), std::span(&block, 1)));
      all.push_back({decision_.mean[0], decision_.width[0]});
    }
    return all;
  }

 private:
  void ask(const Contexts& contexts) {
    Stream stream(1, Purpose::exploration);  // what is drawn is not looked at
    policy_.select(contexts, stream, scratch_, decision_);
  }
  const Policy& policy_;
  Scratch scratch_;
  Decision decision_;
};

struct Subject {
  std::vector<Term> terms;
  std::uint32_t block = 0;
  Asked::Answer whole;
  std::map<std::string, Asked::Answer> parts;  // by the term's name
};

// Row 0 is the vector itself, row i the vector without term i - 1.
void ask_about(Subject& subject, Asked& asked, std::size_t length, bool blocked) {
  const std::size_t rows = subject.terms.size() + 1;
  std::vector<double> numbers(rows * length, 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t t = 0; t < subject.terms.size(); ++t)
      if (t + 1 != i) numbers[i * length + subject.terms[t].slot] += subject.terms[t].value;
  const auto answers = asked.rows(numbers, rows, subject.block, blocked);
  subject.whole = answers[0];
  for (std::size_t t = 0; t < subject.terms.size(); ++t) {
    auto& part = subject.parts[subject.terms[t].name];
    part.mean += answers[0].mean - answers[t + 1].mean;
    part.width += answers[0].width - answers[t + 1].width;
  }
}

// Names of products end with the action's field; those of the two actions are compared name by name. A text is part
// of its name: what only the other action has stands by itself.
std::vector<Contribution> differences(const Subject& chosen, const Subject* other) {
  std::map<std::string, Contribution> all;
  for (const auto& [name, part] : chosen.parts) all[name] = {name, part.mean, part.width};
  if (other != nullptr)
    for (const auto& [name, part] : other->parts) {
      auto& entry = all[name];
      const bool shared = !entry.name.empty();
      entry.name = shared ? name : "(other) " + name;
      entry.mean -= part.mean;
      entry.width -= part.width;
    }
  std::vector<Contribution> list;
  for (auto& [name, contribution] : all) list.push_back(std::move(contribution));
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.mean) > std::abs(b.mean); });
  return list;
}

}  // namespace

Explanation Session::explain(const FieldTable& objects, std::size_t arm) const {
  const State& s = *state_;
  if (!s.encoder)
    throw ContractError("there is no schema yet: choices are uniform until it has been learned");
  if (objects.rows() < 2) throw ContractError("no action is offered");
  if (arm + 1 >= objects.rows())
    throw ContractError("arm " + std::to_string(arm) + " is not among the " +
                        std::to_string(objects.rows() - 1) + " offered, counted from 0");
  const auto names = s.names_of(objects);
  Asked asked(s.agent->policy());
  std::vector<Subject> subjects(names.size());
  std::size_t best = arm;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto place = s.by_name() ? s.arms.find(names[k]) : std::optional<ArmNames::Place>{ArmNames::Place{}};
    if (!place || place->reused) {  // another arm's knowledge lies where it would go
      if (k == arm) throw ContractError("the arm '" + names[k] + "' is not known: nothing has been learned of it");
      continue;
    }
    subjects[k].block = place->block;
    subjects[k].terms = s.by_name() ? s.encoder->context_terms(objects.row(0))
                                    : s.encoder->terms(objects.row(0), objects.row(1 + k));
    std::vector<double> x(s.length(), 0.0);
    for (const Term& term : subjects[k].terms) x[term.slot] += term.value;
    subjects[k].whole = asked.rows(x, 1, subjects[k].block, s.by_name())[0];
    if (k != arm && (best == arm || subjects[k].whole.mean > subjects[best].whole.mean)) best = k;
  }
  ask_about(subjects[arm], asked, s.length(), s.by_name());
  if (best != arm) ask_about(subjects[best], asked, s.length(), s.by_name());
  Explanation out;
  out.action = names[arm];
  out.mean = subjects[arm].whole.mean;
  out.width = subjects[arm].whole.width;
  if (best != arm) {
    out.other = names[best];
    out.other_mean = subjects[best].whole.mean;
    out.other_width = subjects[best].whole.width;
  }
  out.contributions = differences(subjects[arm], best == arm ? nullptr : &subjects[best]);
  return out;
}

std::string Explanation::to_text(std::size_t most) const {
  std::string text = fmt::format("'{}': mean {:.4g}, width {:.4g}\n", action, mean, width);
  if (!other.empty())
    text += fmt::format("'{}', the best of the others: mean {:.4g}, width {:.4g}\n", other, other_mean,
                        other_width);
  text += fmt::format("{:>10} {:>10}  {}\n", "mean", "width",
                      other.empty() ? "what it adds" : "what it adds against the other");
  for (std::size_t i = 0; i < std::min(most, contributions.size()); ++i)
    text += fmt::format("{:>+10.4f} {:>+10.4f}  {}\n", contributions[i].mean, contributions[i].width,
                        contributions[i].name);
  if (contributions.size() > most)
    text += fmt::format("{:>10} {:>10}  and {} more\n", "", "", contributions.size() - most);
  return text;
}

}  // namespace neuralts
