"""Functions as keys, which are called with what they choose from; and joins of the rows without a partner."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

FRAME = pd.DataFrame({"v": [3.5, 1.25, 2.0, 0.5], "i": [1, 2, 3, 4]}, index=list("abcd"))
CHOICES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda d: d[lambda r: r.v > 1],
    "a column": lambda d: d[lambda r: "v"],
    "columns": lambda d: d[lambda r: ["i", "v"]],
    "values": lambda d: d.v[lambda s: s > 1],
    "labels": lambda d: d.v[lambda s: ["a", "c"]],
    "loc": lambda d: d.loc[lambda r: r.v > 1],
    "loc of columns": lambda d: d.loc[lambda r: r.v > 1, lambda r: ["i"]],
    "loc of a series": lambda d: d.v.loc[lambda s: s > 1],
    "iloc": lambda d: d.iloc[lambda r: [0, 2]],
    "iloc of columns": lambda d: d.iloc[lambda r: [0, 2], lambda r: [1]],
    "iloc of a series": lambda d: d.v.iloc[lambda s: [0, 2]],
    "where": lambda d: d.where(lambda r: r > 1, lambda r: -r),
    "mask": lambda d: d.v.mask(lambda s: s > 1, lambda s: -s),
    "assign": lambda d: d.assign(w=lambda r: r.v * 2, x=lambda r: r.w + 1),
}
LEFT = pd.DataFrame({"k": [1, 2, 3, 2], "v": [1, 2, 3, 4]}, index=[5, 6, 7, 8])
RIGHT = pd.DataFrame({"k": [2, 4, 4], "w": [1, 2, 3], "v": list("xyz"), "_merge0": [1.0, 2.0, 3.0]}, index=[6, 1, 2])
KEYS: list[dict[str, Any]] = [
    {"on": "k"},
    {"left_on": "k", "right_on": "w"},
    {"left_index": True, "right_index": True},
    {"on": "k", "sort": True},
    {"on": "k", "indicator": True},
    {"on": "k", "indicator": "side", "suffixes": ("", "_r")},
    {"on": "k", "validate": "m:m"},
]


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("choice", CHOICES)
def test_functions_are_called_with_what_they_choose_from(choice: str, partitions: int) -> None:
    check(CHOICES[choice](rd.from_pandas(FRAME, npartitions=partitions)), CHOICES[choice](FRAME))


@pytest.mark.parametrize(("how", "keys"), list(product(["left_anti", "right_anti"], KEYS)), ids=str)
def test_rows_without_a_partner(how: str, keys: dict[str, Any]) -> None:
    expected = LEFT.merge(RIGHT, how=how, **keys)
    for partitions in (1, 3):
        lazy = rd.from_pandas(LEFT, npartitions=partitions)
        check(lazy.merge(RIGHT, how=how, **keys), expected, check_index_type=False)
        check(
            lazy.merge(rd.from_pandas(RIGHT, npartitions=2, sort=False), how=how, **keys),
            expected,
            check_index_type=False,
        )
    check(
        rd.merge(lazy, rd.from_pandas(RIGHT, npartitions=2, sort=False), how=how, **keys),
        expected,
        check_index_type=False,
    )
