"""Build webhook payloads and hand them to every subscribed App that covers the repository."""

from app.fakehub.domain.accounts import App, Installation, User
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.records import Repository
from app.fakehub.render.accounts import app_json, installation_json, node_id, user_json
from app.fakehub.render.repositories import repository_json


def announce(forge: Forge, repository: Repository, sender: User, event: str, payload: Json) -> None:
    """Send `event` about a repository; `payload` holds its own fields, the rest is added."""
    for installation in forge.installations_on(repository):
        if event not in installation.app.events:
            continue
        body = {
            **payload,
            "repository": repository_json(forge, repository),
            "sender": user_json(forge, sender),
            "installation": {
                "id": installation.id,
                "node_id": node_id("Installation", installation.id),
            },
        }
        forge.announcer.send(
            installation.app,
            event,
            body,
            installation_id=installation.id,
            repository_id=repository.id,
        )


def announce_installation(forge: Forge, installation: Installation, sender: User) -> None:
    """`installation.created`, which Apps get without asking for it."""
    covered = forge.covered(installation)
    body = {
        "action": "created",
        "installation": installation_json(forge, installation),
        "repositories": [_brief(one) for one in covered],
        "requester": None,
        "sender": user_json(forge, sender),
    }
    _send(forge, installation, "installation", body)


def announce_added(forge: Forge, installation: Installation, added: Repository) -> None:
    """`installation_repositories.added`: a repository that an installation now covers."""
    body = {
        "action": "added",
        "installation": installation_json(forge, installation),
        "repository_selection": "all" if installation.repository_ids is None else "selected",
        "repositories_added": [_brief(added)],
        "repositories_removed": [],
        "requester": None,
        "sender": user_json(forge, installation.account),
    }
    _send(forge, installation, "installation_repositories", body)


def announce_ping(forge: Forge, app: App) -> None:
    """`ping`, sent when an App gets a webhook address."""
    body = {
        "zen": "Practicality beats purity.",
        "hook_id": app.id,
        "hook": {
            "type": "App",
            "id": app.id,
            "name": "web",
            "active": True,
            "app_id": app.id,
            "events": list(app.events),
            "config": {"url": app.webhook_url, "content_type": "json", "insecure_ssl": "0"},
            "created_at": forge.time_text(app.created_at),
            "updated_at": forge.time_text(app.created_at),
        },
        "sender": user_json(forge, app.owner),
        "app": app_json(forge, app),
    }
    forge.announcer.send(app, "ping", body, installation_id=None, repository_id=None)


def _send(forge: Forge, installation: Installation, event: str, body: Json) -> None:
    forge.announcer.send(
        installation.app, event, body, installation_id=installation.id, repository_id=None
    )


def _brief(repository: Repository) -> Json:
    return {
        "id": repository.id,
        "node_id": node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "private": repository.private,
    }
