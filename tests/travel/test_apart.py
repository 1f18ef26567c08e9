"""What is large in functions and arguments: it comes beside them, and is what it was."""

from __future__ import annotations

import dataclasses
import pickle

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from raskt import delayed
from raskt._process import apart

LARGE = np.random.default_rng(0).normal(size=100_000)


@dataclasses.dataclass
class Pair:
    left: object
    right: object


class Holder:
    def __init__(self, thing):
        self.thing = thing


class Fresh:
    """Makes new data each time that it is pickled."""

    def __reduce__(self):
        return bytes, (b"x" * (1 << 17),)


def measure(thing):
    if isinstance(thing, Pair):
        return measure(thing.left) + measure(thing.right)
    if isinstance(thing, Holder):
        return measure(thing.thing)
    if isinstance(thing, list | tuple) and not isinstance(thing[0], int):
        return sum(map(measure, thing))
    return len(thing)


KINDS = {
    "array": LARGE,
    "bytes": b"a" * 1_000_000,
    "bytearray": bytearray(1_000_000),
    "text": "ä" * 500_000,
    "numbers": list(range(300_000)),
    "objects": np.array(["a", None, 3] * 40_000, dtype=object),
    "frame": pd.DataFrame({"a": LARGE, "b": ["x"] * 100_000}),
    "series": pd.Series(LARGE),
    "index": pd.Index(np.arange(100_000)),
    "several": [LARGE, b"a" * 100_000, LARGE],
    "dataclass": Pair(LARGE, b"b" * 70_000),
    "instance": Holder([LARGE]),
    "fresh": Fresh(),
    "mapping": {str(at): bytes(1000) for at in range(3000)},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["alone", "in a list", "by name", "beside a result", "captured"])
def test_what_is_large_is_what_it_was(kind, way):
    thing = KINDS[kind]
    length = len(bytes(1 << 17)) if kind == "fresh" else measure(thing)
    made = {
        "alone": lambda: delayed(measure)(thing),
        "in a list": lambda: delayed(measure)([thing]),
        "by name": lambda: delayed(measure)(thing=thing),
        "beside a result": lambda: delayed(lambda both: measure(both[:1]))([thing, delayed(int)("1")]),
        "captured": lambda: delayed(lambda: measure(thing))(),
    }[way]()
    assert made.compute() == length
    again = pickle.loads(cloudpickle.dumps(made))
    assert again.compute() == length
    # Once more, by whoever has read it.
    assert pickle.loads(cloudpickle.dumps(again)).compute() == length


def test_functions_over_blocks_and_partitions_hold_data():
    x = ra.from_array(np.arange(20.0), chunks=5)
    y = x.map_blocks(lambda block: block + LARGE[0] + len(KINDS["bytes"]))
    expected = np.arange(20.0) + LARGE[0] + 1_000_000
    np.testing.assert_allclose(y.compute(), expected)
    np.testing.assert_allclose(pickle.loads(cloudpickle.dumps(y)).compute(), expected)
    df = rd.from_pandas(pd.DataFrame({"a": np.arange(20)}), npartitions=4)
    z = df.map_partitions(lambda part, other: part + len(other), KINDS["frame"])
    assert pickle.loads(cloudpickle.dumps(z)).compute()["a"].tolist() == list(range(100_000, 100_020))


def test_one_function_with_data_over_several_collections():
    table = np.arange(50_000.0)

    def add(block):
        return block + table[1]

    x, y = (ra.from_array(np.full(4, number), chunks=2) for number in (1.0, 2.0))
    found = raskt.compute(x.map_blocks(add, dtype=float), y.map_blocks(add, dtype=float))
    assert [part.tolist() for part in found] == [[2.0] * 4, [3.0] * 4]


def test_arguments_of_several_calls_are_one_object():
    def keep(thing, things):
        return id(thing), [id(other) for other in things]

    for given in ([1, 2] * 100, LARGE):
        calls = [delayed(keep)(given, [given, delayed(int)("1")]) for _ in range(3)]
        for one, (other, _) in raskt.compute(*calls):
            assert one == other


def test_a_pickle_without_what_is_large_is_read_by_tasks_alone():
    taken = apart.Apart()
    data = taken.dump_arguments((LARGE, [LARGE]))
    assert len(data) < 1000 and len(taken.objects) == 1
    with pytest.raises(RuntimeError, match="only a task"):
        apart.load(data)


def test_what_has_been_taken_in_vain_stays_out():
    """Arguments that go by value are pickled a second time; what the first has taken needn't come along."""
    taken = apart.Apart()
    taken.dump_arguments((Fresh(), lambda: 1))
    assert len(taken.objects) == 1
