"""The one table of events that mean something: event in, intent or nothing out."""

from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from handlers.intents import StartRun
from handlers.labeled import start_run
from handlers.payloads import Envelope, IssueLabeled, MalformedPayload, Tolerant

Model = TypeVar("Model", bound=Tolerant)


def route(event: str, payload: bytes, trigger_label: str) -> StartRun | None:
    """What `payload` of the webhook event `event` asks for; None when it asks for nothing.

    Raises `MalformedPayload`. Pure: looks at nothing but its arguments.
    """
    fields = _fields(payload)
    if event != "issues":
        return None
    action = _read(Envelope, event, fields).action
    if action is None:
        raise MalformedPayload("The `issues` payload has no `action`.")
    if action != "labeled":
        return None
    return start_run(_read(IssueLabeled, "issues.labeled", fields), trigger_label)


def _fields(payload: bytes) -> dict[str, object]:
    if payload.startswith(b"payload="):
        raise MalformedPayload(
            "The payload is a form: set the webhook's content type to `application/json`."
        )
    try:
        fields = from_json(payload)
    except ValueError:
        raise MalformedPayload("The payload is not JSON in UTF-8.") from None
    if not isinstance(fields, dict):
        raise MalformedPayload("The payload is JSON, but not an object.")
    return fields


def _read(model: type[Model], name: str, fields: dict[str, object]) -> Model:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise MalformedPayload(
            f"The `{name}` payload is malformed at `{where}`: {_plain(first['msg'])}."
        ) from None


def _plain(message: str) -> str:
    plain = message.removeprefix("Value error, ")
    return plain[0].lower() + plain[1:]
