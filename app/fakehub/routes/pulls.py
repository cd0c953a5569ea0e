"""Endpoints of pull requests."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from app.fakehub.deeds.merge import merge_pull
from app.fakehub.deeds.pulls import edit_pull, find_pull, open_pull
from app.fakehub.domain.diff import FileChange, changed_files
from app.fakehub.domain.records import Issue, Repository, pull_of
from app.fakehub.errors import not_found
from app.fakehub.render.gitdata import commit_json, file_json
from app.fakehub.render.pulls import pull_json, pull_simple_json
from app.fakehub.routes.bodies import Merge, NewPull, PullUpdate, given
from app.fakehub.routes.context import Page, RepositoryContext, There, listed
from app.fakehub.routes.issues import require_own_or

router = APIRouter(prefix="/repos/{owner}/{repo}/pulls")
_READ = ("pull_requests", "read")
_WRITE = ("pull_requests", "write")
_LISTED_FILES = 3000


@router.get("")
def list_pulls(
    there: There,
    page: Page,
    state: str = "open",
    head: str = "",
    base: str = "",
    direction: str = "desc",
) -> JSONResponse:
    """pulls/list; as on GitHub a `head` without `owner:` filters nothing."""
    there.require(_READ)
    rows = [
        one
        for one in list(there.repository.issues.values())
        if _wanted(there.repository, one, (state, head, base))
    ]
    rows.sort(key=lambda one: one.number, reverse=direction != "asc")
    return listed(page, [pull_simple_json(there.forge, there.repository, one) for one in rows])


def _wanted(repository: Repository, issue: Issue, filters: tuple[str, str, str]) -> bool:
    state, head, base = filters
    if issue.pull is None or state not in (issue.state, "all"):
        return False
    if base and issue.pull.base_ref != base:
        return False
    owner, colon, branch = head.partition(":")
    own = owner.lower() == repository.owner.login.lower() and branch == issue.pull.head_ref
    return not colon or own


@router.post("")
def create_pull(there: There, body: NewPull) -> JSONResponse:
    """pulls/create."""
    there.require(_WRITE, person="write")
    app = there.caller.app
    issue = open_pull(there.forge, there.repository, body.model_dump(), there.actor, app)
    return _pull(there, issue, 201)


def _pull(there: RepositoryContext, issue: Issue, status: int = 200) -> JSONResponse:
    return JSONResponse(pull_json(there.forge, there.repository, issue), status_code=status)


@router.get("/{number:int}")
def get_pull(there: There, number: int) -> JSONResponse:
    """pulls/get."""
    there.require(_READ)
    return _pull(there, find_pull(there.repository, number))


@router.patch("/{number:int}")
def update_pull(there: There, number: int, body: PullUpdate) -> JSONResponse:
    """pulls/update."""
    there.require(_WRITE)
    issue = find_pull(there.repository, number)
    require_own_or(there, issue.user, "write")
    edit_pull(there.forge, there.repository, issue, given(body), there.actor)
    return _pull(there, issue)


@router.put("/{number:int}/merge")
def merge(there: There, number: int, body: Merge | None = None) -> JSONResponse:
    """pulls/merge, as a merge commit."""
    there.require(("contents", "write"), person="write")
    issue = find_pull(there.repository, number)
    sha = merge_pull(there.forge, there.repository, issue, body.sha if body else None, there.actor)
    made = {"sha": sha, "merged": True, "message": "Pull Request successfully merged"}
    return JSONResponse(made)


def pull_changes(repository: Repository, issue: Issue) -> list[FileChange]:
    """The files that a pull request changes, against the point where its branch left the base."""
    pull = pull_of(issue)
    start = repository.git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    return changed_files(repository.git, start, pull.head_sha)[:_LISTED_FILES]


@router.get("/{number:int}/files")
def list_files(there: There, page: Page, number: int) -> JSONResponse:
    """pulls/list-files."""
    there.require(_READ)
    issue = find_pull(there.repository, number)
    head = pull_of(issue).head_sha
    rows = pull_changes(there.repository, issue)
    return listed(page, [file_json(there.forge, there.repository, one, head) for one in rows])


@router.get("/{number:int}/commits")
def list_commits(there: There, page: Page, number: int) -> JSONResponse:
    """pulls/list-commits, oldest first."""
    there.require(_READ)
    pull = pull_of(find_pull(there.repository, number))
    rows = there.repository.git.commits(f"{pull.base_sha}..{pull.head_sha}")[::-1]
    return listed(page, [commit_json(there.forge, there.repository, one) for one in rows])


@router.get("/{number:int}/reviews")
@router.get("/{number:int}/comments")
def list_reviews(there: There, page: Page, number: int) -> JSONResponse:
    """pulls/list-reviews and pulls/list-review-comments: nobody reviews here yet."""
    there.require(_READ)
    find_pull(there.repository, number)
    return listed(page, [])


@router.post("/{number:int}/comments/{_comment:int}/replies")
def reply(there: There, number: int) -> JSONResponse:
    """pulls/create-reply-for-review-comment: there is no comment to reply to."""
    there.require(_WRITE)
    find_pull(there.repository, number)
    raise not_found()
