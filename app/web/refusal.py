"""A request that is turned away: a status and one sentence that says why."""

from fastapi import Request
from fastapi.responses import JSONResponse


class Refused(Exception):
    """Answered as JSON with one `error`."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


def answer(request: Request, refused: Exception) -> JSONResponse:  # noqa: ARG001 - the form of a handler
    """The handler of `Refused`."""
    if not isinstance(refused, Refused):
        raise refused
    # Otherwise the server goes on to swallow the rest of a body that nobody wants.
    return JSONResponse({"error": refused.sentence}, refused.status, {"Connection": "close"})
