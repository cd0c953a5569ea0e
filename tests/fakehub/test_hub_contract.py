"""The contract itself: it must find thin, wrong and undocumented answers."""

import json

import pytest

from tests.fakehub.conftest import World
from tests.fakehub.contract import Contract, ContractError, load_contract


@pytest.fixture
def contract() -> Contract:
    """GitHub's description."""
    loaded = load_contract()
    if loaded is None:
        pytest.skip("the OpenAPI description is not at hand")
    return loaded


def served(world: World, path: str) -> dict[str, object]:
    """An answer of the server as JSON."""
    made: dict[str, object] = world.client(world.ada).request("GET", path).json()
    return made


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("node_id", None),
        ("created_at", "yesterday"),
        ("html_url", "no address"),
        ("state_reason", "bored"),
        ("number", "1"),
    ],
)
def test_a_wrong_field_is_found(
    world: World, contract: Contract, field: str, value: object
) -> None:
    path = "/repos/ada/demo/issues/1"
    issue = served(world, path)
    contract.check("GET", path, 200, json.dumps(issue).encode())
    with pytest.raises(ContractError, match=field):
        contract.check("GET", path, 200, json.dumps({**issue, field: value}).encode())


def test_a_missing_field_is_found(world: World, contract: Contract) -> None:
    path = "/repos/ada/demo/issues/1"
    issue = served(world, path)
    del issue["user"]
    with pytest.raises(ContractError, match="user"):
        contract.check("GET", path, 200, json.dumps(issue).encode())


def test_an_unescaped_bracket_in_an_address_is_found(world: World, contract: Contract) -> None:
    comment = world.bot().issues.create_comment("ada", "demo", 1, body="x").parsed_data
    path = f"/repos/ada/demo/issues/comments/{comment.id}"
    text = json.dumps(served(world, path))
    assert "patchwright%5Bbot%5D" in text
    with pytest.raises(ContractError, match="uri"):
        contract.check("GET", path, 200, text.replace("%5B", "[").replace("%5D", "]").encode())


def test_an_undocumented_status_is_found(contract: Contract) -> None:
    for status in (202, 500):
        with pytest.raises(ContractError, match="not documented"):
            contract.check("GET", "/repos/a/b/issues/1", status, b"{}")
    with pytest.raises(ContractError, match="without a body"):
        contract.check("DELETE", "/installation/token", 204, b"{}")


def test_slashes_in_parameters(world: World, contract: Contract) -> None:
    world.client(world.ada).request("GET", "/repos/ada/demo/git/ref/heads/main")
    contract.judged.clear()
    thin = b'{"ref": "refs/heads/a/b"}'
    with pytest.raises(ContractError, match="git/get-ref"):
        contract.check("GET", "/repos/ada/demo/git/ref/heads/a/b", 200, thin)
    assert contract.judged == {"git/get-ref"}
