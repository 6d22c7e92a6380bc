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


class Refusals(unittest.TestCase):
    CASES = [
        (["run", "--env", "quadratic", "--policy", "randon"], "unknown policy 'randon'", "did you mean 'random'?"),
        (["run", "--env", "quadrtic", "--policy", "random"], "quadrtic", "'quadratic'"),
        (["run", "--env", "quadratic:arm=3", "--policy", "random"], "unknown parameter 'arm'", "did you mean 'arms'?"),
        (["run", "--env", "quadratic:arms=0", "--policy", "random"], "arms=0", "allowed"),
        ([*QUICK, "--set", "nonsense"], "nonsense", "KEY=VALUE"),
        ([*QUICK, "--set", "nu=1"], "unknown parameter 'nu'", ""),
        ([*QUICK, "--preset", "papr"], "unknown preset 'papr'", ""),
        ([*QUICK, "--no-such-flag"], "--no-such-flag", ""),
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
        (["report", ""], "folder", "empty"),
        ([*QUICK, "--task", "1"], "--of", ""),
        ([*QUICK, "--task", "3", "--of", "3"], "no task 3 of 3", "counted from 0"),
        ([*QUICK, "--task", "-1", "--of", "3"], "--task", "whole number from 0 on"),
        ([*QUICK, "--task", "0", "--of", "0"], "--of", "at least 1"),
        (["rum"], "unknown command 'rum'", "did you mean 'run'?"),
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

    def test_a_world_that_is_not_there_gives_status_1(self):
        done = call("run", "--env", "no/such/file.csv", "--policy", "random")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("no/such/file.csv", done.stderr)


class Listings(unittest.TestCase):
    def test_policies_lists_every_parameter_with_default_range_and_meaning(self):
        done = call("policies", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        policies = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertIn("random", [policy["name"] for policy in policies])
        text = call("policies").stdout
        for policy in policies:
            self.assertIn(policy["name"], text)
            self.assertTrue(policy["summary"])
            for param in policy["params"]:
                self.assertIn(param["key"], text)
                for field in ("key", "default", "range", "doc"):
                    self.assertTrue(param[field] or field == "default", (policy["name"], param))

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
