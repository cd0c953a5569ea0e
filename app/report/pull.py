"""The pull request and its commit in words."""

from app.report.details import how_to_check
from app.report.evidence import change_line, commit, controls, proof_table, room
from app.report.markdown import code, fold, joined, listed, mention, plain, prose
from app.report.story import Story
from app.report.words import count
from sandbox.outcome import Verdict
from sandbox.proof import Proof

TITLE_LIMIT = 120


def pull_title(story: Story) -> str:
    """One line, in the issue's own words."""
    title = plain(story.title, TITLE_LIMIT) or f"issue {story.issue}"
    return title if title.lower().startswith("fix") else f"Fix: {title}"


def commit_message(story: Story) -> str:
    """Subject, issue, and what the proof stood on. It closes nothing by itself."""
    return (
        f"{pull_title(story)}\n\n"
        f"For issue {story.issue}, asked for by {plain(story.asked_by, 60)}.\n"
        f"Proved against {story.base_sha}.\n\n"
        f"Patchwright-Run: {story.run_id}\n"
    )


def pull_body(story: Story, proof: Proof) -> str:
    """Warnings first if there are any, then the proof, then what it does not cover."""
    return joined(
        [
            warnings(proof),
            f"Fixes #{story.issue}. This is {change_line(proof.diff)} on {commit(story)}, "
            f"asked for by {mention(story.asked_by)}.",
            "**Proof** (fails without the change, passes with it, other tests unchanged)",
            proof_table(proof),
            controls(proof),
            measured(proof),
            f"**Not checked:** {not_checked(story)}.",
            how_to_check(story),
            _known_red(story),
            f"[The whole run]({story.live_url})" if story.live_url else "",
        ]
    )


def warnings(proof: Proof) -> str:
    """What a person must see before merging; empty when the proof holds without reservation."""
    if proof.verdict is Verdict.PROVED and not proof.warnings:
        return ""
    said = "\n".join(f"- {prose(line)}" for line in (*proof.warnings, *proof.reasons))
    return f"**Needs review**\n\n{said}"


def measured(proof: Proof) -> str:
    """Image and room of the runs."""
    return (
        f"{count(proof.test_runs, 'run')}, each in a fresh container of {code(proof.image)} "
        f"({code(proof.image_id[:19])}), {room(proof.isolation)}."
    )


def not_checked(story: Story) -> str:
    """What the runs say nothing about."""
    left = ["other systems and versions than that of the image"]
    if story.ground and story.ground.known_red:
        left.append(count(len(story.ground.known_red), "test") + " that failed before as well")
    skipped = _skipped(story)
    if skipped:
        left.append(count(skipped, "skipped test"))
    return "; ".join(left)


def _skipped(story: Story) -> int:
    if not story.ground:
        return 0
    return sum(case.result == "skipped" for case in story.ground.baseline.cases)


def _known_red(story: Story) -> str:
    known = story.ground.known_red if story.ground else ()
    title = "Tests that fail with and without the change"
    return fold(title, listed(known, 30)) if known else ""
