"""Settings refuse what is missing or wrong in one sentence, and never repeat a secret."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from app.errors import UserError
from app.settings import WebSettings, WorkerSettings, load


def pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    encoded = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    return encoded.decode()


@pytest.fixture(scope="module")
def key() -> str:
    return pem(rsa.generate_private_key(65537, 2048))


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    from os import environ

    for name in [name for name in environ if name.startswith("PATCHWRIGHT_")]:
        monkeypatch.delenv(name)


def test_the_door_does_not_open_without_a_secret() -> None:
    with pytest.raises(UserError, match="Set `PATCHWRIGHT_WEBHOOK_SECRET` to the secret"):
        load(WebSettings)


def test_an_empty_secret_is_a_missing_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATCHWRIGHT_WEBHOOK_SECRET", "")
    with pytest.raises(UserError, match="PATCHWRIGHT_WEBHOOK_SECRET"):
        load(WebSettings)


@pytest.mark.parametrize("given", ["", " ", "\n"])
def test_a_blank_secret_given_in_code_is_refused(given: str) -> None:
    with pytest.raises(UserError, match="PATCHWRIGHT_WEBHOOK_SECRET"):
        load(WebSettings, webhook_secret=given)


def test_with_a_secret_it_opens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATCHWRIGHT_WEBHOOK_SECRET", "s3cret")
    monkeypatch.setenv("PATCHWRIGHT_DATA_DIR", str(tmp_path))
    settings = load(WebSettings)
    assert settings.webhook_secret.get_secret_value() == "s3cret"
    assert settings.inbox == tmp_path / "patchwright.db"
    assert settings.trigger_label == "patchwright"


def test_each_process_holds_only_its_own_secret(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("PATCHWRIGHT_WEBHOOK_SECRET", "s3cret")
    monkeypatch.setenv("PATCHWRIGHT_PRIVATE_KEY", key)
    monkeypatch.setenv("PATCHWRIGHT_APP_ID", "7")
    web, worker = load(WebSettings), load(WorkerSettings)
    assert not hasattr(web, "private_key")
    assert not hasattr(worker, "webhook_secret")


def test_no_secret_shows_when_settings_are_printed(key: str) -> None:
    web = load(WebSettings, webhook_secret="s3cret")
    worker = load(WorkerSettings, app_id=7, private_key=key, gemini_api_key="gem1ni")
    for shown in (repr(web), str(web), repr(worker), worker.model_dump_json()):
        assert "s3cret" not in shown
        assert "gem1ni" not in shown
        assert "BEGIN" not in shown


def test_the_worker_names_the_app_number_when_it_is_missing(key: str) -> None:
    with pytest.raises(UserError, match="Set `PATCHWRIGHT_APP_ID` to the App's number"):
        load(WorkerSettings, private_key=key)


def test_a_key_is_needed_once(key: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="exactly one of `PATCHWRIGHT_PRIVATE_KEY`"):
        load(WorkerSettings, app_id=7)
    with pytest.raises(UserError, match="exactly one of `PATCHWRIGHT_PRIVATE_KEY`"):
        load(WorkerSettings, app_id=7, private_key=key, private_key_file=tmp_path / "k.pem")


def test_a_key_comes_from_a_file_or_from_one_line(key: str, tmp_path: Path) -> None:
    file = tmp_path / "app.pem"
    file.write_text(key, encoding="ascii")
    from_file = load(WorkerSettings, app_id=7, private_key_file=file)
    from_line = load(WorkerSettings, app_id=7, private_key=key.replace("\n", "\\n"))
    assert from_file.signing_key() == from_line.signing_key()
    assert from_file.signing_key().get_secret_value() == key


def bad_text(key: str) -> str:
    return "no key at all, but hidden all the same"


def cut(key: str) -> str:
    return key[: len(key) // 2]


def wrong_kind(key: str) -> str:
    return pem(ec.generate_private_key(ec.SECP256R1()))


@pytest.mark.parametrize("spoil", [bad_text, cut, wrong_kind])
def test_what_is_no_key_is_refused_and_not_repeated(spoil: Callable[[str], str], key: str) -> None:
    spoiled = spoil(key)
    with pytest.raises(UserError, match="not an RSA key in PEM form") as caught:
        load(WorkerSettings, app_id=7, private_key=spoiled)
    assert spoiled[30:60] not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_missing_key_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="PATCHWRIGHT_PRIVATE_KEY_FILE"):
        load(WorkerSettings, app_id=7, private_key_file=tmp_path / "none.pem")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", 70000),
        ("public_url", "ftp://x"),
        ("github_url", "github.com"),
        ("trigger_label", "x" * 51),
    ],
)
def test_a_wrong_value_names_its_variable(name: str, value: object) -> None:
    with pytest.raises(UserError, match=f"Mend `PATCHWRIGHT_{name.upper()}`: .+\\.$"):
        load(WebSettings, **{"webhook_secret": "s", name: value})


def test_an_unknown_setting_is_not_swallowed() -> None:
    with pytest.raises(UserError, match="no setting `triger_label`"):
        load(WebSettings, webhook_secret="s", triger_label="x")


def test_the_data_directory_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert load(WebSettings, webhook_secret="s").data_dir == tmp_path / "patchwright"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load(WebSettings, webhook_secret="s").data_dir == tmp_path / ".patchwright"
