"""What several processes have pickled is put into one graph: nothing of one is taken for something of another."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

import raskt

MAKE = """
import sys, cloudpickle, numpy as np, pandas as pd
import raskt.array as ra, raskt.dataframe as rd
from raskt import delayed
k = {k}
made = {{
    "array": ra.from_array(np.full(6, k), chunks=3),
    "mapped": ra.from_array(np.arange(6), chunks=3).map_blocks(lambda block: block * k, name="mapped", dtype=int),
    "frame": rd.from_pandas(pd.DataFrame({{"x": [k, k + 1]}}), npartitions=2),
    "function": rd.from_pandas(pd.DataFrame({{"x": [1, 2]}}), npartitions=2).map_partitions(lambda part: part * k),
    "call": delayed(lambda: k)(),
    "persisted": rd.from_pandas(pd.DataFrame({{"x": [k, k + 1]}}), npartitions=2).persist(),
}}
sys.stdout.buffer.write(cloudpickle.dumps(made[{name!r}]))
"""


def pickled(name, k):
    ran = subprocess.run([sys.executable, "-c", MAKE.format(name=name, k=k)], capture_output=True, timeout=120)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


@pytest.mark.parametrize("name", ["array", "mapped", "frame", "function", "call", "persisted"])
def test_collections_of_two_processes(name):
    one, other = (pickle.loads(pickled(name, k)) for k in (3, 5))
    found = raskt.compute(one, other)
    expected = [one.compute(), other.compute()]
    assert str(found[0]) == str(expected[0]) and str(found[1]) == str(expected[1])
    assert str(found[0]) != str(found[1])
    if name == "array":
        assert (one + other).compute().tolist() == [8] * 6
