"""Git over HTTP: git's own http-backend behind the same tokens as the API."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from app.fakehub.auth import Caller, identify, require, visible_repository
from app.fakehub.deeds.refs import sync_refs
from app.fakehub.domain.accounts import level_at_least
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.git import git_environment
from app.fakehub.domain.records import Repository
from app.fakehub.errors import ApiError
from app.fakehub.workflow_guard import MAY_PUSH_WORKFLOWS

router = APIRouter()
_CHUNK = 64 * 1024
_HEADER_LIMIT = 16 * 1024
_SERVICES = ("git-upload-pack", "git-receive-pack")
_LOGIN = {"WWW-Authenticate": 'Basic realm="GitHub"'}


@dataclass(frozen=True)
class _Call:
    """One request for a git service, already permitted."""

    forge: Forge
    caller: Caller
    repository: Repository
    path: str
    writes: bool


@router.get("/{owner}/{repo}/info/refs")
async def info_refs(request: Request, owner: str, repo: str, service: str = "") -> Response:
    """The advertisement of refs; only the smart protocol is served."""
    if service not in _SERVICES:
        return PlainTextResponse("Please upgrade your git client.\n", status_code=403)
    return await _serve(request, owner, repo, "info/refs", service)


@router.post("/{owner}/{repo}/git-upload-pack")
async def upload_pack(request: Request, owner: str, repo: str) -> Response:
    """Clone and fetch."""
    return await _serve(request, owner, repo, _SERVICES[0], _SERVICES[0])


@router.post("/{owner}/{repo}/git-receive-pack")
async def receive_pack(request: Request, owner: str, repo: str) -> Response:
    """Push."""
    return await _serve(request, owner, repo, _SERVICES[1], _SERVICES[1])


async def _serve(request: Request, owner: str, repo: str, path: str, service: str) -> Response:
    forge: Forge = request.app.state.forge
    writes = service == _SERVICES[1]
    try:
        caller = identify(forge, request.headers.get("authorization"))
        repository = visible_repository(forge, caller, owner, repo.removesuffix(".git"))
        _require_git(caller, repository, writes=writes)
    except ApiError as error:
        return _refused(forge, error, request, f"{owner}/{repo}")
    call = _Call(forge, caller, repository, path, writes)
    return await _run_backend(request, call)


def _require_git(caller: Caller, repository: Repository, *, writes: bool) -> None:
    if writes:
        require(caller, repository, ("contents", "write"), person="write")
    else:
        require(caller, repository, ("contents", "read"))


def _refused(forge: Forge, error: ApiError, request: Request, name: str) -> Response:
    anonymous = "authorization" not in request.headers
    if error.status == 401 or (anonymous and error.status in (403, 404)):
        text = "Invalid username or token.\n"
        return PlainTextResponse(text, status_code=401, headers=_LOGIN)
    if error.status == 404:
        return PlainTextResponse("Repository not found.\n", status_code=404)
    caller = identify(forge, request.headers.get("authorization"))
    login = caller.user.login if caller.user else "an App"
    text = f"Permission to {name} denied to {login}.\n"
    return PlainTextResponse(text, status_code=403)


def _backend_environment(request: Request, call: _Call) -> dict[str, str]:
    token = call.caller.token
    granted = (token.permissions or {}) if token is not None else {}
    person = token is not None and token.installation is None
    allowed = person or level_at_least(granted.get("workflows", "none"), "write")
    given = {
        "GIT_PROJECT_ROOT": str(call.repository.git.path.parent.resolve()),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{call.repository.git.path.name}/{call.path}",
        "QUERY_STRING": request.url.query,
        "REQUEST_METHOD": request.method,
        "REMOTE_USER": call.caller.user.login if call.caller.user else "",
        "REMOTE_ADDR": "127.0.0.1",
        MAY_PUSH_WORKFLOWS: "1" if allowed else "0",
    }
    passed = {
        "CONTENT_TYPE": "content-type",
        "CONTENT_LENGTH": "content-length",
        "HTTP_CONTENT_ENCODING": "content-encoding",
        "GIT_PROTOCOL": "git-protocol",
    }
    for variable, header in passed.items():
        if header in request.headers:
            given[variable] = request.headers[header]
    return git_environment(given)


async def _run_backend(request: Request, call: _Call) -> Response:
    process = await asyncio.create_subprocess_exec(
        "git",
        "http-backend",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_HEADER_LIMIT,
        env=_backend_environment(request, call),
    )
    feeding = asyncio.create_task(_feed(request, process))
    try:
        status, headers = await _cgi_head(process)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        await _end(process, feeding)
        return PlainTextResponse("git http-backend gave no answer\n", status_code=500)
    if call.writes and request.method == "POST":
        output = await _stdout(process).read()
        await _finish_push(process, feeding, call)
        return Response(output, status_code=status, headers=headers)
    body = _body(process, feeding)
    return _Streamed(body, status_code=status, headers=headers)


class _Streamed(StreamingResponse):
    """A streamed answer that leaves the rest of the request to whoever is reading it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the body; unlike its parent it never calls `receive`."""
        del scope, receive
        await self.stream_response(send)


async def _feed(request: Request, process: asyncio.subprocess.Process) -> None:
    pipe = process.stdin
    if pipe is None:
        return
    try:
        async for chunk in request.stream():
            pipe.write(chunk)
            await pipe.drain()
    except (ClientDisconnect, ConnectionError):
        pass  # one of the two sides is gone: git sees the end of its input
    finally:
        pipe.close()


async def _cgi_head(process: asyncio.subprocess.Process) -> tuple[int, dict[str, str]]:
    stream = _stdout(process)
    head = (await stream.readuntil(b"\r\n\r\n")).decode("latin-1")
    pairs = (line.split(":", 1) for line in head.splitlines() if ":" in line)
    headers = {name.strip(): value.strip() for name, value in pairs}
    status = int(headers.pop("Status", "200").split(" ", 1)[0])
    return status, headers


def _stdout(process: asyncio.subprocess.Process) -> asyncio.StreamReader:
    if process.stdout is None:
        message = "the backend was started without a pipe"
        raise RuntimeError(message)
    return process.stdout


async def _body(
    process: asyncio.subprocess.Process, feeding: "asyncio.Task[None]"
) -> AsyncIterator[bytes]:
    try:
        while chunk := await _stdout(process).read(_CHUNK):
            yield chunk
    finally:
        await _end(process, feeding)


async def _end(process: asyncio.subprocess.Process, feeding: "asyncio.Task[None]") -> None:
    feeding.cancel()
    if process.returncode is None and not _stdout(process).at_eof():
        process.kill()
    await process.wait()


async def _finish_push(
    process: asyncio.subprocess.Process, feeding: "asyncio.Task[None]", call: _Call
) -> None:
    await _end(process, feeding)
    await run_in_threadpool(sync_refs, call.forge, call.repository, call.caller.actor)
