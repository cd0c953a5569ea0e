"""The plan: what is believed to be wrong, where, and what would show that the belief is wrong."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "hypothesis": {"type": "string"},
        "files": {"type": "array", "items": {"type": "string"}},
        "symbols": {"type": "array", "items": {"type": "string"}},
        "steps": {"type": "array", "items": {"type": "string"}},
        "proved_wrong_by": {"type": "string"},
    },
    "required": ["hypothesis", "files", "steps", "proved_wrong_by"],
}


class Plan(BaseModel):
    """What the architect answers; `files` are paths as listed in the prompt."""

    model_config = ConfigDict(extra="ignore")

    hypothesis: str = Field(min_length=1, max_length=4000)
    files: list[str] = Field(max_length=30)
    symbols: list[str] = Field(default_factory=list, max_length=60)
    steps: list[str] = Field(max_length=30)
    proved_wrong_by: str = Field(max_length=4000)
