"""Endpoints of the git database: refs, blobs, trees, commits."""

import base64
import binascii

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.fakehub.deeds.refs import create_ref, delete_ref, refuse_workflows, update_ref
from app.fakehub.domain.accounts import level_at_least
from app.fakehub.domain.git import NO_COMMIT, GitError, Person
from app.fakehub.errors import not_found, unprocessable
from app.fakehub.render.gitdata import git_commit_json, ref_json, tree_json
from app.fakehub.render.repositories import repository_api
from app.fakehub.routes.bodies import (
    NewBlob,
    NewCommit,
    NewRef,
    NewTree,
    NewTreeEntry,
    RefUpdate,
    Signature,
)
from app.fakehub.routes.context import RepositoryContext, There
from app.fakehub.routes.repositories import refuse_empty

router = APIRouter(prefix="/repos/{owner}/{repo}/git")
_READ = ("contents", "read")
_WRITE = ("contents", "write")


def _write(there: RepositoryContext) -> None:
    there.require(_WRITE, person="write")


@router.get("/ref/{ref:path}")
def get_ref(there: There, ref: str) -> JSONResponse:
    """git/get-ref."""
    there.require(_READ)
    refuse_empty(there.repository)
    name = f"refs/{ref}"
    sha = there.repository.git.refs().get(name)
    if sha is None:
        raise not_found()
    return JSONResponse(ref_json(there.forge, there.repository, name, sha))


@router.get("/matching-refs/{ref:path}")
def matching_refs(there: There, ref: str) -> JSONResponse:
    """git/list-matching-refs."""
    there.require(_READ)
    refuse_empty(there.repository)
    rows = [
        ref_json(there.forge, there.repository, name, sha)
        for name, sha in there.repository.git.refs().items()
        if name.startswith(f"refs/{ref}")
    ]
    return JSONResponse(rows)


def _check_workflows(there: RepositoryContext, sha: str) -> None:
    token = there.caller.token
    if token is None or token.installation is None:
        return
    if not level_at_least((token.permissions or {}).get("workflows", "none"), "write"):
        refuse_workflows(there.repository, sha)


@router.post("/refs")
def new_ref(there: There, body: NewRef) -> JSONResponse:
    """git/create-ref."""
    _write(there)
    refuse_empty(there.repository)
    _check_workflows(there, body.sha)
    create_ref(there.forge, there.repository, body.ref, body.sha, there.actor)
    shown = ref_json(there.forge, there.repository, body.ref, body.sha)
    return JSONResponse(shown, status_code=201)


@router.patch("/refs/{ref:path}")
def move_ref(there: There, ref: str, body: RefUpdate) -> JSONResponse:
    """git/update-ref."""
    _write(there)
    _check_workflows(there, body.sha)
    name = f"refs/{ref}"
    update_ref(there.forge, there.repository, name, body.sha, force=body.force, actor=there.actor)
    return JSONResponse(ref_json(there.forge, there.repository, name, body.sha))


@router.delete("/refs/{ref:path}")
def remove_ref(there: There, ref: str) -> Response:
    """git/delete-ref."""
    _write(there)
    delete_ref(there.forge, there.repository, f"refs/{ref}", there.actor)
    return Response(status_code=204)


@router.post("/blobs")
def new_blob(there: There, body: NewBlob) -> JSONResponse:
    """git/create-blob."""
    _write(there)
    refuse_empty(there.repository)
    try:
        plain = body.encoding == "utf-8"
        content = body.content.encode() if plain else base64.b64decode(body.content)
    except (binascii.Error, ValueError):
        raise unprocessable("content is not valid Base64") from None
    sha = there.repository.git.write_blob(content)
    url = f"{repository_api(there.forge, there.repository)}/git/blobs/{sha}"
    return JSONResponse({"url": url, "sha": sha}, status_code=201, headers={"Location": url})


@router.get("/blobs/{sha}")
def get_blob(there: There, sha: str) -> JSONResponse:
    """git/get-blob."""
    there.require(_READ)
    if there.repository.git.kind_of(sha) != "blob":
        raise not_found()
    content = there.repository.git.blob(sha)
    made = {
        "sha": sha,
        "node_id": sha,
        "size": len(content),
        "url": f"{repository_api(there.forge, there.repository)}/git/blobs/{sha}",
        "content": base64.encodebytes(content).decode(),
        "encoding": "base64",
    }
    return JSONResponse(made)


@router.post("/trees")
def new_tree(there: There, body: NewTree) -> JSONResponse:
    """git/create-tree."""
    _write(there)
    refuse_empty(there.repository)
    git = there.repository.git
    if body.base_tree is not None and git.kind_of(body.base_tree) not in ("tree", "commit"):
        raise unprocessable("base_tree is not a valid tree sha")
    rows = [_entry(there, one) for one in body.tree]
    try:
        sha = git.write_tree(body.base_tree, rows)
    except GitError as error:
        raise unprocessable(f"tree could not be made: {error}") from error
    shown = tree_json(there.forge, there.repository, sha, git.tree(sha))
    return JSONResponse(shown, status_code=201)


def _entry(there: RepositoryContext, entry: NewTreeEntry) -> tuple[str, str, str]:
    git = there.repository.git
    if entry.content is not None:
        return entry.mode, git.write_blob(entry.content.encode()), entry.path
    if entry.sha is None:
        return "0", NO_COMMIT, entry.path
    if entry.type != "commit" and git.kind_of(entry.sha) != entry.type:
        raise unprocessable(f"tree.sha {entry.sha} is not a valid {entry.type}")
    return entry.mode, entry.sha, entry.path


@router.get("/trees/{ref:path}")
def get_tree(there: There, ref: str) -> JSONResponse:
    """git/get-tree, one level of it."""
    there.require(_READ)
    refuse_empty(there.repository)
    git = there.repository.git
    commit = git.resolve(ref)
    sha = ref if commit is None else git.commit(commit).tree
    if git.kind_of(sha) != "tree":
        raise not_found()
    return JSONResponse(tree_json(there.forge, there.repository, sha, git.tree(sha)))


@router.post("/commits")
def new_commit(there: There, body: NewCommit) -> JSONResponse:
    """git/create-commit."""
    _write(there)
    refuse_empty(there.repository)
    git = there.repository.git
    if git.kind_of(body.tree) != "tree":
        raise unprocessable("Tree SHA does not exist")
    if any(git.kind_of(one) != "commit" for one in body.parents):
        raise unprocessable("Parent SHA does not exist or is not a commit object")
    author = _signature(there, body.author)
    committer = _signature(there, body.committer) if body.committer else author
    try:
        sha = git.write_commit(body.tree, body.parents, body.message, author, committer)
    except GitError as error:
        raise unprocessable(f"commit could not be made: {error}") from error
    shown = git_commit_json(there.forge, there.repository, git.commit(sha))
    return JSONResponse(shown, status_code=201)


def _signature(there: RepositoryContext, given: Signature | None) -> Person:
    if given is None:
        return there.forge.signature(there.actor)
    return Person(given.name, given.email, given.date or there.forge.time_text())


@router.get("/commits/{sha}")
def get_commit(there: There, sha: str) -> JSONResponse:
    """git/get-commit."""
    there.require(_READ)
    refuse_empty(there.repository)
    if there.repository.git.kind_of(sha) != "commit":
        raise not_found()
    commit = there.repository.git.commit(sha)
    return JSONResponse(git_commit_json(there.forge, there.repository, commit))
