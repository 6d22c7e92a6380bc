"""What the command line promises: exit status, what goes to standard output, and messages that help."""
import json
import os
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["NEURALTS"]
QUICK = ["run", "--env", "quadratic", "--policy", "random", "--rounds", "20"]
REQUIRED = {"env", "policy", "preset", "params", "seed", "rounds", "regret", "reward", "select_seconds", "learn_seconds"}


def call(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)


class Run(unittest.TestCase):
    def test_json_is_one_object_on_one_line_and_nothing_else(self):
        done = call(*QUICK, "--seed", "3", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        line = json.loads(done.stdout)
        self.assertLessEqual(REQUIRED, line.keys())
        self.assertEqual((line["env"], line["policy"], line["seed"], line["rounds"]), ("quadratic", "random", 3, 20))
        self.assertIsInstance(line["params"], dict)
        self.assertGreater(line["regret"], 0)

    def test_json_is_one_line_per_run(self):
        done = call(*QUICK, "--seeds", "1..3", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([json.loads(line)["seed"] for line in done.stdout.splitlines()], [1, 2, 3])

    def test_same_seed_same_result_another_seed_another(self):
        def regret(seed):
            return json.loads(call(*QUICK, "--seed", seed, "--json").stdout)["regret"]

        self.assertEqual(regret("1"), regret("1"))
        self.assertNotEqual(regret("1"), regret("2"))

    def test_several_seeds_end_in_their_mean(self):
        done = call(*QUICK, "--seeds", "1..3")
        regrets = [json.loads(line)["regret"] for line in call(*QUICK, "--seeds", "1..3", "--json").stdout.splitlines()]
        self.assertIn(f"{sum(regrets) / 3:.1f} ±", done.stdout)

    def test_a_wide_table_keeps_to_the_columns_there_are(self):
        worlds = ",".join(f"quadratic:dim={dim}" for dim in range(2, 9))
        done = subprocess.run([PROGRAM, "run", "--env", worlds, "--policy", "random", "--rounds", "5", "--seeds", "1,2", "--quiet"],
                              capture_output=True, text=True, env={**os.environ, "COLUMNS": "70"}, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = done.stdout.split("\n\n", 1)[1]
        self.assertLessEqual(max(len(line) for line in table.splitlines()), 70)
        self.assertIn("quadratic:dim=8", table)

    def test_a_flag_is_for_every_grid_of_a_file_that_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("env = 'quadratic'\nrounds = 5\n[[grid]]\npolicy = 'random'\n[[grid]]\npolicy = 'linear-ts'\nset = { nu = 3 }\n"
                           "[[grid]]\npolicy = 'linear-ucb'\n")
            done = call("run", "--file", path, "--set", "nu=0.5", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([(run["policy"], run["given"]) for run in map(json.loads, done.stdout.splitlines())],
                             [("random", {}), ("linear-ts", {"nu": "0.5"}), ("linear-ucb", {"nu": "0.5"})])
            done = call("run", "--file", path, "--set", "mu=0.5", "--json")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("two.toml, grid 1: unknown parameter 'mu'", done.stderr)

    def test_table_names_world_and_policy(self):
        done = call(*QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("quadratic", done.stdout)
        self.assertIn("random", done.stdout)


class LostOutput(unittest.TestCase):
    """What was printed and did not arrive is a failure, whatever the command."""

    COMMANDS = [
        [*QUICK, "--json"],
        ["theory", "--env", "cosine:dim=2,arms=2", "--rounds", "5", "--json"],
        ["policies", "--json"],
        ["envs"],
        ["--version"],
        ["run", "--help"],
    ]

    @staticmethod
    def shell(words, redirection):
        line = f'exec "$0" "$@" {redirection}'
        return subprocess.run(["sh", "-c", line, PROGRAM, *words], stderr=subprocess.PIPE, text=True, timeout=300)

    def test_a_full_device_and_a_closed_stream_are_failures(self):
        for words in self.COMMANDS:
            for redirection in (">/dev/full", ">&-"):
                with self.subTest(words=words, redirection=redirection):
                    done = self.shell(words, redirection)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("standard output", done.stderr)

    def test_compare_too(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(call(*QUICK, "--seeds", "1..3", "--out", folder).returncode, 0)
            done = self.shell(["compare", folder, folder, "--csv"], ">/dev/full")
            self.assertEqual(done.returncode, 1)

    def test_what_is_printed_never_lands_in_a_file_of_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.shell([*QUICK, "--out", folder + "/r", "--json"], ">&-")
            with open(folder + "/r/results.jsonl") as lines:
                self.assertEqual(len(lines.readlines()), 1)

    def test_output_that_arrives_is_a_success(self):
        self.assertEqual(self.shell([*QUICK, "--json"], ">/dev/null").returncode, 0)


class Folders(unittest.TestCase):
    """What results folders promise on the command line."""

    def test_unreadable_lines_are_named_and_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(call(*QUICK, "--out", folder, "--quiet").returncode, 0)
            with open(folder + "/results.jsonl", "a") as results:
                results.write('{"key": "another program"}\n')
            done = call(*QUICK, "--out", folder, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("line 2", done.stderr)
            self.assertIn("unreadable.txt", done.stderr)
            with open(folder + "/unreadable.txt") as kept:
                self.assertIn("another program", kept.read())

    def test_a_file_changed_under_its_name_is_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            data = folder + "/rows.csv"
            run = ["run", "--env", data, "--policy", "random", "--rounds", "8", "--out", folder + "/results", "--quiet", "--json"]
            rewards = []
            for rows in (["1,a", "2,b"] * 8, ["1,a", "2,a", "3,b"] * 8):
                with open(data, "w") as file:
                    file.write("x,class\n" + "\n".join(rows) + "\n")
                rewards += [json.loads(line)["reward"] for line in call(*run).stdout.splitlines()]
                self.assertEqual(rewards[-1], json.loads(call(*run).stdout)["reward"])
            with open(folder + "/results/older.jsonl") as older:
                self.assertEqual(len(older.readlines()), 1)

    def test_compare_says_what_differs_and_whether_seeds_can_tell(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, nu in (("a", "1"), ("b", "0.5")):
                call("run", "--env", "quadratic", "--policy", "linear-ucb", "--set", "nu=" + nu, "--rounds", "20", "--seed", "1", "--out",
                     f"{folder}/{name}", "--quiet")
            done = call("compare", folder + "/a", folder + "/b", "--by", "policy")
            self.assertIn("nu 1 -> 0.5", done.stdout)
            self.assertIn("not tested: two seeds at least are needed", done.stdout)
            page = call("compare", folder + "/a", folder + "/b", "--by", "policy", "--html").stdout
            self.assertTrue(page.startswith("<!doctype html>"), page[:40])
            self.assertIn("nu 1 -&gt; 0.5", page)

    def test_a_plan_prices_every_step_and_makes_no_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = ["reproduce", "table", "--plan", "--preset", "released", "--env", "cosine:dim=2,arms=2", "--policy", "linear-ucb,linear-ts",
                    "--rounds", "100", "--out", folder + "/new"]
            first = call(*plan)
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertFalse(os.path.exists(folder + "/new"))
            for step in ("search: 6 of 6 runs", "repeats: 38 of 38 runs", "in all: about"):
                self.assertIn(step, first.stderr)
            without_times = lambda text: re.sub(r"about \S+ \S+", "", text)
            self.assertEqual(without_times(call(*plan).stderr), without_times(first.stderr))
            quick = call(*plan, "--quick")
            self.assertNotIn("search", quick.stderr)

    def test_a_reproduction_in_tasks_is_the_whole_one(self):
        with tempfile.TemporaryDirectory() as folder:
            table = ["reproduce", "table", "--preset", "released", "--env", "cosine:dim=2,arms=2", "--policy", "linear-ucb,linear-ts", "--rounds", "30",
                     "--seeds", "2", "--search-seeds", "1", "--quiet", "--jobs", "1", "--out"]
            self.assertEqual(call(*table, folder + "/whole").returncode, 0)
            first = call(*table, folder + "/tasks", "--task", "0", "--of", "2")
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertIn("the repeats need the whole search", first.stderr)
            for task in ("1", "0"):
                done = call(*table, folder + "/tasks", "--task", task, "--of", "2")
                self.assertEqual(done.returncode, 0, done.stderr)
            keys = []
            for name in ("whole", "tasks"):
                with open(f"{folder}/{name}/results.jsonl") as file:
                    keys.append(sorted(json.loads(line)["key"] for line in file if '"key"' in line))
            self.assertEqual(keys[0], keys[1])
            self.assertGreater(len(keys[0]), 6)

    def test_delays_end_in_their_own_table(self):
        with tempfile.TemporaryDirectory() as folder:
            done = call("reproduce", "delay", "--quick", "--env", "cosine:dim=2,arms=2", "--policy", "neural-ts", "--rounds", "40", "--seeds", "2",
                        "--out", folder + "/new", "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("delay", done.stdout)
            self.assertRegex(done.stdout, r"100")
            self.assertNotIn("published", done.stdout)


class Refusals(unittest.TestCase):
    CASES = [
        (["run", "--env", "quadratic", "--policy", "randon"], "unknown policy 'randon'", "did you mean 'random'?"),
        (["run", "--env", "quadrtic", "--policy", "random"], "quadrtic", "'quadratic'"),
        (["run", "--env", "quadratic:arm=3", "--policy", "random"], "unknown parameter 'arm'", "did you mean 'arms'?"),
        (["run", "--env", "quadratic:arms=0", "--policy", "random"], "arms=0", "allowed"),
        ([*QUICK, "--set", "nonsense"], "nonsense", "KEY=VALUE"),
        ([*QUICK, "--set", "nu=1"], "unknown parameter 'nu'", ""),
        ([*QUICK, "--preset", "papr"], "unknown preset 'papr'", ""),
        ([*QUICK, "--no-such-flag"], "unknown option '--no-such-flag'", "--help"),
        (["run", "---"], "---", "--help"),
        (["run", "--polcy", "random"], "unknown option '--polcy'", "did you mean '--policy'?"),
        (["run", "-seeed=3"], "unknown option '-seeed=3'", "did you mean '--seed'?"),
        (["run", "--env", "quadratic", "--rounds", "many"], "many", ""),
        ([*QUICK, "--rounds", "-1"], "--rounds", "whole number from 0 on"),
        ([*QUICK, "--rounds", "99999999999999999999"], "--rounds", "too large"),
        ([*QUICK, "--rounds", "0"], "--rounds", "at least 1"),
        ([*QUICK, "--jobs", "-1"], "--jobs", "whole number from 0 on"),
        ([*QUICK, "--jobs", "1.5"], "--jobs", "whole number from 0 on"),
        ([*QUICK, "--seeds", ""], "--seeds", "empty"),
        ([*QUICK, "--seeds", "-1"], "-1", "1..20"),
        ([*QUICK, "--out", ""], "--out", "empty"),
        ([*QUICK, "--log", ""], "--log", "empty"),
        (["run", "--env", "", "--policy", "random"], "--env", "empty"),
        (["theory", "--seed", "-1"], "--seed", "whole number from 0 on"),
        (["theory", "--threads", "-1"], "--threads", "whole number from 0 on"),
        (["theory", "--lambda", "nan"], "--lambda", "finite"),
        (["theory", "events", "--runs", "0"], "--runs", "at least 1"),
        (["theory", "gap", "--units", "32,-64"], "--units", "whole number from 0 on"),
        (["reproduce", "table", "--seeds", "-1", "--plan"], "--seeds", "whole number from 0 on"),
        (["reproduce", "table", "--env", "mushrom", "--plan"], "unknown world of --env 'mushrom'", "did you mean 'mushroom'?"),
        (["reproduce", "suit"], "suit", "did you mean 'suite'?"),
        (["report", ""], "folder", "empty"),
        ([*QUICK, "--task", "1"], "--of", ""),
        ([*QUICK, "--task", "3", "--of", "3"], "no task 3 of 3", "counted from 0"),
        ([*QUICK, "--task", "-1", "--of", "3"], "--task", "whole number from 0 on"),
        ([*QUICK, "--task", "0", "--of", "0"], "--of", "at least 1"),
        (["rum"], "unknown command 'rum'", "did you mean 'run'?"),
        (["help", "rum"], "unknown command 'rum'", "did you mean 'run'?"),
        ([], "", ""),
    ]

    def test_usage_errors_give_status_2_a_message_and_no_output(self):
        for arguments, what, hint in self.CASES:
            with self.subTest(arguments=arguments):
                done = call(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertIn(what, done.stderr)
                self.assertIn(hint, done.stderr)

    def test_a_command_that_cannot_be_meant_leaves_no_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "results")
            for wrong in (["--policy", "neural-tz"], ["--set", "nuu=1"], ["--env", "quadratic,quadratik"], ["--env", "quadratic,wheel:deltaa=0.5"]):
                self.assertEqual(call("run", "--rounds", "5", *wrong, "--out", out).returncode, 2)
                self.assertFalse(os.path.exists(out), "the report would name it among the commands that filled the folder")

    def test_a_world_that_is_not_there_gives_status_1(self):
        done = call("run", "--env", "no/such/file.csv", "--policy", "random")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("no/such/file.csv", done.stderr)


class Help(unittest.TestCase):
    def test_help_is_a_command_as_well(self):
        for words in ([], ["run"], ["theory", "gap"]):
            asked, flag = call("help", *words), call(*words, "--help")
            self.assertEqual((asked.returncode, asked.stdout, asked.stderr), (0, flag.stdout, ""))
            self.assertIn("Options:", asked.stdout)


class Listings(unittest.TestCase):
    def test_policies_lists_every_parameter_with_default_range_and_meaning(self):
        done = call("policies", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        policies = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertIn("random", [policy["name"] for policy in policies])
        for policy in policies:
            text = call("policies", policy["name"]).stdout
            self.assertTrue(policy["summary"])
            for param in policy["params"]:
                self.assertIn(param["key"], text)
                for field in ("key", "default", "range", "doc"):
                    self.assertTrue(param[field] or field == "default", (policy["name"], param))

    def test_policies_without_a_name_is_a_short_list_that_says_how_to_read_on(self):
        text = call("policies").stdout
        names = [json.loads(line)["name"] for line in call("policies", "--json").stdout.splitlines()]
        self.assertLessEqual(len(text.splitlines()), 3 * len(names) + 2)
        for name in names:
            self.assertRegex(text, rf"(?m)^{name} +\S")
        self.assertIn("policies NAME", text)

    def test_one_world_by_name(self):
        every, one = call("envs").stdout, call("envs", "wheel").stdout
        self.assertIn("wheel", one)
        self.assertNotIn("mushroom", one)
        self.assertIn("mushroom", every)
        wrong = call("envs", "whell")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean 'wheel'?", wrong.stderr)

    def test_policies_shows_the_values_in_force(self):
        (policy,) = [json.loads(line) for line in call("policies", "neural-ts", "--json").stdout.splitlines()]
        preset = policy["presets"][policy["default_preset"]]
        text = call("policies", "neural-ts").stdout
        for param in policy["params"]:
            self.assertEqual(param["value"], preset.get(param["key"], param["default"]))
            self.assertIn(f"    {param['key']}={param['value']}", text)

    def test_listings_fit_eighty_columns(self):
        for listing in ("policies", "envs"):
            for line in call(listing).stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_one_policy_by_name(self):
        done = call("policies", "random")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("random"))
        refused = call("policies", "randon")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("did you mean 'random'?", refused.stderr)

    def test_version(self):
        done = call("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^neuralts \d+\.\d+\.\d+\n$")

    def test_help_shows_every_command_and_examples(self):
        done = call("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Examples:", done.stdout)
        commands = re.findall(r"^  (\w+)  ", done.stdout.split("Subcommands:")[1], re.MULTILINE)
        self.assertLessEqual({"run", "policies"}, set(commands))
        for command in commands:
            with self.subTest(command=command):
                shown = call(command, "--help")
                self.assertEqual(shown.returncode, 0)
                self.assertIn("  neuralts ", shown.stdout.split("Example")[1], "an example")


if __name__ == "__main__":
    unittest.main()
