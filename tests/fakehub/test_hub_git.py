"""git over HTTP with the real git: who may clone and push, and what a push sets in motion."""

import subprocess
import threading
import time
from pathlib import Path

import httpx
import pytest

from app.fakehub import Fault
from tests.fakehub.conftest import World
from tests.fakehub.gitclient import commit_file, git, run_git, with_token

HOME = ("ada", "demo")
WORKFLOW = ".github/workflows/ci.yml"


def address(world: World, token: str, name: str = "demo") -> str:
    """Where to clone from with a token."""
    return with_token(f"{world.hub.url}/ada/{name}.git", token)


def clone(world: World, token: str, work: Path, name: str = "demo") -> Path:
    """A clone with the token as its remote's password."""
    git("clone", "--quiet", address(world, token, name), str(work))
    return work


def test_anybody_clones_a_public_repository(world: World, tmp_path: Path) -> None:
    git("clone", "--quiet", f"{world.hub.url}/ada/demo", str(tmp_path / "plain"))
    assert (tmp_path / "plain" / "data.bin").read_bytes() == bytes(range(256))
    depth = git("-C", str(tmp_path / "plain"), "rev-list", "--count", "HEAD")
    assert depth == "1"


def test_a_bogus_token_opens_nothing(world: World, tmp_path: Path) -> None:
    done = run_git("clone", address(world, "ghs_bogus", "secret"), str(tmp_path / "w"))
    assert done.returncode != 0
    assert "Invalid username or token" in done.stderr
    url = f"{world.hub.url}/ada/demo.git/info/refs?service=git-upload-pack"
    answer = world.http.get(url, auth=("x-access-token", "ghs_bogus"))
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Basic realm="GitHub"'


