"""Programs of five to twenty random steps give what NumPy and pandas give, over arrays and over frames of all types."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from . import array_programs, frame_programs
from .programs import Mismatch

# `make matrix` sets how many times as many to play.
TIMES = int(os.environ.get("PROGRAM_TIMES", "1"))
NUMBERS = st.integers(0, 2**12 - 1)
PROGRAMS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=5, max_size=20)


def played(count: int) -> settings:
    return settings(
        max_examples=count * TIMES,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.slow
@played(7_000)
@given(st.integers(0, 2**16 - 1), PROGRAMS)
def test_array_programs(first, program):
    array_programs.play(first, program)


@pytest.mark.slow
@played(3_000)
@given(st.integers(0, 2**16 - 1), PROGRAMS)
def test_frame_programs(first, program):
    try:
        frame_programs.start(first)
    except NotImplementedError:  # a frame cannot hold each type of columns
        return
    # What a program computed goes before the test ends: tests of memory come after it.
    differs = None
    try:
        frame_programs.play(first, program)
    except Mismatch as error:
        differs = str(error)
    assert differs is None, differs
