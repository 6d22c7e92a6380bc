"""Manual pages and completion say what the commands say, and the version stands in one place."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

PROGRAM = os.environ["NEURALTS"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def call(*arguments, **more):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=True, **more).stdout


def commands():
    return re.findall(r"^  (\w+)  ", call("--help").split("Subcommands:")[1], re.MULTILINE)


def flags(command):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", call(command, "--help").split("Options:")[1].split("Example")[0]))


def complete(script, *words):
    """What bash offers after these words."""
    line = " ".join(words)
    program = f"{script}\nCOMP_WORDS=({' '.join(map(repr, words))}) COMP_CWORD={len(words) - 1} COMP_LINE={line!r}\n_neuralts\n"
    done = subprocess.run(["bash", "-c", program + 'printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


class Manual(unittest.TestCase):
    def test_every_command_has_a_page_with_every_flag(self):
        front = call("manual").replace("\\-", "-")
        for command in commands():
            with self.subTest(command=command):
                self.assertIn(f"neuralts-{command}\\fR(1)", front)
                page = call("manual", command).replace("\\-", "-")
                self.assertIn(f"neuralts-{command}", page.splitlines()[0].lower())
                for flag in flags(command):
                    self.assertIn(f"\\fB{flag}\\fR", page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_pages_are_troff_without_a_warning(self):
        for command in ["", *commands()]:
            page = call("manual", command) if command else call("manual")
            done = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page, capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", command)

    def test_an_unknown_command_is_refused(self):
        done = subprocess.run([PROGRAM, "manual", "rum"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'run'?", done.stderr)


class Completion(unittest.TestCase):
    def test_bash_completes_commands_and_their_flags(self):
        script = call("completion", "bash")
        self.assertLessEqual(set(commands()), complete(script, "neuralts", ""))
        self.assertEqual(complete(script, "neuralts", "rep"), {"report", "reproduce"})
        for command in commands():
            self.assertLessEqual(flags(command), complete(script, "neuralts", command, "--") | {"--help"})
        self.assertEqual(complete(script, "neuralts", "run", "--env", "x", "--rou"), {"--rounds"})

    def test_other_shells_read_their_scripts(self):
        for shell in ("zsh", "fish"):
            script = call("completion", shell)
            for command in commands():
                self.assertIn(command, script)
            if shutil.which(shell):
                subprocess.run([shell, "-n", "/dev/stdin"], input=script, text=True, check=True)


class Version(unittest.TestCase):
    def test_changelog_begins_with_the_version_of_this_build(self):
        newest = re.search(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", (SOURCE / "CHANGELOG.md").read_text(), re.MULTILINE).group(1)
        self.assertEqual(call("--version").strip(), f"neuralts {newest}")


if __name__ == "__main__":
    unittest.main()
