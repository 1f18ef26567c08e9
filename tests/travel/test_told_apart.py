"""What pickled collections are known by: other data and other calls are never taken for each other."""

from __future__ import annotations

import pickle
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt import delayed

LARGE = 20_000
"""Elements of an argument that is a result of its own in a pickle: two pieces of memory each."""


def there_and_back(thing):
    return pickle.loads(cloudpickle.dumps(thing))


def total(*parts):
    return float(sum(part.sum() for part in parts))


def first_and_middle(*parts):
    return float(parts[0][0]), float(parts[64][0])


@pytest.mark.parametrize("count", [1, 3, 64, 128, 256])
def test_calls_of_one_name_with_other_data(count):
    def call(value):
        return delayed(total)(*[np.full(LARGE, value) for _ in range(count)], dask_key_name="total")

    one, two = there_and_back(call(1.0)), there_and_back(call(2.0))
    assert raskt.compute(one, two) == (1.0 * LARGE * count, 2.0 * LARGE * count)


def test_calls_with_the_same_data_in_another_order():
    parts = [np.full(LARGE, float(at)) for at in range(65)]
    swapped = [parts[64], *parts[1:64], parts[0]]
    one, two = (there_and_back(delayed(first_and_middle)(*given, dask_key_name="both")) for given in (parts, swapped))
    assert raskt.compute(one, two) == ((0.0, 64.0), (64.0, 0.0))


def test_persisted_results_of_one_name():
    def call(value):
        return delayed(total)(*[delayed(np.full)(LARGE, value).persist() for _ in range(256)], dask_key_name="total")

    one, two = there_and_back(call(1.0)), there_and_back(call(2.0))
    assert raskt.compute(one, two) == (256.0 * LARGE, 512.0 * LARGE)


DRAW = """
import random, sys, cloudpickle, numpy as np
import raskt.array as ra
from raskt import delayed
def draw():
    return random.SystemRandom().random()
def block():
    return np.array([draw()])
made = {"call": lambda: delayed(draw)(), "array": lambda: ra.from_delayed(delayed(block)(), shape=(1,), dtype=float)}
sys.stdout.buffer.write(cloudpickle.dumps(made[sys.argv[1]]()))
"""


@pytest.mark.parametrize("name", ["call", "array"])
def test_calls_of_two_processes_that_do_the_same_are_two(name):
    """They aren't pure: within one process two such calls are two tasks, and so are those of two."""

    def drawn():
        ran = subprocess.run([sys.executable, "-c", DRAW, name], capture_output=True, timeout=120, check=True)
        return pickle.loads(ran.stdout)

    one, other = raskt.compute(drawn(), drawn())
    assert float(np.asarray(one).sum()) != float(np.asarray(other).sum())


def draw(_=None):
    import random

    return random.SystemRandom().random()


def more(value):
    return value + 1


def test_what_is_pickled_together_shares_its_calls():
    first = delayed(draw)()
    one, other = there_and_back((first, delayed(more)(first)))
    found = raskt.compute(one, other)
    assert found[1] == found[0] + 1


def test_what_is_pickled_together_shares_its_blocks():
    x = ra.from_array(np.zeros(4), chunks=2).map_blocks(lambda block: block + draw(), dtype=float)
    one, other = there_and_back((x, x + 1))
    np.testing.assert_allclose((other - one).compute(), np.ones(4))


def test_what_is_pickled_together_shares_its_partitions():
    import pandas as pd

    import raskt.dataframe as rd

    df = rd.from_pandas(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), npartitions=2).map_partitions(lambda part: part + draw())
    one, other = there_and_back((df, df + 1))
    np.testing.assert_allclose((other - one).compute()["x"], np.ones(3))


def test_what_is_pickled_apart_shares_its_calls_too():
    """By one process: it is still the same call."""
    first = delayed(draw)()
    one, other = (pickle.loads(cloudpickle.dumps(made)) for made in (first, delayed(more)(first)))
    again = pickle.loads(cloudpickle.dumps(other))
    found = raskt.compute(other, one, again)
    assert found[0] == found[1] + 1 == found[2]


def test_calls_of_one_name_that_do_the_same_are_two():
    both = there_and_back([delayed(draw)(dask_key_name="draw") for _ in range(2)])
    one, other = raskt.compute(*both)
    assert one != other


def test_chains_that_share_their_beginnings():
    first = delayed(draw)()
    chains = [first]
    for _ in range(5):
        chains.append(delayed(more)(chains[-1]))
    read = there_and_back([delayed(total)(*map(delayed(np.float64), chains[: at + 1])) for at in range(6)])
    sums = raskt.compute(*read)
    for at, found in enumerate(sums):
        assert found == pytest.approx((at + 1) * sums[0] + at * (at + 1) / 2)


def test_copies_are_two_however_they_come():
    from raskt.graph_manipulation import clone

    first = delayed(draw)()
    x = ra.from_array(np.zeros(4), chunks=2).map_blocks(lambda block: block + draw(), dtype=float)
    for made in (first, x):
        found = raskt.compute(*there_and_back([made, clone(made), clone(made)]))
        assert len({float(np.asarray(one).ravel()[0]) for one in found}) == 3
        copy = clone(made)
        one, other = raskt.compute(*there_and_back([copy, copy]))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", ["frame", "array of columns", "object"])
def test_data_of_all_kinds_travels_once(kind):
    import pandas as pd

    import raskt.dataframe as rd

    values = np.random.default_rng(0).normal(size=(1000, 100))
    base = {
        "frame": lambda: rd.from_pandas(pd.DataFrame({"a": values.ravel()}), npartitions=4)["a"],
        "array of columns": lambda: ra.from_array(values, chunks=(1000, 10)),
        "object": lambda: delayed(np.asarray)(delayed(values)),
    }[kind]()
    many = [base + at for at in range(10)]
    data = pickle.dumps(many)
    assert len(data) < 2 * values.nbytes
    found = raskt.compute(*pickle.loads(data))
    for at, part in enumerate(found):
        np.testing.assert_allclose(np.asarray(part).ravel(), values.ravel() + at)


@pytest.mark.parametrize("length", [3, LARGE])
def test_data_that_has_changed_is_other_data(length):
    values = np.zeros(length)
    call = delayed(total)(values)
    one = there_and_back(call)
    values += 1
    other = there_and_back(call)
    assert raskt.compute(one, other) == (0.0, length)
