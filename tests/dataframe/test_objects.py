"""Objects beside other types: what pandas makes of them depends on all of them, however the rows are cut."""

from __future__ import annotations

import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import raskt.dataframe as rd
from frame_comparing import check

MIXED = pd.Series([1, "a", None, "b", 2.5, True, 10**20, "1", 7], dtype=object)
WHOLE = [1, 0, None, 3, 2**62, 2, 1, None, 7]
ARROW = {
    "int64[pyarrow]": pd.Series(WHOLE, dtype="int64[pyarrow]"),
    "bool[pyarrow]": pd.Series([True, False, None] * 3, dtype="bool[pyarrow]"),
    "string[pyarrow]": pd.Series(["b", "a", None] * 3, dtype=pd.ArrowDtype(pa.string())),
    "duration[ns][pyarrow]": pd.Series(WHOLE, dtype="duration[ns][pyarrow]"),
    "string": pd.Series(["b", "a", None] * 3, dtype="string"),
    "str": pd.Series(["b", "a", None] * 3, dtype="str"),
}


@pytest.mark.parametrize("partitions", [1, 2, 9])
@pytest.mark.parametrize("operation", [operator.eq, operator.ne])
@pytest.mark.parametrize("dtype", ARROW)
def test_objects_are_compared_with_values_of_arrow(dtype, operation, partitions):
    pdf = pd.DataFrame({"o": MIXED, "v": ARROW[dtype], "n": range(9)})
    lazy = rd.from_pandas(pdf, npartitions=partitions)
    for compared in (lambda df: operation(df.o, df.v), lambda df: operation(df.v, df.o)):
        check(compared(lazy), compared(pdf))
        check(lazy.assign(found=compared(lazy)), pdf.assign(found=compared(pdf)))


@pytest.mark.parametrize("partitions", [1, 2, 4])
@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "Float64", "boolean"])
@pytest.mark.parametrize(
    "values",
    [
        [1, 2, None, 0],
        [1, 0, "1", "0"],
        ["1", "0", None, "1"],
        [True, False, 1, 0],
        ["a", None, 1, 2],
        [1.0, 0, None, 1],
    ],
)
def test_objects_are_nullable_numbers_if_all_of_them_are(values, dtype, partitions):
    objects = pd.Series(values, dtype=object)
    lazy = rd.from_pandas(objects, npartitions=partitions)
    try:
        expected = objects.astype(dtype)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            lazy.astype(dtype).compute()
    else:
        check(lazy.astype(dtype), expected)


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("values", [{"a": 7}, {"a": True}, {"a": 1.5}, {"a": "z"}, {"a": 2**63}, {}])
@pytest.mark.parametrize("keys", ["str", "object", "period"])
def test_mapped_values_that_are_all_found_have_their_own_type(keys, values, partitions):
    pdf = pd.DataFrame({"k": pd.Series(["a", "b", "a", None], dtype=object), "n": range(4)})
    if keys == "period":
        pdf = pdf.assign(k=pd.PeriodIndex(["2020-01-01", "2021-01-01", "2020-01-01", None], freq="D"))
        values = {pd.Period("2020-01-01", "D"): value for value in values.values()}
    else:
        pdf = pdf.astype({"k": keys})
    lazy = rd.from_pandas(pdf, npartitions=partitions)
    check(lazy.k.map(values), pdf.k.map(values))
    check(lazy[lazy.n == 0].k.map(values), pdf[pdf.n == 0].k.map(values))


@pytest.mark.parametrize("keys", ["string", "Int64", "boolean", "Float32", "int64[pyarrow]", "bool[pyarrow]"])
def test_mapped_values_whose_type_depends_on_what_is_found_are_refused(keys):
    pdf = pd.DataFrame({"k": pd.Series(["1", "0", "1", None] if keys == "string" else [1, 0, 1, None], dtype=keys)})
    lazy, one = rd.from_pandas(pdf, npartitions=2), pdf["k"].iloc[0]
    for value in (7, True, 1.5):
        with pytest.raises(NotImplementedError, match="pass meta="):
            lazy.k.map({one: value})
    check(lazy.k.map({one: "z"}), pdf.k.map({one: "z"}))
    check(lazy.k.map({one: pd.Timestamp(2020, 1, 1)}), pdf.k.map({one: pd.Timestamp(2020, 1, 1)}))


@pytest.mark.parametrize("partitions", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "uint64[pyarrow]", "string", "double[pyarrow]"])
def test_what_is_missing_among_objects_is_what_pandas_says(dtype, partitions):
    values = ["a", None, "b"] if dtype == "string" else [2**52, None, 1]
    series = pd.Series(pd.array(values, dtype=dtype))
    doubled = lambda rows: rows.apply(lambda value: value + value)
    found = rd.from_pandas(series, npartitions=partitions).map_partitions(doubled, meta=(None, object)).compute()
    assert found.dtype == object
    assert found[1] is series[1] is pd.NA


@pytest.mark.parametrize("partitions", [1, 3])
def test_there_is_one_nan_among_objects(partitions):
    """Sets and dicts of Python, which go by identities, have one NaN, as those of what pandas read or joined."""
    other = pd.DataFrame({"k": [0, 3], "b": [True, False]})
    frame = pd.DataFrame({"k": range(6), "g": ["a"] * 4 + ["b"] * 2, "o": ["x", np.nan, None, np.nan, 2.5, np.nan]})
    tables = (
        frame.astype({"o": object}).merge(other, how="left"),
        rd.from_pandas(frame.astype({"o": object}), npartitions=partitions).merge(
            rd.from_pandas(other, npartitions=1), how="left"
        ),
    )
    for column in ("b", "o"):
        for use in (
            lambda rows: rows.groupby("g")[column].agg(lambda values: len(set(values))),  # noqa: B023
            lambda rows: rows[column].map(lambda value: value is np.nan),  # noqa: B023
        ):
            check(use(tables[1]), use(tables[0]))
