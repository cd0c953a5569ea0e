"""Endpoints about the server and the caller."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from app.fakehub.auth import Caller
from app.fakehub.errors import not_found, unauthenticated
from app.fakehub.render.accounts import app_json, user_json
from app.fakehub.routes.context import Here

router = APIRouter()


@router.get("/rate_limit")
def rate_limit(here: Here) -> JSONResponse:
    """rate-limit/get."""
    core = here.rates.state(here.caller)
    search = {"limit": 30, "remaining": 30, "reset": core["reset"], "used": 0}
    return JSONResponse({"resources": {"core": core, "search": search}, "rate": core})


@router.get("/meta")
def meta(_: Here) -> JSONResponse:
    """meta/get."""
    loopback = ["127.0.0.0/8"]
    made = {
        "verifiable_password_authentication": False,
        "hooks": loopback,
        "web": loopback,
        "api": loopback,
        "git": loopback,
    }
    return JSONResponse(made)


@router.get("/user")
def current_user(here: Here) -> JSONResponse:
    """The account behind a personal token."""
    if not isinstance(here.caller, Caller) or here.caller.user is None:
        raise unauthenticated()
    return JSONResponse(user_json(here.forge, here.caller.user))


@router.get("/users/{login}")
def get_user(here: Here, login: str) -> JSONResponse:
    """An account by its login."""
    user = here.forge.users.get(login.lower())
    if user is None:
        raise not_found()
    return JSONResponse(user_json(here.forge, user))


@router.get("/apps/{slug}")
def get_app(here: Here, slug: str) -> JSONResponse:
    """An App by its slug."""
    for app in list(here.forge.apps.values()):
        if app.slug == slug:
            return JSONResponse(app_json(here.forge, app))
    raise not_found()
