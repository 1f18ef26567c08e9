"""Lazy scalars of integers are integers: no digit is lost beside columns or other scalars."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
LARGE = {"int64": 2**53 + 1, "uint64": 2**63 + 1}


def given(dtype):
    return pd.DataFrame({"i": np.array([LARGE.get(dtype, 9), 5, 7], dtype), "k": [1, 2, 1]})


#: The same rows as frames whose number of rows is known before they are computed, and whose isn't.
FRAMES = {
    "known": lambda rows: rd.from_pandas(rows, npartitions=2),
    "unknown": lambda rows: (lambda frame: frame[frame.k > 0])(rd.from_pandas(rows, npartitions=2)),
    "empty": lambda rows: (lambda frame: frame[frame.k > 5])(rd.from_pandas(rows, npartitions=2)),
}

OPERATIONS = {
    "i - max": lambda e: e.i - e.i.max(),
    "min + i": lambda e: e.i.min() + e.i,
    "i * min": lambda e: e.i * e.i.min(),
    "i // max": lambda e: e.i // e.i.max(),
    "i % max": lambda e: e.i % e.i.min(),
    "i / max": lambda e: e.i / e.i.max(),
    "i ** k": lambda e: e.i ** e.k.max(),
    "i & max": lambda e: e.i & e.i.max(),
    "max - min": lambda e: e.i.max() - e.i.min(),
    "max + 1": lambda e: e.i.max() + 1,
    "3 * min": lambda e: 3 * e.i.min(),
    "max // 2": lambda e: e.i.max() // 2,
    "min ** 2": lambda e: e.i.min() ** 2,
    "abs": lambda e: abs(e.i.max()),
    "sum of one": lambda e: e.i.sum(min_count=1) - e.i.max(),
    "assigned": lambda e: e.assign(new=e.i.max()).new + 1,
    "table": lambda e: e.max() - e.min(),
    "frame": lambda e: e - e.max(),
    "frame + 1": lambda e: (e - e.min()) * 1,
    "where": lambda e: e.i.where(e.k > 1, e.i.max()),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("rows", FRAMES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_digit_is_lost(operation, rows, dtype):
    theirs, frame = given(dtype), FRAMES[rows](given(dtype))
    theirs = theirs[theirs.k > 5] if rows == "empty" else theirs
    if rows == "empty" and operation == "i & max":
        pytest.skip("pandas has no bits of NaN")
    function = OPERATIONS[operation]
    expected, found = function(theirs), function(frame).compute()
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_index_type=False, check_dtype=rows != "empty")
    elif isinstance(expected, pd.Series):
        # Where there are no rows at all, pandas goes by values that there aren't.
        pd.testing.assert_series_equal(found, expected, check_index_type=False, check_dtype=rows != "empty")
    else:
        assert found == expected or (found != found and expected != expected)
        assert rows == "empty" or found.dtype == expected.dtype


@pytest.mark.parametrize("dtype", INTEGERS)
def test_a_maximum_of_no_rows_is_missing_beside_other_rows(dtype):
    theirs = given(dtype)
    frame = rd.from_pandas(theirs, npartitions=2)
    none, nothing = theirs[theirs.k > 5].i.max(), frame[frame.k > 5].i.max()
    pd.testing.assert_series_equal((frame.k - nothing).compute(), theirs.k - none)
    assert np.isnan((nothing - 1).compute())


NUMBERS = (*INTEGERS, "float32", "float64")


@pytest.mark.parametrize("own", NUMBERS)
@pytest.mark.parametrize("other", NUMBERS)
@pytest.mark.parametrize("function", ("max", "sum", "mean"))
def test_a_scalar_takes_the_width_of_the_column_that_it_meets(own, other, function):
    theirs = pd.DataFrame({"x": np.array([1, 2, 3], own), "y": np.array([4, 5, 6], other)})
    frame = rd.from_pandas(theirs, npartitions=2)
    expected = theirs.x + getattr(theirs.y, function)()
    pd.testing.assert_series_equal((frame.x + getattr(frame.y, function)()).compute(), expected)


def test_a_scalar_that_does_not_fit_is_an_error():
    theirs = pd.DataFrame({"u": np.array([1, 2], "uint8"), "j": [300, 1], "n": [-1, -2]})
    frame = rd.from_pandas(theirs, npartitions=2)
    for scalar in (frame.j.max(), frame.n.max()):
        with pytest.raises((OverflowError, ValueError)):
            (frame.u + scalar).compute()


@pytest.mark.parametrize("number", (np.int64(1), np.int8(1), np.float32(1.5), np.float64(1.5)))
@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_of_numpy_beside_scalars(number, dtype):
    theirs = pd.Series(np.array([4, 5, 6], dtype))
    frame = rd.from_pandas(theirs, npartitions=2)
    expected, found = theirs.max() + number, (frame.max() + number).compute()
    assert found == expected and found.dtype == expected.dtype
