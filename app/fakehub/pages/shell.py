"""What all pages share: templates, headers, and how a person acts through a form."""

from functools import lru_cache
from pathlib import Path

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.fakehub.domain.accounts import User
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.records import Repository
from app.fakehub.errors import ApiError, not_found

TEMPLATES = Path(__file__).parent / "templates"
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' http: https:; "
    "base-uri 'none'; frame-ancestors 'none'"
)


@lru_cache(maxsize=1)
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_page(request: Request, template: str, **values: object) -> HTMLResponse:
    """A page from a template; every template gets `people` and `ago`."""
    forge: Forge = request.app.state.forge
    people = [one for one in list(forge.users.values()) if one.kind == "User"]
    shown = _templates().get_template(template)
    html = shown.render(people=people, ago=lambda at: _ago(forge.clock() - at), **values)
    return HTMLResponse(html, headers={"Content-Security-Policy": _POLICY})


def _ago(seconds: float) -> str:
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"


def find_repository(request: Request, owner: str, repo: str) -> Repository:
    """The repository of a page, private or not: whoever sits at this machine may look."""
    forge: Forge = request.app.state.forge
    try:
        return forge.repository(owner, repo)
    except LookupError:
        raise not_found() from None


def acting_person(request: Request, login: str) -> User:
    """The person that a form names; 403 when another site sent it, 422 for an unknown name."""
    origin = request.headers.get("origin")
    if origin not in (None, f"http://{request.headers.get('host')}"):
        raise ApiError(403, "Forms of other sites are not taken here.")
    forge: Forge = request.app.state.forge
    person = forge.users.get(login.lower())
    if person is None or person.kind != "User":
        raise ApiError(422, f"There is no person {login!r} here.")
    return person
