"""What GitHub does on bad days, and the two errors that it becomes."""

import json
import pickle
import time
from collections.abc import Callable

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import SecretStr

from app.github.client import AppClient, GitHubRefused, GitHubUnavailable, InstallationClient
from app.github.errors import refusal
from app.github.transport import CappedRetry

TOKEN = "ghs_averysecrettokenindeed"
TOKENS = "/app/installations/5/access_tokens"
ISSUE = {
    "title": "t",
    "body": None,
    "state": "open",
    "html_url": "http://x/1",
    "user": None,
    "labels": [{"name": "a", "archived_at": 3}, "b"],
}

Answer = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(scope="module")
def key() -> str:
    made = rsa.generate_private_key(65537, 2048)
    return made.private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    ).decode()


class Wire:
    """Answers token requests itself and everything else as told; keeps what was asked."""

    def __init__(self, key: str, *answers: Answer | httpx.Response) -> None:
        self.asked: list[httpx.Request] = []
        self.minted = 0
        self._answers = list(answers)
        self._key = key

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == TOKENS:
            self.minted += 1
            expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
            return httpx.Response(201, json={"token": TOKEN, "expires_at": expires})
        self.asked.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer if isinstance(answer, httpx.Response) else answer(request)

    def client(self, retry: CappedRetry | None = None) -> InstallationClient:
        app = AppClient(
            app_id=7,
            private_key=SecretStr(self._key),
            api_url="https://api.github.test",
            retry=retry or CappedRetry(tries=2, cap_seconds=1, base_seconds=0.001),
            transport=httpx.MockTransport(self),
        )
        return app.installation(5, "rrule")


