"""Who gets in, who does not, and with which of GitHub's answers."""

import time
from collections.abc import Callable
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakehub.conftest import Loose, World

HOME = ("ada", "demo")


def ask(
    world: World, path: str, authorization: str | None, method: str = "GET", **named: Loose
) -> httpx.Response:
    """A request with any Authorization header at all."""
    headers = {} if authorization is None else {"Authorization": authorization}
    url = f"{world.hub.api_url}{path}"
    return world.http.request(method, url, headers=headers, **named)


def signed(world: World, key: str | None = None, algorithm: str = "RS256", **claims: Loose) -> str:
    """An App's JWT; claims given as None are left out."""
    now = int(time.time())
    whole = {"iat": now - 60, "exp": now + 540, "iss": str(world.app.app_id), **claims}
    kept = {name: value for name, value in whole.items() if value is not None}
    return jwt.encode(kept, key or world.app.private_key_pem, algorithm=algorithm)


def other_key() -> str:
    """A private key that is not the App's."""
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


def test_a_good_jwt_is_taken(world: World) -> None:
    answer = ask(world, "/app", f"Bearer {signed(world)}")
    assert (answer.status_code, answer.json()["id"]) == (200, world.app.app_id)


@pytest.mark.parametrize(
    ("claims", "status", "text"),
    [
        ({"exp": int(time.time()) - 5}, 401, "'Expiration time' claim ('exp') must be"),
        ({"exp": int(time.time()) + 3000}, 401, "too far in the future"),
        ({"exp": None}, 401, "'Expiration time' claim"),
        ({"iat": None}, 401, "'Issued at' claim"),
        ({"iat": int(time.time()) + 3000}, 401, "'Issued at' claim"),
        ({"iss": "999999"}, 404, "Integration not found"),
        ({"iss": "nobody"}, 401, "could not be decoded"),
    ],
)
def test_bad_claims_are_refused(
    world: World, claims: dict[str, Any], status: int, text: str
) -> None:
    answer = ask(world, "/app", f"Bearer {signed(world, **claims)}")
    assert answer.status_code == status
    assert text in answer.json()["message"]


def test_a_jwt_signed_otherwise_is_refused(world: World) -> None:
    wrong_key = signed(world, key=other_key())
    shared_secret = signed(world, key="s" * 32, algorithm="HS256")
    for value in (wrong_key, shared_secret, "a.b.c"):
        answer = ask(world, "/app", f"Bearer {value}")
        assert answer.status_code == 401, value
        assert "could not be decoded" in answer.json()["message"]


def test_the_jwt_goes_by_the_servers_clock(world: World) -> None:
    value = f"Bearer {signed(world)}"
    world.clock.shift = 700
    assert ask(world, "/app", value).status_code == 401


def test_a_token_is_no_jwt_and_a_jwt_no_token(world: World) -> None:
    assert ask(world, "/app", f"token {world.token()}").status_code == 401
    jwt_value = f"Bearer {signed(world)}"
    assert ask(world, "/installation/repositories", jwt_value).status_code == 403
    made = ask(world, "/repos/ada/demo/issues/1/comments", jwt_value, "POST", json={"body": "x"})
    assert made.status_code == 401


def test_unknown_expired_and_revoked_tokens(world: World) -> None:
    assert ask(world, "/repos/ada/demo", "token ghs_nonsense").json()["message"] == (
        "Bad credentials"
    )
    token = world.token()
    path = "/installation/repositories"
    assert ask(world, path, f"token {token}").status_code == 200
    world.clock.shift = 3590
    assert ask(world, path, f"token {token}").status_code == 200
    world.clock.shift = 3600
    assert ask(world, path, f"token {token}").status_code == 401
    world.clock.shift = 0
    assert ask(world, "/installation/token", f"token {token}", "DELETE").status_code == 204
    assert ask(world, path, f"token {token}").status_code == 401


def test_expire_tokens_spares_people(world: World) -> None:
    token = world.token()
    world.hub.expire_tokens()
    assert ask(world, "/repos/ada/demo", f"token {token}").status_code == 401
    assert ask(world, "/repos/ada/demo", f"token {world.ada}").status_code == 200


def test_tokens_are_only_narrowed(world: World, refused: Callable[..., Any]) -> None:
    create = world.as_app().apps.create_installation_access_token
    refused(422, create, world.installation, repositories=["secret"])
    refused(422, create, world.installation, repositories=["demo", "nowhere"])
    refused(422, create, world.installation, permissions={"administration": "write"})
    made = create(
        world.installation, repositories=["demo"], permissions={"issues": "read"}
    ).parsed_data
    repositories: Loose = made.repositories
    assert [one.name for one in repositories] == ["demo"]
    person = world.person(made.token)
    person.issues.get(*HOME, 1)
    refused(403, person.issues.create_comment, *HOME, 1, body="no")
    refused(403, person.pulls.list, *HOME)


