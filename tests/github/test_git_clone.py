"""A clone is the bytes of one commit and nothing else: no history, no remote, no token."""

import subprocess
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from pydantic import SecretStr

from app.github import gitcommand
from app.github.client import GitHubRefused, GitHubUnavailable
from app.github.git import clone
from app.github.gitcommand import Access, Git
from app.github.gitremote import Remote
from tests.github.place import Place


def token(place: Place, *, write: bool = False) -> SecretStr:
    return place.client().git_token("ada", "rrule", write=write)


def files(directory: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(directory)): file.read_bytes()
        for file in directory.rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize("by", ["branch", "sha"])
def test_it_is_the_tree_byte_for_byte(place: Place, tmp_path: Path, by: str) -> None:
    base = place.hub.branches("ada", "rrule")["main"]
    into = tmp_path / "run" / "base"
    assert clone(place.url, "main" if by == "branch" else base, token(place), into) == base
    assert files(into) == files(tmp_path / "source")
    assert (into / "run.sh").stat().st_mode & 0o111
    assert not (into / "rrule.py").stat().st_mode & 0o111
    assert not (into / ".git").exists()


def test_a_killed_clone_can_be_repeated(place: Place, tmp_path: Path) -> None:
    into = tmp_path / "base"
    (into / ".git").mkdir(parents=True)
    (into / "left-over").write_text("x")
    clone(place.url, "main", token(place), into)
    assert files(into) == files(tmp_path / "source")


def test_a_private_repository_needs_its_token(place: Place, tmp_path: Path) -> None:
    url = f"{place.hub.url}/ada/secret.git"
    mine = place.client("secret").git_token("ada", "secret", write=False)
    clone(url, "main", mine, tmp_path / "base")
    for wrong in (None, SecretStr("ghs_bogus"), token(place)):
        with pytest.raises(GitHubRefused):
            clone(url, "main", wrong, tmp_path / "other")
        assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("ref", ["no-such-branch", "0" * 40])
def test_a_missing_ref_is_refused(place: Place, tmp_path: Path, ref: str) -> None:
    with pytest.raises(GitHubRefused, match="branch or commit asked for is not in"):
        clone(place.url, ref, token(place), tmp_path / "base")


def test_a_missing_repository_is_refused(place: Place, tmp_path: Path) -> None:
    with pytest.raises(GitHubRefused):
        clone(f"{place.hub.url}/ada/none.git", "main", token(place), tmp_path / "base")


def test_a_server_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(GitHubUnavailable, match="connection to GitHub broke"):
        clone("http://127.0.0.1:9/a/b.git", "main", None, tmp_path / "base")


@pytest.mark.parametrize(
    "url",
    ["file:///etc", "ssh://git@github.com/a/b", "/srv/git", "ext::sh -c id", "http://a:b@c/d"],
)
def test_only_plain_web_addresses_are_cloned(tmp_path: Path, url: str) -> None:
    with pytest.raises(ValueError, match="http"):
        clone(url, "main", None, tmp_path / "base")


# Where the token could stay behind, each with the careless way as its control.


def traced(monkeypatch: pytest.MonkeyPatch, log: Path) -> Callable[[], str]:
    """Let git write the argv of itself and of every child into `log`."""
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(log))
    monkeypatch.setattr(gitcommand, "INHERITED", (*gitcommand.INHERITED, "GIT_TRACE2_EVENT"))
    return lambda: log.read_text(encoding="utf-8")


