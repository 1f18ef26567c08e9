"""Copies of collections that come after something else."""

from __future__ import annotations

import pickle

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import raskt.array as ra
import raskt.dataframe as rd
from raskt import delayed
from raskt.graph_manipulation import bind, clone

MADE = {
    "blocks of calls": lambda: ra.from_delayed(delayed(np.ones)(4), shape=(4,), dtype=float),
    "partitions": lambda: rd.from_pandas(pd.DataFrame({"a": [1, 2]}), npartitions=2)["a"],
    "partitions of calls": lambda: rd.from_delayed(
        [delayed(pd.DataFrame)({"a": [1, 2]})], meta=pd.DataFrame({"a": [1]})
    ),
    "blocks": lambda: ra.from_array(np.ones(4), chunks=2) + 1,
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("way", ["computed", "pickled"])
def test_copies_of_copies(name, way):
    made = MADE[name]()
    copy = clone(bind(bind(made, delayed(int)("1")), delayed(int)("2")))
    found = copy.compute() if way == "computed" else pickle.loads(cloudpickle.dumps(copy)).compute()
    assert np.array_equal(np.asarray(found), np.asarray(made.compute()))
