"""The client against the local GitHub: every effect happens once, however often it is asked for."""

import pytest
from pydantic import SecretStr

from app.fakehub import Fault
from app.fakehub.domain.accounts import Role
from app.github.client import AppClient, GitHubRefused, GitHubUnavailable, PullInfo
from app.github.publishing import Conclusion
from tests.github.place import Place

MARKER = "<!-- patchwright:status -->"


def test_the_app_knows_who_it_is(place: Place) -> None:
    identity = place.app().warm_up()
    assert (identity.slug, identity.login) == ("patchwright", "patchwright[bot]")


def test_it_is_asked_once(place: Place) -> None:
    app = place.app()
    assert app.identity == app.identity
    assert place.paths("GET").count("/api/v3/app") == 1


def test_a_wrong_key_is_refused_although_another_client_has_the_right_one(
    place: Place,
) -> None:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    place.app().warm_up()
    other = rsa.generate_private_key(65537, 2048).private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    )
    wrong = AppClient(
        app_id=place.credentials.app_id,
        private_key=SecretStr(other.decode()),
        api_url=place.hub.api_url,
    )
    with pytest.raises(GitHubRefused, match="does not accept the App's credentials"):
        wrong.warm_up()


@pytest.mark.parametrize("role", ["admin", "maintain", "write", "triage", "read"])
def test_roles(place: Place, role: Role) -> None:
    place.hub.add_collaborator("ada", "secret", "grace", role)
    assert place.client(None).permission("ada", "secret", "grace") == role


def test_a_stranger_has_no_role_in_a_private_repository(place: Place) -> None:
    assert place.client(None).permission("ada", "secret", "eve") == "none"


def test_a_stranger_may_only_read_a_public_one(place: Place) -> None:
    assert place.client().permission("ada", "rrule", "eve") == "read"


@pytest.mark.parametrize("login", ["nobody-of-this-name", "dependabot[bot]"])
def test_nobody_has_no_role(place: Place, login: str) -> None:
    assert place.client().permission("ada", "rrule", login) in {"none", "read"}


def test_an_issue(place: Place) -> None:
    place.hub.label_issue("ada", "rrule", place.issue, "patchwright", actor="ada")
    issue = place.client().issue("ada", "rrule", place.issue)
    assert (issue.title, issue.body, issue.state) == ("Last day lost", "It is.", "open")
    assert (issue.author, issue.labels) == ("eve", ("patchwright",))
    assert (issue.is_pull, issue.locked) == (False, False)
    assert issue.html_url == f"{place.hub.url}/ada/rrule/issues/{place.issue}"


def test_what_is_not_there_is_refused_in_a_sentence(place: Place) -> None:
    with pytest.raises(GitHubRefused, match="check that it still exists") as caught:
        place.client().issue("ada", "rrule", 999)
    assert caught.value.status == 404
    with pytest.raises(GitHubRefused):
        place.client().head("ada", "rrule", "no-such-branch")


def test_a_repository(place: Place) -> None:
    info = place.client(None).repository("ada", "secret")
    assert (info.owner, info.name, info.private) == ("ada", "secret", True)
    assert (info.default_branch, info.archived) == ("main", False)


def test_a_token_for_one_repository_does_not_reach_another(place: Place) -> None:
    with pytest.raises(GitHubRefused):
        place.client("rrule").repository("ada", "secret")
    assert place.client("secret").repository("ada", "secret").name == "secret"  # the control


def test_the_head_of_a_branch(place: Place) -> None:
    assert place.client().head("ada", "rrule", "main") == place.hub.branches("ada", "rrule")["main"]


def test_a_reaction_is_there_once(place: Place) -> None:
    client = place.client()
    client.react("ada", "rrule", place.issue)
    client.react("ada", "rrule", place.issue)
    assert place.hub.reactions("ada", "rrule", place.issue) == [("patchwright[bot]", "eyes")]


# Comments.


def test_a_comment_is_made_then_edited_and_never_doubled(place: Place) -> None:
    first = place.client().upsert_comment("ada", "rrule", place.issue, MARKER, "Working.")
    second = place.client().upsert_comment("ada", "rrule", place.issue, MARKER, "Done.")
    assert first.id == second.id
    (comment,) = place.hub.issue_comments("ada", "rrule", place.issue)
    assert (comment.author, comment.body) == ("patchwright[bot]", f"{MARKER}\nDone.")


def test_an_equal_comment_is_not_sent_again(place: Place) -> None:
    for _ in range(3):
        place.client().upsert_comment("ada", "rrule", place.issue, MARKER, "Working.")
    assert place.paths("PATCH") == []
    assert len(place.hub.issue_comments("ada", "rrule", place.issue)) == 1


