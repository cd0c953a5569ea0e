"""JSON of repositories and of what a collaborator may do."""

from app.fakehub.domain.accounts import Role, User, role_at_least
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.records import Repository
from app.fakehub.render.accounts import node_id, user_json

_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_COUNTS = {"forks_count": 0, "forks": 0, "stargazers_count": 0, "watchers_count": 0, "watchers": 0}
_FEATURES = {
    "has_issues": True,
    "has_projects": False,
    "has_wiki": False,
    "has_pages": False,
    "has_downloads": True,
    "has_discussions": False,
    "archived": False,
    "disabled": False,
    "is_template": False,
    "allow_forking": True,
    "web_commit_signoff_required": False,
}
# What the API calls `permission` for the roles that have a name of their own.
_PERMISSION = {"maintain": "write", "triage": "read"}


def repository_api(forge: Forge, repository: Repository) -> str:
    """The address of a repository in the API."""
    return f"{forge.api_url}/repos/{repository.full_name}"


def repository_page(forge: Forge, repository: Repository) -> str:
    """The address of a repository's page."""
    return f"{forge.html_url}/{repository.full_name}"


def repository_json(forge: Forge, repository: Repository) -> Json:
    """`repository`, which is also the part of `full-repository` that always applies."""
    api, page = repository_api(forge, repository), repository_page(forge, repository)
    still_open = sum(one.state == "open" for one in list(repository.issues.values()))
    return {
        "id": repository.id,
        "node_id": node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "owner": user_json(forge, repository.owner),
        "private": repository.private,
        "visibility": "private" if repository.private else "public",
        "html_url": page,
        "description": None,
        "fork": False,
        "url": api,
        **{name: f"{api}{suffix}" for name, suffix in _LINKS.items()},
        "git_url": f"{page.replace('http:', 'git:')}.git",
        "ssh_url": f"ssh://git@127.0.0.1/{repository.full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "topics": [],
        "size": 0,
        **_COUNTS,
        **_FEATURES,
        "open_issues_count": still_open,
        "open_issues": still_open,
        "default_branch": repository.default_branch,
        "created_at": forge.time_text(repository.created_at),
        "updated_at": forge.time_text(repository.pushed_at),
        "pushed_at": forge.time_text(repository.pushed_at),
    }


def full_repository_json(forge: Forge, repository: Repository, role: Role) -> Json:
    """`full-repository` for a caller who has `role` there."""
    return {
        **repository_json(forge, repository),
        "permissions": role_flags(role),
        "network_count": 0,
        "subscribers_count": 0,
    }


def role_flags(role: Role) -> dict[str, bool]:
    """The flags that GitHub derives from a role."""
    needed: dict[str, Role] = {
        "admin": "admin",
        "maintain": "maintain",
        "push": "write",
        "triage": "triage",
        "pull": "read",
    }
    return {flag: role_at_least(role, level) for flag, level in needed.items()}


def collaborator_json(forge: Forge, user: User, role: Role) -> Json:
    """`repository-collaborator-permission`."""
    account = {**user_json(forge, user), "permissions": role_flags(role), "role_name": role}
    return {"permission": _PERMISSION.get(role, role), "role_name": role, "user": account}
