"""A push makes exactly one commit on one branch, however often it is repeated."""

import subprocess
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.github.client import GitHubRefused
from app.github.git import NewCommit, PatchDoesNotApply, Pushed, clone, push_branch
from app.github.gitcommand import Git
from app.github.gitremote import Remote
from app.github.models import Author
from tests.github.place import Place

BRANCH, OTHERWISE = "patchwright/issue-1", "patchwright/issue-1-abc"
BOT = Author(name="patchwright[bot]", email="1+patchwright[bot]@users.noreply.github.com")
DIFF = """\
--- a/rrule.py
+++ b/rrule.py
@@ -1,2 +1,2 @@
 def last(day):
-    return day - 1
+    return day
"""
OTHER = DIFF.replace("+    return day", "+    return day + 0")


def write_token(place: Place) -> SecretStr:
    return place.client().git_token("ada", "rrule", write=True)


def head(place: Place, branch: str = "main") -> str:
    return place.hub.branches("ada", "rrule")[branch]


def commit(place: Place, diff: str = DIFF, message: str = "fix: the last day") -> NewCommit:
    return NewCommit(head(place), diff, message, BOT, when=1_700_000_000)


def push(place: Place, new: NewCommit | None = None) -> Pushed:
    return push_branch(place.url, write_token(place), new or commit(place), BRANCH, OTHERWISE)


def history(place: Place, branch: str, directory: Path) -> list[str]:
    """The branch's commits as `sha parent author <email> date subject`, newest first."""
    subprocess.run(
        ["git", "clone", "--quiet", "--bare", place.url, str(directory)], check=True, timeout=60
    )
    form = "--format=%H %P %an <%ae> %at %ct %s"
    return Git(directory).run("log", form, branch).splitlines()


def test_it_is_one_commit_on_the_base(place: Place, tmp_path: Path) -> None:
    pushed = push(place)
    assert (pushed.branch, pushed.adopted) == (BRANCH, False)
    newest, first = history(place, BRANCH, tmp_path / "bare")
    assert first.split()[0] == head(place)
    assert newest == (
        f"{pushed.sha} {head(place)} {BOT.name} <{BOT.email}> 1700000000 1700000000 "
        "fix: the last day"
    )
    assert place.hub.file("ada", "rrule", BRANCH, "rrule.py") == b"def last(day):\n    return day\n"


def test_pushed_again_it_is_adopted(place: Place) -> None:
    first, second = push(place), push(place)
    assert (second.sha, second.adopted) == (first.sha, True)
    assert set(place.hub.branches("ada", "rrule")) == {"main", BRANCH}


def test_the_same_values_make_the_same_sha_anywhere(place: Place) -> None:
    one = push(place)
    other = push_branch(place.url, write_token(place), commit(place), OTHERWISE, BRANCH)
    assert other.sha == one.sha


def test_without_a_date_it_has_its_parents(place: Place, tmp_path: Path) -> None:
    push(place, NewCommit(head(place), DIFF, "m", BOT))
    newest, first = history(place, BRANCH, tmp_path / "bare")
    assert newest.split()[-2] == first.split()[-3]


def test_the_same_work_under_another_message_is_adopted(place: Place) -> None:
    first = push(place)
    second = push(place, commit(place, message="fix: in other words"))
    assert (second.sha, second.branch, second.adopted) == (first.sha, BRANCH, True)


def test_other_work_goes_beside_it_and_overwrites_nothing(place: Place) -> None:
    first = push(place)
    second = push(place, commit(place, OTHER))
    assert (second.branch, second.adopted) == (OTHERWISE, False)
    assert head(place, BRANCH) == first.sha
    assert push(place, commit(place, OTHER)) == Pushed(OTHERWISE, second.sha, adopted=True)


def test_when_both_names_are_taken_it_says_so(place: Place) -> None:
    push(place)
    push(place, commit(place, OTHER))
    third = commit(place, DIFF.replace("+    return day", "+    return 3"))
    with pytest.raises(GitHubRefused, match="delete one of them"):
        push(place, third)


