"""`squeeze` gives what pandas gives, or says that only computing tells how many rows there are."""

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

SHAPES = {
    "one value": pd.DataFrame({"x": [1.5]}),
    "one column": pd.DataFrame({"x": ["a", None]}),
    "one row": pd.DataFrame({"x": [1], "y": [2]}),
    "several": pd.DataFrame({"x": [1, 2], "y": [2, 3]}),
    "no row": pd.DataFrame({"x": pd.Series([], dtype="int64")}),
    "series": pd.Series([1, 2], name="x"),
    "series of one value": pd.Series([pd.Timestamp("2020")], name="x"),
}


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_squeeze(shape, axis):
    rows = SHAPES[shape]
    lazy = rd.from_pandas(rows, npartitions=2)
    if rows.ndim == 1 and axis == 1:
        with pytest.raises(ValueError):
            lazy.squeeze(axis)
    elif rows.ndim == 2 and len(rows) == 1 and (axis == 0 or (axis is None and rows.shape[1] > 1)):
        with pytest.raises(NotImplementedError, match="squeeze"):
            lazy.squeeze(axis)
    else:
        check(lazy.squeeze(axis), rows.squeeze(axis))


def test_rows_that_only_computing_counts_are_refused():
    rows = rd.from_pandas(SHAPES["several"], npartitions=2)
    some = rows[rows.x > 1]
    for call in (some.squeeze, some.x.squeeze, lambda: some.squeeze(axis=0)):
        with pytest.raises(NotImplementedError, match="only computing"):
            call()
    check(some[["x"]].squeeze(axis=1), SHAPES["several"].x[[False, True]])