def test_a_missing_permission_names_what_is_accepted(
    world: World, refused: Callable[..., Any]
) -> None:
    person = world.person(world.token(permissions={"contents": "read"}))
    answer = refused(403, person.issues.add_labels, *HOME, 1, labels=["x"])
    assert answer.json()["message"] == "Resource not accessible by integration"
    accepted = answer.headers["x-accepted-github-permissions"]
    assert accepted == "issues=write; pull_requests=write"
    assert world.hub.issue_labels(*HOME, 1) == []


def test_what_is_not_visible_is_not_found(world: World, refused: Callable[..., Any]) -> None:
    for client in (world.bot(), world.person(world.eve)):
        refused(404, client.repos.get, "ada", "secret")
        refused(404, client.repos.get, "ada", "nowhere")
    world.hub.add_collaborator("ada", "secret", "eve", "read")
    assert world.person(world.eve).repos.get("ada", "secret").parsed_data.private
    assert world.as_app().apps.get_repo_installation(*HOME).status_code == 200
    refused(404, world.as_app().apps.get_repo_installation, "ada", "secret")


def test_other_public_repositories_are_read_only(world: World, refused: Callable[..., Any]) -> None:
    world.hub.create_repository("bob", "open", None)
    bot = world.bot()
    assert bot.repos.get("bob", "open").parsed_data.name == "open"
    refused(403, bot.issues.create, "bob", "open", title="spam")


def test_roles_of_people(world: World, refused: Callable[..., Any]) -> None:
    eve = world.person(world.eve)
    eve.issues.create_comment(*HOME, 1, body="me too")
    refused(403, eve.issues.add_labels, *HOME, 1, labels=["patchwright"])
    refused(403, eve.git.create_ref, *HOME, ref="refs/heads/x", sha="0" * 40)
    world.hub.add_collaborator(*HOME, "eve", "triage")
    eve.issues.add_labels(*HOME, 1, labels=["patchwright"])
    refused(403, eve.git.create_ref, *HOME, ref="refs/heads/x", sha="0" * 40)


@pytest.mark.parametrize(
    ("given", "permission", "role"),
    [
        ("admin", "admin", "admin"),
        ("maintain", "write", "maintain"),
        ("write", "write", "write"),
        ("triage", "read", "triage"),
        ("read", "read", "read"),
        ("none", "read", "read"),
    ],
)
def test_permission_of_a_collaborator(
    world: World, given: Loose, permission: str, role: str
) -> None:
    world.hub.add_collaborator(*HOME, "eve", given)
    level = world.bot().repos.get_collaborator_permission_level(*HOME, "eve").parsed_data
    assert (level.permission, level.role_name) == (permission, role)


def test_permission_of_a_stranger(world: World, refused: Callable[..., Any]) -> None:
    ada = world.person(world.ada)
    level = ada.repos.get_collaborator_permission_level("ada", "secret", "eve").parsed_data
    assert level.permission == "none"
    refused(404, ada.repos.get_collaborator_permission_level, *HOME, "nobody-here")


def test_nobody_reads_but_does_not_write(world: World) -> None:
    assert ask(world, "/repos/ada/demo/issues/1", None).status_code == 200
    assert ask(world, "/repos/ada/secret", None).status_code == 404
    url = f"{world.hub.api_url}/repos/ada/demo/issues/1/comments"
    answer = world.http.post(url, json={"body": "hello"})
    assert (answer.status_code, answer.json()["message"]) == (401, "Requires authentication")


def test_the_budget_runs_out(world: World, refused: Callable[..., Any]) -> None:
    bot = world.bot()
    first = bot.repos.get(*HOME)
    assert first.headers["x-ratelimit-limit"] == "5000"
    used = int(first.headers["x-ratelimit-used"])
    world.hub.rate_limit = used + 1
    bot.repos.get(*HOME)
    answer = refused(403, bot.repos.get, *HOME)
    assert answer.headers["x-ratelimit-remaining"] == "0"
    assert "rate limit exceeded" in answer.json()["message"]
    assert bot.rate_limit.get().parsed_data.resources.core.remaining == 0
    world.clock.shift = 3601
    assert ask(world, "/repos/ada/demo", f"token {world.ada}").status_code == 200
