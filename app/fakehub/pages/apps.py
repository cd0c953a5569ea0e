"""Pages on which a person registers an App from a manifest and installs it."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.fakehub.deeds.apps import install
from app.fakehub.deeds.manifest import accept_manifest, read_manifest
from app.fakehub.domain.accounts import App
from app.fakehub.domain.forge import Forge
from app.fakehub.errors import not_found
from app.fakehub.pages.shell import acting_person, render_page

router = APIRouter(include_in_schema=False)


@router.post("/settings/apps/new")
@router.post("/organizations/{_organization}/settings/apps/new")
def new_app(request: Request, manifest: Annotated[str, Form()], state: str = "") -> HTMLResponse:
    """Show what an App asks for, with the button that registers it."""
    read = read_manifest(manifest)
    return render_page(request, "new_app.html", app=read, manifest=manifest, state=state)


@router.post("/settings/apps/confirm")
def confirm(
    request: Request,
    manifest: Annotated[str, Form()],
    actor: Annotated[str, Form()],
    state: Annotated[str, Form()] = "",
) -> Response:
    """Go back to where the manifest came from, with a code for the credentials."""
    acting_person(request, actor)
    target = accept_manifest(request.app.state.forge, read_manifest(manifest), state)
    return RedirectResponse(target, status_code=302)


def _app(forge: Forge, slug: str) -> App:
    for app in list(forge.apps.values()):
        if app.slug == slug:
            return app
    raise not_found()


@router.get("/apps/{slug}")
@router.get("/apps/{slug}/installations/new")
def show_app(request: Request, slug: str) -> HTMLResponse:
    """An App, where it is installed, and the button that installs it."""
    forge: Forge = request.app.state.forge
    app = _app(forge, slug)
    accounts = [one.account for one in list(forge.installations.values()) if one.app is app]
    return render_page(request, "app.html", app=app, accounts=accounts)


@router.post("/apps/{slug}/installations")
def install_here(request: Request, slug: str, actor: Annotated[str, Form()]) -> Response:
    """Install an App on all repositories of the chosen person, once."""
    forge: Forge = request.app.state.forge
    app, person = _app(forge, slug), acting_person(request, actor)
    known = list(forge.installations.values())
    if not any(one.app is app and one.account is person for one in known):
        install(forge, app, person, None)
    return RedirectResponse(f"/apps/{slug}", status_code=303)
