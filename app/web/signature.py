"""Whether GitHub itself sent these bytes."""

from hashlib import sha256
from hmac import compare_digest, new

PREFIX = "sha256="


def signature(secret: str, body: bytes) -> str:
    """What GitHub writes into `X-Hub-Signature-256` for a body.

    https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    return PREFIX + new(secret.encode(), body, sha256).hexdigest()


def genuine(secret: str, body: bytes, claimed: str) -> bool:
    """Whether the claim holds, in a time that does not depend on where it fails."""
    return compare_digest(signature(secret, body).encode(), claimed.encode("utf-8", "replace"))
