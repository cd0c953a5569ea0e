from datetime import datetime, timedelta

import pytest

from booking import Clash, Period, Room

NINE = datetime(2026, 3, 2, 9)
HOUR = timedelta(hours=1)


@pytest.fixture
def room():
    room = Room("the attic")
    room.book(Period(NINE, NINE + HOUR), "Ada")
    return room


def test_clash_names_the_holder(room):
    with pytest.raises(Clash, match="Ada has the attic from 09:00"):
        room.book(Period(NINE + HOUR / 2, NINE + 2 * HOUR), "Grace")


def test_back_to_back_bookings_do_not_clash(room):
    room.book(Period(NINE + HOUR, NINE + 2 * HOUR), "Grace")
    assert room.plan() == ["09:00-10:00 Ada", "10:00-11:00 Grace"]


def test_holder_at_a_moment(room):
    assert room.at(NINE + HOUR / 2) == "Ada"
    assert room.at(NINE + HOUR) is None
