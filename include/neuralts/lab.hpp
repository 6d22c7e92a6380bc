// Many runs: a grid of worlds x policies x parameters x seeds x delays, spread over cores, kept in a folder,
// told in a report.
//
//   Grid grid{.envs = {"mushroom"}, .policies = {"neural-ts", "linear-ucb"}, .set = {{"nu", {"0.1", "0.01"}}}, .seeds = {1, 2, 3}};
//   ResultsFolder folder("results");
//   run_experiment({{grid}}, {.folder = &folder});   // interrupted at any point, the same call goes on where it stopped
//   write_report(folder);                            // results/report.html, report.md, *.csv
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neuralts/run.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// The product of its lists. A policy may carry parameters of its own: "neural-ts:nu=0.1,lambda=1"; they win
/// over `set`.
struct Grid {
  std::vector<std::string> envs;
  std::vector<std::string> policies;
  /// Each applies to the policies that have it; the others use their default. None having it is an error, unless
  /// every grid of the experiment says it and a policy of another one has it.
  std::vector<std::string> presets{""};
  /// Key -> values. Each key applies to the policies that have it. None having it is an error, as with presets.
  std::map<std::string, std::vector<std::string>> set{};
  std::vector<std::uint64_t> seeds{1};
  std::vector<std::string> delays{"0"};
  std::size_t rounds = 0;  ///< 0: each environment's default
  std::string device{};    ///< what trains: "" or "cpu", or "cuda"; runs of different devices are different runs
};

struct Experiment {
  std::vector<Grid> grids;
  std::string name = "experiment";  ///< what errors call it: the file it was read from
};

/// Policies that are there already, by the name an experiment calls them; every other name goes to the factory.
struct GivenContestant {
  ContestantMaker make;
  std::string identity{};  ///< as WorldFacts'
};
using GivenContestants = std::map<std::string, GivenContestant>;

/// Every run of the experiment, once, in the order env, policy, preset, parameters, delay, seed. `given`: names
/// that are known although the factory does not know them. Throws Error(bad_spec).
std::vector<RunSpec> expand(const Experiment& experiment, const GivenContestants& given = {});

/// "a,b;c" -> items. A comma separates unless what follows it reads key=value: that belongs to the item before it
/// ("wheel:delta=0.95,noise=0.1,mushroom" is two worlds, "10,lost=0.1,100" two delays). A semicolon always
/// separates.
std::vector<std::string> split_list(std::string_view text);
/// "1..20", "1,2,5", "1..3,7". Throws Error(bad_spec).
std::vector<std::uint64_t> parse_seeds(std::string_view text);
/// "lambda=1,0.1,nu=0.5" -> lambda: 1, 0.1; nu: 0.5. Throws Error(bad_spec).
std::map<std::string, std::vector<std::string>> parse_set(std::string_view text);
/// An experiment from a .toml or .json file (doc/experiments.md). Throws Error(not_found | bad_input).
Experiment read_experiment(const std::string& path);
/// The same for a text that is there already; `name` says by its ending which of the two it is.
Experiment parse_experiment(std::string_view text, const std::string& name);

/// The name of a run: 16 hexadecimal digits that depend on all of what would be run: the specification, the
/// values in force of its policy, the program's version and `identity` (what the names of world and policy do
/// not say). A run whose key is known need not be done again. A policy the factory does not know has no values
/// in force. A device is part of it unless it is the processor.
std::string run_key(const RunSpec& spec, const std::string& identity = "");

/// What is kept of a run, finished or failed.
struct Record {
  std::string key;    ///< run_key() when it was run
  RunSpec spec;       ///< as asked for
  RunResult result;   ///< empty when the run failed
  std::string error;  ///< why it failed; empty when it did not
  std::string version;
  std::string cpu;
  unsigned cores = 0;
  std::string gpu{};  ///< what trained it, where that was not the processor
  bool ok() const { return error.empty(); }
};
/// One line of JSON without its end of line. Throws Error(bad_input) for text that is not a record.
std::string to_json(const Record& record, bool with_curve = true);
Record record_from_json(std::string_view line);

/// A folder with results.jsonl. Any number of processes may append to one at a time; nobody ever reads half a
/// record.
class ResultsFolder {
 public:
  /// Makes the folder when it is not there. Throws Error(io).
  explicit ResultsFolder(std::string path);
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// Every record, one per key (a finished one wins over a failed one), in canonical order. Of runs that differ
  /// only in version, values in force or identity, the one written last: it stands for what the folder's owner
  /// has today.
  std::vector<Record> records() const;
  /// Lines that are no record (torn by a kill, written by another program): "line 3: why".
  std::vector<std::string> unreadable() const;
  void append(const Record& record);
  /// Rewrites the file in canonical order without doubled lines: the same runs give the same bytes but for
  /// times. What stands for nothing any more goes to older.jsonl, lines that cannot be read to unreadable.txt:
  /// nothing is thrown away.
  void finish();

  /// The command lines that filled the folder, each once.
  std::vector<std::string> commands() const;
  void add_command(const std::string& command);

 private:
  std::string path_;
};

