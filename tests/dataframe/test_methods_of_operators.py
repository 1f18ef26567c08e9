"""The methods `add`, `eq`, `rmod` ... of frames and series, beside values that a frame meets by its columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.0, None]})
METHODS = ["eq", "ne", "lt", "le", "gt", "ge", "add", "rsub", "mul", "pow"]
ALONG_COLUMNS = [{}, {"axis": 1}, {"axis": "columns"}]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("partitions", [1, 2])
def test_a_lazy_series_meets_columns_by_its_labels(method, partitions):
    lazy = rd.from_pandas(FRAME, npartitions=partitions)
    for options in ALONG_COLUMNS:
        found = getattr(lazy, method)(lazy.mean(), **options)
        pd.testing.assert_frame_equal(found.compute(), getattr(FRAME, method)(FRAME.mean(), **options))


@pytest.mark.parametrize("method", METHODS)
def test_labels_of_rows_that_would_become_columns_are_refused(method):
    lazy = rd.from_pandas(FRAME, npartitions=2)
    for options in ALONG_COLUMNS:
        with pytest.raises(NotImplementedError, match="columns `a`, `b`, `0`, `1`, `2` and not `a`, `b`"):
            getattr(lazy, method)(lazy["a"], **options).compute()
    found = getattr(lazy, method)(lazy["a"], axis=0)
    pd.testing.assert_frame_equal(found.compute(), getattr(FRAME, method)(FRAME["a"], axis=0))


@pytest.mark.parametrize("text", ["", "a%d", b"", b"a%d"])
def test_numbers_are_not_formatted_by_text(text):
    kind = TypeError if isinstance(text, str) else NotImplementedError
    with pytest.raises(kind, match="cannot perform the operation mod"):
        rd.from_pandas(FRAME, npartitions=2)["a"].rmod(text)


@pytest.mark.parametrize("method", ["mod", "floordiv", "truediv", "mul"])
@pytest.mark.parametrize("partitions", [1, 3])
def test_what_fills_times_up_makes_objects_of_all_rows(method, partitions):
    times = pd.Series(pd.to_timedelta([1, 2, None, 86_400, -5, 7], unit="s"))
    lazy = rd.from_pandas(times, npartitions=partitions)
    for other in (np.int64(-3), 2, 2.5, float("inf")):
        if method in ("mod", "mul") and other == float("inf"):
            continue  # an overflow
        expected = getattr(times, method)(other, fill_value=1)
        pd.testing.assert_series_equal(getattr(lazy, method)(other, fill_value=1).compute(), expected)
