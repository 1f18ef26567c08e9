"""Frames of every common type, and one way to hold a lazy call against the same call of pandas."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

PARTITIONS = [1, 2, 7]


def rows() -> pd.DataFrame:
    """Fourteen rows with missing values, ties and negative numbers."""
    count = 14
    i = np.arange(count)
    return pd.DataFrame(
        {
            "k": (i * 5) % 3,
            "g": [None if at == 5 else "abc"[at % 3] for at in i],
            "i": (i * 7) % 5 - 2,
            "x": np.where(i % 4 == 1, np.nan, (i * 37 % 11) / 4 - 1),
            "y": np.where(i == 3, np.nan, i * 0.5),
            "b": i % 3 == 0,
            "s": [None if at % 6 == 2 else "uvw"[at % 3] * (at % 2 + 1) for at in i],
            "t": pd.to_datetime([None if at == 4 else pd.Timestamp(2020, 1, 1 + int(at * 5 % 9)) for at in i]),
        },
    )


def lazy(data, npartitions):
    """The same rows as a lazy object, in their order."""
    return rd.from_pandas(data, npartitions=npartitions, sort=False)


def same(call, data, npartitions, **options):
    """Assert that a call of a lazy object gives what pandas gives: a value, or an error of the same kind.

    A call that raskt refuses must say so by NotImplementedError with a sentence.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = call(data)
        except Exception as error:
            with pytest.raises(type(error)):
                actual = call(lazy(data, npartitions))
                actual.compute()
            return
        check(call(lazy(data, npartitions)), expected, **options)


def refused(call, data, match):
    """Assert that a call is refused with a sentence."""
    with pytest.raises(NotImplementedError, match=match):
        call(lazy(data, 2))
