"""Asks a model for a plan, and reads it."""

from collections.abc import Sequence

from pydantic import ValidationError

from app.agent import material
from app.agent.context import Context
from app.agent.plan import SCHEMA, Plan
from app.agent.prompts import render
from app.models.answer import first_fault
from app.models.model import AnswerUnusable, Model, Reply, Request
from sandbox.proposer import Situation, Usage

_MOST_TOKENS = 16_384


def planned(
    model: Model, situation: Situation, context: Context, refuted: Sequence[Plan]
) -> tuple[Plan, Usage]:
    """A plan and its cost. Raises what a `Model` raises."""
    prompt = render(
        "architect",
        issue=material.issue(situation.task),
        empty=context.empty,
        outline=material.outline(context),
        targets=material.targets(situation),
        failures=material.failures(situation),
        files=[material.file(shown) for shown in context.files],
        refuted=[material.plan(plan) for plan in refuted],
        tried=material.tried(situation),
    )
    reply = model(Request(render("architect_system"), prompt, SCHEMA, _MOST_TOKENS))
    return _read(reply, model.name), reply.usage


def _read(reply: Reply, name: str) -> Plan:
    if reply.finish_reason == "length":
        raise AnswerUnusable(f"The plan of `{name}` broke off at its limit.", reply.usage)
    try:
        return Plan.model_validate_json(reply.text)
    except ValidationError as error:
        raise AnswerUnusable(
            f"The plan of `{name}` is not of the form asked for, {first_fault(error)}.",
            reply.usage,
        ) from None
