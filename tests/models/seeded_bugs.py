"""Small bugs of many kinds, own writing: right source, the slip, tests, kept-back checks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """Right source, the slip that is seeded, and tests; `hidden` never reaches the search."""

    name: str
    right: str
    slip: tuple[str, str]
    tests: str
    hidden: str

    @property
    def wrong(self) -> str:
        """The source with the slip in it."""
        assert self.right.count(self.slip[0]) == 1
        return self.right.replace(*self.slip)


BUGS = (
    Bug(
        "boundary",
        '''
def grade(points):
    """The mark for 0 to 100 points."""
    if points < 0 or points > 100:
        raise ValueError(points)
    if points >= 90:
        return "A"
    if points >= 75:
        return "B"
    return "C"
''',
        ("points >= 75", "points > 75"),
        """
from marks import grade
import pytest

def test_each_mark():
    assert grade(95) == "A"
    assert grade(90) == "A"
    assert grade(75) == "B"
    assert grade(10) == "C"

def test_out_of_range():
    with pytest.raises(ValueError):
        grade(101)
""",
        "assert [grade(p) for p in (89, 76, 75, 74, 0)] == list('BBBCC')",
    ),
    Bug(
        "arithmetic",
        """
class Account:
    def __init__(self, cents=0):
        self.cents = cents
        self.log = []

    def deposit(self, cents):
        self.cents += cents
        self.log.append(cents)

    def withdraw(self, cents, fee=0):
        due = cents + fee
        if due > self.cents:
            raise ValueError("not enough")
        self.cents -= due
        self.log.append(-due)
        return self.cents
""",
        ("cents + fee", "cents - fee"),
        """
from marks import Account

def test_fee_is_taken():
    account = Account(100)
    assert account.withdraw(30, fee=5) == 65

def test_deposit():
    account = Account()
    account.deposit(7)
    assert account.cents == 7
""",
        "assert Account(100).withdraw(90, 10) == 0",
    ),
    Bug(
        "boolean",
        """
def allowed(user, document):
    if user is None:
        return False
    if user["admin"]:
        return True
    return user["name"] == document["owner"] and not document["locked"]
""",
        (" and not document", " or not document"),
        """
from marks import allowed

ANN = {"name": "ann", "admin": False}

def test_owner():
    assert allowed(ANN, {"owner": "ann", "locked": False})

def test_locked():
    assert not allowed(ANN, {"owner": "ann", "locked": True})

def test_stranger():
    assert not allowed(ANN, {"owner": "bob", "locked": False})
""",
        "assert not allowed({'name': 'a', 'admin': False}, {'owner': 'a', 'locked': True})",
    ),
    Bug(
        "range",
        """
def triangle(rows):
    total = 0
    for row in range(1, rows + 1):
        total += row
    return total
""",
        ("rows + 1", "rows"),
        """
from marks import triangle

def test_triangle():
    assert triangle(4) == 10

def test_nothing():
    assert triangle(0) == 0
""",
        "assert [triangle(n) for n in (1, 2, 10)] == [1, 3, 55]",
    ),
    Bug(
        "slice",
        """
def shorten(text, width):
    if len(text) <= width:
        return text
    return text[: width - 1] + "…"
""",
        ("width - 1", "width"),
        """
from marks import shorten

def test_fits():
    assert shorten("abc", 3) == "abc"

def test_is_cut():
    assert shorten("abcdef", 4) == "abc…"
""",
        "assert shorten('abcdefgh', 3) == 'ab…'",
    ),
    Bug(
        "swapped arguments",
        """
def clamp(value, low, high):
    return max(low, min(value, high))


def percent(part, whole):
    return clamp(round(100 * part / whole), 0, 100)


def report(rows):
    return {name: percent(done, total) for name, done, total in rows}
""",
        ("percent(done, total)", "percent(total, done)"),
        """
from marks import percent, report

def test_percent():
    assert percent(1, 4) == 25

def test_report():
    assert report([("a", 1, 2), ("b", 3, 4)]) == {"a": 50, "b": 75}
""",
        "assert report([('x', 0, 9)]) == {'x': 0}",
    ),
    Bug(
        "negated condition",
        """
def compact(items, keep_empty):
    result = []
    for item in items:
        if not item and not keep_empty:
            continue
        result.append(item)
    return result
""",
        ("and not keep_empty", "and keep_empty"),
        """
from marks import compact

