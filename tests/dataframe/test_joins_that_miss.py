"""Which columns of a join may miss values, and that no integer is rounded because of it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LARGE = 2**60 + 1
LEFT = pd.DataFrame({"i": [1, 2, LARGE], "s": ["a", "b", "c"], "b": [True, False, True]})
RIGHT = pd.DataFrame({"s": ["a", "b", "c"], "m": [LARGE, 2, 3]})
FORMS = {
    "on": lambda left, right, how: left.merge(right, on="s", how=how),
    "to labels": lambda left, right, how: left.merge(right.set_index("s"), left_on="s", right_index=True, how=how),
    "from labels": lambda left, right, how: left.set_index("s").merge(right, left_index=True, right_on="s", how=how),
    "labels": lambda left, right, how: left.set_index("s").join(right.set_index("s"), how=how),
    "join on": lambda left, right, how: left.join(right.set_index("s"), on="s", how=how),
    "validated": lambda left, right, how: left.merge(right, on="s", how=how, validate="1:1"),
    "by series": lambda left, right, how: left.merge(right, left_on=left["s"], right_on=right["s"], how=how),
}
USES = {
    "sum": lambda rows, name: rows[name].sum(),
    "one more": lambda rows, name: rows[name] + 1,
    "greatest": lambda rows, name: rows[name].max(),
    "negative": lambda rows, name: -rows[name],
    "groups": lambda rows, name: rows.groupby(name).size().reset_index()[name],
    "counted": lambda rows, name: rows[name].value_counts().reset_index()[name],
    "labels of functions": lambda rows, name: rows.groupby(name).apply(len).reset_index()[name],
    "categories": lambda rows, name: rows[name].astype("category").cat.codes,
    "difference": lambda rows, name: rows[name] - (LARGE - 1),
    "another": lambda rows, name: rows[name].where(rows[name] > 2, LARGE),
    "clipped": lambda rows, name: rows[name].clip(lower=LARGE),
    "moved": lambda rows, name: rows[name].shift(1, fill_value=LARGE),
    "compared": lambda rows, name: (rows[name] == LARGE - 1).astype("int64"),
    "compared with rows": lambda rows, name: (rows["i"] < rows["m"]).astype("int64"),
    "product": lambda rows, name: rows[name] * rows[name],
    "a function": lambda rows, name: rows.map_partitions(lambda part: part)[name] if is_lazy(rows) else rows[name],
    "eval": lambda rows, name: rows.eval(f"e = {name} * 2")["e"],
    "equal": lambda rows, name: rows[rows[name] == LARGE][name],
    "running": lambda rows, name: rows[name].cumsum(),
}


def is_lazy(rows: Any) -> bool:
    return not isinstance(rows, pd.DataFrame)


def lazy(frame: pd.DataFrame, partitions: int) -> Any:
    return rd.from_pandas(frame, npartitions=partitions)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("complete", [True, False])
def test_no_integer_is_rounded_without_a_word(form: str, way: str, complete: bool) -> None:
    right = RIGHT if complete else RIGHT[:2]
    joined = FORMS[form](LEFT, right, way)
    for partitions, use, name in itertools.product((2,), USES, ("i", "m")):
        expected = USES[use](joined, name)
        if joined[name].dtype == "float64":
            continue  # what is missing made floats of them in pandas as well
        try:
            found = USES[use](FORMS[form](lazy(LEFT, partitions), lazy(right, partitions), way), name).compute()
        except NotImplementedError:
            continue
        found, expected = (getattr(one, "tolist", lambda one=one: one)() for one in (found, expected))
        whole = lambda values: sorted(map(int, values)) if isinstance(values, list) else int(values)
        assert whole(found) == whole(expected), (use, name)


@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("names", [("u", "d"), ("u", None), (None, "d"), ("u", "u")])
def test_labels_are_named_as_in_pandas(way: str, names: tuple[str | None, str | None]) -> None:
    left = pd.DataFrame({"v": [1, 2, 3]}, index=pd.Index([1, 2, 3], name=names[0]))
    right = pd.DataFrame({"w": [1.0, 2, 3]}, index=pd.Index([2, 3, 4], name=names[1]))
    check(lazy(left, 2).join(lazy(right, 1), how=way), left.join(right, how=way))
    by_labels = {"left_index": True, "right_index": True, "how": way}
    check(lazy(left, 1).merge(lazy(right, 2), **by_labels), left.merge(right, **by_labels))


@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("column", ["key", "k", "key_", "x"])
def test_keys_that_are_series_beside_columns_of_like_names(way: str, column: str) -> None:
    left, right = pd.DataFrame({column: [1, 2, 3]}), pd.DataFrame({"m": [2, 3, 5]})
    merged = lambda a, b: a.merge(b, left_on=a[column], right_on=b["m"], how=way)
    check(merged(lazy(left, 2), lazy(right, 2)), merged(left, right))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("way", "side"), [("left", "i"), ("left", "b"), ("right", "m")])
def test_rows_that_are_all_kept_keep_their_types(form: str, way: str, side: str) -> None:
    if form == "by series":
        pytest.skip("which columns are of which side isn't known where keys are put before them")
    found = FORMS[form](lazy(LEFT, 2), lazy(RIGHT[:2], 1), way)
    expected = FORMS[form](LEFT, RIGHT[:2], way)
    assert found.dtypes[side] == expected.dtypes[side]
    check(found[side].reset_index(drop=True), expected[side].reset_index(drop=True))


@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("kind", ["numbers", "named", "texts", "narrow", "large"])
def test_rows_without_a_label_are_known_to_miss_it(way: str, kind: str) -> None:
    labels = {
        "numbers": [0, 1, 2],
        "named": [0, 1, 2],
        "texts": list("abc"),
        "narrow": [0, 1, 2],
        "large": [0, 1, 2**50],
    }
    dtype = {"narrow": "int8", "texts": "str"}.get(kind, "int64")
    left = pd.DataFrame(
        {"h": [1, 2, 3]}, index=pd.Index(labels[kind], dtype=dtype, name="q" if kind == "named" else None)
    )
    right = pd.DataFrame({"w": [1.0, 2, 3]}, index=pd.Index([2, 3, 9], name="h"))
    uses = {
        "rows": lambda rows: rows,
        "different": lambda rows: rows.reset_index().iloc[:, 0].nunique(),
        "counted": lambda rows: rows.reset_index().iloc[:, 0].value_counts().sort_index(),
        "equal": lambda rows: rows.reset_index().iloc[:, 0] == 0,
        "filled": lambda rows: rows.reset_index().iloc[:, 0].fillna(0 if kind != "texts" else ""),
        "groups": lambda rows: rows.groupby(level=0).w.sum(),
        "labels": lambda rows: rows.index.nunique(),
    }
    joins = {
        "join": lambda left, right: left.join(right, on="h", how=way),
        "merge": lambda left, right: right.merge(left, left_index=True, right_on="h", how=way),
    }
    for join, use in itertools.product(joins.values(), uses.values()):
        expected, found = use(join(left, right)), use(join(lazy(left, 2), lazy(right, 1)))
        if isinstance(expected, int):
            assert found.compute() == expected
        else:
            check(found, expected)


@pytest.mark.parametrize("keys", ["str", "object"])
@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
def test_a_mark_of_the_side_changes_no_types(keys: str, way: str) -> None:
    left, right = LEFT.astype({"s": keys}), RIGHT[:2].astype({"s": keys})
    plain = lazy(left, 2).merge(lazy(right, 1), on="s", how=way)
    marked = lazy(left, 2).merge(lazy(right, 1), on="s", how=way, indicator=True)
    assert dict(marked.dtypes)["i"] == plain.dtypes["i"]
    assert list(marked.dtypes)[:-1] == list(plain.dtypes)


SIGNS = [(2000, 10**15 + 7), (20000, 10**12), (50, 2**52 + 1), (3, 2**61), (10, 2**62 - 1)]


@pytest.mark.parametrize(("count", "size"), SIGNS)
@pytest.mark.parametrize("missing", [0, 1])
def test_sums_of_large_integers_of_both_signs(count: int, size: int, missing: int) -> None:
    numbers = pd.Series(range(2 * count))
    values = (size + numbers % 13).where(numbers < count, -size - numbers % 7)
    left = pd.DataFrame({"k": numbers, "g": numbers % 2})
    right = pd.DataFrame({"k": numbers, "y": values})[missing:]
    joined = left.merge(right, on="k", how="left")
    found = lazy(left, 3).merge(lazy(right, 2), on="k", how="left")
    totals = {
        "sum": lambda rows: rows["y"].sum(),
        "of groups": lambda rows: rows.groupby("g")["y"].sum(),
        "of a frame": lambda rows: rows[["y"]].sum(),
        "or missing": lambda rows: rows["y"].sum(skipna=False),
        "of some": lambda rows: rows["y"].sum(min_count=3),
        "product": lambda rows: rows["y"][:3].prod() if isinstance(rows, pd.DataFrame) else rows["y"].loc[:2].prod(),
    }
    for use, total in totals.items():
        expected = total(joined)
        try:
            answer = total(found).compute()
        except NotImplementedError:
            assert use == "product" or size > 2**60, use
            continue
        pair = [[float(one) for one in (rows.tolist() if hasattr(rows, "tolist") and rows.ndim else [rows])]
                for rows in (answer, expected)]  # fmt: skip
        tolerance = 0 if not missing else 1e-9 * size * count
        assert pair[0] == pytest.approx(pair[1], rel=0, abs=tolerance, nan_ok=True), use


CELLS = {
    "rows": lambda rows: rows[["m", "i"]].sum(axis=1),
    "greatest of rows": lambda rows: rows[["m", "i"]].max(axis=1),
    "running along rows": lambda rows: rows[["m", "i"]].cummax(axis=1).m,
    "explode": lambda rows: rows.explode("s").m,
    "replace": lambda rows: rows.replace({"m": {3: 4}}).m,
    "prefix": lambda rows: rows.m.add_prefix("q"),
    "fill": lambda rows: rows.m.add(rows.i - rows.i, fill_value=0),
    "ufunc": lambda rows: np.maximum(rows.m, rows.i - rows.i),
    "values": lambda rows: rows.m.values,
    "table": lambda rows: rows[["m"]].values[:, 0],
    "apply": lambda rows: rows.apply(lambda row: row.m, axis=1),
    "add a series": lambda rows: rows[["m"]].add(pd.Series({"m": 0})).m,
}


@pytest.mark.parametrize("use", CELLS)
def test_functions_of_partitions_round_nothing(use: str) -> None:
    joined = FORMS["on"](LEFT, RIGHT, "left")
    expected = [int(value) for value in CELLS[use](joined)]
    try:
        found = CELLS[use](FORMS["on"](lazy(LEFT, 2), lazy(RIGHT, 2), "left")).compute()
    except NotImplementedError:
        return
    assert [int(value) for value in found] == expected


NEAREST = {
    "on": {"on": "h"},
    "by": {"on": "h", "by": "g"},
    "pairs": {"on": "h", "left_by": "g", "right_by": "g"},
    "two names": {"left_on": "h", "right_on": "w"},
    "labels": {"left_index": True, "right_index": True},
    "key and labels": {"left_on": "h", "right_index": True},
    "suffixes": {"left_on": "h", "right_on": "w", "suffixes": ("_l", "")},
    "nearest": {"on": "h", "direction": "nearest"},
    "names like suffixes": {"on": "h", "suffixes": ("_l", "_w")},
}


@pytest.mark.parametrize("keys", NEAREST)
def test_the_left_side_of_a_nearest_join_misses_nothing(keys: str) -> None:
    left = pd.DataFrame({"h": [1, 2, 3], "v": [10, 20, 30], "b": [True, False, True], "g": ["a", "b", "a"]})
    right = pd.DataFrame({"h": [2, 3, 9], "w": [1, 2, 3], "g": ["a", "b", "a"]})
    expected = pd.merge_asof(left, right, **NEAREST[keys])
    found = rd.merge_asof(lazy(left, 2), lazy(right, 1), **NEAREST[keys])
    check(found[["v", "b"]], expected[["v", "b"]])
    check(found[found["b"]][["v"]], expected[expected["b"]][["v"]])
    check(found["v"].astype("str"), expected["v"].astype("str"))


def test_products_of_a_zero_and_more_than_floats_hold_are_refused_or_zero() -> None:
    """It goes by how rows are put together whether the product of the others is more than floats hold."""
    numbers = pd.DataFrame({"k": range(60)})
    right = numbers.assign(y=[10**9] * 59 + [0])
    assert numbers.merge(right, on="k", how="left")["y"].prod() == 0
    for _ in range(20):
        try:
            found = lazy(numbers, 2).merge(lazy(right, 2), on="k", how="left")["y"].prod().compute()
        except NotImplementedError as error:
            assert "2**53" in str(error)
        else:
            assert found == 0


@pytest.mark.parametrize("way", ["left", "right", "outer", "inner"])
@pytest.mark.parametrize("validate", [None, "1:1"])
def test_columns_named_like_keys_with_suffixes(way: str, validate: str | None) -> None:
    left = pd.DataFrame({"k": [1, 2], "v": [5, 6]})
    right = pd.DataFrame({"k": [2, 3], "k_x": [7, 8], "v": [9, 9]})
    expected = left.merge(right, on="k", how=way, validate=validate)
    check(lazy(left, 2).merge(lazy(right, 1), on="k", how=way, validate=validate), expected)
    nearest = lambda lib, one, other: lib.merge_asof(one, other, on="k")
    one, other = left.rename(columns={"v": "k_x"}), right[["k", "v"]]
    found = nearest(rd, lazy(one, 2), lazy(other, 1))
    assert found.dtypes["k"] == "int64"
    check(found, nearest(pd, one, other))


@pytest.mark.parametrize("labels", [[1, 2, 3], [1, 2, 3, 4, 5]])
def test_maps_by_a_series_that_lacks_a_value(labels: list[int]) -> None:
    column, mapper = pd.Series([1, 2, 3, 4]), pd.Series(range(len(labels)), index=labels)
    found = lazy(column.to_frame("i"), 2)["i"].map(mapper)
    check(found.astype("float64"), column.rename("i").map(mapper).astype("float64"))
    check(found.isna(), column.rename("i").map(mapper).isna())
