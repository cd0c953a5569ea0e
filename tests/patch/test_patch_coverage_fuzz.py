"""Ten minutes of coverage-guided fuzzing of the reader (long form; needs atheris)."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = int(os.environ.get("PATCHWRIGHT_FUZZ_SECONDS") or 600)

TARGET = """
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["sandbox.patch"]):
    from sandbox.patch import apply_answer

ROOT = Path(tempfile.mkdtemp())
(ROOT / "one.txt").write_text("a\\nb\\nc\\n\\n    x = 1\\n")


def once(data: bytes) -> None:
    apply_answer(ROOT, data, dry_run=True)


atheris.Setup(sys.argv, once)
atheris.Fuzz()
"""


@pytest.mark.long
@pytest.mark.timeout(SECONDS + 300)
def test_reader_survives_guided_fuzzing(tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed; it is an optional tool of the long form")
    script = tmp_path / "target.py"
    script.write_text(TARGET)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "seed").write_text("--- a/one.txt\n+++ b/one.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n c\n")
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, str(script), f"-max_total_time={SECONDS}", str(corpus)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=SECONDS + 240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4_000:]
