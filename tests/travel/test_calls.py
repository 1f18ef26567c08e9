"""Delayed calls, and collections of Dask, whose graphs travel."""

from __future__ import annotations

import collections
import dataclasses
import threading

import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt import delayed


@dataclasses.dataclass
class Pair:
    left: object
    right: object


Point = collections.namedtuple("Point", "x y")


def test_containers_are_put_together():
    one, two = delayed(int)("1"), delayed(int)("2")
    value = delayed(lambda *args, **named: (args, named))([one, {"k": two}], Point(one, 3), {one}, pair=Pair(two, one))
    assert value.compute() == (([1, {"k": 2}], Point(1, 3), {1}), {"pair": Pair(2, 1)})


def test_no_call_sees_what_another_has_done_to_a_constant():
    shared = [object.__name__]
    lengths = [delayed(lambda thing, k: (thing.append(k), len(thing))[1])(shared, k) for k in range(5)]
    assert raskt.compute(*lengths) == (2,) * 5
    assert shared == ["object"]


def test_large_arguments_and_results():
    large = np.arange(200_000)
    doubled = delayed(lambda xs: xs * 2)(large)
    total = delayed(lambda a, b: int(a.sum() + b.sum()))(doubled, doubled)
    assert total.compute() == 4 * large.sum()
    np.testing.assert_array_equal(delayed(large).compute(), large)
    np.testing.assert_array_equal(doubled.persist().compute(), large * 2)


def test_errors_come_with_their_traceback():
    def inner(value):
        return 1 // value

    def outer(value):
        return inner(value)

    with pytest.raises(ZeroDivisionError) as raised:
        delayed(outer)(delayed(int)("0")).compute()
    assert [entry.name for entry in raised.traceback][-2:] == ["outer", "inner"]


def test_what_cannot_be_sent_is_named():
    with pytest.raises(TypeError) as raised:
        delayed(lambda lock: 1)(threading.Lock()).compute()
    told = [str(raised.value), *raised.value.__notes__] if hasattr(raised.value, "__notes__") else [str(raised.value)]
    assert any("lock" in line for line in told)


def test_arrays_as_arguments():
    x = ra.arange(10, chunks=3)
    assert delayed(lambda a, b: int(a.sum()) + int(b))(x, x.max()).compute() == 54
    assert [block.compute().tolist() for block in x.to_delayed()] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    back = ra.from_delayed(delayed(np.ones)(4), shape=(4,), dtype=float)
    np.testing.assert_array_equal((back + 1).compute(), np.full(4, 2.0))


def test_annotations_and_copies():
    with raskt.annotate(retries=1):
        value = delayed(abs)(-1)
    bound = raskt.graph_manipulation.bind(value, delayed(int)("3"))
    assert bound.compute() == 1


@pytest.fixture
def client():
    raskt_dask = pytest.importorskip("raskt.dask")
    pytest.importorskip("dask.array")
    # Dask asks a client only where it is told to.
    with raskt_dask.Client() as client:
        yield client


def test_collections_of_dask(client):
    import dask
    import dask.array

    x = dask.array.arange(100, chunks=7)
    assert int(((x + 1) ** 2).sum().compute()) == int(((np.arange(100) + 1) ** 2).sum())
    total = dask.delayed(sum)([dask.delayed(abs)(k) for k in range(-3, 3)])
    assert total.compute() == 9


def test_what_dask_cannot_send_is_named(client):
    import dask

    with pytest.raises(TypeError, match="lock"):
        dask.delayed(lambda lock: 1)(threading.Lock()).compute()


def test_frames_of_dask(client):
    import pandas as pd

    dask_frame = pytest.importorskip("dask.dataframe")
    pdf = pd.DataFrame({"k": list("abab"), "x": range(4)})
    df = dask_frame.from_pandas(pdf, npartitions=2)
    found = df.groupby("k")["x"].sum().compute()
    assert found.sort_index().to_dict() == {"a": 2, "b": 4}
