"""Values set in a frame: whole columns, several at once, and rows that a mask chooses; and tables by `pivot_table`."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TABLE = pd.DataFrame(
    {
        "i": [1, -2, 3, 0, 5],
        "f": [1.5, np.nan, -1.0, 0.0, 2.5],
        "b": [True, False, True, True, False],
        "m": pd.array([True, None, False, None, True], dtype="boolean"),
        "a": pd.array([None, True, False, True, None], dtype="bool[pyarrow]"),
        "g": ["x", None, "y", "x", "z"],
        "t": pd.to_datetime(["2021-01-01", None, "2020-02-29 12:00", "2021-01-01", "1999-12-31"], format="ISO8601"),
        "c": pd.Categorical(["p", "q", None, "p", "p"], categories=["q", "p", "unused"]),
        "n": pd.array([1, None, 3, 4, 5], dtype="Int64"),
    }
)
MASKS = ["b", "m", "a"]
VALUES = [0, 2, 1.5, np.nan, None, pd.NA, "x", "q", True, pd.Timestamp("2020-01-01"), pd.Timedelta("1h"), np.int8(3)]


@pytest.fixture(params=[1, 3])
def lazy(request):
    return rd.from_pandas(TABLE, npartitions=request.param)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("column", list("ifbgtcn"))
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_loc_sets_what_pandas_takes(lazy, mask, column, value):
    expected, found = TABLE.copy(), lazy.copy()
    try:
        expected.loc[expected[mask], column] = value
    except TypeError:
        with pytest.raises(TypeError):
            found.loc[found[mask], column] = value
        return
    try:
        found.loc[found[mask], column] = value
    except NotImplementedError:
        return
    check(found, expected)


@pytest.mark.parametrize("column", ["b", "t"])
def test_loc_sets_no_column_of_another_type(lazy, column):
    found = lazy.copy()
    with pytest.raises(TypeError):
        found.loc[found["b"], column] = found["i"]
    found.loc[found["m"], column] = lazy[column].shift(0)
    check(found, TABLE)


SCALARS = [
    1,
    np.int8(3),
    np.uint16(7),
    np.float32(1.5),
    np.float64(2),
    np.bool_(True),
    pd.NA,
    pd.NaT,
    None,
    np.nan,
    "x",
]


@pytest.mark.parametrize("value", SCALARS, ids=lambda value: f"{type(value).__name__} {value}")
def test_a_column_of_one_value_is_of_its_type(lazy, value):
    check(lazy.assign(new=value), TABLE.assign(new=value))
    found, expected = lazy.copy(), TABLE.copy()
    found["f"], expected["f"] = value, value
    found[["i", "other"]], expected[["i", "other"]] = value, value
    check(found, expected)


SEVERAL = {
    "list": lambda x: [1, 2.5],
    "tuple": lambda x: ("u", 2),
    "array": lambda x: np.array([1, 2]),
    "table": lambda x: np.arange(10).reshape(5, 2),
    "frame": lambda x: x[["g", "b"]],
    "too many": lambda x: [1, 2, 3],
    "series": lambda x: x["f"],
}


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("rows", [2, 5])
def test_several_columns_at_once(name, rows):
    if rows == 2 and name in ("table", "series"):
        pytest.skip("pandas takes as many rows as columns for a value of each column")
    expected = TABLE.head(rows).copy()
    found = rd.from_pandas(expected, npartitions=2)
    try:
        expected[["i", "new"]] = SEVERAL[name](expected)
    except ValueError:
        with pytest.raises(ValueError, match="same length as key"):
            found[["i", "new"]] = SEVERAL[name](found)
        return
    found[["i", "new"]] = SEVERAL[name](found)
    check(found, expected)


@pytest.mark.parametrize("index", ["n", "g", ["n", "g"], "c", "t"])
@pytest.mark.parametrize("columns", [None, "c", ["c", "b"], "g"])
@pytest.mark.parametrize(
    "options",
    [
        {"values": "f"},
        {"values": "i", "aggfunc": "sum"},
        {"values": ["i", "f"], "aggfunc": "count"},
        {"values": ["i", "f"], "aggfunc": {"i": "sum", "f": ["min", "max"]}},
        {"values": "i", "aggfunc": ["sum", "mean"]},
        {"values": "i", "aggfunc": "max", "fill_value": 0},
        {"values": "f", "aggfunc": "sum", "margins": True},
        {"values": "i", "observed": False},
        {"values": "f", "dropna": False},
        {"values": "i", "sort": False},
    ],
    ids=str,
)
def test_pivot_table(lazy, index, columns, options):
    if set([index] if isinstance(index, str) else index) & set(
        [columns] if isinstance(columns, str) else columns or []
    ):
        pytest.skip("a key of both sides")
    expected = TABLE.drop(columns="a").pivot_table(index=index, columns=columns, **options)
    try:
        found = lazy.pivot_table(index=index, columns=columns, **options)
    except NotImplementedError as error:
        assert "label" in str(error)  # missing values and truth values label no columns
        return
    found = found.compute()
    found.columns = expected.columns if list(found.columns) == list(expected.columns) else found.columns
    check(found, expected)


VALUES = {"one": 1, "half": 0.5, "large": 300, "text": "q", "true": True, "nothing": None, "nan": np.nan, "whole": 7.0}


@pytest.mark.parametrize("npartitions", [1, 2])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("dtype", ["int64", "int8", "float64", "float32", "bool", "str", "object", "Int64"])
def test_columns_take_values_of_their_type_by_a_mask(dtype, value, npartitions):
    kind = {"str": list("abc"), "object": ["a", 1, None], "bool": [True, False, True]}.get(dtype, [1, 2, 3])
    rows = pd.DataFrame({"x": pd.Series(kind, dtype=dtype)})
    lazy = rd.from_pandas(rows, npartitions=npartitions)
    try:
        expected = rows.copy()
        expected[expected.index != 1] = VALUES[value]
    except TypeError:
        with pytest.raises((TypeError, NotImplementedError)):
            lazy[lazy.index != 1] = VALUES[value]
        return
    lazy[lazy.index != 1] = VALUES[value]
    pd.testing.assert_frame_equal(lazy.compute(), expected)


ROWS = {
    "series": pd.Series([1, 2]),
    "text": pd.Series(["a"]),
    "times": pd.Series(pd.date_range("2020", periods=2, tz="UTC")),
    "category": pd.Series(["a"], dtype="category"),
    "nullable": pd.Series([1, None], dtype="Int64"),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("lazy", [True, False])
def test_frames_without_rows_keep_none(name, lazy):
    found = rd.from_pandas(TABLE, npartitions=2)
    found = found[found["i"] > 10**6]
    found["new"] = rd.from_pandas(ROWS[name], npartitions=1) if lazy else ROWS[name]
    assert len(found) == 0
    assert found.compute().dtypes["new"] == ROWS[name].dtype


@pytest.mark.parametrize("values", [[1, 2], np.array([1, 2]), pd.Index([1, 2])])
def test_frames_without_rows_take_no_list_of_values(values):
    found = rd.from_pandas(TABLE, npartitions=2)
    found = found[found["i"] > 10**6]
    with pytest.raises(ValueError, match="Length of values"):
        found["new"] = values
        found.compute()
