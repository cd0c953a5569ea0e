"""Typed settings, one class for each process; the only reader of the environment."""

from os import environ
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.errors import UserError

PREFIX = "PATCHWRIGHT_"

Permission = Literal["admin", "maintain", "write", "triage", "read"]


def _web_address(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("must be an address that starts with http:// or https://")
    return value.rstrip("/")


def _not_blank(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().strip():
        raise ValueError("must not be blank")
    return value


WebAddress = Annotated[str, AfterValidator(_web_address)]
Secret = Annotated[SecretStr, AfterValidator(_not_blank)]


def default_data_dir() -> Path:
    """`patchwright` under the XDG state directory, else `.patchwright` in the home directory."""
    state = environ.get("XDG_STATE_HOME", "")
    return Path(state) / "patchwright" if state else Path.home() / ".patchwright"


class CommonSettings(BaseSettings):
    """What the web process and the worker both need; no secret is among it."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    data_dir: Path = Field(default_factory=default_data_dir)
    github_url: WebAddress = "https://github.com"
    public_url: WebAddress | None = None
    """Where people reach the pages of this Patchwright; links to them are left out without it."""
    trigger_label: str = Field("patchwright", min_length=1, max_length=50)

    @property
    def inbox(self) -> Path:
        """The App's own database."""
        return self.data_dir / "patchwright.db"

    def run_dir(self, run_id: str) -> Path:
        """Where the artifacts of a run are."""
        return self.data_dir / "runs" / run_id


class WebSettings(CommonSettings):
    """The door and the pages: holds the webhook secret, never the App's key."""

    webhook_secret: Secret
    host: str = "127.0.0.1"
    port: int = Field(8080, ge=0, le=65535)


class ProposerSettings(BaseSettings):
    """What a proposer may need; the command line reads these alone."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, hide_input_in_errors=True
    )

    gemini_api_key: Secret | None = None
    gemini_model: str = "gemini-2.5-flash"
    gemini_base_url: WebAddress | None = None


class WorkerSettings(CommonSettings, ProposerSettings):
    """The worker: holds the App's key and the engine, never the webhook secret."""

    app_id: int = Field(ge=1)
    private_key: Secret | None = None
    private_key_file: Path | None = None
    github_api_url: WebAddress = "https://api.github.com"
    required_permission: Permission = "write"
    proposer: str = "search"
    allow_command_proposer: bool = False
    runtime: str = "runc"
    attempts: int = Field(6, ge=1)
    patience: int = Field(2, ge=1)
    run_seconds: float = Field(1800, gt=0)
    candidate_runs: int = Field(400, ge=0)
    author_name: str | None = None
    author_email: str | None = None
    """Who commits; the App's own bot account where nobody is named."""

    @model_validator(mode="after")
    def _one_usable_key(self) -> Self:
        given = [self.private_key is not None, self.private_key_file is not None]
        if sum(given) != 1:
            raise ValueError(
                f"Set exactly one of `{PREFIX}PRIVATE_KEY` and `{PREFIX}PRIVATE_KEY_FILE` to the "
                "App's private key."
            )
        _check_key(self.signing_key())
        return self

    def signing_key(self) -> SecretStr:
        """The App's private key as PEM text. Raises `ValueError` when its file cannot be read."""
        if self.private_key is not None:
            # A key in one line of an environment file has its line ends written as \n.
            return SecretStr(self.private_key.get_secret_value().replace("\\n", "\n"))
        try:
            return SecretStr(Path(self.private_key_file or "").read_text(encoding="ascii"))
        except (OSError, UnicodeDecodeError):
            raise ValueError(
                f"The file named by `{PREFIX}PRIVATE_KEY_FILE` cannot be read: it must be the "
                "`.pem` file that GitHub gave for the App."
            ) from None


def _check_key(key: SecretStr) -> None:
    try:
        loaded = load_pem_private_key(key.get_secret_value().encode(), password=None)
    except (ValueError, TypeError):
        loaded = None
    if not isinstance(loaded, RSAPrivateKey):
        raise ValueError(
            "The App's private key is not an RSA key in PEM form: give the whole `.pem` file that "
            "GitHub gave for the App, unencrypted."
        )


Settings = TypeVar("Settings", bound=BaseSettings)

MISSING = {
    "webhook_secret": "the secret that is set on the App's webhook; without it anybody could "
    "start runs",
    "app_id": "the App's number, which its settings page on GitHub shows",
}


def load(kind: type[Settings], **given: Any) -> Settings:  # noqa: ANN401 - the model checks them
    """Settings from the environment; `given` (by field name) wins over it.

    Raises `UserError`, one sentence that names the variable. It never repeats a value.
    """
    try:
        return kind(**given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise UserError(_sentence(first["loc"], first["type"], first["msg"])) from None


def _sentence(where: tuple[int | str, ...], kind: str, message: str) -> str:
    plain = message.removeprefix("Value error, ")
    if not where:
        return plain
    name = str(where[0])
    variable = f"`{PREFIX}{name.upper()}`"
    if kind == "missing":
        return f"Set {variable} to {MISSING[name]}."
    if kind == "extra_forbidden":
        return f"There is no setting `{name}`."
    return f"Mend {variable}: {plain[0].lower()}{plain[1:]}."
