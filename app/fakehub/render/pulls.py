"""JSON of pull requests."""

from app.fakehub.domain.diff import changed_files
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.records import Issue, Pull, Repository, pull_of
from app.fakehub.render.accounts import node_id, user_json
from app.fakehub.render.issues import issue_core, issue_page
from app.fakehub.render.repositories import repository_api, repository_json


def _end(forge: Forge, repository: Repository, ref: str, sha: str) -> Json:
    return {
        "label": f"{repository.owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user_json(forge, repository.owner),
        "repo": repository_json(forge, repository),
    }


def _links(forge: Forge, repository: Repository, issue: Issue, pull: Pull) -> dict[str, str]:
    api = repository_api(forge, repository)
    url, issue_url = f"{api}/pulls/{issue.number}", f"{api}/issues/{issue.number}"
    return {
        "self": url,
        "html": issue_page(forge, repository, issue),
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{api}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{api}/statuses/{pull.head_sha}",
    }


def pull_simple_json(forge: Forge, repository: Repository, issue: Issue) -> Json:
    """`pull-request-simple`, as lists show it."""
    pull = pull_of(issue)
    links = _links(forge, repository, issue, pull)
    merged = pull.merged_at
    return {
        **issue_core(forge, repository, issue),
        "id": pull.id,
        "node_id": node_id("PullRequest", pull.id),
        "url": links["self"],
        "html_url": links["html"],
        "diff_url": f"{links['html']}.diff",
        "patch_url": f"{links['html']}.patch",
        "issue_url": links["issue"],
        "comments_url": links["comments"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "commits_url": links["commits"],
        "statuses_url": links["statuses"],
        "draft": pull.draft,
        "merged_at": None if merged is None else forge.time_text(merged),
        "merge_commit_sha": pull.merge_commit_sha,
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _end(forge, repository, pull.head_ref, pull.head_sha),
        "base": _end(forge, repository, pull.base_ref, pull.base_sha),
        "_links": {name: {"href": address} for name, address in links.items()},
        "auto_merge": None,
    }


def pull_json(forge: Forge, repository: Repository, issue: Issue) -> Json:
    """`pull-request`, with the figures that git knows."""
    pull = pull_of(issue)
    start = repository.git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    files = changed_files(repository.git, start, pull.head_sha)
    mergeable = issue.state == "open"
    return {
        **pull_simple_json(forge, repository, issue),
        "merged": pull.merged_at is not None,
        "merged_by": None if pull.merged_by is None else user_json(forge, pull.merged_by),
        "mergeable": True if mergeable else None,
        "rebaseable": True if mergeable else None,
        "mergeable_state": _mergeable_state(issue, pull),
        "maintainer_can_modify": pull.maintainer_can_modify,
        "comments": len(issue.comments),
        "review_comments": 0,
        "commits": len(repository.git.commits(f"{start}..{pull.head_sha}")),
        "additions": sum(one.additions for one in files),
        "deletions": sum(one.deletions for one in files),
        "changed_files": len(files),
    }


def _mergeable_state(issue: Issue, pull: Pull) -> str:
    if issue.state != "open":
        return "unknown"
    return "draft" if pull.draft else "clean"
