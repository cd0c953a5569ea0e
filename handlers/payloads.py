"""Own tolerant models of the few webhook fields in use: the wire may add, we do not care."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints


class MalformedPayload(ValueError):
    """The payload is not what GitHub sends; the message is one sentence that says where."""


class Tolerant(BaseModel):
    """Ignores every field that is not named."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _no_dots_alone(name: str) -> str:
    if name in {".", ".."}:
        raise ValueError("is not a name")
    return name


# Both end up in paths and addresses, so what GitHub would never allow is refused at the door.
# Managed accounts end in _shortcode.
OwnerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")]
RepositoryName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,100}$"), AfterValidator(_no_dots_alone)
]
Login = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$")]


class Owner(Tolerant):
    """Who holds a repository."""

    login: OwnerName


class Account(Tolerant):
    """Who did it."""

    login: Login
    type: str = Field("User", max_length=50)


class Repository(Tolerant):
    """Where."""

    name: RepositoryName
    owner: Owner


class Issue(Tolerant):
    """Which issue."""

    number: int = Field(ge=1, lt=2**53)
    title: str = ""


class Label(Tolerant):
    """Which label."""

    name: str


class Installation(Tolerant):
    """Under which installation of an App; missing when a repository's own webhook sent it."""

    id: int = Field(ge=1, lt=2**53)


class Envelope(Tolerant):
    """What is looked at before anything else."""

    action: str | None = None


class IssueLabeled(Tolerant):
    """`issues` with action `labeled`: a label was put on an issue."""

    issue: Issue
    label: Label
    repository: Repository
    sender: Account
    installation: Installation | None = None