/// A run to do: its place among the runs of the experiment, and what it is.
struct Work {
  std::size_t index = 0;
  RunSpec spec;
};
/// Hands out runs and takes their records. Called from many threads at once.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  virtual std::optional<Work> next() = 0;
  virtual void finished(std::size_t index, Record record) = 0;
};

struct SweepProgress {
  std::size_t done = 0;            ///< runs finished or failed by this call
  std::size_t failed = 0;          ///< of those
  std::size_t skipped = 0;         ///< runs the folder held already
  std::size_t total = 0;           ///< runs of the experiment, skipped ones too
  double running = 0;              ///< sum of the parts done of the runs under way
  const Record* latest = nullptr;  ///< the run that has just ended; nothing between two ends
};

/// Worlds that are there already, by the name an experiment calls them; every other name goes to the factory.
using GivenWorlds = std::map<std::string, std::shared_ptr<const Environment>>;

struct SweepOptions {
  ResultsFolder* folder = nullptr;  ///< nothing: records are only returned
  std::size_t jobs = 0;             ///< runs at a time; 0: one per core, 512 on a device
  /// Runs whose specification says "cuda" advance in lock-step on these devices, dealt out evenly; empty: on
  /// all there are.
  std::vector<int> devices{};
  std::size_t processes = 1;        ///< that share the runs, this one among them (`serve`)
  std::string data_dir{};
  GivenWorlds worlds{};
  GivenContestants policies{};
  std::function<void(const SweepProgress&)> progress{};              ///< never called by two threads at once
  /// Every round of every run, from the run's thread.
  std::function<void(const RunSpec&, const RoundRecord&)> record{};
  /// True: give up the runs under way and return.
  std::function<bool()> stop{};
  std::function<void(const std::string&)> remark{};                  ///< what a user should read once
  /// Called once, beside the runs of this process: hands work on to others, returns when they are done.
  std::function<void(WorkSource&)> serve{};
  /// One of `of` tasks that share an experiment without knowing of each other: the runs whose place in expand()
  /// is `task` modulo `of`.
  std::size_t task = 0, of = 1;
};

/// Runs what the folder does not hold yet (failed runs are tried again) and returns one record per run of the
/// task, in the order of expand(); when stopped, only of the runs that ended. A run that throws is recorded as
/// failed and stops no other; only Error(bad_spec), a mistyped experiment, is passed on.
std::vector<Record> run_experiment(const Experiment& experiment, const SweepOptions& options = {});

/// Takes runs from `work` and advances them in lock-step on a CUDA device until there are none. Of the options
/// counts: jobs, data_dir, worlds, stop, remark. Throws Error(unsupported) when there is no such device.
void run_on_device(WorkSource& work, int device, const SweepOptions& options);

class Worlds;
/// Carries out single runs; each world is read once. Safe from many threads at once.
class Runner {
 public:
  explicit Runner(std::string data_dir, const GivenWorlds& worlds = {}, const GivenContestants& policies = {});
  ~Runner();
  /// The record of the run, failed if it threw; only Error(bad_spec) is passed on.
  Record operator()(const RunSpec& spec, const RunHooks& hooks = {});
  /// The key that its record will have.
  std::string key(const RunSpec& spec) const;

 private:
  std::unique_ptr<Worlds> worlds_;
  GivenContestants policies_;
};

/// A table as people read it. Texts are plain; whoever writes the file escapes them.
struct ReportCell {
  std::string text;
  std::string note{};   ///< said beside it, in smaller letters
  bool strong = false;  ///< the best of its column
};
struct ReportTable {
  std::string id;  ///< the CSV file's name
  std::string title;
  std::string note{};  ///< how to read it
  std::vector<std::string> columns;
  std::vector<std::vector<ReportCell>> rows{};
  std::string notes_called{};  ///< what the cells' notes are, where there are any: "published"
};
/// Lines in one frame, as data; the page draws them. A line named like a policy of the report has that policy's
/// colour.
struct ReportLine {
  std::string name;
  std::vector<double> x, y;  ///< of equal length; points that an axis cannot show are left out
  bool dashed = false;
};
struct ReportChart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<ReportLine> lines{};
};
/// A part of the report beside the results; shut at first.
struct ReportSection {
  std::string id, title;
  std::vector<std::string> paragraphs{};
  std::vector<ReportTable> tables{};
  std::vector<ReportChart> charts{};
};
struct ReportOptions {
  std::string title{};                    ///< empty: made from what was run
  std::vector<ReportSection> sections{};  ///< stand after the results
  bool theory = true;                     ///< what the regret theorem says of the worlds that are at hand
  std::string data_dir{};                 ///< where their data sets are
  GivenWorlds worlds{};
  /// Says what it is about to do, as it may take a while.
  std::function<void(const std::string& stage)> progress{};
};

/// Half the width of the band around a mean in every chart: the 90 % confidence interval (Student's t); 0 for
/// fewer than two values.
double band_half_width(const std::vector<double>& values);

/// Writes report.html (one file, opens offline), report.md and a CSV file per table into the folder.
/// Returns the path of report.html. Throws Error(not_found) when the folder holds no record.
std::string write_report(const ResultsFolder& folder, const ReportOptions& options = {});

}  // namespace neuralts
#pragma GCC visibility pop
