"""Endpoints of Apps, installations, tokens and hook deliveries."""

import json
import secrets

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.fakehub.auth import require_app
from app.fakehub.deeds.announce import announce_ping
from app.fakehub.deeds.apps import installation_token, reachable
from app.fakehub.deeds.manifest import convert_manifest
from app.fakehub.domain.accounts import App, Installation, Token
from app.fakehub.domain.forge import Forge, Json, covers
from app.fakehub.errors import ApiError, not_found
from app.fakehub.hooks import Deliveries, Delivery
from app.fakehub.render.accounts import app_json, installation_json
from app.fakehub.render.repositories import full_repository_json, repository_json
from app.fakehub.routes.bodies import AccessToken, HookConfig
from app.fakehub.routes.context import Here, Page, listed

router = APIRouter()


@router.get("/app")
def get_app(here: Here) -> JSONResponse:
    """apps/get-authenticated."""
    app = require_app(here.caller)
    count = sum(one.app is app for one in here.forge.installations.values())
    return JSONResponse({**app_json(here.forge, app), "installations_count": count})


@router.get("/app/installations")
def list_installations(here: Here, page: Page) -> JSONResponse:
    """apps/list-installations."""
    app = require_app(here.caller)
    own = [one for one in list(here.forge.installations.values()) if one.app is app]
    return listed(page, [installation_json(here.forge, one) for one in own])


def _own_installation(forge: Forge, app: App, number: int) -> Installation:
    installation = forge.installations.get(number)
    if installation is None or installation.app is not app:
        raise not_found()
    return installation


@router.get("/app/installations/{number:int}")
def get_installation(here: Here, number: int) -> JSONResponse:
    """apps/get-installation."""
    app = require_app(here.caller)
    return JSONResponse(installation_json(here.forge, _own_installation(here.forge, app, number)))


@router.post("/app/installations/{number:int}/access_tokens")
def create_token(here: Here, number: int, body: AccessToken | None = None) -> JSONResponse:
    """apps/create-installation-access-token."""
    installation = _own_installation(here.forge, require_app(here.caller), number)
    wanted = body or AccessToken()
    token = installation_token(
        here.forge,
        installation,
        names=wanted.repositories,
        ids=wanted.repository_ids,
        permissions=wanted.permissions,
    )
    narrowed = wanted.repositories is not None or wanted.repository_ids is not None
    return JSONResponse(_token_json(here.forge, token, narrowed=narrowed), status_code=201)


def _token_json(forge: Forge, token: Token, *, narrowed: bool) -> Json:
    made: Json = {
        "token": token.value,
        "expires_at": forge.time_text(token.expires_at),
        "permissions": dict(token.permissions or {}),
        "repository_selection": "all" if token.repository_ids is None else "selected",
    }
    if narrowed:
        made["repositories"] = [repository_json(forge, one) for one in reachable(forge, token)]
    return made


@router.delete("/installation/token")
def revoke_token(here: Here) -> Response:
    """apps/revoke-installation-access-token."""
    token = _installation_token(here)
    with here.forge.lock:
        here.forge.tokens.pop(token.value, None)
    return Response(status_code=204)


def _installation_token(here: Here) -> Token:
    token = here.caller.token
    if token is None or token.installation is None:
        text = "You must authenticate with an installation access token in order to do this."
        raise ApiError(403, text)
    return token


@router.get("/installation/repositories")
def list_repositories(here: Here, page: Page) -> JSONResponse:
    """apps/list-repos-accessible-to-installation."""
    token = _installation_token(here)
    rows = reachable(here.forge, token)
    shown = [full_repository_json(here.forge, one, "write") for one in page.cut(rows)]
    made = {
        "total_count": len(rows),
        "repository_selection": "all" if token.repository_ids is None else "selected",
        "repositories": shown,
    }
    return JSONResponse(made, headers=page.links(len(rows)))


@router.get("/repos/{owner}/{repo}/installation")
def get_repository_installation(here: Here, owner: str, repo: str) -> JSONResponse:
    """apps/get-repo-installation."""
    app = require_app(here.caller)
    try:
        repository = here.forge.repository(owner, repo)
    except LookupError:
        raise not_found() from None
    for installation in list(here.forge.installations.values()):
        if installation.app is app and covers(installation, repository):
            return JSONResponse(installation_json(here.forge, installation))
    raise not_found()


@router.post("/app-manifests/{code}/conversions")
def convert(here: Here, code: str) -> JSONResponse:
    """apps/create-from-manifest, which needs no token: the code is the secret."""
    app, credentials = convert_manifest(here.forge, code)
    made = {
        **app_json(here.forge, app),
        "client_secret": secrets.token_hex(20),
        "webhook_secret": credentials.webhook_secret,
        "pem": credentials.private_key_pem,
    }
    return JSONResponse(made, status_code=201)


@router.get("/app/hook/config")
def get_hook_config(here: Here) -> JSONResponse:
    """apps/get-webhook-config-for-app."""
    return JSONResponse(_config(require_app(here.caller)))


@router.patch("/app/hook/config")
def update_hook_config(here: Here, body: HookConfig) -> JSONResponse:
    """apps/update-webhook-config-for-app."""
    app = require_app(here.caller)
    if body.secret is not None:
        app.webhook_secret = body.secret
    if body.url is not None and body.url != app.webhook_url:
        app.webhook_url = body.url
        announce_ping(here.forge, app)
    return JSONResponse(_config(app))


def _config(app: App) -> Json:
    shown = {"content_type": "json", "insecure_ssl": "0", "secret": "********"}
    return {**shown, "url": app.webhook_url} if app.webhook_url else shown


@router.get("/app/hook/deliveries")
def list_deliveries(here: Here, page: Page, cursor: str = "") -> JSONResponse:
    """apps/list-webhook-deliveries; the cursor is the id of the last delivery seen."""
    app = require_app(here.caller)
    if cursor and not cursor.isdigit():
        raise ApiError(400, "Invalid cursor")
    rows = [one for one in here.deliveries.of(app.id) if not cursor or one.id < int(cursor)]
    shown = [_brief(here.forge, one) for one in rows[: page.per_page]]
    links = {}
    if len(rows) > page.per_page:
        url = page.request.url.include_query_params(cursor=shown[-1]["id"])
        links = {"Link": f'<{url}>; rel="next"'}
    return JSONResponse(shown, headers=links)


def _own_delivery(deliveries: Deliveries, app: App, number: int) -> Delivery:
    for delivery in deliveries.of(app.id):
        if delivery.id == number:
            return delivery
    raise not_found()


@router.get("/app/hook/deliveries/{number:int}")
def get_delivery(here: Here, number: int) -> JSONResponse:
    """apps/get-webhook-delivery."""
    delivery = _own_delivery(here.deliveries, require_app(here.caller), number)
    made = {
        **_brief(here.forge, delivery),
        "url": delivery.app.webhook_url or "",
        "request": {"headers": delivery.request_headers, "payload": json.loads(delivery.body)},
        "response": {
            "headers": delivery.response_headers or None,
            "payload": delivery.response_body or None,
        },
    }
    return JSONResponse(made)


@router.post("/app/hook/deliveries/{number:int}/attempts")
def redeliver(here: Here, number: int) -> JSONResponse:
    """apps/redeliver-webhook-delivery."""
    here.deliveries.send_again(_own_delivery(here.deliveries, require_app(here.caller), number))
    return JSONResponse({}, status_code=202)


def _brief(forge: Forge, delivery: Delivery) -> Json:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": forge.time_text(delivery.delivered_at),
        "redelivery": delivery.redelivery,
        "duration": delivery.duration,
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }
