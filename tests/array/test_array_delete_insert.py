"""Positions taken out of an axis and put into it: the work is that of the places, not of the axis."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

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


@pytest.mark.parametrize("step", [2, 3, 7, -2, 11, 40])
@pytest.mark.parametrize("bounds", [(None, None), (3, -4), (0, 1), (5, 30)])
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("chunks", [4, (41, 3), (5, 6)], ids=str)
def test_elements_at_even_distances_go(step: int, bounds: tuple, axis: int | None, chunks: Any) -> None:
    x = np.arange(41 * 6).reshape(41, 6)
    part = slice(*(bounds if step > 0 else (bounds[1], bounds[0])), step)
    check(ra.delete(ra.from_array(x, chunks=chunks), part, axis=axis), np.delete(x, part, axis=axis))


@pytest.mark.parametrize("positions", [[0, 400_000], [399_999, 5, 5], [1, 0, 399_999, 200_000], [-1, 3]], ids=str)
def test_positions_far_apart_cut_the_array(positions: list[int]) -> None:
    x = np.arange(400_000)
    lazy = ra.from_array(x, chunks=100_000)
    check(
        ra.insert(lazy, positions, range(7, 7 + len(positions))), np.insert(x, positions, range(7, 7 + len(positions)))
    )
    check(ra.insert(lazy, positions, -1), np.insert(x, positions, -1))
    inside = [position % 400_000 for position in positions]
    check(ra.delete(lazy, inside), np.delete(x, inside))
    table, wide = x.reshape(-1, 2), lazy.reshape(-1, 2)
    places = [position // 2 for position in inside]
    check(ra.insert(wide, places, [[5, 6]], axis=0), np.insert(table, places, [[5, 6]], axis=0))
    check(ra.delete(wide, places, axis=0), np.delete(table, places, axis=0))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: ra.delete(x, [0, 5, -1]),
        lambda x: ra.delete(x, slice(None, None, 10**6)),
        lambda x: ra.insert(x, [0, 5, 10**12], [1, 2, 3]),
        lambda x: ra.pad(x, 10**12),
        lambda x: ra.pad(x, 10**12, mode="edge"),
        lambda x: ra.pad(x, 10**12, mode="mean"),
        lambda x: ra.diag(x[: 10**8], k=3),
        lambda x: ra.diag(ra.ones(10**7, chunks=10**7)),
    ],
)
def test_blocks_stay_small_and_positions_are_not_listed(make: Any) -> None:
    found = make(ra.ones(10**12))
    assert np.prod(found.chunksize) <= 2**25
