"""Data that expressions hold: it travels once, and what is too much of it is refused with a sentence."""

from __future__ import annotations

import pickle

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from raskt import delayed

MUCH = 70 << 20
"""Bytes: more than the form of an op may have."""


def first(thing):
    return thing[0]


def test_many_calls_with_arguments_of_middle_size():
    assert sum(raskt.compute(*[delayed(len)(bytes([at % 256]) * 60_000) for at in range(1200)])) == 1200 * 60_000


@pytest.mark.parametrize("kind", ["container", "closure", "blocks", "partitions"])
def test_much_that_functions_hold_is_computed_or_refused(kind):
    much = np.zeros(MUCH // 8)
    x = ra.from_array(np.arange(4.0), chunks=2)
    df = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2)
    made = {
        "container": lambda: delayed(lambda both: len(both))([much, delayed(int)("1")]),
        "closure": lambda: delayed(lambda: len(much))(),
        "blocks": lambda: x.map_blocks(lambda block: block + much[0]),
        "partitions": lambda: df.map_partitions(lambda part: part + int(much[0])),
    }
    try:
        made[kind]().compute()
    except Exception:
        # An error is all right; a panic is none of these.
        return


def test_much_in_the_tasks_of_dask_is_computed_or_refused():
    array = pytest.importorskip("dask.array")
    import raskt.dask

    x = array.from_array(np.ones(MUCH // 8), chunks=MUCH // 80)
    try:
        assert float(x.sum().compute(scheduler=raskt.dask.get)) == MUCH // 8
    except Exception:
        return


def test_much_in_a_pickle_is_computed_or_refused():
    calls = delayed(sum)([delayed(len)(bytes([at % 256]) * 60_000) for at in range(1200)])
    try:
        assert pickle.loads(pickle.dumps(calls)).compute() == 1200 * 60_000
    except Exception:
        return


LARGE = np.random.default_rng(0).normal(size=100_000)
FRAME = pd.DataFrame({"a": np.arange(50_000), "b": LARGE[:50_000]})
ONCE = 64 << 10
"""Bytes that everything but the data itself takes, at most."""


def bytes_of_ops(collection):
    """Bytes of the forms in a pickle; data lies beside them, as pieces."""
    expression = getattr(collection, "_plan", None) or getattr(collection, "__raskt_expr__", None)
    reduced = collection.__reduce_ex__(4) if expression is None else expression.__reduce__()
    return len(reduced[1][0])


X = ra.from_array(np.arange(20.0), chunks=5)
DF = rd.from_pandas(pd.DataFrame({"a": np.arange(20)}), npartitions=4)

HOLD_DATA = {
    "an argument": lambda: delayed(first)(LARGE),
    "an argument in a list": lambda: delayed(first)([LARGE, delayed(int)("1")]),
    "an argument in a dict": lambda: delayed(len)({"x": LARGE, "y": delayed(int)("1")}),
    "an argument of blocks": lambda: X.map_blocks(lambda block, table: block + table[0], LARGE, dtype=float),
    "an argument of blocks by name": lambda: X.map_blocks(lambda block, table=None: block + table[0], table=LARGE),
    "literals of blockwise": lambda: ra.blockwise(lambda a, t: a + t[0], "i", X, "i", LARGE, None, dtype=float),
    "bins": lambda: ra.digitize(X, np.sort(LARGE)),
    "bins of a histogram": lambda: ra.histogram(X, bins=np.sort(LARGE))[0],
    "what is drawn from": lambda: ra.random.default_rng(0).choice(LARGE, size=10, chunks=5),
    "an argument of partitions": lambda: DF.map_partitions(lambda part, other: part, FRAME),
    "a series beside": lambda: rd.from_pandas(FRAME, npartitions=4).assign(z=pd.Series(LARGE[:50_000])),
    "a table to look up": lambda: DF["a"].map(pd.Series(np.arange(50_000))),
    "another frame": lambda: DF.merge(FRAME, on="a"),
}


@pytest.mark.parametrize("name", HOLD_DATA)
def test_no_op_holds_data(name):
    assert bytes_of_ops(HOLD_DATA[name]()) < ONCE


def test_an_argument_of_many_calls_travels_once():
    calls = delayed(sum)([delayed(len)([LARGE, delayed(int)("1")]) for _ in range(10)])
    assert len(cloudpickle.dumps(calls)) < 2 * LARGE.nbytes


def test_data_of_collections_that_are_pickled_together_travels_once():
    x = ra.from_array(LARGE, chunks=10_000)
    assert len(pickle.dumps([x + at for at in range(10)])) < 2 * LARGE.nbytes


def test_an_argument_is_one_object_wherever_it_stands():
    def same(one, other, both):
        return one is other, one is both[0]

    for given in ([1, 2], np.arange(100_000)):
        assert delayed(same)(given, given, [given, delayed(int)("1")]).compute() == (True, True)
