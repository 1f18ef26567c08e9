"""Slices of what is too large to be computed, and what is too large to be sliced."""

from __future__ import annotations

import time

import numpy as np
import pytest

import raskt.array as ra


def many():
    return ra.ones((10_000, 10_000), chunks=1)


HUGE = {
    "stack": (lambda: ra.stack([many(), many() * 2])[1, 5, :3], [2, 2, 2]),
    "concatenate": (lambda: ra.concatenate([many(), many() * 2])[10_000, 9_998:], [2, 2]),
    "backwards": (lambda: ra.concatenate([many(), many() * 2])[10_001:9_998:-1, 0], [2, 2, 1]),
    "cumsum": (lambda: ra.arange(10**12, chunks=10**6).cumsum()[:4], [0, 1, 3, 6]),
    "cumsum later": (lambda: ra.ones(10**12, chunks=10**6).cumsum()[2 * 10**6 - 1 : 2 * 10**6 + 1], [2e6, 2e6 + 1]),
    "cumprod": (lambda: ra.ones((10**5, 10**6), chunks=1000).cumprod(axis=1)[3, :2], [1, 1]),
    "roll": (lambda: ra.roll(ra.arange(10**12, chunks=10**6), 2)[:3], [10**12 - 2, 10**12 - 1, 0]),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_slice_of_the_huge_costs_what_the_slice_does(name):
    call, expected = HUGE[name]
    begin = time.monotonic()
    assert np.array_equal(call().compute(), expected)
    assert time.monotonic() - begin < 20, "all blocks were looked at"


def half():
    return ra.broadcast_to(ra.ones(1), 2**62)


TOO_LARGE = {
    "two axes": lambda: ra.ones((10**10, 10**10), chunks=10**9),
    "one axis": lambda: ra.ones(2**63, chunks=-1),
    "random": lambda: ra.random.default_rng(0).normal(size=(2**40, 2**40), chunks=2**35),
    "outer": lambda: ra.outer(half(), half()),
    "operator": lambda: half()[:, None] + half(),
    "broadcast_to": lambda: ra.broadcast_to(ra.arange(2), (2**40, 2**40, 2)),
    "concatenate": lambda: ra.concatenate([half()] * 4),
    "concatenate, no wrap": lambda: ra.concatenate([half()] * 2),
    "stack": lambda: ra.stack([half()] * 3),
    "pad": lambda: ra.pad(half(), 2**62),
    "tile": lambda: ra.tile(half(), 2**30),
    "eye": lambda: ra.eye(2**40, chunks=2**35),
    "indices": lambda: ra.indices((2**40, 2**40), chunks=2**35),
    "reshape": lambda: ra.ones((2**32 + 1, 2**32), chunks=2**29).reshape(2**32),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_more_elements_than_positions_are_refused(name):
    """Their numbers were taken modulo 2**64: of elements, of random numbers, of lengths of what is joined."""
    with pytest.raises(ValueError, match="too big"):
        TOO_LARGE[name]()


def test_sizes_of_the_largest_arrays():
    x = ra.broadcast_to(ra.ones(1), 2**63 - 1)
    assert (x.size, x.nbytes) == (2**63 - 1, 8 * (2**63 - 1))
    assert ra.concatenate([half(), half()[1:]]).shape == (2**63 - 1,)
    assert x[-1].compute() == 1


def test_more_blocks_than_can_be_listed_are_refused():
    """A selection of places that follow no rule lists its blocks; stacks, slices and rechunks list none."""
    with pytest.raises(NotImplementedError, match=r"blocks.*rechunk"):
        many()[::-1, [0, 2] * 5000].sum().compute()
