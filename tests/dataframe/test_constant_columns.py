"""A value, or a lazy scalar, that becomes a column is one value for each row, whatever is done with it afterwards."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

FRAME = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7], "k": list("xyzxyzx"), "f": [0.5, np.nan, 1, 2, 3, 4, 5]})

COLUMNS = {
    "number": lambda rows: rows.assign(c=1),
    "float": lambda rows: rows.assign(c=2.5),
    "text": lambda rows: rows.assign(c="word"),
    "truth": lambda rows: rows.assign(c=True),
    "time": lambda rows: rows.assign(c=pd.Timestamp("2020-05-17")),
    "sum": lambda rows: rows.assign(c=rows.a.sum()),
    "mean": lambda rows: rows.assign(c=rows.f.mean()),
    "share": lambda rows: rows.assign(c=rows.a / rows.a.sum()),
    "running": lambda rows: rows.assign(c=rows.a.cumsum()),
    "shifted": lambda rows: rows.assign(c=rows.f.shift(1)),
}

USES = {
    "alone": lambda rows: rows[["c"]],
    "as a series": lambda rows: rows.c,
    "series and column": lambda rows: rows["c"] == rows["c"],
    "rows chosen": lambda rows: rows[rows.c == rows.c],
    "counted": lambda rows: rows[["c", "a"]].count(),
    "counted as a series": lambda rows: rows.c.count(),
    "greatest": lambda rows: rows.c.max(),
    "how many": lambda rows: len(rows[["c"]]),
    "different ones": lambda rows: rows[["c", "k"]].nunique(),
    "moved": lambda rows: rows[["c", "f"]].shift(-1) if rows.c.dtype != bool else rows,
    "counts of groups": lambda rows: rows.groupby("k").c.count(),
    "greatest of groups": lambda rows: rows.groupby("k").c.max(),
    "spread over groups": lambda rows: rows.groupby("k").c.transform("max"),
    "grouped by": lambda rows: rows.groupby("c").a.sum(),
    "without repeats": lambda rows: rows.drop_duplicates("c"),
    "joined": lambda rows: rows[["c"]].drop_duplicates().merge(rows[["c", "a"]], on="c"),
    "sorted": lambda rows: rows.sort_values(["c", "a"], ascending=[True, False]),
    "after a filter": lambda rows: rows[rows.a > 2][["c"]],
    "last rows": lambda rows: rows.iloc[4:].c,
    "missing": lambda rows: rows.c.isna(),
}


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("column", COLUMNS)
def test_constants_are_columns(column, use, npartitions):
    call = lambda rows: USES[use](COLUMNS[column](rows))
    check(call(rd.from_pandas(FRAME, npartitions=npartitions)), call(FRAME))


NUMBERS = {
    "sum": lambda rows: rows.c.sum(),
    "sums": lambda rows: rows[["c", "a"]].sum(),
    "running": lambda rows: rows[["a", "c"]].cumsum(),
    "deviation": lambda rows: rows.c.std(),
    "described": lambda rows: rows[["a", "c"]].describe(),
    "sums of groups": lambda rows: rows.groupby("k").c.sum(),
    "running in groups": lambda rows: rows.groupby("k").c.cumsum(),
    "added": lambda rows: rows.c + rows.a,
}


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("use", NUMBERS)
@pytest.mark.parametrize("column", ["number", "float", "sum", "mean", "share", "running"])
def test_constant_numbers_count_as_often_as_there_are_rows(column, use, npartitions):
    call = lambda rows: NUMBERS[use](COLUMNS[column](rows))
    check(call(rd.from_pandas(FRAME, npartitions=npartitions)), call(FRAME))


@pytest.mark.parametrize("npartitions", [1, 3])
def test_none_is_a_column_of_objects(npartitions):
    check(rd.from_pandas(FRAME, npartitions=npartitions).assign(c=None), FRAME.assign(c=None))


ROWS = {
    "cross": lambda lib, a, b: a.merge(b, how="cross")[["a"]],
    "length of cross": lambda lib, a, b: len(a.merge(b, how="cross")),
    "sum over cross": lambda lib, a, b: a.merge(b, how="cross").a.sum(),
    "labels of concat": lambda lib, a, b: lib.concat([a, a], ignore_index=True).index.max(),
    "labels as a column": lambda lib, a, b: lib.concat([a, a], ignore_index=True).reset_index()[["index"]],
    "no columns": lambda lib, a, b: lib.concat([a, a], ignore_index=True)[[]],
    "none of a projection": lambda lib, a, b: a.sort_values("a").reset_index(drop=True)[[]].assign(c=1),
}


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("name", ROWS)
def test_rows_stay_where_no_column_is_read(name, npartitions):
    lazy = [rd.from_pandas(FRAME[[column]], npartitions=npartitions) for column in ("a", "k")]
    check(ROWS[name](rd, *lazy), ROWS[name](pd, FRAME[["a"]], FRAME[["k"]]))


@pytest.mark.parametrize("values", [[10**10, 10**10], [9 * 10**18, 9 * 10**18]])
@pytest.mark.parametrize("reduction", ["sum", "prod"])
def test_integers_that_may_miss_are_added_as_floats(values, reduction):
    left, right = pd.DataFrame({"k": [1, 2, 3]}), pd.DataFrame({"k": [1, 2], "v": values})
    call = lambda a, b: getattr(a.merge(b, on="k", how="left").v, reduction)()
    check(call(rd.from_pandas(left, npartitions=2), rd.from_pandas(right, npartitions=1)), call(left, right))


@pytest.mark.parametrize("running", ["cumsum", "cumprod"])
@pytest.mark.parametrize("then", ["isna", "count", "sum"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_infinities_may_add_up_to_nan(running, then):
    series = pd.Series([np.inf, -np.inf, 0.0, 1.0])
    call = lambda rows: getattr(getattr(rows, running)(), then)()
    check(call(rd.from_pandas(series, npartitions=2)), call(series))


NOTHING_FOUND = {
    "rows": lambda s: s,
    "missing": lambda s: s.isna().sum(),
    "count": lambda s: s.count(),
    "column": lambda s: s.to_frame("y")[["y"]],
    "groups": lambda s: s.to_frame("y").groupby("y", dropna=False).size(),
    "running": lambda s: s.isna().cumsum(),
    "sorted": lambda s: s.to_frame("y").sort_values("y", kind="stable"),
    "filled": lambda s: s.fillna(1.5),
}


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("program", NOTHING_FOUND)
@pytest.mark.parametrize("mapping", [{"a": 1.0}, {}, {"a": "b"}])
@pytest.mark.parametrize("dtype", ["int64", "float64", "str", "bool", "datetime64[ns]"])
def test_a_mapping_that_finds_nothing_keeps_the_rows(mapping, program, partitions, dtype):
    data = pd.Series([1, 0, 3, 4]).astype(dtype)
    if dtype == "str" and mapping == {"a": "b"} and program == "filled":
        pytest.skip("pandas refuses to fill strings with numbers")
    run = lambda s: NOTHING_FOUND[program](s.map(mapping))
    try:
        expected = run(data)
    except Exception as error:
        with pytest.raises(type(error)):
            run(rd.from_pandas(data, npartitions=partitions)).compute()
        return
    found = run(rd.from_pandas(data, npartitions=partitions)).compute()
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected, check_dtype=False)
    else:
        assert found == expected
