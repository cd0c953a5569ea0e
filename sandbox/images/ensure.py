"""Making sure of an image: there already, else on a pulled base, else on one built here."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import ImageNotFound

from sandbox.images.bootstrap import build_base
from sandbox.images.build import LABEL, build
from sandbox.images.pull import pull
from sandbox.images.recipe import Recipe, load
from sandbox.images.types import ImageError, ImageRef, Progress

if TYPE_CHECKING:
    from docker import DockerClient


def ensure(
    client: "DockerClient",
    toolchain: str = "python",
    progress: Progress = lambda _: None,
    recipe: Recipe | None = None,
) -> ImageRef:
    """The image of `toolchain` (or of an explicit `recipe`), made first where it is missing.

    Looks only at the engine when the image is there (some milliseconds). Calls at the same time
    on one host build once. Raises ImageError (BuilderMissing if only mmdebstrap lacks).
    """
    wanted = recipe or load(toolchain)
    found = find(client, wanted)
    if found is not None:
        return found
    with _alone(progress):
        found = find(client, wanted)
        if found is None:
            _make(client, wanted, progress)
            found = find(client, wanted)
    if found is None:
        raise ImageError(f"The engine built {wanted.tag} but does not have it; look at its log.")
    return found


def find(client: "DockerClient", recipe: Recipe) -> ImageRef | None:
    """The image on the engine that was built from exactly this recipe, if there is one."""
    try:
        image = client.images.get(recipe.tag)
    except ImageNotFound:
        return None
    if image.labels.get(LABEL) != recipe.digest:
        return None
    return ImageRef(recipe.tag, str(image.id))


def _make(client: "DockerClient", recipe: Recipe, progress: Progress) -> None:
    if _has(client, recipe.base_tag):
        build(client, recipe, recipe.base_tag, network="none", progress=progress)
        return
    reason = pull(client, recipe.pulled_base, progress)
    if reason is None:
        try:
            build(client, recipe, recipe.pulled_base, network=None, progress=progress)
        except ImageError as error:
            # The registry answered, but the packages could not be had from inside a build.
            progress(f"giving up the pulled base: {error}")
        else:
            return
    else:
        progress(f"no {recipe.pulled_base} from a registry: {reason}")
    base = build_base(client, recipe, progress)
    build(client, recipe, base, network="none", progress=progress)


def _has(client: "DockerClient", tag: str) -> bool:
    try:
        client.images.get(tag)
    except ImageNotFound:
        return False
    return True


@contextmanager
def _alone(progress: Progress) -> Iterator[None]:
    path = Path(tempfile.gettempdir()) / f"patchwright-images-{os.getuid()}.lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another process that builds an image")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
