"""The man page and the completions know every option that the program's own
help lists, command by command."""
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
WEIR = os.path.join(BUILD, "weir")
OPTION = re.compile(r"^  (?:(-\w)(?:, )?)?(--[\w-]+)?", re.M)


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def run(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def commands():
    listed = run(WEIR, "--help").split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+)", listed, re.M)


def options(command):
    found = OPTION.findall(run(WEIR, command, "--help"))
    return [long or short for short, long in found if short or long]


@unittest.skipUnless(os.path.exists(WEIR), "the program is not built")
class Manual(unittest.TestCase):
    def test_man_page(self):
        page = read("docs", "man", "weir.1").replace("\\-", "-")
        for command in commands():
            self.assertIn(f".SS weir {command}", page)
            for option in options(command):
                self.assertRegex(page, re.escape(option) + r"\b", command)

    def test_bash(self):
        script = os.path.join(ROOT, "completions", "weir.bash")
        for command in commands():
            for option in options(command):
                out = run("bash", "-c", f". {script}; COMP_WORDS=(weir "
                          f"{command} {option}); COMP_CWORD=2; _weir weir "
                          f"{option} {command}; printf '%s\\n' ${{COMPREPLY[@]}}")
                self.assertIn(option, out.split(), command)

    def test_zsh(self):
        script = read("completions", "_weir")
        for command in commands():
            self.assertIn(f"'{command}:", script)
            for option in options(command):
                self.assertRegex(script, re.escape(option) + r"\b", command)


if __name__ == "__main__":
    unittest.main()
