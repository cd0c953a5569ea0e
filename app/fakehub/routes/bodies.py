"""Request bodies of the REST endpoints; fields that are not served are ignored."""

from typing import Any, Literal

from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr


class AccessToken(BaseModel):
    """apps/create-installation-access-token."""

    repositories: list[StrictStr] | None = None
    repository_ids: list[StrictInt] | None = None
    permissions: dict[str, str] | None = None


class HookConfig(BaseModel):
    """apps/update-webhook-config-for-app."""

    url: StrictStr | None = None
    secret: StrictStr | None = None


class NewIssue(BaseModel):
    """issues/create."""

    title: StrictStr
    body: StrictStr | None = None
    labels: list[StrictStr] = Field(default_factory=list)


class IssueUpdate(BaseModel):
    """issues/update."""

    title: StrictStr | None = None
    body: StrictStr | None = None
    state: Literal["open", "closed"] | None = None
    state_reason: Literal["completed", "not_planned", "duplicate", "reopened"] | None = None
    labels: list[StrictStr] | None = None


class CommentBody(BaseModel):
    """issues/create-comment and issues/update-comment."""

    body: StrictStr


class NewLabel(BaseModel):
    """issues/create-label."""

    name: StrictStr
    color: StrictStr = "ededed"
    description: StrictStr | None = None


class NewReaction(BaseModel):
    """reactions/create-for-issue and reactions/create-for-issue-comment."""

    content: StrictStr


class NewPull(BaseModel):
    """pulls/create."""

    title: StrictStr
    head: StrictStr
    base: StrictStr
    body: StrictStr | None = None
    draft: StrictBool = False
    maintainer_can_modify: StrictBool = True


class PullUpdate(BaseModel):
    """pulls/update."""

    title: StrictStr | None = None
    body: StrictStr | None = None
    state: Literal["open", "closed"] | None = None
    base: StrictStr | None = None


class Annotation(BaseModel):
    """One annotation of a check run."""

    path: StrictStr
    start_line: StrictInt
    end_line: StrictInt
    annotation_level: Literal["notice", "warning", "failure"]
    message: StrictStr = Field(max_length=65536)
    start_column: StrictInt | None = None
    end_column: StrictInt | None = None
    title: StrictStr | None = Field(default=None, max_length=255)
    raw_details: StrictStr | None = Field(default=None, max_length=65536)


class CheckOutput(BaseModel):
    """The output of a check run."""

    title: StrictStr | None = None
    summary: StrictStr
    text: StrictStr | None = None
    annotations: list[Annotation] | None = None


_Status = Literal["queued", "in_progress", "completed", "waiting", "requested", "pending"]
_Conclusion = Literal[
    "action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"
]


class CheckUpdate(BaseModel):
    """checks/update."""

    name: StrictStr | None = None
    status: _Status | None = None
    conclusion: _Conclusion | None = None
    external_id: StrictStr | None = None
    details_url: StrictStr | None = None
    started_at: StrictStr | None = None
    completed_at: StrictStr | None = None
    output: CheckOutput | None = None


class NewCheck(CheckUpdate):
    """checks/create."""

    name: StrictStr
    head_sha: StrictStr


class NewRef(BaseModel):
    """git/create-ref."""

    ref: StrictStr
    sha: StrictStr


class RefUpdate(BaseModel):
    """git/update-ref."""

    sha: StrictStr
    force: StrictBool = False


class NewBlob(BaseModel):
    """git/create-blob."""

    content: StrictStr
    encoding: Literal["utf-8", "base64"] = "utf-8"


class NewTreeEntry(BaseModel):
    """One entry of git/create-tree; a null sha removes the path."""

    path: StrictStr
    mode: Literal["100644", "100755", "040000", "160000", "120000"] = "100644"
    type: Literal["blob", "tree", "commit"] = "blob"
    sha: StrictStr | None = None
    content: StrictStr | None = None


class NewTree(BaseModel):
    """git/create-tree."""

    tree: list[NewTreeEntry]
    base_tree: StrictStr | None = None


class Signature(BaseModel):
    """The author or committer of git/create-commit."""

    name: StrictStr
    email: StrictStr
    date: StrictStr | None = None


class NewCommit(BaseModel):
    """git/create-commit."""

    message: StrictStr
    tree: StrictStr
    parents: list[StrictStr] = Field(default_factory=list)
    author: Signature | None = None
    committer: Signature | None = None


class Merge(BaseModel):
    """pulls/merge."""

    commit_title: StrictStr | None = None
    commit_message: StrictStr | None = None
    sha: StrictStr | None = None


def given(body: BaseModel) -> dict[str, Any]:
    """The fields that the client sent."""
    return body.model_dump(exclude_unset=True)
