"""Image from its Dockerfile: sends it to the engine's builder and reads the outcome."""

import io
import tarfile
from typing import TYPE_CHECKING

from docker.errors import APIError

from sandbox.images.recipe import Recipe
from sandbox.images.types import ImageError, Progress

if TYPE_CHECKING:
    from docker import DockerClient

LABEL = "patchwright.recipe"


def build(
    client: "DockerClient", recipe: Recipe, base: str, *, network: str | None, progress: Progress
) -> None:
    """Build `recipe` on `base` and tag it; ImageError with the builder's last words if it fails.

    `network` is the engine's network mode for the build's commands: "none" where the base has all.
    """
    progress(f"building {recipe.tag} on {base}")
    said: list[str] = []
    try:
        events = client.api.build(
            fileobj=_context(recipe),
            custom_context=True,
            tag=recipe.tag,
            buildargs={"BASE": base, "PACKAGES": " ".join(recipe.packages)},
            labels={LABEL: recipe.digest},
            network_mode=network,
            rm=True,
            forcerm=True,
            decode=True,
        )
        for event in events:
            if "error" in event:
                raise ImageError(_failed(recipe, said, event["error"]))
            said += [line for line in event.get("stream", "").splitlines() if line.strip()]
    except APIError as error:
        raise ImageError(_failed(recipe, said, error.explanation)) from error


def _context(recipe: Recipe) -> io.BytesIO:
    """The build's context: a tar that holds the Dockerfile and nothing else."""
    data = recipe.dockerfile.encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("Dockerfile")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    packed.seek(0)
    return packed


def _failed(recipe: Recipe, said: list[str], error: object) -> str:
    return f"The engine could not build {recipe.tag}: {error} {' / '.join(said[-3:])}".strip()
