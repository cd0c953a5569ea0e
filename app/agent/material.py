"""The parts of a prompt that strangers wrote: cleaned, cut to size, fenced."""

from app.agent.clean import fenced, prose, shortened, tail, visible
from app.agent.context import Context, Shown
from app.agent.plan import Plan
from sandbox.proposer import Situation, Task, Tried

_TITLE, _BODY, _FAILURE, _FAILURES, _DIFF, _REASON = 300, 12_000, 3_000, 8, 6_000, 4_000
_TRIED, _TARGETS, _PATHS, _ID = 4, 40, 400, 300


def issue(task: Task) -> str:
    """Title and body."""
    return fenced("issue", f"{prose(task.title, _TITLE)}\n\n{prose(task.body, _BODY)}".strip())


def targets(situation: Situation) -> str:
    """The ids, one line each."""
    named = [" ".join(visible(name).split()) for name in situation.targets[:_TARGETS]]
    rest = len(situation.targets) - len(named)
    lines = [shortened(name, _ID) for name in named] + ([f"and {rest} more"] if rest else [])
    return fenced("failing tests", "\n".join(lines))


def failures(situation: Situation) -> list[str]:
    """What the failing targets print, the end of each; else the end of the whole output."""
    wanted = set(situation.targets)
    shown = [
        fenced("test output", f"{case.id}\n{tail(visible(case.message), _FAILURE)}")
        for case in situation.last.cases
        if case.id in wanted and case.message
    ][:_FAILURES]
    if shown or not situation.last.output_tail:
        return shown
    return [fenced("test output", tail(visible(situation.last.output_tail), _FAILURE))]


def outline(context: Context) -> str:
    """The list of paths."""
    listed = "\n".join(visible(path) for path in context.paths[:_PATHS])
    rest = len(context.paths) - _PATHS
    return fenced("list of files", listed + (f"\nand {rest} more" if rest > 0 else ""))


def file(shown: Shown) -> str:
    """One file with its path."""
    label = "file" if shown.whole else "beginning of file"
    return fenced(label, f"{shown.path}\n{shown.text}")


def plan(chosen: Plan) -> str:
    """A plan as text."""
    return fenced("plan", visible(chosen.model_dump_json(indent=1)))


def tried(situation: Situation) -> list[str]:
    """The latest attempts with their fate."""
    return [_attempt(each) for each in situation.tried[-_TRIED:]]


def refusal(situation: Situation) -> str:
    """Why the last change was refused, empty when it was not."""
    if situation.refusal is None:
        return ""
    said = f"{situation.refusal.reason}: {situation.refusal.message}"
    return fenced("refusal", shortened(visible(said), _REASON))


def _attempt(each: Tried) -> str:
    lines = [f"fate: {each.fate}"]
    if each.refusal is not None:
        lines.append(shortened(visible(each.refusal.message), 600))
    if each.run is not None:
        red = sorted(each.run.failing)[:10]
        lines.append(each.run.summary() + (f"; failing: {', '.join(red)}" if red else ""))
    lines.append(shortened(visible(each.diff), _DIFF))
    return fenced("earlier change", "\n".join(lines))
