"""When results of Dask's collections are the same."""

from __future__ import annotations

import numpy as np
import pandas as pd


def assert_same(mine, reference):
    """Types and values are the same, bit for bit."""
    assert type(mine) is type(reference)
    if isinstance(reference, pd.DataFrame):
        pd.testing.assert_frame_equal(mine, reference, check_exact=True)
    elif isinstance(reference, pd.Series):
        pd.testing.assert_series_equal(mine, reference, check_exact=True)
    elif isinstance(reference, pd.Index):
        pd.testing.assert_index_equal(mine, reference, exact=True)
    elif isinstance(reference, (np.ndarray, np.generic)):
        assert mine.dtype == reference.dtype
        np.testing.assert_array_equal(mine, reference)
    elif isinstance(reference, (list, tuple)):
        assert len(mine) == len(reference)
        for one, other in zip(mine, reference):
            assert_same(one, other)
    else:
        assert mine == reference