def test_the_same_tree_on_top_of_something_else_is_not_ours(place: Place, tmp_path: Path) -> None:
    push(place, commit(place, OTHER))  # on BRANCH
    token = write_token(place)
    back = DIFF.replace("-    return day - 1", "-    return day + 0")
    second = NewCommit(head(place, BRANCH), back, "m", BOT, when=1_700_000_001)
    stacked = push_branch(place.url, token, second, "patchwright/stacked", "x")
    pushed = push_branch(place.url, token, commit(place), "patchwright/stacked", OTHERWISE)
    assert pushed.branch == OTHERWISE
    assert head(place, "patchwright/stacked") == stacked.sha


def test_a_branch_that_appears_in_between_is_not_overwritten(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = Remote.create
    raced: list[Pushed] = []

    def late(remote: Remote, branch: str, sha: str) -> bool:
        monkeypatch.setattr(Remote, "create", create)
        other = commit(place, OTHER)
        raced.append(push_branch(place.url, write_token(place), other, branch, "x"))
        return create(remote, branch, sha)

    monkeypatch.setattr(Remote, "create", late)
    pushed = push(place)
    assert head(place, BRANCH) == raced[0].sha
    assert pushed.branch == OTHERWISE


def test_a_token_that_may_only_read_is_refused(place: Place) -> None:
    token = place.client().git_token("ada", "rrule", write=False)
    with pytest.raises(GitHubRefused, match="permission `contents`"):
        push_branch(place.url, token, commit(place), BRANCH, OTHERWISE)
    assert set(place.hub.branches("ada", "rrule")) == {"main"}


def test_a_workflow_file_is_refused_by_name(place: Place) -> None:
    diff = (
        "diff --git a/.github/workflows/x.yml b/.github/workflows/x.yml\nnew file mode 100644\n"
        "--- /dev/null\n+++ b/.github/workflows/x.yml\n@@ -0,0 +1 @@\n+on: push\n"
    )
    with pytest.raises(GitHubRefused, match="workflow file"):
        push(place, commit(place, diff))


@pytest.mark.parametrize(
    "diff",
    [
        "",
        "nonsense\n",
        DIFF.replace("day - 1", "day - 2"),
        DIFF.replace("rrule.py", "../rrule.py"),
        DIFF.replace("rrule.py", ".git/config"),
        DIFF.replace("+    return day\n", "+    return day - 1\n"),
    ],
)
def test_a_diff_that_does_not_fit_pushes_nothing(place: Place, diff: str) -> None:
    with pytest.raises(PatchDoesNotApply):
        push(place, commit(place, diff))
    assert set(place.hub.branches("ada", "rrule")) == {"main"}


def test_what_the_diff_says_is_what_is_pushed(place: Place, tmp_path: Path) -> None:
    """Modes, deletions, renames, binary files, CRLF and names that are not ASCII."""
    into = tmp_path / "base"
    base = clone(place.url, "main", write_token(place), into)
    git = Git(into)
    git.run("init", "--quiet")
    git.run("add", "--all")
    before = git.run("write-tree")
    (into / "run.sh").chmod(0o644)
    (into / "crlf.txt").write_bytes(b"one\r\nTWO\r\nthree\n")
    (into / "bytes.bin").write_bytes(bytes(range(255, -1, -1)) * 9)
    (into / "ümlaut.txt").rename(into / "später.txt")
    (into / "rrule.py").unlink()
    git.run("add", "--all")
    diff = git.run("diff", "--binary", "--find-renames", before, git.run("write-tree")) + "\n"
    pushed = push(place, NewCommit(base, diff, "m", BOT))
    again = tmp_path / "again"
    clone(place.url, pushed.branch, write_token(place), again)
    for file in ("run.sh", "crlf.txt", "bytes.bin", "später.txt"):
        assert (again / file).read_bytes() == (into / file).read_bytes()
    assert not (again / "run.sh").stat().st_mode & 0o111
    assert not (again / "rrule.py").exists()
    assert not (again / "ümlaut.txt").exists()
