"""Events become intents; what means nothing is ignored and what is broken is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from handlers.intents import StartRun
from handlers.payloads import MalformedPayload
from handlers.route import route

PAYLOADS = Path(__file__).parents[2].parent / "shared" / "data" / "payloads"


def labeled(**changes: object) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "action": "labeled",
        "issue": {"number": 97, "title": "Last day lost", "node_id": "ignored"},
        "label": {"name": "patchwright", "color": "ededed"},
        "repository": {"name": "rrule", "owner": {"login": "ada"}, "private": False},
        "sender": {"login": "grace", "type": "User"},
        "installation": {"id": 5, "node_id": "ignored"},
    }
    return {**payload, **changes}


def routed(payload: object, event: str = "issues", label: str = "patchwright") -> StartRun | None:
    return route(event, json.dumps(payload).encode(), label)


def test_the_trigger_label_starts_a_run() -> None:
    assert routed(labeled()) == StartRun(
        installation_id=5,
        owner="ada",
        repo="rrule",
        issue=97,
        title="Last day lost",
        sender="grace",
        sender_type="User",
        label="patchwright",
    )


@pytest.mark.parametrize("name", ["bug", "patchwright ", "patch", ""])
def test_another_label_does_not(name: str) -> None:
    assert routed(labeled(label={"name": name})) is None


def test_labels_have_no_case_on_github() -> None:
    assert routed(labeled(label={"name": "PatchWright"})) is not None


def test_the_label_is_a_setting() -> None:
    assert routed(labeled(), label="fix-me") is None
    assert routed(labeled(label={"name": "fix-me"}), label="fix-me") is not None


def test_without_an_installation_it_is_not_ours() -> None:
    payload = labeled()
    del payload["installation"]
    assert routed(payload) is None


def test_a_bot_is_told_apart_later_not_here() -> None:
    intent = routed(labeled(sender={"login": "dependabot[bot]", "type": "Bot"}))
    assert intent is not None
    assert (intent.sender, intent.sender_type) == ("dependabot[bot]", "Bot")


@pytest.mark.parametrize("action", ["unlabeled", "opened", "closed", "invented"])
def test_other_actions_mean_nothing(action: str) -> None:
    assert routed(labeled(action=action)) is None


@pytest.mark.parametrize("event", ["ping", "pull_request", "push", "invented", "ISSUES", ""])
def test_other_events_mean_nothing(event: str) -> None:
    assert routed(labeled(), event=event) is None


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b'{"a": 1}x', b"\xff\xfe", b"[" * 5000, b'{"a": ' * 5000, b"nonsense"],
)
@pytest.mark.parametrize("event", ["issues", "invented"])
def test_what_is_no_json_is_malformed_whatever_the_event(event: str, raw: bytes) -> None:
    with pytest.raises(MalformedPayload, match="not JSON in UTF-8"):
        route(event, raw, "patchwright")


@pytest.mark.parametrize("value", [[], 1, "text", None, True])
def test_json_that_is_no_object_is_malformed(value: object) -> None:
    with pytest.raises(MalformedPayload, match="not an object"):
        routed(value)


def test_a_form_is_told_what_to_change() -> None:
    with pytest.raises(MalformedPayload, match="content type to `application/json`"):
        route("issues", b"payload=%7B%7D", "patchwright")


def test_an_issue_event_without_action_is_malformed() -> None:
    with pytest.raises(MalformedPayload, match="no `action`"):
        routed({})


@pytest.mark.parametrize("missing", ["issue", "label", "repository", "sender"])
def test_a_missing_part_is_named(missing: str) -> None:
    payload = labeled()
    del payload[missing]
    with pytest.raises(MalformedPayload, match=f"at `{missing}`: field required"):
        routed(payload)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"issue": {"number": "x", "title": "t"}}, "issue.number"),
        ({"issue": {"number": 0}}, "issue.number"),
        ({"issue": {"number": 2**70}}, "issue.number"),
        ({"issue": []}, "issue"),
        ({"label": {"name": None}}, "label.name"),
        ({"repository": {"name": "../..", "owner": {"login": "ada"}}}, "repository.name"),
        ({"repository": {"name": "..", "owner": {"login": "ada"}}}, "repository.name"),
        ({"repository": {"name": "a b", "owner": {"login": "ada"}}}, "repository.name"),
        ({"repository": {"name": "a\n", "owner": {"login": "ada"}}}, "repository.name"),
        ({"repository": {"name": "a", "owner": {"login": "a/b"}}}, "repository.owner.login"),
        ({"repository": {"name": "a", "owner": {"login": "-x"}}}, "repository.owner.login"),
        ({"sender": {"login": "a@b"}}, "sender.login"),
        ({"installation": {"id": -1}}, "installation.id"),
        ({"installation": {"id": "5; drop"}}, "installation.id"),
        ({"action": 3}, "action"),
    ],
)
def test_a_wrong_part_is_named_in_one_sentence(change: dict[str, Any], where: str) -> None:
    with pytest.raises(MalformedPayload) as caught:
        routed(labeled(**change))
    assert f"at `{where}`: " in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_a_huge_title_is_cut() -> None:
    intent = routed(labeled(issue={"number": 1, "title": "x" * 100_000}))
    assert intent is not None
    assert len(intent.title) == 256


def published() -> list[Path]:
    return sorted(PAYLOADS.glob("*.json"))


def test_no_published_payload_is_malformed_and_none_is_ours() -> None:
    if not published():
        pytest.skip("the published payloads are not here")
    for file in published():
        event = file.name.split(".")[0]
        assert route(event, file.read_bytes(), "bug") is None, file.name


def test_both_published_labels_start_once_they_come_through_an_app() -> None:
    files = list(PAYLOADS.glob("issues.labeled.*.json"))
    if not files:
        pytest.skip("the published payloads are not here")
    for file in files:
        payload = json.loads(file.read_bytes())
        payload["installation"] = {"id": 5}
        intent = routed(payload, label=payload["label"]["name"])
        assert intent is not None
        assert intent.repo == "Hello-World"
