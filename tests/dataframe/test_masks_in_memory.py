"""Masks that are pandas objects, arrays or lists: Series meet rows by their labels, others by position."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

LABELS = {
    "numbered": pd.RangeIndex(5),
    "texts": pd.Index(list("abcde")),
    "named": pd.Index([3, 1, 2, 0, 9], name="q"),
    "days": pd.date_range("2020", periods=5),
    "twice": pd.Index([1, 1, 2, 3, 3]),
    "levels": pd.MultiIndex.from_product([[1], list("abcde")], names=["u", "v"]),
}
MASKS: dict[str, Callable[[pd.Series], Any]] = {
    "same": lambda mask: mask,
    "reversed": lambda mask: mask[::-1],
    "more": lambda mask: pd.concat([mask, mask[:1].set_axis(mask.index[:1])]),
    "less": lambda mask: mask[:3],
    "nullable": lambda mask: mask.astype("boolean"),
    "missing": lambda mask: mask.astype("boolean").where([True, True, True, False, True]),
    "arrow": lambda mask: mask.astype("bool[pyarrow]"),
    "others": lambda mask: mask.set_axis(range(100, 105)),
    "list": lambda mask: mask.tolist(),
    "array": lambda mask: mask.to_numpy(),
    "frame": lambda mask: pd.DataFrame({"v": mask, "w": ~mask}),
}
PLACES: dict[str, Callable[[Any, Any], Any]] = {
    "frame": lambda rows, mask: rows[mask],
    "series": lambda rows, mask: rows.v[mask],
    "loc": lambda rows, mask: rows.loc[mask],
    "loc of a series": lambda rows, mask: rows.v.loc[mask],
    "where": lambda rows, mask: rows.where(mask),
    "mask": lambda rows, mask: rows.v.mask(mask, 0),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("labels", LABELS)
def test_masks_meet_rows_as_in_pandas(labels: str, mask: str, place: str) -> None:
    index = LABELS[labels]
    frame = pd.DataFrame({"v": [10, 20, 30, 40, 50], "w": [1.0, 2, 3, 4, 5]}, index=index)
    chosen = MASKS[mask](pd.Series([True, False, True, False, True], index=index))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = PLACES[place](frame, chosen)
        except Exception as error:
            expected = error
        for partitions in (1, 2):
            lazy = rd.from_pandas(frame, npartitions=partitions, sort=False)
            if isinstance(expected, Exception):
                with pytest.raises((type(expected), NotImplementedError)):
                    PLACES[place](lazy, chosen).compute()
                continue
            try:
                found = PLACES[place](lazy, chosen).compute()
            except NotImplementedError:
                continue
            same = pd.testing.assert_series_equal if expected.ndim == 1 else pd.testing.assert_frame_equal
            same(found, expected, check_freq=False)


@pytest.mark.parametrize("mask", ["same", "array", "frame"])
def test_values_are_not_assigned_by_masks_in_memory(mask: str) -> None:
    lazy = rd.from_pandas(pd.DataFrame({"v": [10, 20], "w": [1.0, 2]}), npartitions=2)
    with pytest.raises(NotImplementedError, match=r"df\.mask"):
        lazy[MASKS[mask](pd.Series([True, False]))] = 0


@pytest.mark.parametrize(
    "choose", [lambda rows, key: rows[key], lambda rows, key: rows.loc[key]], ids=["brackets", "loc"]
)
def test_a_mask_without_rows_meets_none(choose):
    frame, mask = pd.DataFrame({"x": [1, 2, 3]}, index=[3, 4, 5]), pd.Series([], dtype=bool)
    with pytest.raises(pd.errors.IndexingError):
        choose(frame, mask)
    with pytest.raises(pd.errors.IndexingError):
        choose(rd.from_pandas(frame, npartitions=2), mask).compute()


def test_arrays_of_two_dimensions_choose_no_cells():
    lazy = rd.from_pandas(pd.DataFrame({"x": [1, 2], "y": [3, 4]}), npartitions=2)
    with pytest.raises(NotImplementedError, match="two dimensions"):
        lazy[np.array([[True, False], [False, True]])]
