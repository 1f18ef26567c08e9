"""The public objects of raskt, each beside its namesake in NumPy or pandas."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import raskt.array as ra
import raskt.dataframe as rd

WINDOWS: dict[str, Callable[[Any], Any]] = {
    "Rolling": lambda rows: rows.rolling(2),
    "Expanding": lambda rows: rows.expanding(2),
    "ExponentialMovingWindow": lambda rows: rows.ewm(2),
}


def namesakes() -> Iterator[tuple[str, Any, Any]]:
    """A title, our module or class, and theirs."""
    concrete = pd.DataFrame({"x": [1, 2], "s": ["a", "b"], "t": pd.date_range("2020-01-01", periods=2)})
    lazy = rd.from_pandas(concrete, npartitions=1)
    labelled, lazily_labelled = concrete.set_index("t"), rd.from_pandas(concrete.set_index("t"), npartitions=1)
    array = ra.from_array(np.ones(3), chunks=2)
    yield "array", ra, np
    yield "array.linalg", ra.linalg, np.linalg
    yield "array.random", ra.random, np.random
    yield "array.Array", type(array), np.ndarray
    yield "array.Generator", type(ra.random.default_rng(0)), np.random.Generator
    for name in ("fft", "ma"):
        if hasattr(ra, name):
            yield f"array.{name}", getattr(ra, name), getattr(np, name)
    yield "dataframe", rd, pd
    yield "dataframe.DataFrame", type(lazy), pd.DataFrame
    yield "dataframe.Series", type(lazy["x"]), pd.Series
    yield "dataframe.Index", type(lazy.index), pd.Index
    levels = ["x", "s"]
    yield "dataframe.MultiIndex", type(lazy.set_index(levels).index), type(concrete.set_index(levels).index)
    yield "dataframe.DataFrameGroupBy", type(lazy.groupby("x")), type(concrete.groupby("x"))
    yield "dataframe.SeriesGroupBy", type(lazy.groupby("x")["s"]), type(concrete.groupby("x")["s"])
    for name, windows in WINDOWS.items():
        yield f"dataframe.{name}", type(windows(lazy["x"])), type(windows(concrete["x"]))
        grouped = windows(lazy.groupby("s")["x"]), windows(concrete.groupby("s")["x"])
        yield f"dataframe.SeriesGroupBy.{name}", *map(type, grouped)
    weighted = {"window": 2, "win_type": "triang"}
    yield "dataframe.Window", type(lazy["x"].rolling(**weighted)), type(concrete["x"].rolling(**weighted))
    yield "dataframe.Resampler", type(lazily_labelled.resample("1D")), type(labelled.resample("1D"))
    yield "dataframe.str", type(lazy["s"].str), type(concrete["s"].str)
    yield "dataframe.dt", type(lazy["t"].dt), type(concrete["t"].dt)
    yield "dataframe.cat", type(lazy["s"].astype("category").cat), type(concrete["s"].astype("category").cat)


def public(owner: Any) -> list[str]:
    """The public names of a module or a class; of a module only what raskt itself defines."""
    names = [name for name in dir(owner) if not name.startswith("_")]
    if inspect.ismodule(owner):
        names = [
            name for name in names if not inspect.ismodule(getattr(owner, name)) and _is_ours(getattr(owner, name))
        ]
    return sorted(names)


def _is_ours(thing: Any) -> bool:
    module = getattr(thing, "__module__", None) or type(thing).__module__
    return module.split(".")[0] == "raskt"
