"""The raw body of a delivery: bounded while it comes in, then held against its signature."""

import asyncio
import re
from typing import Annotated

from fastapi import Depends, Header, Request
from pydantic import SecretStr
from starlette.requests import ClientDisconnect

from app.web.refusal import Refused
from app.web.signature import genuine

BODY_BYTES = 25 * 1024 * 1024
"""GitHub sends nothing bigger: https://docs.github.com/en/webhooks/webhook-events-and-payloads"""
BODY_SECONDS = 10.0
"""GitHub gives up after ten seconds, so nobody who is GitHub needs longer."""

CLAIM = re.compile(r"sha256=[0-9a-f]{64}")


def secret(request: Request) -> SecretStr:
    """The webhook secret that this app was built with."""
    held: SecretStr = request.app.state.settings.webhook_secret
    return held


def claimed_signature(x_hub_signature_256: Annotated[str | None, Header()] = None) -> str:
    """What the sender says; refused before a byte of the body is read when it says nothing."""
    if x_hub_signature_256 is None:
        raise Refused(
            401, "The header `X-Hub-Signature-256` is missing: set a secret on the webhook."
        )
    if CLAIM.fullmatch(x_hub_signature_256) is None:
        raise Refused(401, "The header `X-Hub-Signature-256` does not hold a SHA-256 signature.")
    return x_hub_signature_256


async def bounded_body(request: Request) -> bytes:
    """The whole body, never more than `BODY_BYTES` of it in memory."""
    announced = request.headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()):
        raise Refused(400, "The header `Content-Length` is not a number.")
    # The length of the digits first: int() refuses numbers of thousands of digits.
    if len(announced) > 20 or int(announced) > BODY_BYTES:
        raise _too_big()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request)
    except TimeoutError:
        raise Refused(408, "The body did not arrive in time.") from None
    except ClientDisconnect:
        raise Refused(400, "The sender left before the body was complete.") from None


async def _read(request: Request) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > BODY_BYTES:
            raise _too_big()
        parts.append(part)
    return b"".join(parts)


def _too_big() -> Refused:
    return Refused(413, f"The body is bigger than {BODY_BYTES // 1024**2} MB.")


async def verified_body(
    claimed: Annotated[str, Depends(claimed_signature)],
    body: Annotated[bytes, Depends(bounded_body)],
    key: Annotated[SecretStr, Depends(secret)],
) -> bytes:
    """The body, once its signature has been found genuine over the raw bytes."""
    if not genuine(key.get_secret_value(), body, claimed):
        raise Refused(
            401, "The signature does not fit the body: the webhook has another secret than this."
        )
    return body
