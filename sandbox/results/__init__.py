"""Readers that turn an exit status and a report, held against each other, into a TestRun."""

from sandbox.results.model import CaseResult, Cause, Result, Status, TestRun

__all__ = ["CaseResult", "Cause", "Result", "Status", "TestRun"]
