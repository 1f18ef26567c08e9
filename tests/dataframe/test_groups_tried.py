"""Functions of groups whose result one row doesn't tell, keys of tables that are series, and labels of levels."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

FRAME = pd.DataFrame(
    {
        "g": [1, 2, 1, 3, 2, 3, 1, 2],
        "h": list("xyxyyyxx"),
        "t": pd.to_datetime(["2020-01-01", "2020-02-03", "2020-01-09", "2020-02-08"] * 2),
        "d": pd.to_timedelta([1, 5, 2, 9, 4, 7, 8, 3], unit="h"),
        "i": [1, 2, 4, 8, 16, 32, 64, 128],
        "s": list("abcdefgh"),
    }
)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "longest step": lambda s: s.diff().max(),
    "second": lambda s: s.iloc[1],
    "last but one": lambda s: s.iloc[-2],
    "second of shifted": lambda s: s.shift().iloc[-1],
    "span": lambda s: s.iloc[-1] - s.iloc[0],
    "second sorted": lambda s: s.sort_values().iloc[1],
}
LABELS: dict[str, Callable[[Any], Any]] = {
    "unique": lambda d: labelled(d, "g", "h").index.unique(),
    "nunique": lambda d: labelled(d, "g", "h").index.nunique(),
    "unique of a level": lambda d: labelled(d, "g", "h").index.unique("g"),
    "unique of level values": lambda d: labelled(d, "g", "h").index.get_level_values("h").unique(),
    "level without duplicates": lambda d: labelled(d, "g", "h").index.get_level_values("g").drop_duplicates(),
    "level in order": lambda d: labelled(d, "g", "h").index.get_level_values("g").sort_values(),
    "level as a series": lambda d: labelled(d, "g", "h").index.get_level_values("g").to_series(),
    "level as a frame": lambda d: labelled(d, "g", "t").index.get_level_values("t").to_frame(),
    "level by positions": lambda d: labelled(d, "g", "h").index.get_level_values("g")[[0, 3]],
    "mapped level": lambda d: labelled(d, "g", "h").index.get_level_values("g").map(lambda one: one + 1),
    "greatest of a level": lambda d: labelled(d, "g", "h").index.get_level_values("h").max(),
    "rows by a level": lambda d: labelled(d, "g", "h")[lambda r: r.index.get_level_values("g") > 1],
    "unique of times": lambda d: labelled(d, "t", "h", "g").index.unique(),
    "nunique of times": lambda d: labelled(d, "t", "h", "g").index.nunique(),
}
TABLES: dict[str, Callable[[Any], Any]] = {
    "index": lambda d: d.pivot_table(index=d.t.dt.month, columns="h", values="i"),
    "columns": lambda d: d.pivot_table(index="g", columns=d.h, values="i", aggfunc="sum"),
    "both": lambda d: d.pivot_table(index=d.t.dt.month, columns=d.h, values="i"),
    "in a list": lambda d: d.pivot_table(index=["g", d.t.dt.month], columns=[d.h], values="i"),
    "in order": lambda d: d.pivot_table(index=[d.g, d.t.dt.month], columns=d.h.rename("k"), values="i"),
    "without columns": lambda d: d.pivot_table(index=d.t.dt.month, values="i"),
}


def labelled(frame: Any, *names: str) -> Any:
    """The rows in their order under labels of several levels."""
    return frame.set_index(list(names), **({} if isinstance(frame, pd.DataFrame) else {"sort": False}))


def sources(partitions: int = 3) -> list[Any]:
    """The rows in memory, and in files."""
    files = rd.from_map(lambda at: FRAME.iloc[at : at + 4], [0, 4], meta=FRAME.iloc[:0])
    return [rd.from_pandas(FRAME, npartitions=partitions, sort=False), files]


@pytest.mark.parametrize("method", ["apply", "agg"])
@pytest.mark.parametrize("column", ["t", "d", "i", "s"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_that_need_two_rows(function: str, column: str, method: str) -> None:
    run = lambda d: getattr(d.groupby("g")[column], method)(FUNCTIONS[function])
    try:
        expected = run(FRAME)
    except TypeError:
        pytest.skip("no such operation of text")
    for lazy in sources():
        check(run(lazy), expected)
        keyed = getattr(lazy[column].groupby(lazy["g"]), method)(FUNCTIONS[function])
        check(keyed, expected)


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_several_levels(name: str) -> None:
    for lazy in sources():
        check(LABELS[name](lazy), LABELS[name](FRAME))


@pytest.mark.parametrize("name", TABLES)
def test_series_as_keys_of_tables(name: str) -> None:
    for lazy in sources():
        check(TABLES[name](lazy), TABLES[name](FRAME), check_names=False)


@pytest.mark.parametrize("dropna", [True, False])
@pytest.mark.parametrize(
    "dtype", ["float64", "Int64", "boolean", "int64[pyarrow]", "str", "category", "datetime64[ns]"]
)
def test_first_rows_without_a_group(dtype: str, dropna: bool) -> None:
    texts = dtype in ("str", "category")
    values = [None, None, "a", "b", "a"] if texts else [None, None, 1, 0, 1]
    frame = pd.DataFrame({"k": pd.Series(values).astype(dtype), "v": [1, 2, 3, 4, 5], "w": [1.0, 2.0, None, 4.0, 5.0]})
    functions = [len, lambda g: g.v.sum(), lambda g: g.w.mean(), lambda g: g[["v"]], lambda g: g.v, lambda g: g.v.max()]
    for partitions, function in itertools.product((1, 2, 5), functions):
        run = lambda rows: rows.groupby("k", dropna=dropna, observed=True).apply(function)  # noqa: B023
        check(run(rd.from_pandas(frame, npartitions=partitions)), run(frame))
