"""Lines that look like gaming are quoted for a person; honest ones are left alone."""

from pathlib import Path

import pytest

from sandbox.lint import suspicious
from sandbox.toolchain import load
from tests.support.repositories import CALC, diff_of

GAMING = [
    "os._exit(0)",
    "atexit.register(print)",
    "if 'PYTEST_CURRENT_TEST' in os.environ: return 3",
    "if 'pytest' in sys.modules: return 3",
    "frame = sys._getframe(1)",
    "return inspect.stack()[1].frame",
    "builtins.abs = lambda x: 3",
    "def __eq__(self, other): return True",
    "subprocess.run(['x'])",
    "open('/proc/self/fd/3')",
    "return random.choice([1, 2])",
    "except Exception: pass",
    "raise unittest.SkipTest",
    "if os.environ.get('CI'): return 3",
]
HONEST = [
    "return a + b",
    "def exit_code(self): return self.code",
    "except ValueError: return None",
    "TABLE = {1: 'one', 2: 'two'}",
    "if not value: raise ValueError('value is needed')",
    "self.latest = max(self.latest, when)",
    "randomized = sorted(names)",
]


def warnings(tmp_path: Path, line: str) -> tuple[str, ...]:
    (tmp_path / "calc.py").write_text(CALC)
    changed = CALC.replace("    return a - b\n", f"    {line}\n")
    return suspicious(diff_of("calc.py", CALC, changed), load("python", tmp_path).lint)


@pytest.mark.parametrize("line", GAMING)
def test_a_line_that_looks_like_gaming_is_quoted(tmp_path: Path, line: str) -> None:
    found = warnings(tmp_path, line)
    assert len(found) == 1
    assert line in found[0]
    assert found[0].startswith("calc.py:5 ")


@pytest.mark.parametrize("line", HONEST)
def test_an_honest_line_is_left_alone(tmp_path: Path, line: str) -> None:
    assert warnings(tmp_path, line) == ()


def test_only_added_lines_count(tmp_path: Path) -> None:
    gaming = CALC.replace("a - b", "os._exit(0)")
    lint = load("python", tmp_path).lint
    assert suspicious(diff_of("calc.py", gaming, CALC), lint) == ()


def test_many_lines_are_counted_not_listed(tmp_path: Path) -> None:
    many = CALC + "os._exit(0)\n" * 9
    found = suspicious(diff_of("calc.py", CALC, many), load("python", tmp_path).lint)
    assert (len(found), found[-1]) == (6, "and 4 more such lines")


@pytest.mark.parametrize("sign", ["\f", "\r", "\x1c", "\x85", "\u2028"])
def test_signs_that_end_a_line_elsewhere_are_text(tmp_path: Path, sign: str) -> None:
    """Form feeds separate sections of many an old source; git ends a line at a newline alone."""
    lint = load("python", tmp_path).lint
    text = f" x = 1\n-{sign}# one\n+{sign}# two\n+os._exit(0)\n"
    diff = f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n{text}"
    assert suspicious(diff, lint) == ("a.py:3 ends the process: `os._exit(0)`",)
