"""Attributes that pandas has and raskt has not, and what Python's own functions make of lazy values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"v": [3.5, 1.25, 2.0], "s": list("abc"), "t": pd.date_range("2020", periods=3)})
LAZY = rd.from_pandas(FRAME, npartitions=2)
OWNERS: dict[str, Callable[[Any], Any]] = {
    "frame": lambda d: d,
    "series": lambda d: d.v,
    "index": lambda d: d.index,
    "groups": lambda d: d.groupby("s"),
    "groups of a series": lambda d: d.groupby("s").v,
    "text": lambda d: d.s.str,
    "times": lambda d: d.t.dt,
}


def has(owner: Any, name: str) -> bool:
    """Whether an object has an attribute, or says why it has not."""
    try:
        return hasattr(owner, name)
    except (TypeError, ValueError, NotImplementedError):
        return True


@pytest.mark.parametrize("kind", OWNERS)
def test_methods_of_pandas_that_are_absent(kind: str) -> None:
    owner, other = OWNERS[kind](LAZY), OWNERS[kind](FRAME)
    names = dir(pd.Index if kind == "index" else type(other))
    names = [name for name in names if not (name.startswith("_") or hasattr(type(owner), name) or has(owner, name))]
    for name in names:
        with pytest.raises(AttributeError, match="raskt has no .* yet, which pandas has") as caught:
            getattr(owner, name)
        assert caught.value.name == name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        owner.nonsense
    assert not hasattr(owner, "_nonsense")


@pytest.mark.parametrize("name", ["unstack", "stack", "pivot", "T", "reindex", "xs"])
def test_what_is_missing_is_said(name: str) -> None:
    if not hasattr(type(LAZY), name):
        with pytest.raises(AttributeError, match=f"raskt has no `DataFrame.{name}` yet"):
            getattr(LAZY, name)


def test_errors_of_properties_stay() -> None:
    with pytest.raises(AttributeError, match="Can only use .str accessor"):
        LAZY.v.str
    with pytest.raises(AttributeError, match="Can only use .dt accessor"):
        LAZY.v.dt
    with pytest.raises(AttributeError, match="'Index' object has no attribute 'index'"):
        LAZY.index.index


@pytest.mark.parametrize(
    "function",
    [
        lambda d: f"{d.v.mean():.2f}",
        lambda d: f"{d.s.max():>8}",
        lambda d: f"{d.t.max():%Y-%m}",
        lambda d: round(d.v.mean(), 2),
        lambda d: round(d.v.mean()),
        lambda d: int(d.v.max()),
        lambda d: float(d.v.max()),
        lambda d: complex(d.v.max()),
        lambda d: math.floor(d.v.max()),
    ],
)
def test_functions_of_python_compute_values(function: Callable[[Any], Any]) -> None:
    found, expected = function(LAZY), function(FRAME)
    assert found == expected
    assert type(found) is type(expected)


def test_truth_and_text_of_values_compute_nothing() -> None:
    for function in (bool, lambda value: not value, lambda value: value and True):
        with pytest.raises(TypeError, match="compute"):
            function((LAZY.v > 1).any())
    assert f"{LAZY.v.max()}" == str(LAZY.v.max()) == repr(LAZY.v.max())
    with pytest.raises(AttributeError, match="compute"):
        LAZY.v.max().item()


def test_functions_of_pandas_say_that_they_take_no_lazy_frame() -> None:
    with pytest.raises(AttributeError, match="a function of pandas takes no lazy object"):
        pd.pivot_table(LAZY, index="s", values="v")


@pytest.mark.parametrize("dtype", ["float64", "int64", "bool", "str", "datetime64[us]"])
def test_copies_can_be_written_to(dtype: str) -> None:
    rows = pd.Series([1, 0, 1]).astype(dtype)
    for owner in (rd.from_pandas(rows, npartitions=2), rd.from_pandas(rows.to_frame(), npartitions=1)):
        values = np.array(owner, copy=True)
        assert values.flags.writeable
        values[0] = values[1]
    if dtype == "float64":
        assert np.nan_to_num(rd.from_pandas(rows / rows, npartitions=2)).tolist() == [1, 0, 1]
