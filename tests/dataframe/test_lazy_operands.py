"""Lazy scalars as operands of any rows, and values that pandas tells apart by their types."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TABLE = pd.DataFrame(
    {
        "i": [1, 2, 3, 4],
        "i8": pd.Series([1, 2, 3, 4], dtype="int8"),
        "f": [1.5, np.nan, 2, 3],
        "f4": pd.Series([1.5, 0.1, 2, 3], dtype="float32"),
        "k": pd.Series([1, None, 3, 4], dtype="Int64"),
        "t": pd.date_range("2020-01-01", periods=4),
        "d": pd.Series(pd.to_timedelta([1, 2, None, 4], unit="s")).astype("timedelta64[us]"),
        "b": [True, False, True, False],
    }
)
OTHER = pd.DataFrame({"z": [1.0, 2.0, 6.0]})
SCALARS: dict[str, Callable[[Any, Any], Any]] = {
    "nullable": lambda a, o: (a.k - a.k.mean()) / a.k.std(),
    "nullable compared": lambda a, o: a.k > a.k.median(),
    "times": lambda a, o: (a.t - a.t.mean()) / (a.t.max() - a.t.min()),
    "spans": lambda a, o: (a.d - a.d.mean()) / a.d.std(),
    "of other rows": lambda a, o: a.i - o.z.mean(),
    "of other rows, reflected": lambda a, o: o.z.sum() - a.k,
    "of other rows, of a frame": lambda a, o: a[["i", "f"]] - o.z.mean(),
    "fillna": lambda a, o: a.f.fillna(o.z.mean()),
    "where": lambda a, o: a.f.where(a.f > 1, o.z.max()),
    "clip": lambda a, o: a.f.clip(upper=o.z.min()),
    "between": lambda a, o: a.f.between(o.z.min(), o.z.max()),
    "fill_value": lambda a, o: a.f.add(o.z.mean(), fill_value=0),
    "two of them": lambda a, o: a.i - (a.k.mean() + o.z.mean()),
    "integers": lambda a, o: a.i - a.k.nunique(),
    "means of columns": lambda a, o: (a[["i", "f"]] - a[["i", "f"]].mean()) / a[["i", "f"]].std(),
}
VALUES: dict[str, Callable[[Any], Any]] = {
    "a missing time": lambda a: a.t == pd.NaT,
    "a date": lambda a: a.t == datetime.date(2020, 1, 1),
    "a double beside singles": lambda a: a.f4 == np.float64(0.1),
    "a number beside singles": lambda a: a.f4 == 0.1,
    "a wide integer": lambda a: a.i8 & np.int64(3),
    "nothing": lambda a: a.i == None,  # noqa: E711
    "not": lambda a: np.logical_not(a.i),
    "both": lambda a: np.logical_and(a.i, a.i8),
    "fabs": lambda a: np.fabs(a.i),
    "a span of seconds": lambda a: np.timedelta64(0, "s") + a.t,
    "too fine a span": lambda a: a.d - pd.Timedelta(1500, "ns"),
    "remainders": lambda a: a.i % a.i8,
    "text among times": lambda a: a.t.isin(["2020-01-01"]),
    "statistics of singles": lambda a: a.f4.describe(),
    "dot of narrow integers": lambda a: a.i8.dot(a.i8 * 30),
    "a bound on a wide type": lambda a: a.i8.clip(0, 2.5),
    "a span beside integers": lambda a: a.i8 == np.timedelta64(0, "s"),
    "a span times integers": lambda a: a.i8 * np.timedelta64(1, "h"),
    "bounds of another name": lambda a: a.i.between(a.i8, 3),
    "a function of each value": lambda a: a.i.agg(abs),
    "none in place of truth": lambda a: a.b.where(a.i > 1, None),
    "quantiles of singles": lambda a: a.f4.quantile(0.25),
    "a condition by rows": lambda a: a[["i", "f"]].where(a.b),
}


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("name", SCALARS)
def test_lazy_scalars_are_operands_anywhere(name, npartitions):
    lazy, other = rd.from_pandas(TABLE, npartitions=npartitions), rd.from_pandas(OTHER, npartitions=1)
    check(SCALARS[name](lazy, other), SCALARS[name](TABLE, OTHER))


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("name", VALUES)
def test_values_mean_what_they_mean_to_pandas(name, npartitions):
    found, wanted = VALUES[name](rd.from_pandas(TABLE, npartitions=npartitions)).compute(), VALUES[name](TABLE)
    if np.ndim(wanted):
        check(found, wanted)
    else:
        assert found == wanted


@pytest.mark.parametrize(
    "call",
    [lambda a: a.i % pd.NaT, lambda a: a.i**None, lambda a: a.i8 + 2**40, lambda a: a.d.dropna().astype("float64")],
)
def test_values_that_pandas_refuses_are_refused(call):
    with pytest.raises((TypeError, OverflowError)):
        call(TABLE)
    with pytest.raises((TypeError, OverflowError)):
        call(rd.from_pandas(TABLE, npartitions=2)).compute()


def test_types_that_only_zeros_decide_are_refused():
    table = pd.DataFrame({"i": [1, 2], "z": [0, 1]})
    lazy = rd.from_pandas(table.assign(n=table.z.astype("Int64"), m=table.z.astype("boolean")), npartitions=1)
    for apply in (lambda: lazy.i % lazy.z, lambda: lazy.i // lazy.z, lambda: lazy.m // lazy.n):
        with pytest.raises(NotImplementedError, match="float64"):
            apply().compute()


def test_means_of_other_columns_are_refused():
    lazy = rd.from_pandas(TABLE, npartitions=2)
    with pytest.raises(NotImplementedError, match="columns"):
        (lazy[["i", "f"]] - lazy[["i", "i8"]].mean()).compute()


def test_small_properties_of_series_and_scalars():
    lazy = rd.from_pandas(TABLE, npartitions=2)
    assert lazy.i.is_unique.compute() and not lazy.i.hasnans.compute() and lazy.f.hasnans.compute()
    assert lazy.i.memory_usage_per_partition(index=False).compute().tolist() == [16, 16]
    assert lazy.i.sum().divisions == (None, None)
