"""Keys of joins that are no plain names, and what they make of columns and of the order of rows."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LEFT = pd.DataFrame({"i": [1, -1, 2, 3, -2], "g": ["x", "y", None, "x", "z"], "f": [1.5, 2.5, np.nan, 0.0, 7.0]})
RIGHT = pd.DataFrame({"i": [2, 1, 5], "g": ["x", "z", None], "v": [10.0, 20.0, 30.0]})
HOWS = ["inner", "left", "right", "outer"]
SERIES = {
    "left": lambda a, b: {"left_on": a["i"].abs(), "right_on": "i"},
    "other name": lambda a, b: {"left_on": a["i"].abs(), "right_on": "v"},
    "right": lambda a, b: {"left_on": "i", "right_on": b["i"] + 1},
    "both": lambda a, b: {"left_on": a["i"].abs(), "right_on": b["i"]},
    "column itself": lambda a, b: {"left_on": a["i"], "right_on": b["i"]},
    "listed": lambda a, b: {"left_on": [a["i"].abs(), "g"], "right_on": ["i", "g"]},
    "index": lambda a, b: {"left_on": a["i"].abs(), "right_index": True},
}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("keys", SERIES)
@pytest.mark.parametrize("partitions", [1, 3])
def test_series_as_keys_leave_columns(keys, how, partitions):
    left, right = rd.from_pandas(LEFT, npartitions=partitions), rd.from_pandas(RIGHT, npartitions=2)
    expected = LEFT.merge(RIGHT, how=how, **SERIES[keys](LEFT, RIGHT))
    found = left.merge(right, how=how, **SERIES[keys](left, right)).compute()
    # Whether an integer is missing only the rows tell.
    check(found.astype(expected.dtypes), expected)


MISSING = {
    "times": pd.to_datetime(["2021-01-02", None, "2020-01-01", "2021-01-02", None]),
    "zones": pd.to_datetime(["2021-01-02", None, "2020-01-01", "2021-01-02", None]).tz_localize("Asia/Tokyo"),
    "spans": pd.to_timedelta([5, None, -3, 5, None], unit="h"),
    "categories": pd.Categorical(["b", None, "a", "b", None], categories=["b", "a", "c"]),
    "ordered": pd.Categorical(["b", None, "a", "b", None], categories=["b", "a", "c"], ordered=True),
    "floats": np.array([5.0, np.nan, -3.0, 5.0, np.nan]),
    "text": ["b", None, "a", "b", None],
    "nullable": pd.array([5, None, -3, 5, None], dtype="Int64"),
}


@pytest.mark.parametrize("kind", MISSING)
@pytest.mark.parametrize("missing", ["both", "left", "right", "neither"])
@pytest.mark.parametrize("how", HOWS)
def test_order_of_missing_keys(kind, missing, how):
    left = pd.DataFrame({"k": MISSING[kind], "a": range(5)})
    right = pd.DataFrame({"k": MISSING[kind], "b": range(5)}).iloc[::-1].reset_index(drop=True)
    left = left if missing in ("both", "left") else left.dropna(ignore_index=True)
    right = right if missing in ("both", "right") else right.dropna(ignore_index=True)
    lazy = [rd.from_pandas(one, npartitions=2) for one in (left, right)]
    expected = left.merge(right, on="k", how=how)
    check(lazy[0].merge(lazy[1], on="k", how=how).compute().astype(expected.dtypes), expected)


@pytest.mark.parametrize("how", HOWS)
def test_suffixes_of_numbers(how):
    table = pd.DataFrame({0: [1, 2, 2], 1: ["a", "b", None], 10: [0.5, 1.5, 2.5]})
    lazy = rd.from_pandas(table, npartitions=2)
    check(lazy.merge(lazy, on=0, how=how), table.merge(table, on=0, how=how))
    check(lazy.merge(lazy, on=[0, 1], how=how), table.merge(table, on=[0, 1], how=how))


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a.merge(b, on="i", suffixes=("_x", "_x")),
        lambda a, b: rd.concat([a, b], axis=1),
        lambda a, b: rd.concat([a.set_index("g"), b], axis=1, join="inner"),
    ],
)
def test_columns_of_one_name_are_refused_in_words(call):
    left, right = rd.from_pandas(LEFT, npartitions=2), rd.from_pandas(RIGHT, npartitions=2)
    with pytest.raises(NotImplementedError, match="two columns cannot have one name"):
        call(left, right)


CONCATENATED = {
    "names with keys": lambda lib, a, b: lib.concat([a.rename_axis("n"), b], keys=["p", "q"]),
    "names and keys": lambda lib, a, b: lib.concat([a.rename_axis("n"), b.rename_axis("m")], keys=[1, 2], names=["s"]),
    "same names": lambda lib, a, b: lib.concat([a.rename_axis("n"), b.rename_axis("n")], keys=[1, 2]),
    "series beside frames": lambda lib, a, b: lib.concat([a[["i"]], a["f"]], axis=1, keys=["p", "q"]),
    "series beside series": lambda lib, a, b: lib.concat([a["i"], a["f"]], axis=1, keys=["p", "q"]),
    "labels of other names": lambda lib, a, b: lib.concat([a["i"], a.rename_axis("n")["f"]], axis=1),
    "checked": lambda lib, a, b: lib.concat([a[a["i"] > 1], a["f"][a["i"] < 1]], verify_integrity=True),
    "checked in vain": lambda lib, a, b: lib.concat([a, b["v"]], verify_integrity=True),
}


@pytest.mark.parametrize("name", CONCATENATED)
@pytest.mark.parametrize("partitions", [1, 3])
def test_concat(name, partitions):
    lazy = [rd.from_pandas(one, npartitions=partitions) for one in (LEFT, RIGHT)]
    try:
        expected = CONCATENATED[name](pd, LEFT, RIGHT)
    except ValueError:
        with pytest.raises(ValueError, match="overlapping"):
            CONCATENATED[name](rd, *lazy).compute()
        return
    check(CONCATENATED[name](rd, *lazy).compute().astype(expected.dtypes), expected)


@pytest.mark.parametrize("options", [{}, {"on": "i"}, {"how": "cross"}])
def test_a_name_of_a_column_and_of_labels_is_ambiguous(options):
    left = LEFT.set_index("i", drop=False)
    lazy = rd.from_pandas(left, npartitions=2, sort=False)
    if "how" in options:
        check(lazy.merge(RIGHT[["v"]], **options), left.merge(RIGHT[["v"]], **options))
        return
    for one in (left, lazy):
        with pytest.raises(ValueError, match="both an index level and a column label"):
            one.merge(RIGHT, **options)
