"""The pages that only show: repository, files, issue, pull request."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from app.fakehub.deeds.issues import find_issue
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.git import GitError, TreeEntry
from app.fakehub.domain.records import Issue, Repository
from app.fakehub.errors import not_found
from app.fakehub.pages.diffs import shown_files
from app.fakehub.pages.markdown import render_markdown
from app.fakehub.pages.shell import TEMPLATES, find_repository, render_page
from app.fakehub.routes.pulls import pull_changes

router = APIRouter(include_in_schema=False)
_SHOWN_BYTES = 200_000


@router.get("/")
def home(request: Request) -> HTMLResponse:
    """All repositories."""
    forge: Forge = request.app.state.forge
    return render_page(request, "home.html", repositories=list(forge.repositories.values()))


@router.get("/_fake/style.css")
def style() -> FileResponse:
    """The one style sheet."""
    return FileResponse(TEMPLATES / "style.css", media_type="text/css")


@router.get("/{owner}/{repo}")
def repository(request: Request, owner: str, repo: str, branch: str = "") -> HTMLResponse:
    """Files, branches, issues and pull requests of a repository."""
    found = find_repository(request, owner, repo)
    shown = branch or found.default_branch
    sha = found.git.resolve(shown)
    if branch and sha is None:
        raise not_found()
    commit = None if sha is None else found.git.commit(sha)
    rows = sorted(found.issues.values(), key=lambda one: -one.number)
    return render_page(
        request,
        "repository.html",
        repository=found,
        branch=shown,
        commit=commit,
        files=[] if sha is None else _entries(found, sha, ""),
        readme=_readme(found, sha),
        branches=[ref.removeprefix("refs/heads/") for ref in found.git.refs("refs/heads/")],
        issues=[one for one in rows if one.pull is None],
        pulls=[one for one in rows if one.pull is not None],
    )


def _entries(found: Repository, sha: str, path: str) -> Sequence[TreeEntry]:
    """What a directory holds, directories first; 404 when it is none."""
    try:
        rows = found.git.tree(sha, path)
    except GitError:
        raise not_found() from None
    return sorted(rows, key=lambda one: (one.kind != "tree", one.path))


def _readme(found: Repository, sha: str | None) -> Markup | None:
    if sha is None:
        return None
    for entry in found.git.tree(sha):
        if entry.path.lower() == "readme.md":
            return render_markdown(_text(found.git.blob(entry.sha)), f"/{found.full_name}")
    return None


def _text(content: bytes) -> str:
    return content[:_SHOWN_BYTES].decode(errors="replace")


@router.get("/{owner}/{repo}/tree/{branch}/{path:path}")
def folder(request: Request, owner: str, repo: str, branch: str, path: str) -> HTMLResponse:
    """One directory at a commit or at a branch without a slash in its name."""
    found, sha = _at(request, owner, repo, branch)
    files = _entries(found, sha, path.strip("/"))
    return render_page(
        request, "folder.html", repository=found, branch=branch, path=path.strip("/"), files=files
    )


@router.get("/{owner}/{repo}/blob/{branch}/{path:path}")
def file(request: Request, owner: str, repo: str, branch: str, path: str) -> HTMLResponse:
    """One file, with line numbers."""
    found, sha = _at(request, owner, repo, branch)
    entries = _entries(found, sha, path.rpartition("/")[0])
    entry = next((one for one in entries if one.path == path and one.kind == "blob"), None)
    if entry is None:
        raise not_found()
    lines = _text(found.git.blob(entry.sha)).splitlines()
    return render_page(
        request, "file.html", repository=found, branch=branch, path=path, lines=lines
    )


def _at(request: Request, owner: str, repo: str, branch: str) -> tuple[Repository, str]:
    found = find_repository(request, owner, repo)
    sha = found.git.resolve(branch)
    if sha is None:
        raise not_found()
    return found, sha


@router.get("/{owner}/{repo}/issues")
@router.get("/{owner}/{repo}/pulls")
def listing(owner: str, repo: str) -> Response:
    """Both lists are on the repository's page."""
    return RedirectResponse(f"/{owner}/{repo}", status_code=303)


@router.get("/{owner}/{repo}/issues/{number:int}")
def issue(request: Request, owner: str, repo: str, number: int) -> Response:
    """An issue with its labels, its conversation and the forms of a maintainer."""
    found = find_repository(request, owner, repo)
    shown = find_issue(found, number)
    if shown.pull is not None:
        return RedirectResponse(f"/{found.full_name}/pull/{number}", status_code=303)
    linked = [one for one in found.issues.values() if one.pull and _mentions(one, number)]
    return render_page(
        request,
        "issue.html",
        repository=found,
        issue=shown,
        body=render_markdown(shown.body, f"/{found.full_name}"),
        talk=_conversation(found, shown),
        linked=linked,
    )


def _mentions(pull: Issue, number: int) -> bool:
    words = (pull.body or "").replace(",", " ").replace(".", " ").split()
    return f"#{number}" in words


def _conversation(found: Repository, shown: Issue) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"at": one.created_at, "id": one.id, "event": one} for one in shown.events
    ]
    for one in shown.comments:
        html = render_markdown(one.body, f"/{found.full_name}")
        rows.append({"at": one.created_at, "id": one.id, "comment": one, "html": html})
    return sorted(rows, key=lambda row: (row["at"], row["id"]))


@router.get("/{owner}/{repo}/pull/{number:int}")
def pull(request: Request, owner: str, repo: str, number: int) -> Response:
    """A pull request: text, checks, conversation and the diff."""
    found = find_repository(request, owner, repo)
    shown = find_issue(found, number)
    if shown.pull is None:
        return RedirectResponse(f"/{found.full_name}/issues/{number}", status_code=303)
    head = shown.pull.head_sha
    files = shown_files(pull_changes(found, shown))
    return render_page(
        request,
        "pull.html",
        repository=found,
        issue=shown,
        pull=shown.pull,
        body=render_markdown(shown.body, f"/{found.full_name}"),
        talk=_conversation(found, shown),
        checks=_checks(found, head),
        files=files,
        commits=found.git.commits(f"{shown.pull.base_sha}..{head}")[::-1],
    )


def _checks(found: Repository, head: str) -> list[dict[str, Any]]:
    link = f"/{found.full_name}"
    return [
        {
            "run": one,
            "summary": render_markdown(one.summary, link),
            "text": render_markdown(one.text, link),
        }
        for one in list(found.checks.values())
        if one.head_sha == head
    ]
