"""Joins by keys of two types: each is pandas' result, or is refused."""

import itertools

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

HOWS = ["inner", "left", "right", "outer"]
KEYS = {
    "integers": pd.Series([3, 1, 5, 2, 1]),
    "floats": pd.Series([3, 1, np.nan, 2, 1]),
    "nullable": pd.Series([3, 1, None, 2, 1], dtype="Int64"),
    "truths": pd.Series([True, False, None, False, True], dtype="boolean"),
    "text": pd.Series(list("abxab")),
    "objects": pd.Series([1, "a", None, 2, 3.5], dtype=object),
    "categories of integers": pd.Series(pd.Categorical([3, 1, None, 2, 1], categories=[3, 1, 2, 7])),
    "other categories": pd.Series(pd.Categorical([1, 9, 3, 9, 1])),
    "categories of text": pd.Series(pd.Categorical(list("abcab"))),
    "intervals": pd.Series(pd.arrays.IntervalArray.from_breaks(range(6))),
    "other intervals": pd.Series(pd.arrays.IntervalArray.from_breaks(range(2, 8))),
}
FORMS = {
    "columns": {"on": "k"},
    "labels on the right": {"left_on": "k", "right_index": True},
    "labels on the left": {"left_index": True, "right_on": "k"},
    "labels": {"left_index": True, "right_index": True},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("left", KEYS)
def test_keys_of_two_types(left, form):
    for right, how in itertools.product(KEYS, HOWS):
        tables = []
        for side, name in (("left", left), ("right", right)):
            table = pd.DataFrame({"k": KEYS[name], "v": range(len(KEYS[name]))})
            tables.append(table.set_index("k") if FORMS[form].get(f"{side}_index") else table)
        lazy = [rd.from_pandas(table, npartitions=2, sort=False) for table in tables]
        try:
            expected = tables[0].merge(tables[1], how=how, **FORMS[form])
        except Exception as error:
            with pytest.raises((type(error), NotImplementedError)):
                lazy[0].merge(lazy[1], how=how, **FORMS[form]).compute()
            continue
        try:
            found = lazy[0].merge(lazy[1], how=how, **FORMS[form]).compute()
        except NotImplementedError:
            assert left != right or "intervals" in left, "keys of one type meet"
            continue
        check(found, expected)


LABELS = {
    "categories": pd.CategoricalIndex(["b", None, "a", "b", None], categories=["b", "a", "c"]),
    "ordered": pd.CategoricalIndex(["b", None, "a", "b", None], categories=["b", "a", "c"], ordered=True),
    "categories of integers": pd.CategoricalIndex([3, None, 1, 3, None], categories=[3, 1, 2]),
    "times": pd.DatetimeIndex(["2021-01-02", None, "2020-01-01", "2021-01-02", None]),
    "spans": pd.to_timedelta([5, None, -3, 5, None], unit="h"),
    "floats": pd.Index([5.0, np.nan, -3.0, 5.0, np.nan]),
    "text": pd.Index(["b", None, "a", "b", None], dtype="str"),
    "objects": pd.Index(["b", None, "a", "b", None], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("missing", ["both", "left", "right", "neither"])
def test_order_of_missing_labels(kind, missing):
    left = pd.DataFrame({"a": range(5)}, LABELS[kind])
    right = pd.DataFrame({"b": range(5)}, LABELS[kind]).iloc[3::-1]
    left = left if missing in ("both", "left") else left[left.index.notna()]
    right = right if missing in ("both", "right") else right[right.index.notna()]
    lazy = [rd.from_pandas(one, npartitions=2, sort=False) for one in (left, right)]
    for how in HOWS:
        check(lazy[0].join(lazy[1], how=how).compute(), left.join(right, how=how))


@pytest.mark.parametrize("how", ["right", "outer"])
def test_whole_intervals_are_refused_where_they_may_become_floats(how):
    lazy = [rd.from_pandas(pd.DataFrame({"k": KEYS[name]}), npartitions=2) for name in ("intervals", "other intervals")]
    with pytest.raises(NotImplementedError, match="intervals of floats"):
        lazy[0].merge(lazy[1], on="k", how=how)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("how", ["left_anti", "right_anti"])
@pytest.mark.parametrize("indicator", [False, True])
def test_what_is_missing_among_objects_without_a_partner(missing, how, indicator):
    some = pd.DataFrame({"k": pd.Series(["a", missing, "b", "c"], dtype=object), "v": range(4)})
    tables = (some, some.iloc[:1]) if how == "left_anti" else (some.iloc[:1], some)
    lazy = [rd.from_pandas(table, npartitions=2) for table in tables]
    try:
        expected = tables[0].merge(tables[1], on="k", how=how, indicator=indicator)
    except ValueError:
        return
    found = lazy[0].merge(lazy[1], on="k", how=how, indicator=indicator).compute()
    check(found.astype(expected.dtypes), expected)


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("dtype", ["int64[pyarrow]", "Int64", "uint8[pyarrow]"])
def test_times_of_integers_are_those_of_all_rows(dtype, partitions):
    largest = 200 if dtype.startswith("uint8") else 2**63 - 1
    for values in ([1, 0, largest, None], [1, 0, largest, 5]):
        series = pd.Series(values, dtype=dtype)
        lazy = rd.from_pandas(series, npartitions=partitions)
        try:
            expected = pd.to_datetime(series, unit="ns")
        except ValueError as error:
            with pytest.raises(type(error)):
                rd.to_datetime(lazy, unit="ns").compute()
            continue
        check(rd.to_datetime(lazy, unit="ns"), expected)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "string", "str", "int64", "int64[pyarrow]"])
def test_map_by_a_series(dtype):
    keys = {"boolean": [True, False, True], "string": list("abc"), "str": list("abc")}.get(dtype, [1, 2, 3])
    values = [[10, 20, 30], [1.5, 2.0, 3.0], list("xyz"), [1, "a", 2.5], pd.to_datetime(["2020", "2021", "2022"])]
    for one, found, missing in itertools.product(values, [3, 2, 1], [False, True]):
        series = pd.Series(keys, dtype=dtype)
        series = series.where([True, not missing, True])
        mapper = pd.Series(one, pd.Index(keys, dtype=None if dtype != "boolean" else object)).iloc[:found]
        mapper = mapper[~mapper.index.duplicated()]
        lazy = [rd.from_pandas(rows, npartitions=2, sort=False) for rows in (series, mapper)]
        try:
            result = lazy[0].map(lazy[1]).compute()
        except NotImplementedError:
            continue
        check(result, series.map(mapper))


def test_columns_of_one_name_that_a_function_makes_are_refused():
    lazy = rd.from_pandas(pd.DataFrame({"a": [1, 2, 1], "b": [3, 4, 3]}), npartitions=2)
    twice = lambda part: part.set_axis(["a", "a"], axis=1)
    with pytest.raises(NotImplementedError, match="one name"):
        lazy.map_partitions(twice).compute()
    with pytest.raises(NotImplementedError, match="one name"):
        lazy.map_partitions(twice, meta=pd.DataFrame({"a": [1], "b": [1]})).compute()
