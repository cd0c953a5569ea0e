"""Asks a model for one change in the only form that is accepted, or for its giving up."""

import re

from app.agent import material
from app.agent.clean import visible
from app.agent.context import Context
from app.agent.plan import Plan
from app.agent.prompts import render
from app.models.model import Model, Request
from sandbox.patch.ask import answer_form
from sandbox.proposer import Proposal, Situation

_GIVES_UP = re.compile(r"\s*`?GIVE_UP:?(?P<why>[^\n]*)")
_LONGEST_WHY = 300


def changed(model: Model, situation: Situation, context: Context, plan: Plan) -> Proposal:
    """One change as the model wrote it. Raises what a `Model` raises."""
    prompt = render(
        "engineer",
        issue=material.issue(situation.task),
        plan=material.plan(plan),
        targets=material.targets(situation),
        failures=material.failures(situation),
        empty=context.empty,
        outline=material.outline(context),
        files=[material.file(shown) for shown in context.files],
        tried=material.tried(situation),
        refusal=material.refusal(situation),
    )
    system = render("engineer_system", answer_form=answer_form(context.empty))
    reply = model(Request(system, prompt))
    given_up = _GIVES_UP.match(reply.text)
    if given_up and reply.finish_reason == "stop":
        why = " ".join(visible(given_up["why"]).replace("`", "").split())[:_LONGEST_WHY]
        return Proposal(None, why or "The model gave up.", reply.usage, reply.finish_reason)
    return Proposal(reply.text, "", reply.usage, reply.finish_reason)
