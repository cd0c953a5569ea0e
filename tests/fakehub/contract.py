"""Hold every answer of the local GitHub to GitHub's own OpenAPI description."""

import json
import re
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx
from openapi_schema_validator import OAS30ReadValidator, oas30_format_checker
from referencing import Registry
from referencing.jsonschema import DRAFT4

from app.fakehub import Exchange, FakeHub

DESCRIPTION = Path(__file__).resolve().parents[3] / "shared/data/openapi/github-subset.json"
_API = "/api/v3"
_FAULT = "x-fakehub-fault"
# Parameters whose value may hold slashes.
_LONG = {"ref", "path", "basehead", "branch", "name"}
# What GitHub may answer to any call, with the shape of the answer.
_UNCHANGED = 304
_ALWAYS = dict.fromkeys((400, 401, 403, 404, 413, 429), "basic-error") | {422: "validation-error"}
_URI = re.compile(r"[a-z][a-z0-9+.-]*://(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#@!$&'()*+,;=])+")


class ContractError(AssertionError):
    """An answer that GitHub's description does not allow."""


class Contract:
    """The description, ready to judge answers."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.judged: set[str] = set()
        _mend(description)
        self._registry: Registry[Any] = Registry().with_resource(
            "urn:github", DRAFT4.create_resource(description)
        )
        self._formats = deepcopy(oas30_format_checker)
        self._formats.checks("uri")(_is_uri)
        rows = [
            (_pattern(path), path, method.upper(), operation)
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
        ]
        # The most literal template wins: git/refs/{ref} before {path}.
        self._rows = sorted(rows, key=lambda row: (row[1].count("{"), -len(row[1])))

    def check(self, method: str, path: str, status: int, body: bytes) -> None:
        """Raise ContractError for a status or a body that the operation does not document."""
        found = next((r for r in self._rows if r[2] == method and r[0].fullmatch(path)), None)
        if found is None:
            return
        _, template, _, operation = found
        name = operation["operationId"]
        self.judged.add(name)
        pointer = self._schema(template, method.lower(), operation, status)
        if pointer is None:
            if body and status < 400:
                raise ContractError(f"{name}: {status} comes without a body, not {body[:80]!r}")
            return
        validator = OAS30ReadValidator(
            {"$ref": f"urn:github{pointer}"}, registry=self._registry, format_checker=self._formats
        )
        errors = sorted(validator.iter_errors(json.loads(body)), key=lambda e: list(e.path))
        if errors:
            shown = "; ".join(f"{e.json_path}: {e.message[:160]}" for e in errors[:5])
            raise ContractError(f"{name} {status}: {shown}")

    def _schema(
        self, template: str, method: str, operation: dict[str, Any], status: int
    ) -> str | None:
        if status == _UNCHANGED:
            return None
        documented = operation["responses"].get(str(status))
        if documented is None:
            if status not in _ALWAYS:
                raise ContractError(f"{operation['operationId']}: {status} is not documented")
            return f"#/components/schemas/{_ALWAYS[status]}"
        escaped = template.replace("~", "~0").replace("/", "~1")
        base = f"#/paths/{escaped}/{method}/responses/{status}"
        if "$ref" in documented:
            base = documented["$ref"]
            documented = self._registry.resolver().lookup(f"urn:github{base}").contents
        kind = next((one for one in documented.get("content", {}) if "json" in one), None)
        return None if kind is None else f"{base}/content/{kind.replace('/', '~1')}/schema"

    def hook(self, response: httpx.Response) -> None:
        """An httpx response hook."""
        response.read()
        self._judge(response)

    async def async_hook(self, response: httpx.Response) -> None:
        """An httpx response hook for asynchronous clients."""
        await response.aread()
        self._judge(response)

    def _judge(self, response: httpx.Response) -> None:
        path = response.request.url.raw_path.decode().partition("?")[0]
        if path.startswith(f"{_API}/") and _FAULT not in response.headers:
            method = response.request.method
            self.check(method, path[len(_API) :], response.status_code, response.content)


def _mend(node: object) -> None:
    """Allow what GitHub sends although its description, read strictly, does not.

    `nullable: true` stands beside enums without null and beside unions without a type; the
    account in the list of installations is described as a user *and* an enterprise where it is
    one of the two; the discriminator of contents asks a list of entries for a property.
    """
    if isinstance(node, dict):
        node.pop("discriminator", None)
        if node.get("nullable") and isinstance(node.get("enum"), list) and None not in node["enum"]:
            node["enum"] = [*node["enum"], None]
        if [one.get("title") for one in node.get("allOf", ())] == ["Simple User", "Enterprise"]:
            node["anyOf"] = node.pop("allOf")
        for union in ("anyOf", "oneOf"):
            if node.get("nullable") and union in node:
                node[union] = [*node[union], {"enum": [None]}]
        for value in list(node.values()):
            _mend(value)
    elif isinstance(node, list):
        for value in node:
            _mend(value)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    parts[::2] = [re.escape(part) for part in parts[::2]]
    parts[1::2] = [".+" if name in _LONG else "[^/]+" for name in parts[1::2]]
    return re.compile("".join(parts))


def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(_URI.fullmatch(value))


@lru_cache(maxsize=1)
def load_contract() -> Contract | None:
    """The contract, or None where the description is not at hand."""
    if not DESCRIPTION.exists():
        return None
    return Contract(json.loads(DESCRIPTION.read_text()))


def hold(hub: FakeHub) -> list[str]:
    """Hold every answer of a server to the contract, whoever asks; returns the growing faults.

    The list stays empty where the description is not at hand.
    """
    found: list[str] = []
    contract = load_contract()

    def watcher(exchange: Exchange) -> None:
        if contract is None:
            return
        try:
            contract.check(exchange.method, exchange.path, exchange.status, exchange.body)
        except ContractError as error:
            found.append(f"{exchange.method} {exchange.path}: {error}")

    hub.watch(watcher)
    return found
