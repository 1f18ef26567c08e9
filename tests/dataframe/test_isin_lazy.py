"""Lazy values that rows are looked for in: met as values, or refused, but never as objects."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd

FRAME = pd.DataFrame({"a": range(10)})
LAZY = {
    "numbers in a list": lambda: [ra.arange(10)[3], ra.arange(10)[4]],
    "delayed": lambda: raskt.delayed(lambda: [1, 2])(),
    "delayed in a tuple": lambda: (raskt.delayed(lambda: 1)(), 2),
}
PARTS = {"series": lambda frame: frame.a, "frame": lambda frame: frame, "index": lambda frame: frame.index}


@pytest.mark.parametrize("name", LAZY)
@pytest.mark.parametrize("part", PARTS)
def test_lazy_objects_are_refused(name, part):
    own = PARTS[part](rd.from_pandas(FRAME, npartitions=3))
    with pytest.raises(NotImplementedError, match="isin"):
        own.isin(LAZY[name]())


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("chunks", [2, 4])
def test_arrays_are_met_by_their_values(part, dtype, chunks):
    found = PARTS[part](rd.from_pandas(FRAME, npartitions=3)).isin(ra.arange(3, 7, chunks=chunks, dtype=dtype))
    assert np.array_equal(found.compute(), PARTS[part](FRAME).isin(np.arange(3, 7)))


def test_a_series_of_the_array_is_met_by_its_values():
    own = rd.from_pandas(FRAME, npartitions=3)
    found = own.a.isin(rd.from_array(ra.arange(3, 7, chunks=2))).compute()
    assert np.array_equal(found, FRAME.a.isin(range(3, 7)))
