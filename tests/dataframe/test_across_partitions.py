"""What looks at other rows gives pandas' answer however the rows are cut."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

ROWS = pd.DataFrame(
    {
        "x": [5, 1, -9, 1, 3, 10],
        "y": [4.0, 3.0, np.nan, 1.0, 0.5, 2.0],
        "s": ["a~b", "c", "a not b", None, "d@e", "c"],
        "f": [True, False, True, False, False, True],
    }
)
NUMBERS = ["x", "y"]
LEVEL = pd.Series([0, 5, 0, 5, 2, 99])
TURNED = LEVEL[::-1]


def assigned(frame, columns, value):
    frame = frame.copy()
    frame[columns] = value
    return frame


def smaller(left, right):
    return left if left.sum() < right.sum() else right


PROGRAMS = {
    "query of a mean": lambda df: df.query("x > x.mean()"),
    "query of a column before": lambda df: df.query("x.shift() > 1"),
    "query of a running sum": lambda df: df.query("x.cumsum() >= @LEVEL.sum() - 108"),
    "query of a series in memory": lambda df: df.query("x > @LEVEL"),
    "query of a text with a tilde": lambda df: df.query("s == 'a~b'"),
    "query of a text with an at": lambda df: df.query("s == 'd@e'"),
    "query of a tilde": lambda df: df.query("~f & x > 0"),
    "query of a text": lambda df: df.query("s.str.len() > 1", engine="python"),
    "eval of a mean": lambda df: df.eval("z = x - x.mean()"),
    "eval of a column before": lambda df: df.eval("z = x - x.shift()"),
    "eval of rows": lambda df: df.eval("z = x + sqrt(y)"),
    "combine": lambda df: df[NUMBERS].combine(df[NUMBERS].assign(x=0, y=1.0), smaller),
    "combine with rows in memory": lambda df: df["x"].combine(LEVEL, max),
    "combine_first with rows in memory": lambda df: df["y"].combine_first(TURNED.astype("float64")),
    "maximum of an array": lambda df: np.maximum(df["x"], LEVEL.to_numpy()),
    "maximum of labelled rows": lambda df: np.maximum(df["x"], TURNED),
    "hypot of labelled rows": lambda df: np.hypot(df["y"], TURNED),
    "maximum of a value for each column": lambda df: np.maximum(df[NUMBERS], np.array([2, 3])),
    "between arrays": lambda df: df["x"].between(LEVEL.to_numpy() - 5, LEVEL.to_numpy()),
    "between labelled rows": lambda df: df["x"].between(LEVEL - 5, LEVEL),
    "repeat by numbers": lambda df: df["s"].fillna("").str.repeat([0, 1, 2, 3, 1, 2]),
    "columns set to a list": lambda df: assigned(df, NUMBERS, [1, 2]),
    "columns set to a matrix": lambda df: assigned(df, NUMBERS, np.arange(12).reshape(6, 2)),
    "columns set to a frame in memory": lambda df: assigned(df, NUMBERS, ROWS[["y", "x"]]),
    "columns set to a value": lambda df: assigned(df, NUMBERS, 7),
    "axis of rows": lambda df: df[NUMBERS].add(df["x"], axis="rows"),
    "axis of rows, in memory": lambda df: df[NUMBERS].mul(LEVEL, axis="rows"),
    "where by columns": lambda df: df[NUMBERS].where(ROWS[NUMBERS] > 2, pd.Series([7, 8], index=NUMBERS), axis=1),
    "where by rows": lambda df: df[NUMBERS].where(ROWS[NUMBERS] > 2, LEVEL, axis=0),
    "percentiles": lambda df: df["y"].describe(percentiles=[1 / 3, 0.0015, 2 / 3]),
    "percentiles of columns": lambda df: df[["y"]].describe(percentiles=[0.01999, 0.5]),
}


#: Those with labelled rows in memory: some may have no partner, so that whole numbers are of type float64.
LABELLED = {name for name in PROGRAMS if "in memory" in name or "labelled rows" in name or name.startswith("where by")}


@pytest.mark.parametrize("npartitions", [1, 2, 6])
@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_are_looked_at_together(name, npartitions):
    program = PROGRAMS[name]
    expected = program(ROWS)
    check(program(rd.from_pandas(ROWS, npartitions=npartitions)), expected, check_dtype=name not in LABELLED)


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("value", [[1], [1, 2, 3], np.ones((6, 3)), ROWS[["x"]], ROWS])
def test_columns_are_set_to_as_many(value, npartitions):
    with pytest.raises(ValueError, match="same length as key"):
        assigned(ROWS, NUMBERS, value)
    with pytest.raises(ValueError, match="same length as key"):
        assigned(rd.from_pandas(ROWS, npartitions=npartitions), NUMBERS, value)


@pytest.mark.parametrize("npartitions", [1, 3])
def test_too_few_values_are_refused(npartitions):
    lazy = rd.from_pandas(ROWS, npartitions=npartitions)
    with pytest.raises(ValueError, match="length|shapes|broadcast"):
        np.maximum(lazy["x"], np.array([1, 2])).compute()


def test_a_number_of_no_rows_is_no_number_of_a_sample():
    """A function of partitions gets the number of all rows, also beside partitions that hold none."""
    lazy = rd.from_pandas(ROWS, npartitions=3)
    few = lazy[lazy["x"] > 9]
    count = lambda rows, total: pd.Series([int(total)])
    for total in (few["x"].sum(), lazy["x"].max()):
        assert few.map_partitions(count, total, meta=(None, "int64")).compute().tolist() == [10, 10, 10]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (pd.Series([2**53 + 1, 5]), "float64"),
        (pd.Series([0.1, 5.0]), "float32"),
        (pd.Series(pd.to_datetime(["2020-01-01 00:00:00.123456789"])), "datetime64[us]"),
        (pd.Series(pd.to_datetime(["2020-01-01"], utc=True)), "datetime64[us]"),
        (pd.Series([1.5]), "int64"),
        (pd.Series([300]), "int8"),
    ],
)
def test_values_that_the_type_named_cannot_hold_are_refused(values, dtype):
    lazy = rd.from_pandas(values, npartitions=1)
    with pytest.raises(ValueError, match="meta"):
        lazy.map_partitions(lambda rows: rows, meta=(None, dtype)).compute()


@pytest.mark.parametrize("label", ["a\x1fb", "\x1da", "a\0b"])
def test_labels_that_stand_for_others_are_refused(label):
    with pytest.raises(NotImplementedError, match="column label"):
        rd.from_pandas(ROWS.rename(columns={"x": label}), npartitions=1)


def test_joins_have_as_many_partitions_as_asked():
    by_two = ROWS.assign(t=ROWS["s"].fillna("")).set_index(["x", "t"])
    lazy = rd.from_pandas(by_two[["y"]], npartitions=1)
    other = by_two[["f"]].iloc[:0]
    assert lazy.join(rd.from_pandas(other, npartitions=1), npartitions=3).npartitions == 3
    several = rd.from_pandas(ROWS[["x"]], npartitions=2).join(
        [rd.from_pandas(ROWS[["y"]], npartitions=2)], npartitions=3
    )
    assert several.npartitions == 3
    check(several, ROWS[["x", "y"]])


def test_a_sort_of_ones_own_may_number_rows_anew():
    lazy = rd.from_pandas(ROWS, npartitions=3)
    found = lazy.sort_values("x", ignore_index=True, sort_function=lambda rows, **told: rows.sort_values(**told))
    check(found, ROWS.sort_values("x", ignore_index=True))


@pytest.mark.parametrize(
    "write",
    [
        lambda df: df.to_parquet(None, row_group_size=1),
        lambda df: df.to_parquet(None, partition_cols=["s"]),
        lambda df: df.to_csv(io.StringIO(), compute=False),
        lambda df: df.to_csv(None, name_function=str),
    ],
)
def test_options_of_folders_are_refused_in_memory(write):
    with pytest.raises(NotImplementedError, match="folder"):
        write(rd.from_pandas(ROWS, npartitions=2))
