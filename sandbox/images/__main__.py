"""`python -m sandbox.images [TOOLCHAIN]`: makes sure of an image and prints its tag and id."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import docker
from docker.errors import DockerException
from rich.console import Console

from sandbox.images import BuilderMissing, ImageError, Progress, ensure

NO_ENGINE = 2
NO_BUILDER = 3


def main(arguments: list[str]) -> int:
    """Exit status: 0 there, 1 cannot be made, 2 no engine, 3 mmdebstrap is missing."""
    toolchain = arguments[0] if arguments else "python"
    console = Console(stderr=True, highlight=False)
    try:
        client = docker.from_env(timeout=60)
        with _shown(console) as progress:
            image = ensure(client, toolchain, progress)
    except BuilderMissing as error:
        console.print(str(error), soft_wrap=True, markup=False)
        return NO_BUILDER
    except ImageError as error:
        console.print(str(error), soft_wrap=True, markup=False)
        return 1
    except DockerException as error:
        console.print(
            f"No Docker engine answers ({error}): run `make engine`.", markup=False, soft_wrap=True
        )
        return NO_ENGINE
    sys.stdout.write(f"{image.tag} {image.id}\n")
    return 0


@contextmanager
def _shown(console: Console) -> Iterator[Progress]:
    """Progress on a terminal is one moving line; elsewhere each new phrase is a line of its own."""
    started = time.monotonic()
    if console.is_terminal:
        with console.status("looking at the sandbox image") as status:
            yield lambda phrase: status.update(phrase.replace("[", r"\["))
        return
    last = ""

    def line(phrase: str) -> None:
        nonlocal last
        if phrase != last:
            last = phrase
            console.print(
                f"{time.monotonic() - started:5.1f} s  {phrase}", markup=False, soft_wrap=True
            )

    yield line


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
