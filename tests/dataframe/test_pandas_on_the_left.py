"""pandas objects on the left of lazy ones: labels are brought together, or the operation is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

ROWS = pd.Series([10, 20, 30, 40])
OTHERS = pd.Series([1, 2, 3, 4], index=[3, 1, 2, 0])
FRAME = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [5.0, 6, 7, 8]})


def lazy(rows: Any) -> Any:
    """The rows in two partitions, in their order."""
    return rd.from_pandas(rows, npartitions=2, sort=False)


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.truediv, operator.pow, np.add])
def test_labels_meet(function: Callable[[Any, Any], Any]) -> None:
    found = function(ROWS, lazy(OTHERS))
    check(found, function(ROWS, OTHERS))
    other = FRAME.iloc[[2, 1, 0, 3]]
    check(function(FRAME, lazy(other)), function(FRAME, other))
    check(ROWS.add(lazy(OTHERS)), ROWS + OTHERS)


@pytest.mark.parametrize("function", [operator.eq, operator.ne, operator.lt, operator.ge])
def test_comparisons_need_equal_labels(function: Callable[[Any, Any], Any]) -> None:
    check(function(ROWS, lazy(ROWS)), function(ROWS, ROWS))
    check(function(lazy(ROWS), ROWS), function(ROWS, ROWS))
    check(function(FRAME, lazy(FRAME)), function(FRAME, FRAME))
    with pytest.raises(ValueError, match="identically-labeled"):
        function(ROWS, lazy(OTHERS)).compute()


def test_arrays_meet_by_position() -> None:
    check(ROWS.array + lazy(OTHERS), ROWS.array + OTHERS)
    check(lazy(OTHERS) - ROWS.to_numpy(), OTHERS - ROWS.to_numpy())


@pytest.mark.parametrize(
    "function",
    [
        lambda q: FRAME.assign(z=q),
        lambda q: pd.DataFrame({"z": q}),
        pd.Series,
        lambda q: pd.DataFrame(q.to_frame()),
        lambda q: ROWS.where(ROWS > 15, q),
        lambda q: ROWS.clip(upper=q),
        lambda q: ROWS.dot(q),
        lambda q: FRAME.add(q, axis=0),
    ],
)
def test_what_would_lose_labels_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(NotImplementedError, match="lose its labels"):
        function(lazy(OTHERS))


TEXTS = {"to_numeric": "1", "to_timedelta": "1h"}


@pytest.mark.parametrize(
    "name",
    ["to_datetime", "to_numeric", "to_timedelta", "isna", "isnull", "notna", "Index", "DatetimeIndex", "array"]
    + ["Categorical", "CategoricalIndex", "TimedeltaIndex", "factorize", "unique"],
)
@pytest.mark.parametrize("is_sorted", [False, True])
def test_functions_of_values_would_lose_labels(name: str, is_sorted: bool) -> None:
    rows = lazy(pd.Series([TEXTS.get(name, "2020-01-01")] * 3, index=[2, 0, 1]))
    with pytest.raises((NotImplementedError, TypeError)) as caught:
        getattr(pd, name)(rows.sort_values() if is_sorted else rows)
    if caught.type is NotImplementedError:
        assert "lose its labels" in str(caught.value)
    if name.islower() and hasattr(rd, name):
        assert f"raskt.dataframe.{name}" in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda q: pd.cut(q, 2),
        lambda q: pd.cut(q, [0, 2, 4]),
        lambda q: pd.qcut(q, 2),
        lambda q: pd.isna(q.to_frame()),
        lambda q: pd.MultiIndex.from_arrays([q, q]),
        lambda q: pd.PeriodIndex(q.astype("str"), freq="D"),
        lambda q: pd.IntervalIndex.from_breaks(q),
        lambda q: pd.crosstab(q, q),
        lambda q: pd.get_dummies(q),
    ],
)
def test_so_would_functions_of_more(function: Callable[[Any], Any]) -> None:
    with pytest.raises(NotImplementedError, match="lose its labels"):
        function(lazy(OTHERS))


def test_values_alone_are_given() -> None:
    assert ROWS.isin(lazy(OTHERS * 10)).all()
    assert np.asarray(lazy(OTHERS)).tolist() == [1, 2, 3, 4]
    assert FRAME.assign(z=lazy(OTHERS).index).z.tolist() == [3, 1, 2, 0]
    assert (ROWS + lazy(OTHERS).sum()).tolist() == [20, 30, 40, 50]
    assert list(lazy(OTHERS)) == [1, 2, 3, 4]
    assert np.digitize(lazy(OTHERS), [2, 4]).tolist() == [0, 1, 1, 2]
    assert ROWS.searchsorted(lazy(OTHERS) * 10).tolist() == [0, 1, 2, 3]
    check(pd.Index(lazy(OTHERS).index), OTHERS.index)
