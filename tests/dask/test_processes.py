"""Graphs of Dask in worker processes: tasks are sent there as the objects that they are."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dask
from dask_comparing import assert_same

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
db = pytest.importorskip("dask.bag")
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(scope="module")
def client():
    client = raskt.dask.Client(num_workers=2, scheduler="processes")
    yield client
    client.close()


def arrays():
    x = da.random.default_rng(1).random((60, 50), chunks=20)
    return (x @ x.T).rechunk(30).sum(axis=0)


def frames():
    table = pd.DataFrame({"key": np.arange(100) % 7, "text": list("abcde") * 20, "value": np.arange(100.0)})
    return dd.from_pandas(table, npartitions=5).shuffle("key").groupby("text").value.sum()


def bags():
    return db.from_sequence(range(100), npartitions=4).map(lambda x: x * 2).filter(lambda x: x % 3 == 0).sum()


def calls():
    return dask.delayed(sorted)([dask.delayed(abs)(-number) for number in range(5)], reverse=True)


@pytest.mark.parametrize("build", [arrays, frames, bags, calls], ids=lambda build: build.__name__)
def test_collections_are_those_of_dask(client, build):
    # Not the same object twice: what was computed must not stay with it.
    ours, theirs = build().compute(scheduler=client), build().compute(scheduler="sync")
    if isinstance(theirs, pd.Series):
        ours, theirs = ours.sort_index(), theirs.sort_index()
    assert_same(ours, theirs)


def test_functions_run_in_other_processes(client):
    pids = dask.compute(*[dask.delayed(os.getpid, pure=False)() for _ in range(4)], scheduler=client)
    assert os.getpid() not in pids
    with raskt.config.set(scheduler="processes"):
        assert raskt.dask.get({"pid": (os.getpid,)}, "pid") != os.getpid()


def test_graphs_written_by_hand(client):
    graph = {"one": 1, "two": (lambda x: x + 1, "one"), "same": "two", "list": ["one", (abs, -3)], "pid": (os.getpid,)}
    two, same, both, pid = client.get(graph, ["two", "same", "list", "pid"])
    assert (two, same, list(both)) == (2, 2, [1, 3])
    assert pid != os.getpid()


def test_the_number_of_workers_is_kept_to(client):
    pids = dask.compute(*[dask.delayed(os.getpid, pure=False)() for _ in range(20)], scheduler=client)
    assert len(set(pids)) <= 2


def test_large_arrays_go_there_and_back(client):
    x = da.ones((1000, 1000), chunks=500)
    result = x.map_blocks(lambda block: block + 1).compute(scheduler=client)
    np.testing.assert_array_equal(result, np.full((1000, 1000), 2.0))


class OddError(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)
        self.one = one


def test_errors_keep_their_class_and_say_which_task_it_was(client):
    def fail():
        raise OddError(1, 2)

    with pytest.raises(OddError, match=r"\(1, 2\)") as caught:
        dask.delayed(fail)().compute(scheduler=client)
    assert caught.value.one == 1
    assert "fail" in "".join(caught.value.__notes__)


def test_a_process_that_dies_fails_its_task(client):
    with pytest.raises(raskt.ProcessDied):
        dask.delayed(os._exit)(3).compute(scheduler=client)
    assert dask.delayed(abs)(-1).compute(scheduler=client) == 1


def test_what_cannot_be_sent_is_said_to_be_so(client):
    import threading

    with pytest.raises(TypeError, match="pickle"):
        dask.delayed(id)(threading.Lock()).compute(scheduler=client)


def test_callbacks_see_the_tasks(client):
    from dask.callbacks import Callback

    seen = []
    with Callback(pretask=lambda key, *_: seen.append(key), posttask=lambda key, result, *_: seen.append(result)):
        assert client.get({"x": (abs, -1)}, "x") == 1
    assert seen == ["x", 1]
