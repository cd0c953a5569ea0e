from datetime import datetime, timedelta

import pytest

from booking import Period

NINE = datetime(2026, 3, 2, 9)
HOUR = timedelta(hours=1)


def test_length():
    assert Period(NINE, NINE + HOUR).length == HOUR


def test_must_end_after_it_starts():
    with pytest.raises(ValueError, match="ends after"):
        Period(NINE, NINE)


def test_end_is_not_part_of_it():
    period = Period(NINE, NINE + HOUR)
    assert period.contains(NINE)
    assert not period.contains(NINE + HOUR)


@pytest.mark.parametrize("minutes", [-30, 0, 30])
def test_overlap(minutes):
    period = Period(NINE, NINE + HOUR)
    assert period.overlaps(period.shifted(timedelta(minutes=minutes)))
