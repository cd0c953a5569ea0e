"""JSON of users, Apps and installations."""

from base64 import b64encode
from urllib.parse import quote

from app.fakehub.domain.accounts import App, Installation, User
from app.fakehub.domain.forge import Forge, Json, narrowed


def node_id(kind: str, number: int | str) -> str:
    """An opaque global id as GraphQL would take it."""
    return b64encode(f"{kind}{number}".encode()).decode()


def user_json(forge: Forge, user: User) -> Json:
    """`simple-user`; the bracket of a bot's login is escaped in its addresses."""
    api = f"{forge.api_url}/users/{quote(user.login)}"
    page = f"apps/{user.app_slug}" if user.app_slug else quote(user.login)
    return {
        "login": user.login,
        "id": user.id,
        "node_id": node_id(user.kind, user.id),
        "avatar_url": f"{forge.html_url}/_fake/avatars/{user.id}",
        "gravatar_id": "",
        "url": api,
        "html_url": f"{forge.html_url}/{page}",
        "followers_url": f"{api}/followers",
        "following_url": f"{api}/following{{/other_user}}",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
        "organizations_url": f"{api}/orgs",
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events{{/privacy}}",
        "received_events_url": f"{api}/received_events",
        "type": user.kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def app_json(forge: Forge, app: App) -> Json:
    """`integration`."""
    return {
        "id": app.id,
        "client_id": f"Iv23fake{app.id}",
        "slug": app.slug,
        "node_id": node_id("App", app.id),
        "owner": user_json(forge, app.owner),
        "name": app.slug,
        "description": None,
        "external_url": f"{forge.html_url}/apps/{app.slug}",
        "html_url": f"{forge.html_url}/apps/{app.slug}",
        "created_at": forge.time_text(app.created_at),
        "updated_at": forge.time_text(app.created_at),
        "permissions": narrowed(app.permissions),
        "events": list(app.events),
    }


def installation_json(forge: Forge, installation: Installation) -> Json:
    """`installation`."""
    api = f"{forge.api_url}/app/installations/{installation.id}"
    account = installation.account
    return {
        "id": installation.id,
        "client_id": f"Iv23fake{installation.app.id}",
        "account": user_json(forge, account),
        "repository_selection": "all" if installation.repository_ids is None else "selected",
        "access_tokens_url": f"{api}/access_tokens",
        "repositories_url": f"{forge.api_url}/installation/repositories",
        "html_url": f"{forge.html_url}/settings/installations/{installation.id}",
        "app_id": installation.app.id,
        "app_slug": installation.app.slug,
        "target_id": account.id,
        "target_type": account.kind,
        "permissions": narrowed(installation.app.permissions),
        "events": list(installation.app.events),
        "created_at": forge.time_text(installation.created_at),
        "updated_at": forge.time_text(installation.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": None,
    }
