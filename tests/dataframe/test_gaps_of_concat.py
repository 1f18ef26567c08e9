"""Which columns of `concat` may miss values: those that one of the frames lacks, and no others."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LACKED = {
    "category": (pd.Categorical(["a", "b", "a"]), [0, 1, 2]),
    "float": ([1.5, 2.5, 3.5], ["p", "q", "r"]),
    "integer": ([1, 2, 3], ["p", "q", "r"]),
    "text": (["u", "v", "w"], ["p", "q", "r"]),
}
OTHER = pd.DataFrame({"i": [4, 5], "b": [True, True]})
PUT: dict[str, Callable[[Any, Any, Any], Any]] = {
    "first": lambda lib, one, other: lib.concat([one, other]),
    "last": lambda lib, one, other: lib.concat([other, one]),
    "inner": lambda lib, one, other: lib.concat([one, other], join="inner"),
    "sorted": lambda lib, one, other: lib.concat([one, other], sort=True),
    "keys": lambda lib, one, other: lib.concat([one, other], keys=["u", "v"]),
    "numbered": lambda lib, one, other: lib.concat([one, other], ignore_index=True),
}
USES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda rows: rows,
    "texts": lambda rows: rows.i.astype("str"),
    "squares": lambda rows: rows.i**2,
    "groups": lambda rows: rows.groupby("i").size(),
    "chosen": lambda rows: rows[rows.b],
    "integers": lambda rows: rows[["i", "b"]].select_dtypes("int64"),
}


@pytest.mark.parametrize("lacked", LACKED)
@pytest.mark.parametrize("put", PUT)
def test_columns_of_all_frames_miss_nothing(lacked: str, put: str) -> None:
    values, labels = LACKED[lacked]
    one = pd.DataFrame({"i": [1, 2, 3], "b": [True, False, True], "w": values}, index=labels)
    expected = PUT[put](pd, one, OTHER)
    for use, partitions in itertools.product(USES, (1, 2)):
        found = PUT[put](rd, rd.from_pandas(one, npartitions=partitions), rd.from_pandas(OTHER, npartitions=1))
        assert found.dtypes["i"] == "int64"
        assert found.dtypes["b"] == "bool"
        if lacked != "integer" or use != "rows":
            check(USES[use](found), USES[use](expected))
