"""Reads a diff as models write it, and applies it whole or refuses it with a reason."""

from sandbox.patch.engine import apply_answer
from sandbox.patch.model import Applied, HunkReport, RefusalReason, Refused

__all__ = ["Applied", "HunkReport", "RefusalReason", "Refused", "apply_answer"]
