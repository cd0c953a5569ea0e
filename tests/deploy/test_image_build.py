"""Making the sandbox image: on a base that is there, by two at once, and failing whole."""

import contextlib
import io
import os
import shutil
import socket
import tarfile
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import docker
import pytest
from docker.errors import ImageNotFound

from sandbox.images import BuilderMissing, ImageError, ImageRef, Recipe, ensure, load
from sandbox.images.bootstrap import build_base, import_output
from sandbox.images.ensure import find
from sandbox.images.pull import pull

pytestmark = pytest.mark.docker


@pytest.fixture
def fresh(engine: "docker.DockerClient", image: ImageRef) -> Iterator[Recipe]:
    """A recipe nobody built yet, whose base is an image that has all packages already."""
    recipe = load("python")
    text = recipe.dockerfile.replace("useradd", "id runner 2>/dev/null || useradd")
    once = f"once={uuid.uuid4().hex}"
    fresh = replace(recipe, toolchain="test", dockerfile=f"{text}LABEL {once}\n")
    engine.images.get(image.id).tag(*fresh.base_tag.rsplit(":", 1))
    yield fresh
    for tag in (fresh.tag, fresh.base_tag):
        with contextlib.suppress(ImageNotFound):
            engine.images.remove(tag)
    # A build that fails leaves the layers before the failing line, without a tag.
    for left in engine.images.list(filters={"label": once}):
        engine.images.remove(left.id)


def _tar(size: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("file")
        member.size = size
        archive.addfile(member, io.BytesIO(os.urandom(size)))
    return packed.getvalue()


def test_a_new_recipe_is_built_offline_on_the_base_that_is_there(
    engine: "docker.DockerClient", fresh: Recipe
) -> None:
    told: list[str] = []
    built = ensure(engine, progress=told.append, recipe=fresh)
    assert built == find(engine, fresh)
    assert told == [f"building {fresh.tag} on {fresh.base_tag}"]


def test_two_at_once_build_once(engine: "docker.DockerClient", fresh: Recipe) -> None:
    told: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: ensure(docker.from_env(), "", told.append, fresh), range(2)))
    assert both[0] == both[1]
    assert len([phrase for phrase in told if phrase.startswith("building")]) == 1
    assert len([phrase for phrase in told if phrase.startswith("waiting")]) == 1


def test_a_build_that_fails_says_why_and_leaves_no_tag(
    engine: "docker.DockerClient", fresh: Recipe
) -> None:
    broken = replace(fresh, dockerfile=fresh.dockerfile + "USER 0\nRUN echo it breaks && exit 7\n")
    with pytest.raises(ImageError, match=r"could not build .* 7.*it breaks"):
        ensure(engine, recipe=broken)
    assert find(engine, broken) is None


def test_an_image_of_that_name_from_elsewhere_is_not_taken(
    engine: "docker.DockerClient", fresh: Recipe, image: ImageRef
) -> None:
    engine.images.get(image.id).tag(*fresh.tag.rsplit(":", 1))
    assert find(engine, fresh) is None
    assert ensure(engine, recipe=fresh).id != image.id


@pytest.mark.parametrize(
    ("ending", "status"), [("cut", 3), ("cut", 0), ("whole", 3), ("nothing", 3)]
)
def test_a_base_that_did_not_come_whole_is_not_kept(
    engine: "docker.DockerClient", tmp_path: Path, ending: str, status: int
) -> None:
    packed = _tar(3 << 20)
    text = {"cut": packed[: len(packed) // 2], "whole": packed, "nothing": b""}[ending]
    (tmp_path / "out").write_bytes(text)
    script = f"cat {tmp_path / 'out'}; echo 'E: mirror on fire' >&2; exit {status}"
    tag = f"patchwright/test-base:{uuid.uuid4().hex}"
    with pytest.raises(ImageError, match=r"mirror on fire|unexpected EOF"):
        import_output(engine, ["sh", "-c", script], tag, lambda _: None)
    with pytest.raises(ImageNotFound):
        engine.images.get(tag)


def test_a_base_that_did_come_whole_is_kept(engine: "docker.DockerClient", tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(_tar(3 << 20))
    tag = f"patchwright/test-base:{uuid.uuid4().hex}"
    import_output(engine, ["cat", str(tmp_path / "out")], tag, lambda _: None)
    engine.images.remove(tag)


@pytest.mark.long
@pytest.mark.network
def test_the_base_is_built_from_debian_packages(engine: "docker.DockerClient") -> None:
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed")
    recipe = load("python")
    larger = replace(recipe, toolchain="test", packages=(*recipe.packages, "tree"))
    told: list[str] = []
    build_base(engine, larger, told.append)
    try:
        call = ["dpkg-query", "--show", *larger.packages]
        assert b"tree" in engine.containers.run(
            larger.base_tag, call, remove=True, network_mode="none"
        )
        assert "base image: creating tarball" in told
    finally:
        engine.images.remove(larger.base_tag)


def test_without_a_registry_and_mmdebstrap_it_says_what_to_install(
    engine: "docker.DockerClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(
        load("python"),
        toolchain="test",
        pulled_base="127.0.0.1:9/debian:none",
        packages=(f"no-{uuid.uuid4().hex}",),
    )
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(BuilderMissing, match="install mmdebstrap"):
        ensure(engine, recipe=recipe)


def test_a_registry_that_refuses_is_given_up_at_once(engine: "docker.DockerClient") -> None:
    reason = pull(engine, "127.0.0.1:9/debian:none", lambda _: None)
    assert reason is not None
    assert "refused" in reason


def test_a_registry_that_never_answers_is_given_up_after_the_silence(
    engine: "docker.DockerClient",
) -> None:
    held: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as mute:
        called = threading.Event()

        def accept() -> None:
            held.append(mute.accept()[0])
            called.set()

        threading.Thread(target=accept, daemon=True).start()
        reason = pull(
            engine, f"127.0.0.1:{mute.getsockname()[1]}/debian:none", lambda _: None, silence=2
        )
        assert called.is_set()
    for connection in held:
        connection.close()
    assert reason == "no answer within 2 s"
