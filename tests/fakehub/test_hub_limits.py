"""Limits, duplicates and malformed requests: GitHub's statuses and error shapes."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from app.fakehub import Fault
from tests.fakehub.conftest import Loose, World

HOME = ("ada", "demo")


def send(world: World, method: str, path: str, **named: Loose) -> httpx.Response:
    """A plain request as ada."""
    headers = {"Authorization": f"token {world.ada}", **named.pop("headers", {})}
    url = f"{world.hub.api_url}{path}"
    return world.http.request(method, url, headers=headers, **named)


def branch(world: World, name: str, base: str | None = None) -> str:
    """A branch one commit ahead of main; returns the commit."""
    bot = world.bot()
    head = base or world.hub.branches(*HOME)["main"]
    tree = bot.git.get_commit(*HOME, head).parsed_data.tree.sha
    sha = bot.git.create_commit(*HOME, message=name, tree=tree, parents=[head]).parsed_data.sha
    bot.git.create_ref(*HOME, ref=f"refs/heads/{name}", sha=sha)
    return sha


def test_comment_length(world: World, refused: Callable[..., Any]) -> None:
    bot = world.bot()
    longest = bot.issues.create_comment(*HOME, 1, body="é" * 65536).parsed_data
    answer = refused(422, bot.issues.create_comment, *HOME, 1, body="x" * 65537)
    assert answer.json()["errors"] == [
        {
            "resource": "IssueComment",
            "code": "unprocessable",
            "field": "data",
            "message": "Body is too long (maximum is 65536 characters)",
        }
    ]
    refused(422, bot.issues.update_comment, *HOME, longest.id, body="x" * 65537)
    refused(422, bot.issues.create_comment, *HOME, 1, body=" ")
    assert len(world.hub.issue_comments(*HOME, 1)) == 1


def test_issue_and_pull_body_length(world: World, refused: Callable[..., Any]) -> None:
    bot = world.bot()
    branch(world, "topic")
    long = "x" * 65537
    answer = refused(422, bot.issues.create, *HOME, title="t", body=long)
    assert answer.json()["errors"][0]["message"] == (
        "body is too long (maximum is 65536 characters)"
    )
    refused(422, bot.pulls.create, *HOME, title="t", head="topic", base="main", body=long)
    assert world.hub.pulls(*HOME) == []


def test_pull_request_refusals(world: World, refused: Callable[..., Any]) -> None:
    bot = world.bot()
    branch(world, "topic")
    created: Loose = {"title": "t", "head": "topic", "base": "main"}
    missing = refused(422, bot.pulls.create, *HOME, **{**created, "head": "nowhere"})
    assert missing.json()["errors"] == [
        {"resource": "PullRequest", "code": "invalid", "field": "head"}
    ]
    refused(422, bot.pulls.create, *HOME, **{**created, "head": "eve:topic"})
    refused(422, bot.pulls.create, *HOME, **{**created, "base": "nowhere"})
    same = refused(422, bot.pulls.create, *HOME, **{**created, "head": "main"})
    assert same.json()["errors"][0]["message"] == "No commits between main and main"
    number = bot.pulls.create(*HOME, **created).parsed_data.number
    twice = refused(422, bot.pulls.create, *HOME, **{**created, "head": "ada:topic"})
    assert twice.json()["errors"][0]["message"] == ("A pull request already exists for ada:topic.")
    bot.pulls.update(*HOME, number, state="closed")
    assert bot.pulls.create(*HOME, **created).parsed_data.number == number + 1


def test_refs(world: World, refused: Callable[..., Any]) -> None:
    bot = world.bot()
    sha = branch(world, "topic")
    main = world.hub.branches(*HOME)["main"]
    create, update = bot.git.create_ref, bot.git.update_ref
    exists = refused(422, create, *HOME, ref="refs/heads/topic", sha=sha)
    assert exists.json()["message"] == "Reference already exists"
    refused(422, create, *HOME, ref="topic", sha=sha)
    refused(422, create, *HOME, ref="refs/heads/a..b", sha=sha)
    refused(422, create, *HOME, ref="refs/heads/other", sha="0" * 40)
    refused(422, update, *HOME, "heads/topic", sha=main)
    update(*HOME, "heads/topic", sha=main, force=True)
    refused(422, update, *HOME, "heads/nowhere", sha=main)
    refused(422, bot.git.delete_ref, *HOME, "heads/nowhere")
    refused(422, bot.git.delete_ref, *HOME, "heads/main")
    refused(404, bot.git.get_ref, *HOME, "heads/nowhere")
    refused(409, bot.git.get_ref, "ada", "empty", "heads/main")


def test_labels_and_reactions(world: World, refused: Callable[..., Any]) -> None:
    bot = world.bot()
    refused(422, bot.issues.create_label, *HOME, name="BUG")
    refused(422, bot.issues.create_label, *HOME, name="x", color="red")
    refused(404, bot.issues.remove_label, *HOME, 1, "bug")
    refused(404, bot.issues.get_label, *HOME, "nope")
    assert bot.reactions.create_for_issue(*HOME, 1, content="eyes").status_code == 201
    assert bot.reactions.create_for_issue(*HOME, 1, content="eyes").status_code == 200
    path = "/repos/ada/demo/issues/1/reactions"
    assert send(world, "POST", path, json={"content": "tada"}).status_code == 422


def test_check_run_limits(world: World) -> None:
    token = world.token()
    path = "/repos/ada/demo/check-runs"
    note = {
        "path": "a.py", "start_line": 1, "end_line": 1,
        "annotation_level": "notice", "message": "m",
    }  # fmt: skip
    sha = world.hub.branches(*HOME)["main"]

    def create(**more: Loose) -> httpx.Response:
        headers = {"Authorization": f"token {token}"}
        body = {"name": "proof", "head_sha": sha, **more}
        return send(world, "POST", path, json=body, headers=headers)

    assert create(output={"title": "t", "summary": "s", "annotations": [note] * 50}).is_success
    over = create(output={"title": "t", "summary": "s", "annotations": [note] * 51})
    assert over.status_code == 422
    assert create(output={"title": "t", "summary": "s" * 65536}).status_code == 422
    assert create(output={"title": "t", "summary": "s" * 65535}).status_code == 201
    assert create(head_sha="1" * 40).status_code == 422
    assert create(status="completed").status_code == 422
    assert send(world, "POST", path, json={"name": "n", "head_sha": sha}).status_code == 403
    assert len(world.hub.check_runs(*HOME)) == 2


@pytest.mark.parametrize(
    ("method", "path", "named", "status", "text"),
    [
        ("POST", "/issues", {"content": b"{"}, 400, "Problems parsing JSON"),
        ("POST", "/issues", {"content": b""}, 400, "Body should be a JSON object"),
        ("POST", "/issues", {"json": []}, 400, "Body should be a JSON object"),
        ("POST", "/issues", {"json": {}}, 422, '"title" wasn\'t supplied.'),
        ("POST", "/issues", {"json": {"title": 7}}, 422, "For 'properties/title'"),
        ("POST", "/issues", {"json": {"title": " "}}, 422, "Validation Failed"),
        ("POST", "/issues/1/labels", {"json": {"labels": [3]}}, 422, "Invalid request."),
        ("PATCH", "/issues/1", {"json": {"state": "ajar"}}, 422, "For 'properties/state'"),
        ("GET", "/issues/99", {}, 404, "Not Found"),
        ("GET", "/issues/one", {}, 404, "Not Found"),
        ("PUT", "/issues/1", {}, 404, "Not Found"),
        ("GET", "/no/such/thing", {}, 404, "Not Found"),
    ],
)
def test_malformed_requests(
    world: World, method: str, path: str, named: dict[str, Any], status: int, text: str
) -> None:
    answer = send(world, method, f"/repos/ada/demo{path}", **named)
    assert answer.status_code == status
    shown = answer.json()
    assert text in shown["message"]
    assert shown["status"] == str(status)
    assert shown["documentation_url"].startswith("https://docs.github.com/")


def test_a_body_without_a_content_type_is_json(world: World) -> None:
    answer = send(world, "POST", "/repos/ada/demo/issues", content=b'{"title": "bare"}')
    assert answer.status_code == 201


def test_body_limit_and_user_agent(world: World) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(41):
            yield b" " * 1024 * 1024

    path = "/repos/ada/demo/issues"
    assert send(world, "POST", path, content=endless()).status_code == 413
    assert send(world, "POST", path, content=b" " * 41 * 1024 * 1024).status_code == 413
    answer = send(world, "GET", path, headers={"User-Agent": ""})
    assert answer.status_code == 403
    assert "User-Agent" in answer.json()["message"]


def test_pages_of_a_list(world: World) -> None:
    for number in range(7):
        world.hub.comment_issue(*HOME, 1, f"number {number}", author="eve")
    path = "/repos/ada/demo/issues/1/comments?per_page=3"
    seen: list[str] = []
    answer = send(world, "GET", path)
    while True:
        seen += [one["body"] for one in answer.json()]
        if "next" not in answer.links:
            break
        answer = world.http.get(answer.links["next"]["url"])
    assert seen == [f"number {number}" for number in range(7)]
    assert send(world, "GET", f"{path}&page=9").json() == []


def test_an_unchanged_answer_is_304(world: World) -> None:
    first = send(world, "GET", "/repos/ada/demo/issues/1")
    again = {"If-None-Match": first.headers["etag"]}
    assert send(world, "GET", "/repos/ada/demo/issues/1", headers=again).status_code == 304
    world.hub.comment_issue(*HOME, 1, "news", author="eve")
    assert send(world, "GET", "/repos/ada/demo/issues/1", headers=again).status_code == 200


def test_faults(world: World) -> None:
    arm = f"{world.hub.url}/_fake/faults"
    fault = {"method": "POST", "path": "/comments$", "status": 502, "times": 2, "body": "bad"}
    assert world.http.post(arm, json=fault).status_code == 201
    path = "/repos/ada/demo/issues/1/comments"
    answers = [send(world, "POST", path, json={"body": "hi"}) for _ in range(3)]
    assert [one.status_code for one in answers] == [502, 502, 201]
    assert answers[0].text == "bad"
    assert len(world.hub.issue_comments(*HOME, 1)) == 1
    assert world.http.post(arm, json={"path": "("}).status_code == 422
    assert world.http.get(arm).json() == []


def test_a_fault_after_the_deed_loses_only_the_answer(world: World) -> None:
    world.hub.add_fault(Fault(method="POST", path="/comments$", status=500, when="after"))
    path = "/repos/ada/demo/issues/1/comments"
    assert send(world, "POST", path, json={"body": "hi"}).status_code == 500
    assert [one.body for one in world.hub.issue_comments(*HOME, 1)] == ["hi"]


def test_a_delay_holds_up_nobody_else(world: World) -> None:
    world.hub.add_fault(Fault(path="/rate_limit$", delay=1.5))
    address = f"{world.hub.api_url}/rate_limit"
    slow = threading.Thread(target=httpx.get, args=(address,), kwargs={"trust_env": False})
    slow.start()
    started = time.monotonic()
    send(world, "GET", "/repos/ada/demo")
    assert time.monotonic() - started < 1.0
    assert slow.is_alive()
    slow.join()


def test_every_request_is_in_the_log(world: World) -> None:
    send(world, "GET", "/repos/ada/nowhere")
    world.http.get(f"{world.hub.url}/ada/demo")
    assert world.hub.requests()[-2:] == [
        ("GET", "/api/v3/repos/ada/nowhere", 404),
        ("GET", "/ada/demo", 200),
    ]
