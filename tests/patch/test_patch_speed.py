"""The engine's speed against a yardstick measured in the same run: unidiff's parse alone.

The limits in seconds are `python -m tests.bench.patch_speed`'s to hold: a loaded machine makes no
failure here.
"""

from __future__ import annotations

import pytest

from tests.bench.patch_speed import curve, large_answer, large_diff, many_files, yardstick


@pytest.fixture(scope="module")
def unit() -> float:
    return yardstick()


def test_fifty_files(unit: float) -> None:
    assert many_files(rounds=3) < 2.5 * unit


def test_a_megabyte_in_one_file(unit: float) -> None:
    assert len(large_answer()[1]) >= 1_000_000
    assert large_diff(rounds=2)[0] < 14 * unit


def test_time_is_linear_in_the_length_of_the_file() -> None:
    points = dict(curve(rounds=3))
    assert points[64_000] < 8 * points[16_000], points
