"""A lazy value on the left of rows in memory, in lists where values are looked for, and rows that are written to."""

import operator

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"i": [3, 1, 2, 5], "f": [1.0, 2.0, 3.0, 4.0], "s": list("abca")})
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
             operator.eq, operator.lt, operator.ge]  # fmt: skip
ROWS = {
    "integers": pd.Series([1, 2], name="n"),
    "floats": pd.Series([0.5, np.nan, 2.0], index=[3, 1, 3]),
    "nullable": pd.Series([1, None], dtype="Int64"),
    "none": pd.Series([], dtype="float64"),
    "frame": pd.DataFrame({"a": [1, 2], "b": [0.5, 3.0]}),
}
VALUES = {"maximum": lambda d: d["i"].max(), "mean": lambda d: d["f"].mean(), "count": lambda d: d["i"].nunique()}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("operation", OPERATORS, ids=lambda one: one.__name__)
def test_values_on_the_left_of_rows(operation, value, rows):
    lazy = rd.from_pandas(FRAME, npartitions=2)
    expected = operation(VALUES[value](FRAME), ROWS[rows])
    found = operation(VALUES[value](lazy), ROWS[rows])
    (pd.testing.assert_frame_equal if rows == "frame" else pd.testing.assert_series_equal)(found.compute(), expected)


@pytest.mark.parametrize(
    "rows", [pd.Index([1, 2]), pd.array([1, 2]), np.array([1, 2])], ids=lambda one: type(one).__name__
)
@pytest.mark.parametrize("operation", OPERATORS, ids=lambda one: one.__name__)
def test_values_on_the_left_of_arrays_are_refused(operation, rows):
    with pytest.raises(NotImplementedError, match="compute the value first"):
        operation(rd.from_pandas(FRAME, npartitions=2)["i"].max(), rows)


HOLDERS = {
    "list": lambda value: [value],
    "tuple": lambda value: (value, 3),
    "series": lambda value: pd.Series([value]),
    "array": lambda value: np.array([value], dtype=object),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("column", ["i", "s", "f"])
def test_lazy_values_in_a_list_are_refused_where_values_are_looked_for(holder, column):
    lazy = rd.from_pandas(FRAME, npartitions=2)
    held = HOLDERS[holder](lazy[column].max())
    for looked in (lambda: lazy[column].isin(held), lambda: lazy.index.isin(held), lambda: lazy.isin({column: held})):
        with pytest.raises(NotImplementedError, match="no lazy values in a list"):
            looked()
    with pytest.raises(NotImplementedError, match="no lazy values in a list"):
        lazy.query(f"{column} in @held", local_dict={"held": held}).compute()


@pytest.mark.parametrize("function", ["to_datetime", "to_timedelta", "to_numeric"])
@pytest.mark.parametrize("column", ["i", "s", "f"])
def test_one_lazy_value_is_not_converted_as_rows(function, column):
    value = rd.from_pandas(FRAME, npartitions=2)[column].max()
    with pytest.raises(NotImplementedError, match=f"{function} of one lazy value"):
        getattr(rd, function)(value)


COLUMNS = {
    "floats": [1.0, 2.0, 3.0],
    "integers": [1, 2, 3],
    "truths": [True, False, True],
    "text": list("abc"),
    "times": pd.date_range("2020", periods=3),
    "zone": pd.date_range("2020", periods=3, tz="UTC"),
    "spans": pd.to_timedelta([1, 2, 3]),
    "categories": pd.Categorical(list("aba")),
    "nullable": pd.array([1, 2, None], dtype="Int64"),
    "arrow": pd.array([1, 2, 3], dtype="int64[pyarrow]"),
    "periods": pd.period_range("2020", periods=3, freq="M"),
    "intervals": pd.interval_range(0, 3),
    "complex": np.array([1j, 2, 3]),
    "objects": [1, "a", None],
    "halves": np.array([1, 2, 3], "f2"),
}


def written(rows):
    """The rows with the first of each column in place of the second."""
    columns = range(rows.shape[1]) if rows.ndim == 2 else [None]
    for at in columns:
        place = (1, at) if at is not None else 1
        rows.iloc[place] = rows.iloc[(0, at) if at is not None else 0]
    return rows


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("parts", [1, 2])
def test_what_is_computed_may_be_written_to(kind, parts):
    frame = pd.DataFrame(
        {"x": COLUMNS[kind], "f": [1.0, 2.0, 3.0], "n": [1, 2, 3], "t": pd.date_range("2020", periods=3)}
    )
    lazy = rd.from_pandas(frame, npartitions=parts)
    pd.testing.assert_frame_equal(written(lazy.compute()), written(frame.copy()))
    pd.testing.assert_frame_equal(written(lazy.persist().compute()), written(frame.copy()))
    pd.testing.assert_frame_equal(written(lazy.head(3)), written(frame.copy()))
    pd.testing.assert_frame_equal(written(lazy[["f", "n"]].compute()), written(frame[["f", "n"]].copy()))
    pd.testing.assert_series_equal(written(lazy["x"].compute()), written(frame["x"].copy()))
    one = lazy.repartition(npartitions=1)
    pd.testing.assert_frame_equal(one.map_partitions(written, meta=frame.iloc[:0]).compute(), written(frame.copy()))
    # Nothing else sees it.
    pd.testing.assert_frame_equal(lazy.compute(), frame)


def test_products_with_series_in_memory_go_by_labels():
    frame = pd.DataFrame({"f": [1.5, 2.0, 3.0], "h": [1, 2, 3]})
    lazy = rd.from_pandas(frame, npartitions=2)
    assert lazy.f.dot(frame.h[::-1]).compute() == frame.f.dot(frame.h[::-1])
    with pytest.raises(ValueError, match="not aligned"):
        lazy.f.dot(frame.h[:2]).compute()


def test_matrix_products_go_by_labels():
    frame = pd.DataFrame({"f": [1.5, 2.0, 3.0], "h": [1, 2, 3]})
    lazy = rd.from_pandas(frame, npartitions=2)
    assert (lazy.f @ frame.h[::-1]).compute() == frame.f @ frame.h[::-1]
    assert (lazy.f @ lazy.h).compute() == frame.f @ frame.h
    weights = pd.Series({"h": 2.0, "f": 1.0})
    pd.testing.assert_series_equal((lazy @ weights).compute(), frame @ weights)
