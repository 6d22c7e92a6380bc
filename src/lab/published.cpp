#include "lab/published.hpp"

#include <array>

namespace neuralts {

namespace {

struct Figure {
  double mean, sd;
  const char* standing;
};
struct Row {
  const char* policy;
  std::array<Figure, 6> figures;  // adult, covertype, magic, mnist, mushroom, shuttle
};

// clang-format off
constexpr std::array<Row, 8> rows{{
    {"linear-ucb", {{{2097.5, 50.3, "2/3/2"}, {3222.7, 67.2, "4/0/3"}, {2604.4, 34.6, "1/0/6"}, {2544.0, 235.4, "2/2/3"}, {562.7, 23.1, "1/0/6"}, {966.6, 39.0, "1/0/6"}}}},
    {"linear-ts", {{{2154.7, 40.5, "1/0/6"}, {4297.3, 328.7, "0/0/7"}, {2700.5, 46.7, "0/0/7"}, {2781.4, 338.3, "2/1/4"}, {643.3, 30.4, "0/0/7"}, {1020.9, 42.8, "0/0/7"}}}},
    {"kernel-ucb", {{{2080.1, 44.8, "4/3/0"}, {3546.2, 175.7, "2/0/5"}, {2406.5, 79.4, "3/1/3"}, {3595.8, 580.1, "0/0/7"}, {199.0, 41.0, "4/0/3"}, {166.5, 39.4, "7/0/0"}}}},
    {"kernel-ts", {{{2111.5, 87.4, "2/3/2"}, {3659.9, 113.8, "1/0/6"}, {2442.6, 64.5, "2/0/5"}, {3406.0, 411.7, "1/0/6"}, {291.2, 40.0, "3/0/4"}, {283.3, 180.5, "3/3/1"}}}},
    {"bootstrap-nn", {{{2097.3, 39.3, "2/4/1"}, {3067.0, 56.1, "5/0/2"}, {2269.4, 27.9, "5/0/2"}, {1765.6, 321.1, "4/3/0"}, {132.3, 8.6, "5/2/0"}, {211.7, 20.9, "3/3/1"}}}},
    {"neural-greedy", {{{2328.5, 50.4, "0/0/7"}, {3334.2, 72.6, "3/0/4"}, {2381.8, 37.3, "3/1/3"}, {1893.2, 93.7, "4/2/1"}, {323.2, 32.5, "2/0/5"}, {682.0, 79.8, "2/0/5"}}}},
    {"neural-ucb", {{{2061.8, 42.8, "6/1/0"}, {3012.1, 87.0, "6/1/0"}, {2033.0, 48.6, "6/1/0"}, {2071.6, 922.2, "3/3/1"}, {160.4, 95.3, "5/1/1"}, {338.6, 386.4, "3/3/1"}}}},
    {"neural-ts", {{{2092.5, 48.0, "2/4/1"}, {2999.1, 74.3, "6/1/0"}, {2037.4, 61.3, "6/1/0"}, {1583.4, 198.5, "6/1/0"}, {115.0, 35.8, "6/1/0"}, {232.0, 149.5, "3/3/1"}}}},
}};
// clang-format on

std::vector<Published> make_table() {
  std::vector<Published> table;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.figures.size(); ++i)
      table.push_back(
          {row.policy, published_envs()[i], row.figures[i].mean, row.figures[i].sd, row.figures[i].standing});
  return table;
}

}  // namespace

std::size_t published_rounds(const std::string& env) { return env == "mushroom" ? 8124 : 10000; }

const Published* published(const std::string& policy, const std::string& env) {
  static const std::vector<Published> table = make_table();
  for (const auto& entry : table)
    if (entry.policy == policy && entry.env == env) return &entry;
  return nullptr;
}

const std::vector<std::string>& published_policies() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& row : rows) list.emplace_back(row.policy);
    return list;
  }();
  return names;
}

const std::vector<std::string>& published_envs() {
  static const std::vector<std::string> names{"adult", "covertype", "magic", "mnist", "mushroom", "shuttle"};
  return names;
}

}  // namespace neuralts
