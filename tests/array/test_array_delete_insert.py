"""Positions taken out of an axis and put into it: the work is that of the places, not of the axis."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest

import raskt.array as ra

PLACES: list[Any] = [0, -1, 3, 6, [0], [5, 1, 1], [-1, 0], np.array([2, 2]), [], slice(1, 4), slice(None, None, 2),
    slice(5, 0, -2), slice(4, 2), slice(None), [True, False] * 3, np.array([True, False] * 3), np.array(2),
    7, -8, [9], 1.5, [1.0, 2.0],
    np.array([], float), [[0, 1], [2, 3]], [True], np.uint8(1), np.array([1, 200])]  # fmt: skip


def outcome(call: Any, *args: Any, **options: Any) -> Any:
    try:
        result = call(*args, **options)
        return result.compute() if isinstance(result, ra.Array) else result
    except Exception as error:
        return type(error)


@pytest.mark.parametrize(("at", "axis"), list(itertools.product(range(len(PLACES)), (None, 0, 1, -1))))
def test_delete_and_insert_as_numpy_has_them(at: int, axis: int | None) -> None:
    for values in (np.arange(6), np.arange(36).reshape(6, 6)):
        x, place = ra.from_array(values, chunks=2), PLACES[at]
        np.testing.assert_equal(outcome(ra.delete, x, place, axis), outcome(np.delete, values, place, axis))
        expected = outcome(np.insert, values, place, 50, axis)
        if expected is not AttributeError:  # Which NumPy raises for lists of booleans.
            np.testing.assert_equal(outcome(ra.insert, x, place, 50, axis), expected)


@pytest.mark.parametrize("place", [5, slice(10, 20), [7, 9], 10**12 - 1, slice(10, 1000, 3)])
def test_an_axis_may_be_too_long_for_an_array_of_its_positions(place: Any) -> None:
    x = ra.arange(10**12, chunks=10**9)
    tracemalloc.start()
    assert ra.delete(x, place)[:9].compute()[4] == 4
    assert ra.insert(x, place, 3)[:9].compute()[4] == 4
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


def test_lazy_positions_are_computed() -> None:
    found = np.delete(ra.arange(5, chunks=2), ra.asarray([1, 3]))
    np.testing.assert_array_equal(found.compute(), [0, 2, 4])
