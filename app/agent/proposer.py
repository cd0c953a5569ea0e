"""A model as a proposer: first a plan, then one change an attempt that follows it."""

from dataclasses import replace

from app.agent.architect import planned
from app.agent.context import gather
from app.agent.engineer import changed
from app.agent.plan import Plan
from app.models.model import AnswerUnusable, Model
from sandbox.proposer import Proposal, Situation, Usage


class ModelProposer:
    """One instance serves one run: it remembers its plans. `most` bounds a prompt's file text."""

    def __init__(self, model: Model, most: int = 80_000) -> None:
        self._model = model
        self._most = most
        self._plans: dict[int, Plan] = {}
        self._owed = Usage()

    def __call__(self, situation: Situation) -> Proposal:
        """Raises what a `Model` raises; what a failed call cost is counted with the next answer."""
        try:
            plan = self._plan(situation)
            context = gather(situation, self._most, tuple(plan.files))
            proposal = changed(self._model, situation, context, plan)
        except AnswerUnusable as error:
            self._owed += error.usage
            raise
        owed, self._owed = self._owed, Usage()
        return replace(proposal, usage=proposal.usage + owed)

    def _plan(self, situation: Situation) -> Plan:
        """The plan with the number that the loop names; asked for once."""
        if situation.plan not in self._plans:
            context = gather(situation, self._most)
            refuted = tuple(self._plans.values())
            plan, usage = planned(self._model, situation, context, refuted)
            self._owed += usage
            self._plans[situation.plan] = plan
        return self._plans[situation.plan]