def test_no_process_has_the_token_in_its_arguments(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, seen = token(place), traced(monkeypatch, tmp_path / "trace")
    clone(place.url, "main", secret, tmp_path / "base")
    assert "remote-http" in seen()  # the children are in it
    assert secret.get_secret_value() not in seen()


def careless(place: Place, secret: SecretStr) -> str:
    return place.url.replace("//", f"//x-access-token:{secret.get_secret_value()}@")


def test_control_an_address_with_the_token_is_in_the_arguments(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, seen = token(place), traced(monkeypatch, tmp_path / "trace")
    with pytest.raises(ValueError, match="no credentials"):
        Access(careless(place, secret))
    # Trace2 strikes passwords out of addresses unless told not to.
    git = Git(tmp_path, extra={"GIT_TRACE_REDACT": "0"})
    git.run("clone", "--quiet", careless(place, secret), str(tmp_path / "base"))
    assert secret.get_secret_value() in seen()


def holds(directory: Path, secret: SecretStr) -> bool:
    value = secret.get_secret_value().encode()
    return any(value in file.read_bytes() for file in directory.rglob("*") if file.is_file())


def test_the_repository_never_holds_the_token(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, looked = token(place), []
    fetch = Remote.fetch

    def looking(remote: Remote, ref: str) -> str:
        sha = fetch(remote, ref)
        config = Git(remote.directory).run("config", "--local", "--list")
        looked.append((holds(remote.directory, secret), "remote." in config))
        return sha

    monkeypatch.setattr(Remote, "fetch", looking)
    clone(place.url, "main", secret, tmp_path / "base")
    assert looked == [(False, False)]


def test_control_a_careless_clone_holds_it(place: Place, tmp_path: Path) -> None:
    secret = token(place)
    Git(tmp_path).run("clone", "--quiet", careless(place, secret), str(tmp_path / "base"))
    assert holds(tmp_path / "base", secret)


@pytest.fixture
def elsewhere(place: Place) -> Iterator[tuple[str, list[str]]]:
    """A server that sends everybody to another one, and what the other one was told."""
    told: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.append(self.headers.get("Authorization", ""))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
            self.end_headers()
            self.wfile.write(
                b"001e# service=git-upload-pack\n0000"
                b"000eversion 2\n000cls-refs\n0012fetch=shallow\n0000"
            )

        def do_POST(self) -> None:
            told.append(self.headers.get("Authorization", ""))
            self.send_error(500)

        def log_message(self, *arguments: object) -> None:
            pass

    class Sender(Other):
        def do_GET(self) -> None:
            self.send_response(301)
            self.send_header("Location", f"{address(other)}{self.path}")
            self.end_headers()

    with serving(Other) as other, serving(Sender) as sender:
        yield f"{address(sender)}/ada/rrule.git", told


def address(server: ThreadingHTTPServer) -> str:
    # Another host as far as a client can tell.
    host = "localhost" if server.RequestHandlerClass.__name__ == "Other" else "127.0.0.1"
    return f"http://{host}:{server.server_address[1]}"


class serving:  # noqa: N801 - reads as a verb
    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> ThreadingHTTPServer:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self._server

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_a_redirect_does_not_take_the_token_along(
    elsewhere: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, told = elsewhere
    with pytest.raises(GitHubRefused, match="another name by now"):
        clone(url, "main", SecretStr("ghs_secret"), tmp_path / "base")
    assert told == []


def test_control_git_left_alone_takes_it_along(
    elsewhere: tuple[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, told = elsewhere
    monkeypatch.setitem(gitcommand.CONFIG, "http.followRedirects", "initial")
    with pytest.raises(GitHubUnavailable):
        clone(url, "main", SecretStr("ghs_secret"), tmp_path / "base")
    assert any(header.startswith("Basic ") for header in told)


def test_what_git_complains_of_has_no_token_in_it() -> None:
    access = Access("http://127.0.0.1/a/b", SecretStr("ghs_secret"))
    (header,) = access.config().values()
    git = Git(Path("/"), access)
    told = git._told(f"fatal: ghs_secret and {header}\n".encode())
    assert told == "fatal: *** and ***"
    assert "ghs_secret" not in repr(git)


# What a hostile tree or a hostile home could do.


def seeded(place: Place, directory: Path, build: Callable[[Path], None]) -> str:
    """A second repository with what `build` makes, by plain git."""
    directory.mkdir()
    environment = Git(directory).environment() | {
        f"GIT_{role}_{part}": "a@b.c"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=directory, env=environment, check=True, timeout=60)

    git("init", "--quiet", "--initial-branch=main")
    build(directory)
    git("add", "--all")
    git("commit", "--quiet", "--message=odd")
    place.hub.create_repository("ada", "odd", None)
    user = place.hub.create_user("ada")
    url = f"{place.hub.url}/ada/odd.git"
    git("push", "--quiet", url.replace("//", f"//ada:{user}@"), "main")
    return url


def odd_tree(directory: Path) -> None:
    (directory / "link").symlink_to("/etc/passwd")
    (directory / ".gitattributes").write_text("*.big filter=lfs diff=lfs\n*.dos text eol=crlf\n")
    (directory / "a.big").write_text("version https://git-lfs.github.com/spec/v1\n")
    (directory / "a.dos").write_bytes(b"one\ntwo\n")
    (directory / ".gitmodules").write_text(
        '[submodule "s"]\n path = s\n url = http://127.0.0.1:9/\n'
    )


def test_links_stay_links_and_large_files_stay_pointers(place: Place, tmp_path: Path) -> None:
    url = seeded(place, tmp_path / "odd", odd_tree)
    into = tmp_path / "base"
    clone(url, "main", None, into)
    assert str((into / "link").readlink()) == "/etc/passwd"
    assert (into / "a.big").read_text().startswith("version https://git-lfs")
    assert (into / "a.dos").read_bytes() == b"one\r\ntwo\r\n"  # as every developer has it


def test_nothing_of_the_home_directory_is_used(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, ran = tmp_path / "home", tmp_path / "ran"
    hooks = home / "template" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {ran}\n")
    (hooks / "post-checkout").chmod(0o755)
    config = f"[init]\n\ttemplateDir = {home}/template\n"
    (home / ".gitconfig").write_text(config, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(home / "template"))
    clone(place.url, "main", token(place), tmp_path / "base")
    assert not ran.exists()
    subprocess.run(  # the control: plain git runs the hook
        ["git", "clone", "--quiet", place.url, str(tmp_path / "plain")], check=True, timeout=60
    )
    assert ran.exists()


def test_a_git_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(GitHubUnavailable, match="did not end within"):
        Git(tmp_path, seconds=0.3).run("-c", "alias.wait=!sleep 30", "wait")