def test_empty_are_dropped():
    assert compact(["a", "", "b"], False) == ["a", "b"]

def test_empty_are_kept():
    assert compact(["a", ""], True) == ["a", ""]
""",
        "assert compact([0, 1], True) == [0, 1]",
    ),
    Bug(
        "wrong variable",
        """
def overlap(first_start, first_end, second_start, second_end):
    start = max(first_start, second_start)
    end = min(first_end, second_end)
    return max(0, end - start)
""",
        ("min(first_end, second_end)", "min(first_end, second_start)"),
        """
from marks import overlap

def test_overlap():
    assert overlap(0, 10, 5, 20) == 5
    assert overlap(0, 10, 2, 4) == 2

def test_apart():
    assert overlap(0, 1, 2, 3) == 0
""",
        "assert overlap(3, 9, 1, 7) == 4",
    ),
    Bug(
        "sibling function",
        """
def cheapest(offers, wanted):
    fitting = [price for name, price in offers if name == wanted]
    if not fitting:
        return None
    return min(fitting)
""",
        ("min(fitting)", "max(fitting)"),
        """
from marks import cheapest

OFFERS = [("nut", 3), ("nut", 2), ("bolt", 1), ("nut", 5)]

def test_cheapest():
    assert cheapest(OFFERS, "nut") == 2

def test_none():
    assert cheapest(OFFERS, "gear") is None
""",
        "assert cheapest([('a', 9), ('a', 8)], 'a') == 8",
    ),
    Bug(
        "constant",
        """
def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days(year):
    return 366 if leap(year) else 365
""",
        ("% 4 == 0", "% 4 == 1"),
        """
from marks import days

def test_days():
    assert days(2024) == 366
    assert days(2023) == 365
    assert days(2021) == 365
    assert days(1900) == 365
    assert days(2000) == 366
""",
        "assert [y for y in range(1996, 2006) if leap(y)] == [1996, 2000, 2004]",
    ),
    Bug(
        "misspelled attribute",
        """
class Queue:
    def __init__(self):
        self.waiting = []
        self.served = 0

    def join(self, name):
        self.waiting.append(name)
        return len(self.waiting)

    def serve(self):
        self.served += 1
        return self.waiting.pop(0)
""",
        ("self.waiting.pop", "self.waitin.pop"),
        """
from marks import Queue

def test_first_come_first_served():
    queue = Queue()
    queue.join("a")
    queue.join("b")
    assert queue.serve() == "a"
    assert queue.served == 1
""",
        "q = Queue(); q.join(1); q.join(2)\nassert (q.serve(), q.serve()) == (1, 2)",
    ),
    Bug(
        "index",
        """
def longest(words):
    ordered = sorted(words, key=len)
    return ordered[-1] if ordered else ""
""",
        ("ordered[-1]", "ordered[0]"),
        """
from marks import longest

def test_longest():
    assert longest(["a", "abc", "ab"]) == "abc"

def test_none():
    assert longest([]) == ""
""",
        "assert longest(['xx', 'y']) == 'xx'",
    ),
    Bug(
        "truth value",
        """
def ranking(scores, limit=3):
    ordered = sorted(scores.items(), key=lambda item: item[1], reverse=True)
    return [name for name, _ in ordered[:limit]]
""",
        ("reverse=True", "reverse=False"),
        """
from marks import ranking

def test_ranking():
    assert ranking({"a": 1, "b": 3, "c": 2}) == ["b", "c", "a"]
""",
        "assert ranking({'x': 1, 'y': 2}, 1) == ['y']",
    ),
    Bug(
        "break for continue",
        """
def numbers(lines):
    found = []
    for line in lines:
        if line.startswith("#"):
            continue
        found.append(int(line))
    return found
""",
        ("continue", "break"),
        """
from marks import numbers

def test_comments_are_skipped():
    assert numbers(["1", "# two", "3"]) == [1, 3]
""",
        "assert numbers(['#', '7']) == [7]",
    ),
    Bug(
        "an error inside the source",
        """
def average(values):
    values = list(values)
    if len(values) == 0:
        return 0.0
    return sum(values) / len(values)


def summary(table):
    return [(name, average(values)) for name, values in table]
""",
        ("== 0:", "!= 0:"),
        """
from marks import summary

def test_summary():
    assert summary([("a", [1, 2]), ("b", [])]) == [("a", 1.5), ("b", 0.0)]
""",
        "assert average([4]) == 4.0",
    ),
)
