"""More blocks than can be told apart are refused where they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra


@pytest.mark.parametrize("over", [0, 1, 3, 2**31])
def test_too_many_blocks_along_an_axis(over):
    with pytest.raises(ValueError, match="more than there can be"):
        ra.ones(2**32 + over, dtype="i1", chunks=1)
    with pytest.raises(ValueError, match="more than there can be"):
        ra.ones(2**32 + over, dtype="i1", chunks=2**20).rechunk(1)


def test_too_many_blocks_in_all():
    with pytest.raises(ValueError, match="more than there can be"):
        ra.ones((2**31,) * 3, dtype="i1", chunks=1)


def test_the_lengths_of_blocks_add_up_without_wrapping():
    lengths = (2**62,) * 4 + (4,)
    with pytest.raises(ValueError, match="do not add up"):
        ra.ones(4, chunks=(lengths,))
    with pytest.raises(ValueError, match="do not add up"):
        ra.ones(4, chunks=2).rechunk((lengths,))


@pytest.mark.parametrize("k", [10**30, 2**63 - 1, 2**62, -(2**63), -(2**62), 5, -5, 0])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (0, 3)])
def test_diagonals_far_away(k, shape):
    np.testing.assert_array_equal(ra.eye(*shape, k=k, chunks=2).compute(), np.eye(*shape, k=max(-9, min(k, 9))))
    np.testing.assert_array_equal(ra.tri(*shape, k=k, chunks=2).compute(), np.tri(*shape, k=max(-9, min(k, 9))))
    x = np.arange(shape[0] * shape[1]).reshape(shape)
    for name in ("tril", "triu"):
        expected = getattr(np, name)(x, k=max(-9, min(k, 9)))
        np.testing.assert_array_equal(getattr(ra, name)(ra.asarray(x, chunks=2), k=k).compute(), expected)
