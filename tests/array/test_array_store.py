"""Regions that arrays are stored in: every element goes where NumPy's assignment puts it, or none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import raskt.array as ra

BOUNDS = [None, 0, 1, 3, 6, 8, -1, -3, -8, 20, -20]


@pytest.mark.parametrize(("start", "stop"), list(itertools.product(BOUNDS, BOUNDS)))
def test_a_region_holds_the_whole_array_or_is_refused(start, stop):
    for length, chunks in itertools.product((1, 2, 3, 5, 8), (1, 2, -1)):
        expected, found = np.zeros(8), np.zeros(8)
        source = np.arange(1.0, length + 1)
        if len(expected[start:stop]) == length:
            expected[start:stop] = source
            ra.from_array(source, chunks=chunks).store(found, regions=slice(start, stop))
        else:
            with pytest.raises(ValueError, match="does not fit"):
                ra.from_array(source, chunks=chunks).store(found, regions=slice(start, stop))
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    "region", [(1,), (-1, slice(None)), (slice(1, 3), -2), (slice(-2, None), slice(1, -1)), (slice(None), slice(-2, 4))]
)
def test_regions_of_several_axes(region):
    expected, found = np.zeros((3, 4)), np.zeros((3, 4))
    source = np.arange(1.0, expected[region].size + 1).reshape(expected[region].shape)
    expected[region] = source
    ra.from_array(source, chunks=1).store(found, regions=region)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("region", [slice(0, 8, 2), (Ellipsis, slice(0, 4)), ([0, 1, 2, 3],), (None, slice(0, 4))])
def test_other_regions_are_refused(region):
    with pytest.raises(NotImplementedError, match="region"):
        ra.arange(4, chunks=2).store(np.zeros(8), regions=region)
