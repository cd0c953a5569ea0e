"""A proposer without a model: small repairs where the failing tests point, tried as probes."""

from app.models.search.proposer import SearchProposer

__all__ = ["SearchProposer"]
