"""Reductions of columns of any type meet columns of any type as in pandas, or with a refusal."""

import operator

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

NUMBERS = ["int8", "uint64", "float32", "bool", "Int8", "UInt16"]
OPERATIONS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "eq"]
TABLE = pd.DataFrame({dtype: pd.Series([1, 1, 0, 1], dtype="int64").astype(dtype) for dtype in NUMBERS})
TABLE = TABLE.assign(**{dtype: pd.Series([3, 1, 2, 1], dtype=dtype) for dtype in NUMBERS if "bool" not in dtype})
TIMES = pd.Series(pd.to_datetime(["2020-01-02", None, "1969-12-31 23:59:59"], format="ISO8601"))


@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("method", ["max", "count"])
@pytest.mark.parametrize("reduced", ["int8", "Int8", "UInt16"])
def test_reductions_beside_columns(reduced, method, name, reflected):
    lazy, function = rd.from_pandas(TABLE, npartitions=2), getattr(operator, name)
    value, expected_value = (getattr(rows[reduced], method)() for rows in (lazy, TABLE))
    for dtype in NUMBERS:
        order = (lambda a, b: function(b, a)) if reflected else function
        try:
            expected = order(TABLE[dtype], expected_value)
        except (TypeError, NotImplementedError) as error:
            with pytest.raises((type(error), NotImplementedError)):
                order(lazy[dtype], value).compute()
            continue
        try:
            check(order(lazy[dtype], value), expected)
        except NotImplementedError:
            continue


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("method", ["min", "max"])
def test_times_less_the_first_or_the_last(unit, method):
    rows = TIMES.astype(f"datetime64[{unit}]")
    lazy = rd.from_pandas(rows, npartitions=2)
    check(lazy - getattr(lazy, method)(), rows - getattr(rows, method)())


@pytest.mark.parametrize("names", [["skew", "min"], ["kurt", "max"], ["std", "sem"]])
@pytest.mark.parametrize("dtype", ["float32", "int64", "Int8", "Int64", "Float32", "Float64", "double[pyarrow]"])
def test_lists_of_statistics_have_the_type_of_numbers(dtype, names):
    rows = pd.Series([1, 5, 2, 8, 3, 4], dtype=dtype)
    check(rd.from_pandas(rows, npartitions=2).agg(names), rows.agg(names))


@pytest.mark.parametrize("how", ["left", "outer"])
def test_positions_of_integers_that_may_miss(how):
    left, right = pd.DataFrame({"k": [1, 2, 3]}), pd.DataFrame({"k": [1, 2, 3], "i": [5, 6, 7]})
    joined = rd.from_pandas(left, npartitions=2).merge(rd.from_pandas(right, npartitions=1), on="k", how=how)
    found = joined.i.iloc[[0, 2]].compute()
    check(found.astype("int64"), left.merge(right, on="k", how=how).i.iloc[[0, 2]])
