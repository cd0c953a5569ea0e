"""`patchwright doctor`: what is there, what is proved, and what to mend."""

from typing import Annotated, Any

import docker
import typer
from docker.errors import DockerException
from requests.exceptions import RequestException

from app.cli.console import answer
from app.cli.status import Exit
from app.errors import UserError
from app.settings import WebSettings, WorkerSettings, load
from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits, SandboxError
from sandbox.images import load as load_recipe
from sandbox.images.ensure import find

RUNTIMES = ("runc", "runsc")


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> int:
    """Say what the engine, each runtime, the images and the credentials are like."""
    faults: list[str] = []
    engine, executor = _engine(faults)
    images = _images(faults) if executor else []
    ready = [image["tag"] for image in images if image["present"]]
    runtimes = [_runtime(executor, ready, name, faults) for name in RUNTIMES] if executor else []
    if executor:
        executor.close()
    result = {
        "runtimes": runtimes,
        "engine": engine,
        "images": images,
        "credentials": _credentials(),
        "mend": faults,
    }
    answer(result, _lines(result), as_json=as_json)
    return Exit.NOT_PROVED if faults else Exit.OK


def _engine(faults: list[str]) -> tuple[dict[str, Any], DockerExecutor | None]:
    try:
        executor = DockerExecutor()
        kernel = executor.kernel()
        version = executor.api.version()
    except (SandboxError, DockerException, RequestException) as error:
        faults.append(str(error))
        return {"answers": False, "detail": str(error)}, None
    return {"answers": True, "version": version["Version"], "kernel": kernel}, executor


def _images(faults: list[str]) -> list[dict[str, Any]]:
    recipe = load_recipe("python")
    client = docker.from_env()
    try:
        found = find(client, recipe)
    finally:
        client.close()
    if found is None:
        faults.append(f"The image {recipe.tag} is missing: `make image` builds it.")
    return [
        {
            "toolchain": "python",
            "tag": recipe.tag,
            "present": found is not None,
            "id": found.id if found else None,
        }
    ]


def _runtime(
    executor: DockerExecutor, images: list[str], name: str, faults: list[str]
) -> dict[str, Any]:
    """A runtime that the engine does not know is no fault; one that is not what it says is."""
    if name not in executor.runtimes():
        return {"name": name, "proved": False, "detail": "the engine does not know it"}
    if not images:
        return {"name": name, "proved": False, "detail": "no image to probe it with"}
    try:
        isolation = executor.probe(images[0], Limits(runtime=name))
    except SandboxError as error:
        faults.append(f"{name}: {error}")
        return {"name": name, "proved": False, "detail": str(error)}
    if not isolation.proved:
        faults.append(f"{name}: {isolation.detail}. `make engine` says how to register it.")
    return {"name": name, "proved": isolation.proved, "detail": isolation.detail}


def _credentials() -> dict[str, str]:
    """Whether each process would start; never a value."""
    return {"web": _loads(WebSettings), "worker": _loads(WorkerSettings)}


def _loads(kind: type[WebSettings | WorkerSettings]) -> str:
    try:
        load(kind)
    except UserError as error:
        return str(error)
    return "set"


def _lines(result: dict[str, Any]) -> list[str]:
    engine = result["engine"]
    lines = [f"engine: {engine.get('version') or engine.get('detail')}"]
    for runtime in result["runtimes"]:
        word = "proved" if runtime["proved"] else "not proved"
        lines.append(f"runtime {runtime['name']}: {word}, {runtime['detail']}")
    for image in result["images"]:
        lines.append(f"image {image['tag']}: {'there' if image['present'] else 'missing'}")
    lines += [f"credentials of {who}: {what}" for who, what in result["credentials"].items()]
    return lines + [f"to mend: {fault}" for fault in result["mend"]]
