"""The pages show what a run did, to people without JavaScript too, and trust nobody's text."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.runs.store import RunState, Store
from app.settings import WebSettings
from app.web.pages import ago, duration
from app.web.prose import phrase, prose
from handlers.intents import StartRun
from sandbox.outcome import Outcome

RUN = "0123456789abcdef" * 2
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) ![p](http://evil.example/p.png) *so*"


@pytest.fixture
def run_id(store: Store) -> str:
    intent = StartRun(5, "ada", "rrule", 97, f"Lost {HOSTILE}", "ada", "User", "patchwright")
    store.accept("guid-1", intent, RUN)
    return RUN


def harmless(page: str) -> bool:
    lowered = page.lower()
    return not any(
        part in lowered
        for part in ("<script>", 'href="javascript', "<img", "onerror=", 'evil.example/p.png"')
    )


def test_an_empty_list_says_what_to_do(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "Put the label <code>patchwright</code> on an issue" in page.text


def test_the_list_links_issue_pull_request_and_run(
    client: TestClient, store: Store, run_id: str
) -> None:
    store.update(run_id, state=RunState.DONE, outcome=Outcome.FIXED, pull_number=128)
    page = client.get("/").text
    assert 'href="https://github.com/ada/rrule/issues/97"' in page
    assert 'href="https://github.com/ada/rrule/pull/128"' in page
    assert f'href="/runs/{run_id}"' in page
    assert "fixed" in page


def test_the_list_refreshes_itself_only_while_something_lives(
    client: TestClient, store: Store, run_id: str
) -> None:
    assert 'http-equiv="refresh"' in client.get("/").text
    store.update(run_id, state=RunState.FAILED)
    assert 'http-equiv="refresh"' not in client.get("/").text


def test_a_live_page_works_without_javascript(
    client: TestClient, store: Store, run_id: str
) -> None:
    store.add_event(run_id, "baseline", "412 passed, **2 failed**")
    page = client.get(f"/runs/{run_id}").text
    assert '<noscript><meta http-equiv="refresh"' in page
    assert "<strong>2 failed</strong>" in page
    assert f'data-live="/runs/{run_id}/events?after=1"' in page


def test_a_finished_page_is_still(client: TestClient, store: Store, run_id: str) -> None:
    store.update(run_id, state=RunState.REFUSED, sentence="You may **not**.")
    page = client.get(f"/runs/{run_id}").text
    assert "refresh" not in page
    assert "live.js" not in page
    assert "You may <strong>not</strong>." in page


def write(settings: WebSettings, run_id: str, name: str, content: Any) -> None:  # noqa: ANN401 - any JSON
    directory = settings.run_dir(run_id)
    directory.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    (directory / name).write_text(text, encoding="utf-8")


def test_the_page_shows_ledger_proof_and_diff(
    client: TestClient, run_id: str, settings: WebSettings
) -> None:
    write(settings, run_id, "worked.json", {"ledger": {"attempts": 2, "seconds": {"proof": 372}}})
    rows = [
        {"kind": "B", "tests": "targets", "summary": "2 failed", "agrees": True, "seconds": 1.5},
        {"kind": "C", "tests": "suite", "summary": "1 canary failed", "agrees": False},
    ]
    write(settings, run_id, "proof.json", {"verdict": "proved", "rows": rows, "targets": ["t::a"]})
    write(settings, run_id, "fix.diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-<b>\n+<i>\n")
    page = client.get(f"/runs/{run_id}").text
    assert "The proof: proved" in page
    assert "without the change" in page
    assert "<strong>no</strong>" in page
    assert "6 min 12 s" in page
    assert '<div class="del">-&lt;b&gt;</div>' in page
    assert '<div class="file">--- a/x</div>' in page
    assert "<code>t::a</code>" in page


@pytest.mark.parametrize("content", ["{", "[]", "", "null", "[" * 100_000, '{"ledger": 3}'])
def test_a_half_written_artifact_is_left_out(
    client: TestClient, run_id: str, settings: WebSettings, content: str
) -> None:
    for name in ("worked.json", "proof.json"):
        write(settings, run_id, name, content)
    page = client.get(f"/runs/{run_id}")
    assert page.status_code == 200
    assert "What it took" not in page.text


def test_text_of_strangers_is_harmless_everywhere(
    client: TestClient, store: Store, run_id: str, settings: WebSettings
) -> None:
    store.add_event(run_id, HOSTILE, HOSTILE)
    store.update(run_id, state=RunState.DONE, outcome=Outcome.GAVE_UP, sentence=HOSTILE)
    write(settings, run_id, "fix.diff", HOSTILE)
    write(
        settings,
        run_id,
        "proof.json",
        {
            "verdict": HOSTILE,
            "reasons": [HOSTILE],
            "warnings": [HOSTILE],
            "targets": [HOSTILE],
            "rows": [{"kind": HOSTILE, "tests": HOSTILE, "summary": HOSTILE}],
        },
    )
    for address in ("/", f"/runs/{run_id}"):
        page = client.get(address).text
        assert harmless(page)
        assert "&lt;script&gt;" in page


def test_control_the_same_text_unescaped_is_not_harmless() -> None:
    from jinja2 import Environment
    from markdown_it import MarkdownIt

    trusting = Environment(autoescape=False).from_string("{{ text }}")  # noqa: S701 - the control
    assert not harmless(trusting.render(text=HOSTILE))
    assert not harmless(MarkdownIt("commonmark").render(HOSTILE))
    assert harmless(prose(HOSTILE))
    assert harmless(phrase(HOSTILE))


def test_html_of_strangers_is_shown_as_they_wrote_it() -> None:
    for shown in (prose("List<b> is broken"), phrase("List<b> is broken")):
        assert "List&lt;b&gt; is broken" in shown


def test_links_of_strangers_give_nothing_away() -> None:
    link = prose("[here](https://example.org)")
    assert 'href="https://example.org"' in link
    assert 'rel="noopener noreferrer"' in link


@pytest.mark.parametrize("path", ["/runs/none", f"/runs/{'f' * 32}", "/runs/..%2f..%2fetc"])
def test_no_run_no_page(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_pages_load_nothing_from_elsewhere(client: TestClient, run_id: str) -> None:
    for address in ("/", f"/runs/{run_id}", "/static/style.css", "/static/live.js"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    for address in ("/", f"/runs/{run_id}"):
        page = client.get(address).text
        assert 'src="http' not in page
        assert '<link rel="stylesheet" href="/static/style.css">' in page
        assert "style=" not in page


def test_health(client: TestClient, settings: WebSettings) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
    for file in settings.data_dir.glob("patchwright.db*"):
        file.unlink()
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 503


def test_there_is_no_map_of_the_api(client: TestClient) -> None:
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("seconds", "text"), [(1, "just now"), (30, "30 s ago"), (600, "10 min ago"), (9000, "2 h ago")]
)
def test_how_long_ago(seconds: float, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.pages.time", lambda: 1_000_000.0)
    assert ago(1_000_000.0 - seconds) == text


def test_durations() -> None:
    assert [duration(value) for value in (0.25, 14, 372)] == ["0.2 s", "14 s", "6 min 12 s"]


def test_the_state_directory_is_where_settings_say(store: Store, settings: WebSettings) -> None:
    assert Path(settings.inbox).exists()
