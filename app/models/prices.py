"""What an answer cost at list price; what is not listed is unknown, never guessed."""

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("prices.toml")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; see the head of `prices.toml`."""

    model: str
    input: float
    output: float
    source: str
    read: date
    until: date | None = None
    long_from: int | None = None
    long_input: float | None = None
    long_output: float | None = None

    def dollars(self, tokens_in: int, tokens_out: int) -> float | None:
        """The price of one call; None when a price for its length is not listed."""
        into, out = (self.input, self.output)
        if self.long_from is not None and tokens_in > self.long_from:
            if self.long_input is None or self.long_output is None:
                return None
            into, out = self.long_input, self.long_output
        return (tokens_in * into + tokens_out * out) / _MILLION


def dollars(model: str, tokens_in: int, tokens_out: int, on: date) -> float | None:
    """The price of one call to `model` on the day `on`, None when it is unknown."""
    price = listed().get(model)
    if price is None or (price.until is not None and on > price.until):
        return None
    return price.dollars(tokens_in, tokens_out)


@cache
def listed() -> dict[str, Price]:
    """All known prices by model."""
    rows = tomllib.loads(_FILE.read_text(encoding="utf-8"))["price"]
    return {row["model"]: Price(**row) for row in rows}