def test_an_expired_token_pushes_nothing(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    commit_file(work, "new.txt", "new")
    world.clock.shift = 3600
    done = run_git("push", "origin", "HEAD:refs/heads/topic", cwd=work)
    assert done.returncode != 0
    assert "Invalid username or token" in done.stderr
    world.clock.shift = 0
    git("push", "--quiet", "origin", "HEAD:refs/heads/topic", cwd=work)


def test_private_repositories(world: World, tmp_path: Path) -> None:
    anonymous = run_git("clone", f"{world.hub.url}/ada/secret.git", str(tmp_path / "a"))
    assert anonymous.returncode != 0
    bot = run_git("clone", address(world, world.token(), "secret"), str(tmp_path / "b"))
    assert "not found" in bot.stderr
    clone(world, world.ada, tmp_path / "c", "secret")


@pytest.mark.parametrize("who", ["reader", "stranger", "nobody"])
def test_reading_is_not_pushing(world: World, tmp_path: Path, who: str) -> None:
    url = {
        "reader": address(world, world.token(permissions={"contents": "read"})),
        "stranger": address(world, world.eve),
        "nobody": f"{world.hub.url}/ada/demo.git",
    }[who]
    work = tmp_path / "work"
    git("clone", "--quiet", url, str(work))
    commit_file(work, "new.txt", "new")
    done = run_git("push", "origin", "HEAD:refs/heads/topic", cwd=work)
    assert done.returncode != 0
    assert "topic" not in world.hub.branches(*HOME)
    if who != "nobody":
        assert "403" in done.stderr


def test_a_token_of_another_repository_does_not_push(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(repositories=["empty"]), tmp_path / "work")
    commit_file(work, "new.txt", "new")
    assert run_git("push", "origin", "HEAD:refs/heads/topic", cwd=work).returncode != 0


def test_push_update_delete(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    first = commit_file(work, "pkg/größe.py", "x = 1\n")
    git("push", "--quiet", "origin", "HEAD:refs/heads/topic/a", cwd=work)
    assert world.hub.branches(*HOME)["topic/a"] == first
    assert world.hub.file(*HOME, "topic/a", "pkg/größe.py") == b"x = 1\n"
    git("reset", "--quiet", "--hard", "HEAD~1", cwd=work)
    other = commit_file(work, "other.txt", "y")
    assert run_git("push", "origin", "HEAD:topic/a", cwd=work).returncode != 0
    git("push", "--quiet", "--force", "origin", "HEAD:topic/a", cwd=work)
    assert world.hub.branches(*HOME)["topic/a"] == other
    git("push", "--quiet", "origin", ":topic/a", cwd=work)
    assert "topic/a" not in world.hub.branches(*HOME)


def test_first_push_into_an_empty_repository(world: World, tmp_path: Path) -> None:
    work = tmp_path / "work"
    git("init", "--quiet", "--initial-branch=main", str(work))
    sha = commit_file(work, "a.txt", "a")
    git("push", "--quiet", address(world, world.token(), "empty"), "main", cwd=work)
    assert world.hub.branches("ada", "empty") == {"main": sha}
    assert world.bot().repos.get_branch("ada", "empty", "main").parsed_data.commit.sha == sha


def test_big_pushes_come_in_chunks(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    content = "".join(f"{number * 7919 % 1000003}\n" for number in range(600_000))
    commit_file(work, "big.txt", content)
    git("-c", "http.postBuffer=65536", "push", "--quiet", "origin", "HEAD:big", cwd=work)
    assert world.hub.file(*HOME, "big", "big.txt") == content.encode()
    again = tmp_path / "again"
    git("clone", "--quiet", "--branch=big", f"{world.hub.url}/ada/demo.git", str(again))
    assert (again / "big.txt").read_text() == content


def test_big_fetch_requests_come_compressed(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    for number in range(60):
        git("branch", f"many/{number}", cwd=work)
        commit_file(work, "n.txt", str(number))
    git("push", "--quiet", "--all", "origin", cwd=work)
    git("push", "--quiet", "origin", "HEAD:last", cwd=work)
    done = subprocess.run(
        ["git", "fetch", "--refetch", "--quiet", "origin"],
        cwd=work,
        env={"PATH": "/usr/bin:/bin", "GIT_TRACE_CURL": "1", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert "content-encoding: gzip" in done.stderr.lower()
    assert "git-protocol: version=2" in done.stderr.lower()


def test_workflow_files_need_their_permission(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    plain = commit_file(work, "plain.txt", "fine")
    commit_file(work, WORKFLOW, "on: push\n")
    done = run_git("push", "origin", "HEAD:refs/heads/ci", f"{plain}:refs/heads/ok", cwd=work)
    assert done.returncode != 0
    assert (
        "[remote rejected] HEAD -> ci (refusing to allow a GitHub App to create or update "
        f"workflow `{WORKFLOW}` without `workflows` permission)"
    ) in done.stderr
    assert world.hub.branches(*HOME).get("ok") == plain
    assert "ci" not in world.hub.branches(*HOME)


def test_a_person_pushes_workflow_files_and_an_app_may_branch_from_them(
    world: World, tmp_path: Path
) -> None:
    work = clone(world, world.ada, tmp_path / "work")
    commit_file(work, WORKFLOW, "on: push\n")
    git("push", "--quiet", "origin", "HEAD:main", cwd=work)
    commit_file(work, "plain.txt", "fine")
    git("push", "--quiet", address(world, world.token()), "HEAD:refs/heads/topic", cwd=work)
    assert "topic" in world.hub.branches(*HOME)


def test_an_app_with_the_permission_pushes_workflow_files(world: World, tmp_path: Path) -> None:
    app = world.hub.create_app(
        "ci-writer",
        webhook_url=None,
        webhook_secret="s",
        permissions={"contents": "write", "workflows": "write"},
        events=(),
    )
    world.app, world.installation = app, world.hub.install_app(app.app_id, "ada", "all")
    work = clone(world, world.token(), tmp_path / "work")
    commit_file(work, WORKFLOW, "on: push\n")
    git("push", "--quiet", "origin", "HEAD:refs/heads/ci", cwd=work)
    assert "ci" in world.hub.branches(*HOME)


def test_a_push_moves_and_closes_pull_requests(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    commit_file(work, "pkg/maths.py", "def add(a, b):\n    return a + b\n")
    git("push", "--quiet", "origin", "HEAD:fix", cwd=work)
    bot = world.bot()
    number = bot.pulls.create(*HOME, title="t", head="fix", base="main").parsed_data.number
    second = commit_file(work, "more.txt", "more")
    git("push", "--quiet", "origin", "HEAD:fix", cwd=work)
    assert world.hub.pulls(*HOME)[0].head_sha == second
    assert world.hub.pull_files(*HOME, number) == ["more.txt", "pkg/maths.py"]
    git("push", "--quiet", "origin", ":fix", cwd=work)
    assert world.hub.pulls(*HOME)[0].state == "closed"


def test_a_merge_closes_the_issue_it_names(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    head = commit_file(work, "pkg/maths.py", "def add(a, b):\n    return a + b\n")
    git("push", "--quiet", "origin", "HEAD:fix", cwd=work)
    bot = world.bot()
    bot.pulls.create(*HOME, title="t", head="fix", base="main", body="Fixes #1")
    ada = world.person(world.ada)
    assert ada.pulls.merge(*HOME, 2, sha=head).parsed_data.merged
    [pull] = world.hub.pulls(*HOME)
    assert (pull.state, pull.merged) == ("closed", True)
    assert world.hub.issue_state(*HOME, 1) == "closed"
    assert b"a + b" in world.hub.file(*HOME, "main", "pkg/maths.py")


def test_a_clone_that_is_broken_off_leaves_the_server_well(world: World) -> None:
    url = f"{world.hub.url}/ada/demo.git/git-upload-pack"
    for _ in range(3):
        with (
            httpx.Client(trust_env=False, verify=False) as client,  # noqa: S501 - loopback
            client.stream("POST", url, content=b"0014command=ls-refs\n"),
        ):
            pass
    refs = f"{world.hub.url}/ada/demo.git/info/refs?service=git-upload-pack"
    assert world.http.get(refs).status_code == 200


def test_a_slow_client_does_not_hold_up_others(world: World) -> None:
    def trickle() -> "list[bytes]":
        time.sleep(1.5)
        return [b"0000"]

    url = f"{world.hub.url}/ada/demo.git/git-upload-pack"
    kind = {"Content-Type": "application/x-git-upload-pack-request"}

    def slowly() -> None:
        content = (chunk for chunk in trickle())
        httpx.post(url, content=content, headers=kind, trust_env=False)

    slow = threading.Thread(target=slowly)
    slow.start()
    started = time.monotonic()
    refs = f"{world.hub.url}/ada/demo.git/info/refs?service=git-upload-pack"
    assert world.http.get(refs).status_code == 200
    assert time.monotonic() - started < 1.2
    slow.join()


def test_dumb_clients_and_unknown_paths(world: World) -> None:
    base = f"{world.hub.url}/ada/demo.git"
    assert world.http.get(f"{base}/info/refs").status_code == 403
    assert world.http.get(f"{base}/HEAD").status_code == 404
    assert world.http.get(f"{base}/config").status_code == 404


def test_a_push_whose_answer_is_lost_has_happened(world: World, tmp_path: Path) -> None:
    work = clone(world, world.token(), tmp_path / "work")
    sha = commit_file(work, "new.txt", "new")
    fault = Fault(method="POST", path="git-receive-pack$", status=502, when="after")
    world.hub.add_fault(fault)
    assert run_git("push", "origin", "HEAD:refs/heads/topic", cwd=work).returncode != 0
    assert world.hub.branches(*HOME)["topic"] == sha
    git("push", "--quiet", "origin", "HEAD:refs/heads/topic", cwd=work)
