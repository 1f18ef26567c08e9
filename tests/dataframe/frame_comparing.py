"""A sample with edges, and one comparison with pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_index_equal, assert_series_equal


def check(actual, expected, **options):
    """Assert that a lazy object computes to what pandas gives: values, dtypes, order, index and names."""
    if hasattr(actual, "compute"):
        actual = actual.compute()
    if isinstance(expected, pd.DataFrame):
        assert_frame_equal(actual, expected, check_freq=False, **options)
    elif isinstance(expected, pd.Series):
        assert_series_equal(actual, expected, check_freq=False, **options)
    elif isinstance(expected, pd.Index):
        assert_index_equal(actual, expected, **options)
    else:
        check_scalar(actual, expected)


def check_scalar(actual, expected):
    """Assert that two scalars are equal, a missing one of either kind included."""
    if pd.api.types.is_scalar(expected) and pd.isna(expected):
        assert pd.isna(actual), f"{actual!r} is not missing"
    elif isinstance(expected, float | np.floating):
        assert actual == pytest.approx(expected, rel=1e-12, abs=1e-15)
    else:
        assert actual == expected


def sample() -> pd.DataFrame:
    """Twelve rows of every common type, with missing values, duplicates and unicode."""
    return pd.DataFrame(
        {
            "a": [3, 1, 2, 1, 3, 2, 1, 5, 4, 3, 1, 2],
            "b": [1.5, np.nan, -0.0, 2.5, np.nan, 3.25, 1e9, -7.5, 0.1, 0.2, np.nan, 4.0],
            "s": ["x", "y", None, "x", "été", "", "y", "x", "ЖЖ", "y", None, "z z"],
            "t": pd.to_datetime(
                ["2013-01-01 05:15", None, "2013-02-28 23:59:59", "2012-02-29", "2013-12-31", "2013-03-10"] * 2,
                format="ISO8601",
            ),
            "f": [True, False, True, True, False, False, True, False, True, True, False, True],
            "größe": np.arange(12, dtype="int64") * 10,
        }
    )
