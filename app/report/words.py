"""Figures in words: counts, durations, money, commits."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def count(number: int, one: str, many: str = "") -> str:
    """`1 edit`, `2 edits`, `1,204 tests`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def spelled(number: int, one: str, many: str = "") -> str:
    """The same with small numbers in letters: `two tests`."""
    word = NUMBERS[number] if 0 <= number < len(NUMBERS) else f"{number:,}"
    return f"{word} {one if number == 1 else many or one + 's'}"


def capital(sentence: str) -> str:
    """`sentence` with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def ended(sentence: str) -> str:
    """`sentence` with a full stop unless it ends in one of its own."""
    return sentence if not sentence or sentence[-1] in ".?:" else sentence + "."


def duration(seconds: float) -> str:
    """`0.4 s`, `14 s`, `6 min 12 s`, `1 h 4 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def money(dollars: float) -> str:
    """`$0.04`; fractions of a cent as `under $0.01`."""
    return "under $0.01" if 0 < dollars < 0.005 else f"${dollars:,.2f}"


def sha(commit: str) -> str:
    """The first seven digits, as GitHub shows them."""
    return commit[:7]


def storable(text: str) -> str:
    """`text` without lone surrogates: names of tests and files may be no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
