"""A run's directory: files are whole or not there."""

from pathlib import Path

from app.runs.files import RunFiles


def test_what_is_written_is_read(tmp_path: Path) -> None:
    files = RunFiles(tmp_path / "runs" / "a")
    assert files.read_json("proof") is None
    files.write_json("proof", {"verdict": "proved", "text": "naïve — ✓"})
    assert files.read_json("proof") == {"verdict": "proved", "text": "naïve — ✓"}
    files.write_json("proof", {})
    assert files.read_json("proof") == {}


def test_nothing_half_written_is_ever_read(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    (tmp_path / ".proof.json.part").write_text('{"verdict": "pro', encoding="utf-8")
    assert files.read_json("proof") is None
    files.write_json("proof", {"verdict": "proved"})
    assert [path.name for path in tmp_path.iterdir()] == ["proof.json"]


def test_a_diff_of_a_file_that_is_no_utf8_survives(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    diff = b"+caf\xe9\n".decode("utf-8", "surrogateescape")
    files.write_diff(diff)
    assert (tmp_path / "fix.diff").read_bytes() == b"+caf\xe9\n"
    files.write_json("proof", {"diff": diff})
    assert files.read_json("proof") == {"diff": diff}


def test_a_clone_begins_with_nothing(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    left = files.fresh_base()
    (left / "deep").mkdir(parents=True)
    assert not files.fresh_base().exists()
