#include "measure/bench.hpp"

#include <algorithm>

#include "measure/decisions.hpp"
#include "measure/learning.hpp"
#include "measure/life.hpp"
#include "measure/many_arms.hpp"
#include "measure/training.hpp"

namespace neuralts::bench {

namespace {

constexpr std::size_t units = 100, rounds = 1000;

double budget(bool quick) { return quick ? 0.3 : 1.5; }

Measurement against(const char* name, double value, const char* unit, double limit,
                    const std::string& limit_by = "asked for") {
  return {name, value, unit, limit, value / limit, limit_by};
}

Measurement sgemm(const Machine& machine, bool) {
  return against("sgemm", machine.own_sgemm, "GFLOP/s", machine.sgemm, machine.product_by);
}
Measurement bandwidth(const Machine& machine, bool) {
  return against("bandwidth", machine.bandwidth, "GB/s", machine.bandwidth, "reading memory");
}

// Whole training steps against the bare products in them.
Measurement training(const char* name, std::size_t d, const Machine& machine, bool quick) {
  const double limit = product_rate(d, units, rounds, budget(quick));
  return against(name, training_rate(d, units, rounds, budget(quick)), "GFLOP/s", limit, machine.product_by);
}
Measurement train_d784(const Machine& machine, bool quick) { return training("train_d784", 784, machine, quick); }
Measurement train_d22(const Machine& machine, bool quick) { return training("train_d22", 22, machine, quick); }

Measurement factor_solve(const Machine& machine, bool quick) {
  return against("factor_solve", solve_rate(5000, 2, budget(quick)), "GB/s", machine.bandwidth, "reading memory");
}

PolicySpec neural(const Shape& shape, const char* posterior) {
  return {.name = "neural-ts", .preset = "", .params = {{"posterior", posterior}}, .shape = shape};
}

Measurement exact_over_diagonal(const Machine&, bool quick) {
  const std::size_t length = quick ? 1000 : 10'000;
  const Shape shape{22, 2};
  const double exact = run_seconds(neural(shape, "exact"), length),
               diagonal = run_seconds(neural(shape, "diagonal"), length);
  return against("exact_over_diagonal", exact / diagonal, "times", 2.5);
}

Measurement select_k2_d22(const Machine&, bool quick) {
  return against("select_k2_d22", 1e6 * select_seconds(neural({22, 2}, "diagonal"), 200, budget(quick)), "us", 10);
}
Measurement select_k10_d784(const Machine&, bool quick) {
  return against("select_k10_d784", 1e6 * select_seconds(neural({784, 10}, "diagonal"), 10, budget(quick)),
                 "us", 150);
}
Measurement propensity_k10(const Machine&, bool quick) {
  return against("propensity_k10", 1e6 * propensity_seconds(10, budget(quick)), "us", 10);
}

// The goal of a decision among K arms: 0.4 us an arm with the diagonal width, three times that for a joint
// linear draw; 4 ms for 1,000 arms by default.
struct ManyArms {
  const char *policy, *posterior;
  double us_per_arm, least_us;
};
constexpr ManyArms diagonal_width{"neural-ts", "diagonal", 0.4, 10}, by_default{"neural-ts", "", 4, 1000},
    joint_line{"linear-ts", "", 1.2, 30};

template <const ManyArms& who, std::size_t arms>
Measurement many(const Machine&, bool quick) {
  const Params params = *who.posterior == 0 ? Params{}
                                            : Params{{"posterior", who.posterior}, {"beside", "nothing"}};
  const double us = 1e6 * many_arms_seconds(who.policy, params, arms, quick ? 500 : 2000, budget(quick));
  return against("", us, "us", std::max(who.least_us, who.us_per_arm * static_cast<double>(arms)));
}

Measurement publish_100k(const Machine&, bool quick) {
  return against("publish_100k", 1e6 * publish_seconds(100'000, budget(quick)), "us", 1000);
}
Measurement select_while_training(const Machine&, bool quick) {
  return against("select_while_training", select_p99_ratio(quick ? 20'000 : 100'000, quick ? 0.3 : 2),
                 "times", 1.2);
}
Measurement select_while_busy(const Machine&, bool quick) {
  const double ratio = busy_core_p99_ratio(quick ? 0.3 : 2);
  return against("select_while_busy", ratio, "times", ratio, "a busy core");
}
Measurement train_two_threads(const Machine&, bool quick) {
  return against("train_two_threads", two_threads(100'000, quick ? 2 : 10), "times", 2);
}

Measurement learned_default(const Machine&, bool quick) {
  return against("", learned_rounds_a_second("tuned", quick ? 2000 : 20'000, budget(quick)), "a second", 5000);
}
Measurement learned_long(const Machine&, bool quick) {
  return against("", learned_rounds_a_second("tuned", quick ? 20'000 : 200'000, budget(quick)), "a second", 50'000,
                 "what is asked of fast");
}
Measurement learned_fast(const Machine&, bool quick) {
  return against("", learned_rounds_a_second("fast", quick ? 20'000 : 200'000, budget(quick)), "a second", 50'000);
}

// 64 MiB hold 364,000 rounds of 20 numbers. The scale is looked at whenever rounds have doubled: for the last
// time when at least 265,000 are there.
Measurement rescale_full(const Machine&, bool quick) {
  return against("", 1e3 * longest_learn_seconds("fast", quick ? 4 : 64, quick ? 33'000 : 530'000), "ms", 50);
}

// A million rounds with room for a tenth of them: 16 MiB. Lived once, however many of its numbers are asked for.
const std::vector<LifePart>& a_life(bool quick) {
  static const std::vector<LifePart> parts = life("fast", quick ? 2 : 16, quick ? 100'000 : 1'000'000);
  return parts;
}
template <std::size_t part>
Measurement life_time(const Machine&, bool quick) {
  return against("", a_life(quick)[part].us_a_round, "us", a_life(quick)[0].us_a_round, "the first tenth");
}
template <std::size_t part>
Measurement life_memory(const Machine&, bool quick) {
  return against("", a_life(quick)[part].mib, "MiB", a_life(quick)[4].mib, "half-way");
}

}  // namespace

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = {
      {"sgemm", "our product of 1024 x 1024 matrices", sgemm},
      {"bandwidth", "the machine's reading of memory", bandwidth},
      {"train_d784", "training, 784 inputs, 100 units, 1000 rounds", train_d784},
      {"train_d22", "training, 22 inputs, 100 units, 1000 rounds", train_d22},
      {"factor_solve", "two right sides with a factor of 5000 rows", factor_solve},
      {"select_k2_d22", "a decision, 2 arms, 22 inputs", select_k2_d22},
      {"select_k10_d784", "a decision, 10 arms, 784 inputs", select_k10_d784},
      {"propensity_k10", "exact probabilities of 10 arms", propensity_k10},
      {"exact_over_diagonal", "a run's time, exact over diagonal posterior", exact_over_diagonal},
      {"arms_10_diagonal", "10 arms of 20 numbers, all probabilities, diagonal width", many<diagonal_width, 10>},
      {"arms_1000_diagonal", "1,000 arms", many<diagonal_width, 1000>},
      {"arms_10000_diagonal", "10,000 arms", many<diagonal_width, 10'000>},
      {"arms_10_default", "10 arms by default, after 2,000 rounds", many<by_default, 10>},
      {"arms_1000_default", "1,000 arms by default", many<by_default, 1000>},
      {"arms_10000_default", "10,000 arms by default", many<by_default, 10'000>},
      {"arms_10_linear", "10 arms, linear-ts, probabilities estimated from 64 draws", many<joint_line, 10>},
      {"arms_1000_linear", "1,000 arms, linear-ts", many<joint_line, 1000>},
      {"arms_10000_linear", "10,000 arms, linear-ts", many<joint_line, 10'000>},
      {"learned_default", "rounds learned a second, ten arms of 20 numbers, after 20,000", learned_default},
      {"learned_long", "the same after 200,000", learned_long},
      {"learned_fast", "the same with preset fast, after 200,000", learned_fast},
      {"rescale_full", "the longest call of 530,000 that learn a round, the scale moving under 64 MiB of them", rescale_full},
      {"life_time_1", "a round of a million, part 1 of ten: deciding and learning", life_time<0>},
      {"life_memory_1", "memory after part 1 of ten", life_memory<0>},
      {"life_time_2", "a round of a million, part 2 of ten: deciding and learning", life_time<1>},
      {"life_memory_2", "memory after part 2 of ten", life_memory<1>},
      {"life_time_3", "a round of a million, part 3 of ten: deciding and learning", life_time<2>},
      {"life_memory_3", "memory after part 3 of ten", life_memory<2>},
      {"life_time_4", "a round of a million, part 4 of ten: deciding and learning", life_time<3>},
      {"life_memory_4", "memory after part 4 of ten", life_memory<3>},
      {"life_time_5", "a round of a million, part 5 of ten: deciding and learning", life_time<4>},
      {"life_memory_5", "memory after part 5 of ten", life_memory<4>},
      {"life_time_6", "a round of a million, part 6 of ten: deciding and learning", life_time<5>},
      {"life_memory_6", "memory after part 6 of ten", life_memory<5>},
      {"life_time_7", "a round of a million, part 7 of ten: deciding and learning", life_time<6>},
      {"life_memory_7", "memory after part 7 of ten", life_memory<6>},
      {"life_time_8", "a round of a million, part 8 of ten: deciding and learning", life_time<7>},
      {"life_memory_8", "memory after part 8 of ten", life_memory<7>},
      {"life_time_9", "a round of a million, part 9 of ten: deciding and learning", life_time<8>},
      {"life_memory_9", "memory after part 9 of ten", life_memory<8>},
      {"life_time_10", "a round of a million, part 10 of ten: deciding and learning", life_time<9>},
      {"life_memory_10", "memory after part 10 of ten", life_memory<9>},
      {"publish_100k", "a model published after 100,000 learned rounds", publish_100k},
      {"select_while_training", "p99 of a decision beside a training, over without", select_while_training},
      {"select_while_busy", "the same beside a core that counts in its registers", select_while_busy},
      {"train_two_threads", "one history of 100,000 rounds, two threads over one", train_two_threads},
  };
  return all;
}

}  // namespace neuralts::bench
