"""The prompts as templates; a name that is missing is an error, never an empty string."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def render(template: str, **values: object) -> str:
    """The prompt `template` (a file name without `.j2`), filled in."""
    return _environment().get_template(f"{template}.j2").render(values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 # plain text for a model, no page
        keep_trailing_newline=False,
    )
