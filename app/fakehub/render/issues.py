"""JSON of labels, issues, comments, reactions and timeline events."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

from app.fakehub.domain.accounts import App, User
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.records import (
    Comment,
    Issue,
    IssueEvent,
    Label,
    Reaction,
    Repository,
)
from app.fakehub.render.accounts import app_json, node_id, user_json
from app.fakehub.render.repositories import repository_api, repository_page

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def label_json(forge: Forge, repository: Repository, label: Label) -> Json:
    """`label`, with the archive fields that newer descriptions require."""
    return {
        "id": label.id,
        "node_id": node_id("Label", label.id),
        "url": f"{repository_api(forge, repository)}/labels/{quote(label.name, safe='')}",
        "name": label.name,
        "description": label.description,
        "color": label.color,
        "default": False,
        "archived_at": None,
        "archived_by": None,
    }


def association(repository: Repository, user: User) -> str:
    """How an author stands to a repository."""
    if user is repository.owner:
        return "OWNER"
    return "COLLABORATOR" if user.login.lower() in repository.collaborators else "NONE"


def rollup_json(url: str, reactions: Sequence[Reaction]) -> Json:
    """`reaction-rollup`: how many of each content."""
    counts = Counter(one.content for one in reactions)
    return {
        "url": f"{url}/reactions",
        "total_count": len(reactions),
        **{content: counts[content] for content in REACTIONS},
    }


def reaction_json(forge: Forge, reaction: Reaction) -> Json:
    """`reaction`."""
    return {
        "id": reaction.id,
        "node_id": node_id("Reaction", reaction.id),
        "user": user_json(forge, reaction.user),
        "content": reaction.content,
        "created_at": forge.time_text(reaction.created_at),
    }


def issue_page(forge: Forge, repository: Repository, issue: Issue) -> str:
    """The page of an issue or pull request."""
    kind = "issues" if issue.pull is None else "pull"
    return f"{repository_page(forge, repository)}/{kind}/{issue.number}"


def optional_app(forge: Forge, app: App | None) -> Json | None:
    """The App through which something was done, if one was."""
    return None if app is None else app_json(forge, app)


def issue_core(forge: Forge, repository: Repository, issue: Issue) -> Json:
    """The fields that issues and pull requests share."""
    return {
        "number": issue.number,
        "state": issue.state,
        "title": issue.title,
        "body": issue.body,
        "user": user_json(forge, issue.user),
        "labels": [label_json(forge, repository, one) for one in list(issue.labels)],
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "locked": False,
        "active_lock_reason": None,
        "created_at": forge.time_text(issue.created_at),
        "updated_at": forge.time_text(issue.updated_at),
        "closed_at": None if issue.closed_at is None else forge.time_text(issue.closed_at),
        "author_association": association(repository, issue.user),
    }


def issue_json(forge: Forge, repository: Repository, issue: Issue) -> Json:
    """`issue`; a pull request's issue half points at the other half."""
    url = f"{repository_api(forge, repository)}/issues/{issue.number}"
    made = {
        **issue_core(forge, repository, issue),
        "id": issue.id,
        "node_id": node_id("Issue", issue.id),
        "url": url,
        "repository_url": repository_api(forge, repository),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": issue_page(forge, repository, issue),
        "comments": len(issue.comments),
        "state_reason": issue.state_reason,
        "closed_by": None if issue.closed_by is None else user_json(forge, issue.closed_by),
        "reactions": rollup_json(url, issue.reactions),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": optional_app(forge, issue.app),
    }
    if issue.pull is not None:
        made |= {"draft": issue.pull.draft, "pull_request": _other_half(forge, repository, issue)}
    return made


def _other_half(forge: Forge, repository: Repository, issue: Issue) -> Json:
    page = issue_page(forge, repository, issue)
    merged = issue.pull.merged_at if issue.pull else None
    return {
        "url": f"{repository_api(forge, repository)}/pulls/{issue.number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "merged_at": None if merged is None else forge.time_text(merged),
    }


def comment_json(forge: Forge, repository: Repository, issue: Issue, comment: Comment) -> Json:
    """`issue-comment`."""
    api = repository_api(forge, repository)
    url = f"{api}/issues/comments/{comment.id}"
    return {
        "url": url,
        "html_url": f"{issue_page(forge, repository, issue)}#issuecomment-{comment.id}",
        "issue_url": f"{api}/issues/{issue.number}",
        "id": comment.id,
        "node_id": node_id("IssueComment", comment.id),
        "user": user_json(forge, comment.user),
        "created_at": forge.time_text(comment.created_at),
        "updated_at": forge.time_text(comment.updated_at),
        "author_association": association(repository, comment.user),
        "body": comment.body,
        "reactions": rollup_json(url, comment.reactions),
        "performed_via_github_app": optional_app(forge, comment.app),
    }


def timeline_json(forge: Forge, repository: Repository, issue: Issue) -> list[Json]:
    """Events and comments of an issue, oldest first."""
    rows = [(one.created_at, one.id, _event(forge, repository, one)) for one in issue.events]
    for comment in issue.comments:
        shown = comment_json(forge, repository, issue, comment)
        shown |= {"event": "commented", "actor": shown["user"]}
        rows.append((comment.created_at, comment.id, shown))
    return [row for _, _, row in sorted(rows, key=lambda row: row[:2])]


def _event(forge: Forge, repository: Repository, event: IssueEvent) -> Json:
    return {
        "id": event.id,
        "node_id": node_id("IssueEvent", event.id),
        "url": f"{repository_api(forge, repository)}/issues/events/{event.id}",
        "actor": user_json(forge, event.actor),
        "event": event.event,
        "commit_id": None,
        "commit_url": None,
        "created_at": forge.time_text(event.created_at),
        "performed_via_github_app": None,
        **event.details,
    }
