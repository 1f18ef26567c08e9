"""What the tests of the dataframe share."""

from __future__ import annotations

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import sample


@pytest.fixture
def pdf() -> pd.DataFrame:
    """The sample."""
    return sample()


@pytest.fixture(params=[1, 4], ids=["one", "four"])
def npartitions(request) -> int:
    """Partitions of a frame: everything holds for one and for several."""
    return request.param


@pytest.fixture
def df(pdf, npartitions):
    """The sample as a lazy frame."""
    return rd.from_pandas(pdf, npartitions=npartitions)
