"""Frames under row labels of every kind, in partitions of every kind, and a comparison that includes errors."""

from __future__ import annotations

import numpy as np
import pandas as pd

import raskt
import raskt.dataframe as rd
from frame_comparing import check

ROWS = 8

#: Row labels by kind.
KINDS = {
    "range": lambda: pd.RangeIndex(ROWS),
    "offset": lambda: pd.RangeIndex(3, 3 + 2 * ROWS, 2),
    "sorted": lambda: pd.Index([1, 2, 4, 5, 7, 8, 9, 12], name="k"),
    "unsorted": lambda: pd.Index([5, 1, 9, 2, 12, 4, 8, 7]),
    "duplicates": lambda: pd.Index([1, 2, 2, 3, 3, 3, 4, 5], name="k"),
    "scattered": lambda: pd.Index([3, 1, 3, 2, 1, 5, 4, 3]),
    "text": lambda: pd.Index(list("abcdefgh"), name="s"),
    "times": lambda: pd.date_range("2021-01-30", periods=ROWS, freq="12h", name="t"),
    "zoned": lambda: pd.date_range("2021-03-27", periods=ROWS, freq="6h", tz="Europe/Berlin"),
    "floats": lambda: pd.Index([0.5, 1.5, np.nan, -2.0, 3.0, 8.25, 9.0, 7.0]),
    "levels": lambda: pd.MultiIndex.from_arrays([list("aabbccdd"), [1, 2] * 4], names=["a", "b"]),
    "unsorted levels": lambda: pd.MultiIndex.from_arrays(
        [list("dacbdacb"), [4, 3, 2, 1, 1, 2, 3, 4]], names=["a", None]
    ),
}

#: How rows lie in partitions: at which positions they are cut.
CUTS = {"one": [], "two": [3], "seven": [1, 2, 3, 4, 5, 7], "with empty ones": [0, 3, 3, 8]}


def frame_of(kind: str, shift: int = 0) -> pd.DataFrame:
    """A frame of numbers and text under labels of a kind."""
    values = np.arange(ROWS) * 10 + shift
    return pd.DataFrame({"x": values, "y": values / 4.0, "s": list("pqpqrrst")}, index=KINDS[kind]())


def lazily(rows, cut: str):
    """The rows in partitions, as they are."""
    if cut == "one":
        return rd.from_pandas(rows, npartitions=1, sort=False)
    bounds = [0, *CUTS[cut], len(rows)]
    parts = [rows.iloc[low:high] for low, high in zip(bounds, bounds[1:], strict=False)]
    return rd.from_delayed([raskt.delayed(part) for part in parts], meta=rows.iloc[:0])


def same(function, lazy, eager, **options) -> None:
    """Assert that a function gives of lazy objects what it gives of those of pandas, the kind of error included."""
    try:
        expected = function(*eager)
    except Exception as error:
        try:
            found = function(*lazy).compute()
        except NotImplementedError:
            raise
        except type(error):
            return
        raise AssertionError(f"no {type(error).__name__} ({error}), but\n{found}") from None
    check(function(*lazy), expected, **options if not isinstance(expected, pd.Index) else {})