def test_a_comment_of_somebody_else_is_not_taken_for_ours(place: Place) -> None:
    place.hub.comment_issue("ada", "rrule", place.issue, f"{MARKER} mine now", author="eve")
    place.client().upsert_comment("ada", "rrule", place.issue, MARKER, "Working.")
    theirs, ours = place.hub.issue_comments("ada", "rrule", place.issue)
    assert (theirs.author, theirs.body) == ("eve", f"{MARKER} mine now")
    assert ours.author == "patchwright[bot]"


def test_another_marker_is_another_comment(place: Place) -> None:
    for marker in (MARKER, "<!-- patchwright:other -->"):
        place.client().upsert_comment("ada", "rrule", place.issue, marker, "Working.")
    assert len(place.hub.issue_comments("ada", "rrule", place.issue)) == 2


def test_the_comment_is_found_behind_a_page_of_others(place: Place) -> None:
    for number in range(100):
        place.hub.comment_issue("ada", "rrule", place.issue, f"{number}", author="eve")
    for body in ("Working.", "Done."):
        place.client().upsert_comment("ada", "rrule", place.issue, MARKER, body)
    assert len(place.hub.issue_comments("ada", "rrule", place.issue)) == 101


def test_a_comment_that_github_would_refuse_is_cut(place: Place) -> None:
    body = "A line of words.\n" * 5000
    comment = place.client().upsert_comment("ada", "rrule", place.issue, MARKER, body)
    assert comment.body.startswith(MARKER)
    assert comment.body.rstrip().endswith("longer than GitHub takes.*")
    place.client().upsert_comment("ada", "rrule", place.issue, MARKER, body)
    assert len(place.hub.issue_comments("ada", "rrule", place.issue)) == 1


def test_a_lost_answer_makes_no_second_comment(place: Place) -> None:
    place.hub.add_fault(Fault(method="POST", path=".*/comments", when="after", status=502))
    with pytest.raises(GitHubUnavailable):
        place.client().upsert_comment("ada", "rrule", place.issue, MARKER, "Working.")
    place.client().upsert_comment("ada", "rrule", place.issue, MARKER, "Working.")
    assert len(place.hub.issue_comments("ada", "rrule", place.issue)) == 1


# Labels.


def test_labels_come_and_go_any_number_of_times(place: Place) -> None:
    client = place.client()
    for _ in range(2):
        client.add_label("ada", "rrule", place.issue, "good first/issue#?")
    assert place.hub.issue_labels("ada", "rrule", place.issue) == ["good first/issue#?"]
    for _ in range(2):
        client.remove_label("ada", "rrule", place.issue, "good first/issue#?")
    assert place.hub.issue_labels("ada", "rrule", place.issue) == []


# Check runs.


def check(place: Place, conclusion: Conclusion, summary: str = "s") -> int:
    return place.client().check_run(
        "ada",
        "rrule",
        place.hub.branches("ada", "rrule")["main"],
        "patchwright",
        conclusion=conclusion,
        title="Proved",
        summary=summary,
        text="rows",
    )


def test_a_check_run_is_brought_up_to_date_not_doubled(place: Place) -> None:
    assert check(place, "neutral") == check(place, "success", "x" * 70_000)
    (found,) = place.hub.check_runs("ada", "rrule")
    assert (found.conclusion, found.status, found.text) == ("success", "completed", "rows")
    assert len(found.summary or "") < 65_535


def test_commits_are_the_bots(place: Place) -> None:
    author = place.client().committer()
    assert author.name == "patchwright[bot]"
    assert author.email.endswith("patchwright[bot]@users.noreply.github.com")


# Tokens.


def test_an_expired_token_is_replaced(place: Place) -> None:
    client = place.client()
    client.issue("ada", "rrule", place.issue)
    place.hub.expire_tokens()
    assert client.issue("ada", "rrule", place.issue).title == "Last day lost"
    assert sum(path.endswith("/access_tokens") for path in place.paths("POST")) == 2


def test_one_token_serves_many_requests(place: Place) -> None:
    client = place.client()
    for _ in range(5):
        client.issue("ada", "rrule", place.issue)
    assert sum(path.endswith("/access_tokens") for path in place.paths("POST")) == 1


def test_an_unknown_installation_is_refused(place: Place) -> None:
    with pytest.raises(GitHubRefused) as caught:
        place.app().installation(999_999).issue("ada", "rrule", place.issue)
    assert caught.value.status == 404


def test_what_the_installation_may_not_is_refused(place: Place) -> None:
    place.hub.create_repository("grace", "elsewhere", None, private=True)
    with pytest.raises(GitHubRefused):
        place.client("elsewhere").repository("grace", "elsewhere")


def no_pull(place: Place) -> PullInfo | None:
    return place.client().find_pull("ada", "rrule", "patchwright/issue-1")


def test_there_is_no_pull_request_at_first(place: Place) -> None:
    assert no_pull(place) is None
