"""Axes and lengths are whole numbers: nothing else is rounded to one."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra

X = np.arange(12.0).reshape(3, 4)
CALLS = {
    "roll": lambda m, x, n: m.roll(x, 1, axis=n),
    "roll, several": lambda m, x, n: m.roll(x, 1, axis=[n, 0]),
    "repeat": lambda m, x, n: m.repeat(x, 2, axis=n),
    "delete": lambda m, x, n: m.delete(x, 1, axis=n),
    "insert": lambda m, x, n: m.insert(x, 1, 7, axis=n),
    "take": lambda m, x, n: m.take(x, [1], axis=n),
    "flip": lambda m, x, n: m.flip(x, axis=n),
    "sum": lambda m, x, n: m.sum(x, axis=n),
    "cumsum": lambda m, x, n: m.cumsum(x, axis=n),
    "sort": lambda m, x, n: m.sort(x, axis=n),
    "diff": lambda m, x, n: m.diff(x, axis=n),
    "concatenate": lambda m, x, n: m.concatenate([x, x], axis=n),
    "stack": lambda m, x, n: m.stack([x, x], axis=n),
    "moveaxis": lambda m, x, n: m.moveaxis(x, n, 0),
    "swapaxes": lambda m, x, n: m.swapaxes(x, n, 0),
    "expand_dims": lambda m, x, n: m.expand_dims(x, n),
    "squeeze": lambda m, x, n: m.squeeze(x[:, :1], n),
    "transpose": lambda m, x, n: m.transpose(x, (n, 0)),
    "tensordot": lambda m, x, n: m.tensordot(x, x, axes=([n], [1])),
    "reshape": lambda m, x, n: m.reshape(x, (n, 12)),
    "broadcast_to": lambda m, x, n: m.broadcast_to(x, (n, 3, 4)),
    "unravel_index": lambda m, x, n: m.unravel_index(m.asarray([0]), (n, 4))[0],
    "unravel_index, one": lambda m, x, n: m.unravel_index(m.asarray([0]), n)[0],
    "ravel_multi_index": lambda m, x, n: m.ravel_multi_index((m.asarray([0]), m.asarray([0])), (n, 4)),
    "zeros": lambda m, x, n: m.zeros((n, 2)),
    "topk": lambda m, x, n: (m.topk if m is ra else lambda x, k, axis: np.flip(np.sort(x, axis), axis)[:, :2])(x, 2, n),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("number", [1, np.int8(1), np.uint64(1), 1.5, 1.0, 0.99, np.float64(1), "1"])
def test_axes_and_lengths_are_whole_numbers(name, number):
    x = ra.from_array(X, chunks=2)
    try:
        expected = CALLS[name](np, X, number)
    except (TypeError, ValueError, IndexError) as error:
        with pytest.raises((TypeError, type(error))):
            CALLS[name](ra, x, number)
    else:
        assert np.array_equal(CALLS[name](ra, x, number).compute(), expected)


@pytest.mark.parametrize("function", [ra.topk, ra.argtopk])
@pytest.mark.parametrize("axis", [2, -3])
def test_the_largest_along_an_axis_that_is_not_there(function, axis):
    with pytest.raises(np.exceptions.AxisError):
        function(ra.from_array(X, chunks=2), 2, axis=axis)


def test_shifts_are_rounded_one_by_one():
    x = ra.from_array(X, chunks=2)
    for shift in (1.5, [1.9, 0.2], [-1.9, 0.9, 3], np.int8(3)):
        assert np.array_equal(ra.roll(x, shift).compute(), np.roll(X, shift))
    for lazy in (ra.asarray(2), ra.asarray([2, 3])):
        assert np.array_equal(ra.roll(x, lazy).compute(), np.roll(X, lazy.compute()))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("decimals", [-1, -2, -5, -20, -300])
def test_whole_numbers_are_rounded_alike_in_all_blocks(dtype, decimals):
    limits = np.iinfo(dtype)
    x = np.array([limits.max, limits.min, 15, 25, 0, limits.max - 7] * 7, dtype)
    with np.errstate(all="ignore"):
        # One by one: NumPy's own casts of what is out of bounds depend on neighbours.
        expected = np.concatenate([np.round(x[at : at + 1], decimals) for at in range(len(x))])
    for chunks in (len(x), 1, 5):
        found = ra.around(ra.from_array(x, chunks=chunks), decimals).compute()
        assert found.dtype == dtype
        assert np.array_equal(found, expected)
