"""JSON of git objects, refs, commits, comparisons and changed files."""

from base64 import encodebytes
from urllib.parse import quote

from app.fakehub.domain.accounts import User
from app.fakehub.domain.diff import FileChange
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.git import Commit, Person, TreeEntry
from app.fakehub.domain.records import Repository
from app.fakehub.render.accounts import node_id, user_json
from app.fakehub.render.repositories import repository_api, repository_page

_UNSIGNED = {
    "verified": False,
    "reason": "unsigned",
    "signature": None,
    "payload": None,
    "verified_at": None,
}


def ref_json(forge: Forge, repository: Repository, name: str, sha: str) -> Json:
    """`git-ref`."""
    api = f"{repository_api(forge, repository)}/git"
    kind = repository.git.kind_of(sha) or "commit"
    return {
        "ref": name,
        "node_id": node_id("Ref", f"{repository.id}:{name}"),
        "url": f"{api}/{quote(name)}",
        "object": {"sha": sha, "type": kind, "url": f"{api}/{kind}s/{sha}"},
    }


def _person(person: Person) -> Json:
    return {"name": person.name, "email": person.email, "date": person.date}


def git_commit_json(forge: Forge, repository: Repository, commit: Commit) -> Json:
    """`git-commit`, the low-level view."""
    api, page = repository_api(forge, repository), repository_page(forge, repository)
    return {
        "sha": commit.sha,
        "node_id": node_id("Commit", commit.sha),
        "url": f"{api}/git/commits/{commit.sha}",
        "html_url": f"{page}/commit/{commit.sha}",
        "author": _person(commit.author),
        "committer": _person(commit.committer),
        "tree": {"sha": commit.tree, "url": f"{api}/git/trees/{commit.tree}"},
        "message": commit.message,
        "parents": _parents(forge, repository, commit, "git/commits"),
        "verification": _UNSIGNED,
    }


def _parents(forge: Forge, repository: Repository, commit: Commit, kind: str) -> list[Json]:
    api, page = repository_api(forge, repository), repository_page(forge, repository)
    return [
        {"sha": one, "url": f"{api}/{kind}/{one}", "html_url": f"{page}/commit/{one}"}
        for one in commit.parents
    ]


def commit_json(forge: Forge, repository: Repository, commit: Commit) -> Json:
    """`commit`, the view of the commits endpoints; authors are matched to accounts by address."""
    api, page = repository_api(forge, repository), repository_page(forge, repository)
    return {
        "sha": commit.sha,
        "node_id": node_id("Commit", commit.sha),
        "commit": {
            "author": _person(commit.author),
            "committer": _person(commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": f"{api}/git/trees/{commit.tree}"},
            "url": f"{api}/git/commits/{commit.sha}",
            "comment_count": 0,
            "verification": _UNSIGNED,
        },
        "url": f"{api}/commits/{commit.sha}",
        "html_url": f"{page}/commit/{commit.sha}",
        "comments_url": f"{api}/commits/{commit.sha}/comments",
        "author": _account(forge, commit.author),
        "committer": _account(forge, commit.committer),
        "parents": _parents(forge, repository, commit, "commits"),
    }


def account_of(forge: Forge, person: Person) -> User | None:
    """The account whose no-reply address signed a commit."""
    login = person.email.removesuffix("@users.noreply.github.com")
    if login == person.email:
        return None
    return forge.users.get(login.split("+", 1)[-1].lower())


def _account(forge: Forge, person: Person) -> Json | None:
    user = account_of(forge, person)
    return None if user is None else user_json(forge, user)


def file_json(forge: Forge, repository: Repository, change: FileChange, ref: str) -> Json:
    """`diff-entry`; `ref` is the commit at which the file can be looked at."""
    api, page = repository_api(forge, repository), repository_page(forge, repository)
    path = quote(change.path)
    made = {
        "sha": None if change.status == "removed" else change.sha,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{page}/blob/{ref}/{path}",
        "raw_url": f"{page}/raw/{ref}/{path}",
        "contents_url": f"{api}/contents/{path}?ref={ref}",
    }
    if change.patch is not None:
        made["patch"] = change.patch
    if change.previous is not None:
        made["previous_filename"] = change.previous
    return made


def tree_json(forge: Forge, repository: Repository, sha: str, entries: list[TreeEntry]) -> Json:
    """`git-tree`."""
    api = f"{repository_api(forge, repository)}/git"
    rows: list[Json] = []
    for entry in entries:
        row: Json = {"path": entry.path, "mode": entry.mode, "type": entry.kind, "sha": entry.sha}
        if entry.kind != "commit":
            row["url"] = f"{api}/{entry.kind}s/{entry.sha}"
        if entry.size is not None:
            row["size"] = entry.size
        rows.append(row)
    return {"sha": sha, "url": f"{api}/trees/{sha}", "tree": rows, "truncated": False}


_CONTENT_KIND = {"tree": "dir", "commit": "submodule"}


def content_json(forge: Forge, repository: Repository, entry: TreeEntry, ref: str) -> Json:
    """One entry of a directory as the contents endpoint lists it, without its content."""
    api, page = repository_api(forge, repository), repository_page(forge, repository)
    path = quote(entry.path)
    kind = _CONTENT_KIND.get(entry.kind, "symlink" if entry.mode == "120000" else "file")
    shown = "tree" if entry.kind == "tree" else "blob"
    links = {
        "self": f"{api}/contents/{path}?ref={quote(ref)}",
        "git": f"{api}/git/{shown}s/{entry.sha}",
        "html": f"{page}/{shown}/{quote(ref)}/{path}",
    }
    return {
        "type": kind,
        "size": entry.size or 0,
        "name": entry.path.rsplit("/", 1)[-1],
        "path": entry.path,
        "sha": entry.sha,
        "url": links["self"],
        "git_url": links["git"],
        "html_url": links["html"],
        "download_url": f"{page}/raw/{quote(ref)}/{path}" if shown == "blob" else None,
        "_links": links,
    }


def content_file_json(
    forge: Forge, repository: Repository, entry: TreeEntry, ref: str, content: bytes
) -> Json:
    """One file with its content in base64, or the target of a link."""
    made = content_json(forge, repository, entry, ref)
    if made["type"] == "symlink":
        return {**made, "target": content.decode(errors="replace")}
    return {**made, "encoding": "base64", "content": encodebytes(content).decode()}
