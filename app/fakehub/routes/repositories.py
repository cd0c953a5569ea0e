"""Endpoints of repositories, collaborators, branches, commits, comparisons and contents."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from app.fakehub.auth import role_in
from app.fakehub.domain.diff import changed_files
from app.fakehub.domain.forge import Json
from app.fakehub.domain.git import Commit, GitError
from app.fakehub.domain.records import Repository
from app.fakehub.errors import ApiError, not_found, unprocessable
from app.fakehub.render.gitdata import (
    commit_json,
    content_file_json,
    content_json,
    file_json,
)
from app.fakehub.render.repositories import (
    collaborator_json,
    full_repository_json,
    repository_api,
    repository_page,
)
from app.fakehub.routes.context import Page, RepositoryContext, There, listed

router = APIRouter(prefix="/repos/{owner}/{repo}")
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_COMPARED_FILES = 300


@router.get("")
def get_repository(there: There) -> JSONResponse:
    """repos/get."""
    there.require(("metadata", "read"))
    role = role_in(there.caller, there.repository)
    shown = "write" if there.caller.token and there.caller.token.installation else role
    return JSONResponse(full_repository_json(there.forge, there.repository, shown))


@router.get("/collaborators/{username}/permission")
def get_permission(there: There, username: str) -> JSONResponse:
    """repos/get-collaborator-permission-level."""
    there.require(("metadata", "read"), person="write")
    user = there.forge.users.get(username.lower())
    if user is None:
        raise ApiError(404, f"{username} is not a user")
    return JSONResponse(collaborator_json(there.forge, user, there.repository.role_of(user)))


@router.get("/branches")
def list_branches(there: There, page: Page) -> JSONResponse:
    """repos/list-branches."""
    there.require(("contents", "read"))
    api = repository_api(there.forge, there.repository)
    rows = [
        {
            "name": name.removeprefix("refs/heads/"),
            "commit": {"sha": sha, "url": f"{api}/commits/{sha}"},
            "protected": False,
        }
        for name, sha in there.repository.git.refs("refs/heads/").items()
    ]
    return listed(page, rows)


@router.get("/branches/{branch:path}")
def get_branch(there: There, branch: str) -> JSONResponse:
    """repos/get-branch."""
    there.require(("contents", "read"))
    sha = there.repository.git.refs("refs/heads/").get(f"refs/heads/{branch}")
    if sha is None:
        raise ApiError(404, "Branch not found")
    api = repository_api(there.forge, there.repository)
    page = repository_page(there.forge, there.repository)
    made = {
        "name": branch,
        "commit": _full_commit(there, there.repository.git.commit(sha)),
        "_links": {"self": f"{api}/branches/{branch}", "html": f"{page}/tree/{branch}"},
        "protected": False,
        "protection": {
            "enabled": False,
            "required_status_checks": {
                "enforcement_level": "off",
                "contexts": [],
                "checks": [],
            },
        },
        "protection_url": f"{api}/branches/{branch}/protection",
    }
    return JSONResponse(made)


def _full_commit(there: RepositoryContext, commit: Commit) -> Json:
    base = commit.parents[0] if commit.parents else _EMPTY_TREE
    files = changed_files(there.repository.git, base, commit.sha)
    added, deleted = sum(one.additions for one in files), sum(one.deletions for one in files)
    return {
        **commit_json(there.forge, there.repository, commit),
        "stats": {"additions": added, "deletions": deleted, "total": added + deleted},
        "files": [file_json(there.forge, there.repository, one, commit.sha) for one in files],
    }


@router.get("/commits")
def list_commits(there: There, page: Page, sha: str = "") -> JSONResponse:
    """repos/list-commits."""
    there.require(("contents", "read"))
    tip = there.repository.git.resolve(sha or there.repository.default_branch)
    if tip is None:
        raise not_found() if sha else ApiError(409, "Git Repository is empty.")
    rows = there.repository.git.commits(tip)
    return listed(page, [commit_json(there.forge, there.repository, one) for one in rows])


@router.get("/commits/{ref:path}")
def get_commit(there: There, ref: str) -> JSONResponse:
    """repos/get-commit."""
    there.require(("contents", "read"))
    refuse_empty(there.repository)
    sha = there.repository.git.resolve(ref)
    if sha is None:
        raise unprocessable(f"No commit found for SHA: {ref}")
    return JSONResponse(_full_commit(there, there.repository.git.commit(sha)))


def refuse_empty(repository: Repository) -> None:
    """409 for a repository without commits."""
    if not repository.git.refs():
        raise ApiError(409, "Git Repository is empty.")


@router.get("/compare/{basehead:path}")
def compare(there: There, basehead: str) -> JSONResponse:
    """repos/compare-commits-with-basehead."""
    there.require(("contents", "read"))
    git = there.repository.git
    base, dots, head = basehead.partition("...")
    ends = [git.resolve(name.rpartition(":")[2]) for name in (base, head)]
    if not dots or ends[0] is None or ends[1] is None:
        raise not_found()
    start = git.merge_base(ends[0], ends[1])
    if start is None:
        raise ApiError(404, f"No common ancestor between {base} and {head}.")
    return JSONResponse(_comparison(there, basehead, (ends[0], ends[1], start)))


def _comparison(there: RepositoryContext, basehead: str, shas: tuple[str, str, str]) -> Json:
    git, forge, repository = there.repository.git, there.forge, there.repository
    base, head, start = shas
    ahead = list(reversed(git.commits(f"{base}..{head}")))
    behind = len(git.commits(f"{head}..{base}"))
    page = f"{repository_page(forge, repository)}/compare/{basehead}"
    files = changed_files(git, start, head)[:_COMPARED_FILES]
    return {
        "url": f"{repository_api(forge, repository)}/compare/{basehead}",
        "html_url": page,
        "permalink_url": f"{repository_page(forge, repository)}/compare/{base}...{head}",
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": commit_json(forge, repository, git.commit(base)),
        "merge_base_commit": commit_json(forge, repository, git.commit(start)),
        "status": _relation(len(ahead), behind),
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": [commit_json(forge, repository, one) for one in ahead],
        "files": [file_json(forge, repository, one, head) for one in files],
    }


def _relation(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    if ahead or behind:
        return "ahead" if ahead else "behind"
    return "identical"


@router.get("/contents")
@router.get("/contents/{path:path}")
def get_contents(there: There, path: str = "", ref: str = "") -> JSONResponse:
    """repos/get-content."""
    there.require(("contents", "read"))
    git, path = there.repository.git, path.strip("/")
    named = ref or there.repository.default_branch
    sha = git.resolve(named)
    if sha is None:
        raise ApiError(404, f"No commit found for the ref {named}" if ref else "Not Found")
    parent, _, name = path.rpartition("/")
    try:
        entries = git.tree(sha, parent)
        found = next((one for one in entries if name and one.path == path), None)
        if not path or (found is not None and found.kind == "tree"):
            rows = git.tree(sha, path)
            shown = [content_json(there.forge, there.repository, one, named) for one in rows]
            return JSONResponse(shown)
    except GitError:
        raise not_found() from None
    if found is None or found.kind != "blob":
        raise not_found()
    content = git.blob(found.sha)
    return JSONResponse(content_file_json(there.forge, there.repository, found, named, content))
