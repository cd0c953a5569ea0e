"""Bench runner: `python -m tests.bench [--list] [NAME ...]`, each bench in its own process."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    """Every bench: a module here that is not private."""
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def main(arguments: list[str]) -> int:
    """Exit status: 0 all ran, 1 one failed or missed its figure, 2 a name that is no bench."""
    known = names()
    if "--list" in arguments:
        sys.stdout.write("".join(f"{name}\n" for name in known))
        return 0
    unknown = [name for name in arguments if name not in known]
    if unknown:
        sys.stderr.write(f"No bench {', '.join(unknown)}; there are: {', '.join(known)}.\n")
        return 2
    failed = [name for name in arguments or known if not _passes(name)]
    if failed:
        sys.stderr.write(f"Failed: {', '.join(failed)}\n")
    return 1 if failed else 0


def _passes(name: str) -> bool:
    sys.stdout.write(f"== {name}\n")
    sys.stdout.flush()
    return (
        subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=False).returncode == 0
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