def status(code: int, message: str = "m", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(code, json={"message": message}, headers=named)


def ok(body: object) -> httpx.Response:
    return httpx.Response(200, json=body)


def test_fields_that_are_not_read_may_be_missing_or_odd(key: str) -> None:
    issue = Wire(key, ok(ISSUE)).client().issue("ada", "rrule", 1)
    assert (issue.title, issue.body, issue.author, issue.labels) == ("t", "", "", ("a", "b"))


def test_a_refused_token_is_minted_anew_once(key: str) -> None:
    wire = Wire(key, status(401, "Bad credentials"), ok(ISSUE))
    assert wire.client().issue("ada", "rrule", 1).title == "t"
    assert wire.minted == 2


def test_a_token_refused_twice_is_told(key: str) -> None:
    wire = Wire(key, status(401, "Bad credentials"))
    with pytest.raises(GitHubRefused, match="does not accept the App's credentials"):
        wire.client().issue("ada", "rrule", 1)
    assert wire.minted == 2


def test_a_short_wait_is_waited(key: str) -> None:
    wire = Wire(key, status(403, "secondary rate limit", retry_after="0"), ok(ISSUE))
    began = time.monotonic()
    assert wire.client().issue("ada", "rrule", 1).title == "t"
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("code", [403, 429])
def test_a_long_wait_is_handed_on(key: str, code: int) -> None:
    wire = Wire(key, status(code, "You have exceeded a secondary rate limit", retry_after="77"))
    with pytest.raises(GitHubUnavailable, match="asks to wait") as caught:
        wire.client().issue("ada", "rrule", 1)
    assert caught.value.retry_after == 77
    assert len(wire.asked) == 1


@pytest.mark.parametrize(
    "answer", [status(403, "You have exceeded a secondary rate limit."), status(429, "slow down")]
)
def test_a_limit_without_headers_is_a_minute(key: str, answer: httpx.Response) -> None:
    with pytest.raises(GitHubUnavailable, match="asks to wait") as caught:
        Wire(key, answer).client().issue("ada", "rrule", 1)
    assert caught.value.retry_after == 60


def test_a_used_up_hour_is_handed_on(key: str) -> None:
    reset = str(int(time.time()) + 1800)
    limit = status(403, "limit", x_ratelimit_remaining="0", x_ratelimit_reset=reset)
    with pytest.raises(GitHubUnavailable) as caught:
        Wire(key, limit).client().issue("ada", "rrule", 1)
    assert 1700 < (caught.value.retry_after or 0) <= 1800


@pytest.mark.parametrize("code", [500, 502, 503])
def test_a_read_is_repeated_after_a_fault(key: str, code: int) -> None:
    wire = Wire(key, status(code), status(code), ok(ISSUE))
    assert wire.client().issue("ada", "rrule", 1).title == "t"
    assert len(wire.asked) == 3


def test_a_read_is_not_repeated_for_ever(key: str) -> None:
    wire = Wire(key, status(502))
    with pytest.raises(GitHubUnavailable, match="status 502"):
        wire.client().issue("ada", "rrule", 1)
    assert len(wire.asked) == 3


def test_a_creation_is_not_repeated_after_a_fault(key: str) -> None:
    wire = Wire(key, status(502))
    with pytest.raises(GitHubUnavailable):
        wire.client().react("ada", "rrule", 1)
    assert len(wire.asked) == 1


def broken(kind: type[httpx.TransportError]) -> Answer:
    def answer(request: httpx.Request) -> httpx.Response:
        raise kind("broken", request=request)

    return answer


@pytest.mark.parametrize(
    ("kind", "reads", "creations"),
    [(httpx.ConnectError, 3, 3), (httpx.ReadTimeout, 3, 1), (httpx.RemoteProtocolError, 3, 1)],
)
def test_what_was_surely_not_heard_is_said_again(
    key: str, kind: type[httpx.TransportError], reads: int, creations: int
) -> None:
    wire = Wire(key, broken(kind))
    with pytest.raises(GitHubUnavailable):
        wire.client().issue("ada", "rrule", 1)
    assert len(wire.asked) == reads
    wire.asked.clear()
    with pytest.raises(GitHubUnavailable):
        wire.client().react("ada", "rrule", 1)
    assert len(wire.asked) == creations


CALLS: list[Callable[[InstallationClient], object]] = [
    lambda client: client.issue("ada", "rrule", 1),
    lambda client: client.repository("ada", "rrule"),
    lambda client: client.head("ada", "rrule", "main"),
    lambda client: client.permission("ada", "rrule", "eve"),
    lambda client: client.find_pull("ada", "rrule", "x"),
    lambda client: client.upsert_comment("ada", "rrule", 1, "m", "b"),
    lambda client: client.committer(),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("body", [b"<html>", b"\xff", b"3", b"[3]", b"{}", b'{"title": 3}'])
def test_an_answer_that_is_not_githubs_is_no_crash(
    key: str, call: Callable[[InstallationClient], object], body: bytes
) -> None:
    with pytest.raises(GitHubUnavailable, match=r"GitHub answered .+\.$"):
        call(Wire(key, httpx.Response(200, content=body)).client())


def moved(code: int) -> httpx.Response:
    return httpx.Response(code, headers={"Location": "https://api.github.test/repositories/9/x"})


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_renamed_repository_is_followed(key: str, code: int) -> None:
    wire = Wire(key, moved(code), ok(ISSUE))
    assert wire.client().issue("ada", "rrule", 1).title == "t"
    assert wire.asked[1].headers["Authorization"] == f"token {TOKEN}"


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_followed_creation_stays_a_creation(key: str, code: int) -> None:
    wire = Wire(key, moved(code), ok({}))
    wire.client().react("ada", "rrule", 1)
    assert [request.method for request in wire.asked] == ["POST", "POST"]
    assert json.loads(wire.asked[1].content) == {"content": "eyes"}


def test_control_a_plain_client_turns_it_into_a_read() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        return moved(301) if len(asked) == 1 else ok({})

    with httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True) as plain:
        plain.post("https://api.github.test/x", json={})
    assert asked == ["POST", "GET"]


def test_a_redirect_elsewhere_does_not_take_the_token_along(key: str) -> None:
    away = httpx.Response(301, headers={"Location": "https://evil.test/x"})
    wire = Wire(key, away, ok(ISSUE))
    wire.client().issue("ada", "rrule", 1)
    assert "Authorization" not in wire.asked[1].headers


def test_a_lacking_permission_is_named(key: str) -> None:
    answer = status(
        403,
        "Resource not accessible by integration",
        x_accepted_github_permissions="issues=write",
    )
    with pytest.raises(GitHubRefused, match=r"lacks a permission \(`issues=write`\)") as caught:
        Wire(key, answer).client().react("ada", "rrule", 1)
    assert caught.value.status == 403


def test_githubs_reasons_are_passed_on_in_one_line(key: str) -> None:
    body = {"message": "Validation\nFailed", "errors": [{"code": "custom", "message": "no"}, "x"]}
    with pytest.raises(GitHubRefused) as caught:
        Wire(key, httpx.Response(422, json=body)).client().react("ada", "rrule", 1)
    assert str(caught.value) == "GitHub refused (status 422): Validation Failed: no: x"


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'{"errors": 3}', b'{"errors": [{}]}', b'{"errors": [3]}']
)
def test_a_refusal_without_words_is_still_a_sentence(key: str, body: bytes) -> None:
    with pytest.raises(GitHubRefused, match="status 422"):
        Wire(key, httpx.Response(422, content=body)).client().react("ada", "rrule", 1)


@pytest.mark.parametrize(
    "answer", [status(401), status(403), status(404), status(422), status(502)]
)
def test_no_error_holds_a_secret_and_every_error_can_be_stored(
    key: str, answer: httpx.Response
) -> None:
    with pytest.raises((GitHubRefused, GitHubUnavailable)) as caught:
        Wire(key, answer).client().issue("ada", "rrule", 1)
    stored = pickle.dumps(caught.value)
    for secret in (TOKEN, key.splitlines()[3], "Bearer"):
        assert secret not in str(caught.value) + repr(caught.value)
        assert secret.encode() not in stored
    again = pickle.loads(stored)  # noqa: S301 - our own bytes
    assert str(again) == str(caught.value)
    assert vars(again) == vars(caught.value)


def test_refusals_are_sentences() -> None:
    for code in (400, 401, 403, 404, 409, 410, 422):
        assert refusal(code, "why").endswith((".", "why"))
