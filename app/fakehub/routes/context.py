"""What every endpoint gets: the state, the caller, the repository, the wanted page of a list."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import JSONResponse

from app.fakehub.auth import Caller, identify, require, visible_repository
from app.fakehub.domain.accounts import Role, User
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.records import Repository
from app.fakehub.hooks import Deliveries
from app.fakehub.rates import Rates

_MOST = 100


@dataclass(frozen=True)
class Context:
    """A request to the API."""

    forge: Forge
    deliveries: Deliveries
    rates: Rates
    caller: Caller

    @property
    def actor(self) -> User:
        """The account that acts; 401 when there is none."""
        return self.caller.actor


def context(request: Request) -> Context:
    """Identify the caller and take the request off their hourly budget."""
    state = request.app.state
    caller = identify(state.forge, request.headers.get("authorization"))
    try:
        if not request.url.path.endswith("/rate_limit"):
            state.rates.count(caller)
    finally:
        request.state.rate_headers = state.rates.headers(caller)
    return Context(state.forge, state.deliveries, state.rates, caller)


Here = Annotated[Context, Depends(context)]


@dataclass(frozen=True)
class RepositoryContext:
    """A request about one repository that the caller may see."""

    forge: Forge
    caller: Caller
    repository: Repository

    @property
    def actor(self) -> User:
        """The account that acts; 401 when there is none."""
        return self.caller.actor

    def require(self, *accepted: tuple[str, str], person: Role = "read") -> None:
        """Refuse a caller without one of the permissions or the role."""
        require(self.caller, self.repository, *accepted, person=person)


def repository_context(here: Here, owner: str, repo: str) -> RepositoryContext:
    """Find the repository of the path; 404 when it is not there for this caller."""
    repository = visible_repository(here.forge, here.caller, owner, repo)
    return RepositoryContext(here.forge, here.caller, repository)


There = Annotated[RepositoryContext, Depends(repository_context)]


@dataclass(frozen=True)
class Paging:
    """The wanted page of a list."""

    request: Request
    page: int
    per_page: int

    def cut(self, rows: Sequence[Any]) -> Sequence[Any]:
        """The rows of the page."""
        start = (self.page - 1) * self.per_page
        return rows[start : start + self.per_page]

    def links(self, total: int) -> dict[str, str]:
        """The Link header for a list of `total` rows."""
        last = max(1, -(-total // self.per_page))
        steps = {"first": 1, "prev": self.page - 1, "next": self.page + 1, "last": last}
        if self.page >= last:
            del steps["next"], steps["last"]
        if self.page <= 1:
            del steps["first"], steps["prev"]
        url = self.request.url
        shown = [
            f'<{url.include_query_params(page=number, per_page=self.per_page)}>; rel="{name}"'
            for name, number in steps.items()
        ]
        return {"Link": ", ".join(shown)} if shown else {}


def paging(request: Request, page: str = "1", per_page: str = "30") -> Paging:
    """Read page and per_page as GitHub does: nonsense counts as the default."""
    wanted = int(page) if page.isdigit() else 1
    size = int(per_page) if per_page.isdigit() else 30
    return Paging(request, max(1, wanted), min(_MOST, max(1, size)))


Page = Annotated[Paging, Depends(paging)]


def listed(page: Paging, rows: Sequence[Any]) -> JSONResponse:
    """One page of a list of JSON values, with its Link header."""
    return JSONResponse(list(page.cut(rows)), headers=page.links(len(rows)))
