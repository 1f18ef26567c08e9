"""Truth values that were missing before rows were left out or filled: objects in pandas, which compute as integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LEFT = pd.DataFrame({"k": list("aabc"), "p": [True, False, True, True]})
RIGHT = pd.DataFrame({"k": ["a", "b"], "q": [True, False]})
WAYS: dict[str, Callable[[Any], Any]] = {
    "dropna": lambda rows: rows.dropna(subset=["q"]),
    "filter": lambda rows: rows[rows.q.notna()],
    "query": lambda rows: rows.query("q == q"),
    "ffill": lambda rows: rows.assign(q=rows.q.ffill()),
    "where": lambda rows: rows.assign(q=rows.q.where(rows.q.notna(), rows.p)),
    "mask": lambda rows: rows.assign(q=rows.q.mask(rows.q.isna(), False)),
    "case_when": lambda rows: rows.assign(q=rows.q.case_when([(rows.q.isna(), False)])),
    "duplicates": lambda rows: rows.drop_duplicates("p"),
    "inner join": lambda rows: rows.merge(RIGHT.rename(columns={"q": "r"}), on="k"),
}
USES: dict[str, Callable[[Any], Any]] = {
    "add": lambda rows: rows.p + rows.q,
    "add one": lambda rows: rows.q + True,
    "sub": lambda rows: rows.q - rows.p,
    "mul": lambda rows: rows.p * rows.q,
    "neg": lambda rows: -rows.q,
    "invert": lambda rows: ~rows.q,
    "abs": lambda rows: abs(rows.q),
    "diff": lambda rows: rows.q.diff(),
    "replace": lambda rows: rows.q.replace(1, 5),
    "frame": lambda rows: rows[["p", "q"]].replace(1, 7),
    "quantile": lambda rows: rows.q.quantile(0.5),
}
SAME: dict[str, Callable[[Any], Any]] = {
    "sum": lambda rows: rows.q.sum(),
    "equal": lambda rows: rows.q == rows.p,
    "and": lambda rows: (rows.q & rows.p).astype(bool),
    "missing": lambda rows: rows.q.isna(),
    "converted": lambda rows: ~rows.q.astype(bool),
    "objects": lambda rows: rows.q.astype(object).map(str),
    "groups": lambda rows: rows.groupby("k").q.sum().astype("int64"),
}


def joined(partitions: int) -> tuple[Any, Any]:
    """A left join of which a row has no partner, lazy and in pandas."""
    lazy = rd.from_pandas(LEFT, npartitions=partitions).merge(rd.from_pandas(RIGHT, npartitions=1), on="k", how="left")
    return lazy, LEFT.merge(RIGHT, on="k", how="left")


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("way", WAYS)
def test_what_objects_compute_differently_is_refused(way: str, use: str, partitions: int) -> None:
    lazy, _ = joined(partitions)
    rows = WAYS[way](lazy)
    if way == "dropna" and use == "quantile":
        pytest.skip("there is none of truth values at all")
    with pytest.raises(NotImplementedError, match=r"truth values of which some may have been missing|astype"):
        USES[use](rows).compute()


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("use", SAME)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_the_same_of_both_is_not(way: str, use: str, partitions: int) -> None:
    lazy, expected = joined(partitions)
    check(SAME[use](WAYS[way](lazy)), SAME[use](WAYS[way](expected)))


@pytest.mark.parametrize("way", ["dropna", "filter"])
def test_replaced_values_that_are_no_truth(way: str) -> None:
    lazy, expected = (WAYS[way](rows) for rows in joined(2))
    for old, new in (("a", "z"), ({"k": {"a": "z"}}, None)):
        given = (old,) if new is None else (old, new)
        check(lazy.replace(*given).k, expected.replace(*given).k)


@pytest.mark.parametrize("use", ["add", "neg", "invert", "diff", "replace", "frame"])
def test_of_all_rows_they_are_objects(use: str) -> None:
    lazy, expected = joined(2)
    if use in ("neg", "invert", "diff"):
        lazy, expected = (rows.assign(q=rows.q.fillna(True)) for rows in (lazy, expected))
    check(USES[use](lazy), USES[use](expected))
