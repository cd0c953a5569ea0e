"""Base image from Debian packages: runs mmdebstrap on this host and imports what it writes."""

import platform
import shutil
import subprocess
import threading
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from docker.errors import APIError

from sandbox.images.recipe import DPKG_OPTIONS, SUITE, Recipe
from sandbox.images.types import BuilderMissing, ImageError, Progress

if TYPE_CHECKING:
    from docker import DockerClient

CHUNK = 1 << 20
CARRIED = ("Acquire::http::", "Acquire::https::", "Acquire::Check-", "Acquire::Retries")
# The proxy, certificates and options carried over from the host are for making the image only.
FORGET_APT = 'rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap" "$1/etc/apt/sources.list"'


def build_base(client: "DockerClient", recipe: Recipe, progress: Progress) -> str:
    """Build the base of `recipe`, import it and return its tag; ImageError if that fails."""
    if shutil.which("mmdebstrap") is None:
        raise BuilderMissing(
            "No registry could be reached and mmdebstrap is not installed: let the engine reach "
            f"a registry that has debian:{SUITE}-slim, or install mmdebstrap "
            "(apt-get install mmdebstrap) on Debian or Ubuntu."
        )
    progress("building the base image from Debian packages")
    import_output(client, command(recipe), recipe.base_tag, progress)
    return recipe.base_tag


def import_output(client: "DockerClient", call: list[str], tag: str, progress: Progress) -> None:
    """Run `call` and import the tar it writes as the image `tag`: whole, or not at all.

    Raises ImageError with the program's own errors if it fails.
    """
    repository, _, name = tag.rpartition(":")
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            # Unlike import_image_from_stream, this does not time out while the engine unpacks.
            client.api.import_image_from_data(
                _stream(child, progress), repository=repository, tag=name
            )
        except APIError as error:
            raise ImageError(f"The engine refused the base: {error.explanation}") from error
        finally:
            child.terminate()


def command(recipe: Recipe) -> list[str]:
    """The mmdebstrap call: the packages, got as the host gets its own, as a tar on stdout."""
    options = [f"--dpkgopt={option}" for option in DPKG_OPTIONS]
    options += [f"--aptopt={option}" for option in host_options()]
    mirrors = host_mirrors()
    return [
        "mmdebstrap",
        "--variant=minbase",
        f"--include={','.join(recipe.packages)}",
        *options,
        f"--customize-hook={FORGET_APT}",
        SUITE,
        "-",
        *mirrors,
    ]


def host_options() -> list[str]:
    """The host's apt settings for proxies, certificates, date checks and retries, one each."""
    dump = _ask("apt-config", "dump", "--no-empty", "--format", '%F "%v"%n')
    return [line for line in dump if line.startswith(CARRIED)]


def host_mirrors() -> list[str]:
    """Debian's archives as this host gets them, as `deb` lines for our suite.

    Empty where apt knows none (another distribution, no `apt-get update` yet): then mmdebstrap
    takes Debian's own.
    """
    fields = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    lines = []
    for row in _ask("apt-get", "indextargets", "--format", fields, "Created-By: Packages"):
        origin, uri, release, component = row.split("|")
        host_suite, _, pocket = release.partition("-")
        if origin == "Debian" and component == "main" and pocket in {"", "updates", "security"}:
            suite = SUITE + release.removeprefix(host_suite)
            lines.append(f"deb {uri} {suite} main")
    return list(dict.fromkeys(lines))


def _ask(*call: str) -> list[str]:
    if shutil.which(call[0]) is None:
        return []
    answer = subprocess.run(call, capture_output=True, text=True, check=False)
    return answer.stdout.splitlines() if answer.returncode == 0 else []


def _stream(child: "subprocess.Popen[bytes]", progress: Progress) -> Iterator[bytes]:
    """What mmdebstrap writes; raises before the end of the stream if it failed, so that the
    engine sees a broken upload and keeps nothing of it."""
    assert child.stdout is not None and child.stderr is not None  # noqa: S101, PT018 (both piped)
    told: list[str] = []
    listener = threading.Thread(target=_listen, args=(child.stderr, told, progress))
    listener.start()
    while chunk := child.stdout.read(CHUNK):
        yield chunk
    status = child.wait()
    listener.join()
    if status != 0:
        raise ImageError(_why(told))


def _listen(stream: IO[bytes], told: list[str], progress: Progress) -> None:
    for raw in stream:
        line = raw.decode(errors="replace").strip()
        told.append(line)
        # Its stages end in dots; the rest is about its own choices and directories.
        if line.startswith("I: ") and line.endswith("...") and "/" not in line:
            progress("base image: " + line.removeprefix("I: ").rstrip("."))


def _why(told: list[str]) -> str:
    errors = [line for line in told if line.startswith("E: ")] or told[-3:]
    shown = " ".join(dict.fromkeys(errors[-3:])) or "it said nothing"
    return (
        f"mmdebstrap could not build the base image on this {platform.system()} host: {shown} "
        "Check that apt-get update works here; without root, mmdebstrap needs user namespaces "
        "(or run this once as root)."
    )
