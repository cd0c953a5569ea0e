"""The live page in a real browser: it grows while it is looked at, and runs nobody's script."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from app.runs.store import RunState, Store
from handlers.intents import StartRun
from sandbox.outcome import Outcome

pytestmark = pytest.mark.browser

RUN = "0123456789abcdef" * 2
HOSTILE = "**kept** <script>window.taken = 1</script> <img src=x onerror='window.taken = 1'>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium here")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page_url(url: str, store: Store) -> str:
    store.accept("guid", StartRun(5, "a", "b", 9, HOSTILE, "a", "User", "patchwright"), RUN)
    store.add_event(RUN, "baseline", "88 passed, 1 failed")
    return f"{url}/runs/{RUN}"


def test_it_grows_and_ends_while_it_is_looked_at(
    browser: Browser, page_url: str, store: Store
) -> None:
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(page_url)
    store.add_event(RUN, "attempt", HOSTILE)
    page.locator("#events li").nth(1).wait_for(timeout=20_000)
    assert "kept <script>" in page.locator("#events li").nth(1).inner_text()
    store.update(RUN, state=RunState.DONE, outcome=Outcome.FIXED, sentence=HOSTILE)
    page.locator(".verdict.fixed").wait_for(timeout=20_000)
    assert page.evaluate("window.taken") is None
    assert complaints == []
    page.close()


def test_it_is_readable_in_the_dark_and_on_a_phone(browser: Browser, page_url: str) -> None:
    context = browser.new_context(
        color_scheme="dark", viewport={"width": 360, "height": 640}, java_script_enabled=True
    )
    page = context.new_page()
    page.goto(page_url)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 26)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_without_javascript_it_is_complete(browser: Browser, page_url: str, store: Store) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_url)
    store.add_event(RUN, "attempt", "attempt 1")
    page.locator("#events li").nth(1).wait_for(timeout=20_000)  # the page refreshes itself
    context.close()
