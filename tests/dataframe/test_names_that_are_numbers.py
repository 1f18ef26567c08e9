"""Columns and levels whose names are numbers, as those of files without a header: no name is taken for a position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

NAMES = {"positions": (0, 1, 2), "others": (2, 0, 1), "floats": (1.5, 0.0, -3.0), "years": (2019, 2020, 2021)}
STEPS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "sort_index": lambda d, a, b, c: labelled(d, c, a).sort_index(),
    "sort_index of a level": lambda d, a, b, c: labelled(d, c, a).sort_index(level=c),
    "sort_index downwards": lambda d, a, b, c: labelled(d, c, a).sort_index(ascending=False),
    "of a series": lambda d, a, b, c: labelled(d, c, a)[b].sort_index(),
    "sort_values": lambda d, a, b, c: d.sort_values([c, a]),
    "group-by": lambda d, a, b, c: d.groupby([c, a]).sum().sort_index(),
    "group-by, mean": lambda d, a, b, c: d.groupby([a, c])[b].agg(["mean", "max"]),
    "group-by, apply": lambda d, a, b, c: d.groupby([c, a]).apply(lambda g: g[b].sum()),
    "group-by of a level": lambda d, a, b, c: labelled(d, c, a).groupby(level=c).sum(),
    "group-by, one": lambda d, a, b, c: d.groupby(a).sum(numeric_only=True),
    "group-by, first": lambda d, a, b, c: d.groupby(c).first(),
    "value_counts": lambda d, a, b, c: d.value_counts([c, a]).sort_index(),
    "value_counts of one": lambda d, a, b, c: d[c].value_counts().sort_index(),
    "reversed": lambda d, a, b, c: labelled(d, c, a).iloc[::-1],
    "appended": lambda d, a, b, c: indexed(d, c).set_index(a, append=True).sort_index(),
    "renamed": lambda d, a, b, c: labelled(d, c, a).rename_axis([b, c]).sort_index(),
    "reset": lambda d, a, b, c: labelled(d, c, a).reset_index(),
    "reset one": lambda d, a, b, c: labelled(d, c, a).reset_index(level=a),
    "loc": lambda d, a, b, c: labelled(d, c, a).sort_index().loc["x"],
    "merge by labels": lambda d, a, b, c: labelled(d, c, a)[[b]].merge(
        labelled(d, c, a)[[b]] * 2, left_index=True, right_index=True
    ),
    "merge by columns": lambda d, a, b, c: d.merge(d[[a, b]].rename(columns={b: "m"}), on=a),
    "dummies": lambda d, a, b, c: dummies(d[[b, c]]),
    "level values": lambda d, a, b, c: labelled(d, c, a).index.get_level_values(c),
    "swapped": lambda d, a, b, c: labelled(d, c, a).swaplevel().sort_index(),
    "dropped": lambda d, a, b, c: labelled(d, c, a).droplevel(c),
    "drop": lambda d, a, b, c: d.drop(columns=[b]),
    "assigned": lambda d, a, b, c: d.assign(z=d[a] + d[b]),
    "melt": lambda d, a, b, c: d.melt(id_vars=[c], value_vars=[a, b]),
    "pivot_table": lambda d, a, b, c: d.pivot_table(index=a, columns=c, values=b, aggfunc="sum"),
    "describe": lambda d, a, b, c: d[[a, b]].describe(),
    "fillna": lambda d, a, b, c: d.fillna({b: 0.0, c: "?"}),
    "rolling": lambda d, a, b, c: d[[a, b]].rolling(2)[b].sum(),
    "nlargest": lambda d, a, b, c: d.nlargest(2, b),
    "duplicates": lambda d, a, b, c: d.drop_duplicates(subset=[c]),
    "mapped": lambda d, a, b, c: mapped(labelled(d, c, a)),
    "astype": lambda d, a, b, c: d.astype({a: "float32"}),
    "dropna": lambda d, a, b, c: d.dropna(subset=[b]),
    "where": lambda d, a, b, c: d.where(d[a] > 0),
    "agg": lambda d, a, b, c: d.groupby(c).agg({a: ["min", "max"], b: "sum"}),
    "agg by tuples": lambda d, a, b, c: d.groupby(c).agg({a: ["min", "max"]}).set_index((a, "max")).sort_index(),
    "cumsum": lambda d, a, b, c: labelled(d, c, a).groupby(level=c).cumsum(),
    "concat": lambda d, a, b, c: joined([labelled(d, c, a), labelled(d, c, a)]),
    "concat with keys": lambda d, a, b, c: joined([indexed(d, c), indexed(d, c)], keys=["p", "q"]),
}


def is_pandas(rows: Any) -> bool:
    return isinstance(rows, pd.DataFrame | pd.Series)


def indexed(rows: Any, name: Any) -> Any:
    return rows.set_index(name) if is_pandas(rows) else rows.set_index(name, sort=False)


def labelled(rows: Any, *names: Any) -> Any:
    return rows.set_index(list(names)) if is_pandas(rows) else rows.set_index(list(names), sort=False)


def dummies(rows: Any) -> Any:
    library = pd if is_pandas(rows) else rd
    return library.get_dummies(rows.astype({rows.columns[1]: pd.CategoricalDtype(["x", "y", "z"])}), prefix="p")


def mapped(rows: Any) -> Any:
    function = lambda part: part.assign(z=1)
    return function(rows) if is_pandas(rows) else rows.map_partitions(function)


def joined(parts: list[Any], **options: Any) -> Any:
    return (pd if is_pandas(parts[0]) else rd).concat(parts, **options)


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("step", STEPS)
def test_names_are_names(step: str, names: str) -> None:
    a, b, c = NAMES[names]
    if (step, names) == ("reset one", "others"):
        pytest.skip("pandas drops the level at the position of the name's position")
    frame = pd.DataFrame({a: [6, 0, 1, 6, 0], b: [1.0, np.nan, 3.0, 4.0, 5.0], c: ["x", "y", "z", "y", None]})
    expected = STEPS[step](frame, a, b, c)
    for partitions in (1, 2, 5):
        found = STEPS[step](rd.from_pandas(frame, npartitions=partitions), a, b, c).compute()
        if isinstance(expected, pd.Index):
            pd.testing.assert_index_equal(found, expected)
        elif isinstance(expected, pd.Series):
            pd.testing.assert_series_equal(found, expected)
        else:
            pd.testing.assert_frame_equal(found, expected, check_column_type=False, check_names=step != "pivot_table")


NUMPY: dict[str, Callable[[Any], Any]] = {
    "a column": lambda d: d[np.int64(1)],
    "columns": lambda d: d[[np.int64(1)]],
    "dropped": lambda d: d.drop(columns=np.int64(1)),
    "loc": lambda d: d.loc[:, np.int64(1)],
    "sorted": lambda d: d.sort_values(np.int64(0)),
    "grouped": lambda d: d.groupby(np.int64(0)).sum(),
    "labels": lambda d: d.set_index(np.int64(0)).sort_index(),
    "duplicates": lambda d: d.drop_duplicates(subset=np.int64(0)),
    "astype": lambda d: d.astype({np.int64(0): "float32"}),
    "renamed": lambda d: d.rename(columns={np.int64(0): "q"}),
    "merged": lambda d: d.merge(d, on=np.int64(0)),
    "dropna": lambda d: d.dropna(subset=np.int64(1)),
}


@pytest.mark.parametrize("step", NUMPY)
def test_names_may_be_numbers_of_numpy(step: str) -> None:
    frame = pd.DataFrame({0: [6, 0, 1], 1: [1.0, np.nan, 3.0], 2: ["x", "y", "z"]})
    found, expected = NUMPY[step](rd.from_pandas(frame, npartitions=2)).compute(), NUMPY[step](frame)
    same = pd.testing.assert_series_equal if expected.ndim == 1 else pd.testing.assert_frame_equal
    same(found, expected)


@pytest.mark.parametrize("level", [0, -1, "n", [0], ["n"]])
@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize("dropna", [True, False])
@pytest.mark.parametrize("method", ["sum", "mean", "size", "count", "max", "nunique"])
def test_categories_that_are_labels_are_groups_without_rows(
    level: Any, observed: bool, dropna: bool, method: str
) -> None:
    labels = pd.CategoricalIndex(["lo", "hi", "lo", None], categories=["lo", "mid", "hi"], name="n")
    frame = pd.DataFrame({"v": [1, 2, 3, 4], "k": [1.0, 1, 2, 2]}, index=labels)
    grouped = lambda rows: getattr(rows.groupby(level=level, observed=observed, dropna=dropna), method)()
    for partitions in (1, 2):
        lazy = rd.from_pandas(frame, npartitions=partitions, sort=False)
        for one, other in ((lazy, frame), (lazy["v"], frame["v"])):
            found, expected = grouped(one).compute(), grouped(other)
            if observed or method not in ("max",):  # extremes of a category without rows are floats, as documented
                same = pd.testing.assert_series_equal if expected.ndim == 1 else pd.testing.assert_frame_equal
                same(found, expected)
