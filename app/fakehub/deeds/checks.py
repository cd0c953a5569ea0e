"""Create and update check runs within GitHub's limits."""

from collections.abc import Mapping
from typing import Any

from app.fakehub.deeds.announce import announce
from app.fakehub.domain.accounts import App
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.records import CheckRun, Repository
from app.fakehub.errors import ApiError, not_found, unprocessable
from app.fakehub.render.checks import check_run_json

_TEXT_LIMIT = 65535
_ANNOTATIONS = 50
_PLAIN = ("name", "status", "external_id", "details_url", "started_at", "completed_at")


def create_check_run(
    forge: Forge, repository: Repository, app: App, given: Mapping[str, Any]
) -> CheckRun:
    """A new check run; 422 for an unknown commit or output beyond the limits."""
    sha = repository.git.resolve(given["head_sha"])
    if sha is None:
        raise unprocessable(f"No commit found for SHA: {given['head_sha']}")
    _check_output(given.get("output"))
    with forge.lock:
        suite = _suite(forge, repository, app, sha)
        run = CheckRun(forge.next_id(), suite, app, given["name"], sha)
        _apply(forge, run, given)
        repository.checks[run.id] = run
    _tell(forge, repository, run, "created")
    if run.status == "completed":
        _tell(forge, repository, run, "completed")
    return run


def update_check_run(
    forge: Forge, repository: Repository, run: CheckRun, given: Mapping[str, Any]
) -> None:
    """Change a check run; annotations are added to those it has."""
    _check_output(given.get("output"))
    before = run.status
    with forge.lock:
        _apply(forge, run, given)
    if run.status == "completed" and before != "completed":
        _tell(forge, repository, run, "completed")


def find_check_run(repository: Repository, number: int) -> CheckRun:
    """A check run by id; 404 otherwise."""
    run = repository.checks.get(number)
    if run is None:
        raise not_found()
    return run


def _suite(forge: Forge, repository: Repository, app: App, sha: str) -> int:
    for known in repository.checks.values():
        if known.app is app and known.head_sha == sha:
            return known.suite_id
    return forge.next_id()


def _check_output(output: Mapping[str, Any] | None) -> None:
    if not output:
        return
    for name in ("summary", "text"):
        if len(output.get(name) or "") > _TEXT_LIMIT:
            text = f"Only {_TEXT_LIMIT} characters are allowed; {len(output[name])} were supplied."
            raise _refused(name, text)
    if len(output.get("annotations") or ()) > _ANNOTATIONS:
        raise unprocessable(
            "Invalid request.\n\nNo more than 50 items are allowed; "
            f"{len(output['annotations'])} were supplied."
        )


def _refused(field: str, message: str) -> ApiError:
    return ApiError(422, f"Invalid request.\n\nFor 'output/{field}', {message}")


def _apply(forge: Forge, run: CheckRun, given: Mapping[str, Any]) -> None:
    for name in _PLAIN:
        if given.get(name) is not None:
            setattr(run, name, given[name])
    if given.get("conclusion") is not None:
        run.conclusion, run.status = given["conclusion"], "completed"
        run.completed_at = given.get("completed_at") or run.completed_at or forge.time_text()
    if run.status == "completed" and run.conclusion is None:
        raise unprocessable('Invalid request.\n\n"conclusion" wasn\'t supplied.')
    if run.status != "completed":
        run.conclusion = run.completed_at = None
    if run.status != "queued" and run.started_at is None:
        run.started_at = forge.time_text()
    output = given.get("output") or {}
    for name in ("title", "summary", "text"):
        if output.get(name) is not None:
            setattr(run, name, output[name])
    run.annotations.extend(output.get("annotations") or ())


def _tell(forge: Forge, repository: Repository, run: CheckRun, action: str) -> None:
    payload = {"action": action, "check_run": check_run_json(forge, repository, run)}
    announce(forge, repository, run.app.bot, "check_run", payload)
