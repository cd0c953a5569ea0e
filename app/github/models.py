"""What the App needs of GitHub's answers, and no more: fields that it does not read may change."""

from datetime import datetime
from typing import Any

from pydantic import (
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    field_validator,
    model_validator,
)


class Answer(BaseModel):
    """Read from GitHub's JSON or built by field name; extra fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class AppIdentity(Answer):
    """Who the App is."""

    id: int
    slug: str

    @property
    def login(self) -> str:
        """The account under which the App writes."""
        return f"{self.slug}[bot]"


class Author(Answer):
    """Who commits."""

    name: str
    email: str


class InstallationToken(Answer):
    """A token of one installation, good for about an hour."""

    token: SecretStr
    expires_at: datetime


class RepoInfo(Answer):
    """A repository; `owner` and `name` are today's, also when an older name was asked for."""

    owner: str = Field(validation_alias=AliasPath("owner", "login"))
    name: str
    default_branch: str
    private: bool = False
    html_url: str
    archived: bool = False
    size_kb: int = Field(0, validation_alias="size")


class IssueInfo(Answer):
    """An issue; `is_pull` where GitHub keeps a pull request under that number."""

    title: str
    body: str = ""
    state: str
    locked: bool = False
    author: str = ""
    labels: tuple[str, ...] = ()
    is_pull: bool = False
    html_url: str

    @model_validator(mode="before")
    @classmethod
    def _flatten(cls, answer: Any) -> Any:  # noqa: ANN401 - whatever came over the wire
        if not isinstance(answer, dict) or "user" not in answer:
            return answer
        return {
            **answer,
            "author": (answer["user"] or {}).get("login", ""),
            "is_pull": answer.get("pull_request") is not None,
        }

    @field_validator("body", mode="before")
    @classmethod
    def _no_body(cls, body: str | None) -> str:
        return body or ""

    @field_validator("labels", mode="before")
    @classmethod
    def _names(cls, labels: Any) -> Any:  # noqa: ANN401 - GitHub allows strings and objects here
        return [one.get("name", "") if isinstance(one, dict) else one for one in labels]


class CommentInfo(Answer):
    """A comment of an issue."""

    id: int
    html_url: str
    body: str = ""
    author: str = Field("", validation_alias=AliasPath("user", "login"))

    @field_validator("body", mode="before")
    @classmethod
    def _no_body(cls, body: str | None) -> str:
        return body or ""


class PullInfo(Answer):
    """A pull request; `state` is open or closed."""

    number: int
    html_url: str
    head_sha: str = Field(validation_alias=AliasPath("head", "sha"))
    state: str
    draft: bool = False
    body: str = ""

    @field_validator("body", mode="before")
    @classmethod
    def _no_body(cls, body: str | None) -> str:
        return body or ""


class CheckInfo(Answer):
    """A check run."""

    id: int
    name: str


class CheckList(Answer):
    """One page of check runs."""

    check_runs: list[CheckInfo]


class Role(Answer):
    """What a person may do in a repository: GitHub's own word and, where there is one, the
    organization's."""

    permission: str
    role_name: str | None = None


class Ref(Answer):
    """A branch or tag."""

    sha: str = Field(validation_alias=AliasPath("object", "sha"))


class UserInfo(Answer):
    """An account."""

    id: int


COMMENTS = TypeAdapter(list[CommentInfo])
PULLS = TypeAdapter(list[PullInfo])
