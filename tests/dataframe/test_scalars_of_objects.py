"""Lazy values that may be any object, or a missing truth value, are beside others what they are in pandas."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

COLUMNS = {
    "decimals": pd.Series([Decimal("1.5"), Decimal(5), Decimal(2)], dtype=object),
    "fractions": pd.Series([Fraction(1, 3), Fraction(5), Fraction(7, 2)], dtype=object),
    "text": pd.Series(["a", "bc", "d"], dtype=object),
    "truths": pd.Series([True, False, True]),
    "truths, some missing": pd.Series([True, None, False], dtype=object),
}
#: Rows of which it is known how many there are, of which it isn't, and none.
ROWS = {"all": lambda df: df, "some": lambda df: df[df.k > 0], "none": lambda df: df[df.k > 5]}
VALUES = {
    "sum": lambda df: df.o.sum(),
    "greatest": lambda df: df.o.max(),
    "first": lambda df: df.o.iloc[0],
}
OPERATIONS = {
    "times": lambda value, df: value * 3,
    "reflected": lambda value, df: 3 * value,
    "remainder": lambda value, df: value % 2,
    "plus": lambda value, df: value + value,
    "chained": lambda value, df: value * 3 + 1,
    "power": lambda value, df: value**2,
    "less": lambda value, df: value < 4,
    "equal": lambda value, df: value == Decimal(5),
    "negative": lambda value, df: -value,
    "inverted": lambda value, df: ~value,
    "bits": lambda value, df: value & True,
    "lazy bits": lambda value, df: value | (df.k.sum() > 0),
    "lazy": lambda value, df: value * df.k.sum(),
    "lazily less": lambda value, df: value >= df.k.max(),
}


def outcome(function, reduce, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(reduce(rows), rows)
            found = found.compute() if hasattr(found, "compute") else found
        except Exception:
            return "an error"
    # Which of the truth values and floats are NumPy's is told by how they were computed.
    found = found.item() if isinstance(found, np.bool_ | np.float64) else found
    return type(found), repr(found)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("rows", ROWS)
def test_operators_give_what_they_give_in_pandas(column, rows):
    theirs = pd.DataFrame({"o": COLUMNS[column], "k": [1, 2, 0]})
    own = ROWS[rows](rd.from_pandas(theirs, npartitions=2))
    theirs = ROWS[rows](theirs)
    for value, reduce in VALUES.items():
        for name, function in OPERATIONS.items():
            expected = outcome(function, reduce, theirs)
            found = outcome(function, reduce, own)
            assert found in (expected, "an error"), (value, name, found, expected)
            # What pandas refuses of made-up text is no reason to refuse what it does with the values.
            if value != "first" and column in ("decimals", "fractions", "truths"):
                assert found == expected, (value, name, found, expected)


@pytest.mark.parametrize("number", [np.int64(5), np.uint8(2), np.float32(2.5)])
@pytest.mark.parametrize("name", ["sum", "max", "nunique"])
def test_numbers_of_numpy_beside_values_of_no_rows(name, number):
    rows = pd.DataFrame({"k": [1, 2, 0]})
    none, nothing = rows[rows.k > 5].k, (lambda df: df[df.k > 5].k)(rd.from_pandas(rows, npartitions=2))
    for function in (lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a**b):
        expected = function(getattr(none, name)(), number)
        np.testing.assert_equal(function(getattr(nothing, name)(), number).compute(), expected)


@pytest.mark.parametrize("column", ["decimals", "fractions", "text"])
def test_the_mean_of_no_objects_is_missing(column):
    theirs = pd.DataFrame({"o": COLUMNS[column], "k": [1, 2, 0]})
    for npartitions in (1, 2):
        own = rd.from_pandas(theirs, npartitions=npartitions)
        assert np.isnan(own[own.k > 5].o.mean().compute())
        assert np.isnan(theirs[theirs.k > 5].o.mean())


def test_a_number_is_not_made_text():
    rows = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2)
    with pytest.raises(ValueError, match="promised"):
        rows.map_partitions(len, meta=(None, "str")).compute()


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("truth", [[True, False], pd.array([True, None], dtype="boolean")], ids=["bool", "boolean"])
@pytest.mark.parametrize("numbers", [[-1, 2], [-1.5, 2.0], pd.array([-3, None], dtype="Int64")], ids=str)
def test_extremes_of_numbers_and_truth_values(name, truth, numbers):
    frame = pd.DataFrame({"x": numbers, "t": truth})
    for partitions in (1, 2):
        found = getattr(rd.from_pandas(frame, npartitions=partitions), name)(axis=None).compute()
        assert found == getattr(frame, name)(axis=None)
