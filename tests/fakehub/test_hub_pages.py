"""The HTML pages and their forms."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.fakehub.conftest import Loose, World
from tests.fakehub.gitclient import commit_file, git, with_token

HOME = ("ada", "demo")
CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture
def site(world: World) -> Iterator[httpx.Client]:
    """A browser without scripts."""
    with httpx.Client(base_url=world.hub.url, trust_env=False, verify=False) as client:  # noqa: S501
        yield client


def pull_request(world: World, work: Path) -> int:
    """A draft pull request that changes a line and adds a file with markup in it."""
    url = with_token(f"{world.hub.url}/ada/demo.git", world.token())
    git("clone", "--quiet", url, str(work))
    (work / "<b>bold.txt").write_text("<script>alert(1)</script>\n")
    head = commit_file(work, "pkg/maths.py", "def add(a, b):\n    return a + b\n", "fix: add")
    git("push", "--quiet", "origin", "HEAD:fix/add", cwd=work)
    bot = world.bot()
    body = "Fixes #1.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    number = bot.pulls.create(
        *HOME, title="Add <em>adds</em>", head="fix/add", base="main", body=body, draft=True
    ).parsed_data.number
    output: Loose = {"title": "Proved", "summary": "**all** well"}
    bot.checks.create(*HOME, name="proof", head_sha=head, conclusion="success", output=output)
    return number


def test_repository_page(world: World, site: httpx.Client, tmp_path: Path) -> None:
    pull_request(world, tmp_path / "work")
    page = site.get("/ada/demo").text
    for expected in ("README.md", "pkg/", "add() subtracts", "fix/add", "<em>small</em>"):
        assert expected in page
    assert "Add &lt;em&gt;adds&lt;/em&gt;" in page
    assert "is empty" in site.get("/ada/empty").text
    assert "ada/demo" in site.get("/").text
    assert site.get("/ada/nowhere").status_code == 404
    assert "&lt;b&gt;bold.txt" in site.get("/ada/demo?branch=fix/add").text
    assert "return a - b" in site.get("/ada/demo/blob/main/pkg/maths.py").text
    assert "maths.py" in site.get("/ada/demo/tree/main/pkg").text
    assert site.get("/ada/demo/tree/main/nowhere").status_code == 404
    assert site.get("/ada/demo/blob/main/pkg").status_code == 404


def test_issue_page_renders_and_cleans_markdown(world: World, site: httpx.Client) -> None:
    body = (
        "<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1))\n\n"
        "<details><summary>More</summary>\n\n| a | b |\n|---|---|\n| `1` | #1 |\n\n</details>\n\n"
        "ask @ada about `#1` and `@eve`"
    )
    number = world.hub.create_issue(*HOME, "<i>title</i>", body, author="eve")
    answer = site.get(f"/ada/demo/issues/{number}")
    page = answer.text
    for wanted in ("<details><summary>More</summary>", "<td><code>1</code></td>",
                   '<a href="/ada/demo/issues/1">#1</a>', "<strong>@ada</strong>",
                   "<code>#1</code>", "<code>@eve</code>", "&lt;i&gt;title&lt;/i&gt;"):  # fmt: skip
        assert wanted in page
    for unwanted in ("<script", "onerror", 'href="javascript'):
        assert unwanted not in page
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_pull_page(world: World, site: httpx.Client, tmp_path: Path) -> None:
    number = pull_request(world, tmp_path / "work")
    page = site.get(f"/ada/demo/pull/{number}").text
    for wanted in ('<span class="state draft">Draft</span>', "<th>a</th>", "fix: add",
                   '<tr class="removed">', '<tr class="added">', "+    return a + b",
                   "Proved", "<strong>all</strong> well", "&lt;script&gt;alert(1)"):  # fmt: skip
        assert wanted in page
    assert "<script" not in page
    assert site.get(f"/ada/demo/issues/{number}").headers["location"].endswith(f"/pull/{number}")
    assert f"/ada/demo/pull/{number}" in site.get("/ada/demo/issues/1").text


def test_labels_by_form(world: World, site: httpx.Client) -> None:
    path = "/ada/demo/issues/1/labels"
    done = site.post(path, data={"label": "bug", "actor": "ada"})
    assert (done.status_code, done.headers["location"]) == (303, "/ada/demo/issues/1")
    assert world.hub.issue_labels(*HOME, 1) == ["bug"]
    refused = site.post(path, data={"label": "question", "actor": "eve"})
    assert refused.status_code == 403
    assert "eve needs the role triage" in refused.text
    site.post(f"{path}?action=remove", data={"label": "bug", "actor": "ada"})
    assert world.hub.issue_labels(*HOME, 1) == []
    assert "added the label" in site.get("/ada/demo/issues/1").text
    assert site.post(path, data={"label": "bug", "actor": "patchwright[bot]"}).status_code == 422
    assert site.post(path, data={"actor": "ada"}).status_code == 422


def test_forms_of_other_sites_are_refused(world: World, site: httpx.Client) -> None:
    form = {"label": "bug", "actor": "ada"}
    path = "/ada/demo/issues/1/labels"
    for origin in ("http://evil.example", "null"):
        assert site.post(path, data=form, headers={"Origin": origin}).status_code == 403
    assert world.hub.issue_labels(*HOME, 1) == []
    own = {"Origin": world.hub.url}
    assert site.post(path, data=form, headers=own).status_code == 303


def test_comments_by_form(world: World, site: httpx.Client) -> None:
    form = {"body": "/patchwright stop", "actor": "eve"}
    assert site.post("/ada/demo/issues/1/comments", data=form).status_code == 303
    [comment] = world.hub.issue_comments(*HOME, 1)
    assert (comment.author, comment.body) == ("eve", "/patchwright stop")


def test_an_app_from_a_manifest(world: World, site: httpx.Client) -> None:
    manifest = {
        "name": "My Bot",
        "url": "http://127.0.0.1/",
        "redirect_url": "http://127.0.0.1:1/done",
        "hook_attributes": {"url": "http://127.0.0.1:9/hook"},
        "default_permissions": {"issues": "write"},
        "default_events": ["issues"],
    }
    form = {"manifest": json.dumps(manifest)}
    page = site.post("/settings/apps/new?state=abc", data=form)
    assert "issues: write" in page.text
    confirmed = site.post("/settings/apps/confirm", data={**form, "state": "abc", "actor": "ada"})
    query = parse_qs(urlsplit(confirmed.headers["location"]).query)
    assert query["state"] == ["abc"]
    [code] = query["code"]
    rest = world.person(world.ada).apps
    made = rest.create_from_manifest(code).parsed_data
    assert (made.slug, made.permissions.issues) == ("my-bot", "write")
    site.post("/apps/my-bot/installations", data={"actor": "ada"})
    site.post("/apps/my-bot/installations", data={"actor": "ada"})
    from githubkit import AppAuthStrategy

    client = world.client(AppAuthStrategy(made.id, made.pem)).rest
    assert len(client.apps.list_installations().parsed_data) == 1
    answer = world.http.post(f"{world.hub.api_url}/app-manifests/{code}/conversions")
    assert answer.status_code == 404
    bad = site.post("/settings/apps/new", data={"manifest": '{"name": "x"}'})
    assert (bad.status_code, bad.text) == (422, "The manifest needs a url.\n")


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_person_labels_in_a_browser(world: World) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page()
        refusals: list[str] = []
        page.on("console", lambda message: refusals.append(message.text))
        page.goto(f"{world.hub.url}/ada/demo/issues/1")
        page.get_by_role("button", name="bug").click()
        page.get_by_text("added the label").wait_for()
        assert world.hub.issue_labels(*HOME, 1) == ["bug"]
        page.get_by_role("button", name="bug").click()
        page.get_by_text("took off the label").wait_for()
        page.get_by_label("comment", exact=True).fill("hello from a browser")
        page.get_by_role("button", name="Comment").click()
        page.get_by_text("hello from a browser").wait_for()
        browser.close()
    assert world.hub.issue_labels(*HOME, 1) == []
    assert [text for text in refusals if "Content Security Policy" in text] == []
