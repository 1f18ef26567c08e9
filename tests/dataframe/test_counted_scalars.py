"""What pandas counts as an integer of Python is one here: beside rows of any type, and beside other values."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dataframe as rd

ROWS = pd.DataFrame(
    {
        "x": np.array([1, 2, 2, 4], "int64"),
        "u": np.array([1, 2, 3, 2**63 + 5], "uint64"),
        "small": np.array([1, 2, 3, 4], "int8"),
        "f": np.array([0.5, 1.5, 2.5, 3.5], "float32"),
        "o": pd.Series([Decimal(3), Decimal(1), 2, "a"], dtype=object),
        "n": pd.array([1, None, 3, 3], dtype="Int64"),
        "s": ["a", "b", None, "b"],
    }
)
COUNTS = {
    "different": lambda df: df.x.nunique(),
    "different, missing too": lambda df: df.s.nunique(dropna=False),
    "different objects": lambda df: df.o.nunique(),
    "different nullable": lambda df: df.n.nunique(),
    "different labels": lambda df: df.index.nunique(),
    "values": lambda df: df.x.size,
    "all values": lambda df: df.size,
    "rows": lambda df: df.shape[0],
    "sum": lambda df: df.x.nunique() + 1,
    "rest": lambda df: df.x.nunique() % 2,
    "quotient": lambda df: 7 // df.x.nunique(),
    "power": lambda df: df.x.nunique() ** 3,
    "bits": lambda df: df.x.nunique() | 8,
    "negative": lambda df: -df.x.nunique(),
    "product": lambda df: 2 * df.x.nunique() * df.x.size,
}
MEETS = {
    "equal": lambda rows, count: rows == count,
    "bits": lambda rows, count: count & rows,
    "sum": lambda rows, count: rows + count,
    "quotient": lambda rows, count: rows / count,
}
VALUES = {
    "power": lambda count, df: count ** np.uint64(3),
    "sum": lambda count, df: count + df.u.sum(),
    "bits": lambda count, df: count & df.u.max(),
    "itself": lambda count, df: count,
}


def is_error(function, *args):
    try:
        return function(*args).compute(), False
    except Exception:
        return None, True


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("npartitions", [1, 3])
def test_counts_are_integers_of_python(count, npartitions):
    own = COUNTS[count](rd.from_pandas(ROWS, npartitions=npartitions))
    expected = COUNTS[count](ROWS)
    for found in (own.compute(), own.persist().compute(), raskt.compute(own)[0]):
        assert (type(found), found) == (int, expected)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("meets", VALUES)
def test_counts_meet_values_as_integers_of_python(meets, count):
    if count == "negative" and meets != "itself":
        pytest.skip("NumPy has no negative numbers of this type")
    rows = rd.from_pandas(ROWS, npartitions=2)
    found, expected = VALUES[meets](COUNTS[count](rows), rows).compute(), VALUES[meets](COUNTS[count](ROWS), ROWS)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize("column", ["x", "u", "small", "f", "o", "n"])
@pytest.mark.parametrize("meets", MEETS)
def test_counts_meet_rows_as_integers_of_python(meets, column):
    rows = rd.from_pandas(ROWS, npartitions=2)
    for count in ("different", "rows"):
        found, failed = is_error(MEETS[meets], rows[column], COUNTS[count](rows))
        try:
            expected = MEETS[meets](ROWS[column], COUNTS[count](ROWS))
        except TypeError:
            assert failed
            continue
        assert not failed
        pd.testing.assert_series_equal(found, expected)


def test_levels_are_counted_too():
    labels = pd.MultiIndex.from_arrays([[1, 1, 2, 2], list("wxyy")])
    index = rd.from_pandas(ROWS.set_axis(labels), npartitions=2).index
    assert (type(index.nunique().compute()), index.nunique().compute()) == (int, 3)
