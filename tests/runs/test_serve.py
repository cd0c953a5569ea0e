"""Each process of `serve` gets its own secrets, and nobody else's."""

import pytest

from app.errors import UserError
from app.runs.serve import household, serve, web_environment, worker_environment

WHOLE = {
    "PATH": "/bin",
    "HOME": "/home/x",
    "LC_ALL": "C.UTF-8",
    "DOCKER_HOST": "unix:///run/docker.sock",
    "GITHUB_TOKEN": "ghp_other",
    "AWS_SECRET_ACCESS_KEY": "aws",
    "PATCHWRIGHT_WEBHOOK_SECRET": "hook",
    "PATCHWRIGHT_PRIVATE_KEY": "pem",
    "PATCHWRIGHT_PRIVATE_KEY_FILE": "/key.pem",
    "PATCHWRIGHT_GEMINI_API_KEY": "gem",
    "PATCHWRIGHT_APP_ID": "1",
    "PATCHWRIGHT_DATA_DIR": "/data",
    "PATCHWRIGHT_PORT": "8080",
    "PATCHWRIGHT_TRIGGER_LABEL": "fix",
    "PATCHWRIGHT_TYPO": "x",
}


def test_the_web_process_gets_its_settings_and_no_other_secret() -> None:
    seen = web_environment(WHOLE)
    assert seen == {
        "PATH": "/bin",
        "HOME": "/home/x",
        "LC_ALL": "C.UTF-8",
        "PATCHWRIGHT_WEBHOOK_SECRET": "hook",
        "PATCHWRIGHT_DATA_DIR": "/data",
        "PATCHWRIGHT_PORT": "8080",
        "PATCHWRIGHT_TRIGGER_LABEL": "fix",
    }


def test_the_worker_gets_the_key_and_the_engine_but_not_the_webhook_secret() -> None:
    seen = worker_environment(WHOLE)
    assert "PATCHWRIGHT_WEBHOOK_SECRET" not in seen
    assert "PATCHWRIGHT_TYPO" not in seen
    assert seen["PATCHWRIGHT_PRIVATE_KEY"] == "pem"
    assert seen["PATCHWRIGHT_GEMINI_API_KEY"] == "gem"
    assert seen["DOCKER_HOST"] == "unix:///run/docker.sock"


def test_names_are_compared_as_settings_are_read_without_case() -> None:
    whole = {"patchwright_webhook_secret": "hook", "Patchwright_Private_Key": "pem"}
    assert worker_environment(whole) == {"Patchwright_Private_Key": "pem"}
    assert web_environment(whole) == {"patchwright_webhook_secret": "hook"}


def test_a_household_is_web_and_worker() -> None:
    web, worker = household(WHOLE)
    assert (web.name, worker.name) == ("web", "worker")
    assert dict(web.environment) == web_environment(WHOLE)
    assert dict(worker.environment) == worker_environment(WHOLE)


def test_nothing_is_started_without_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATCHWRIGHT_WEBHOOK_SECRET", raising=False)
    with pytest.raises(UserError, match="PATCHWRIGHT_WEBHOOK_SECRET"):
        serve()
