"""What fails, and how it is told."""

from __future__ import annotations

import threading
import time
import traceback

import pytest
from interrupting import assert_interrupts

import raskt.dask

dask = pytest.importorskip("dask")

from dask._task_spec import Task, TaskRef  # noqa: E402


class Strange(Exception):
    """Takes more than a message, so that it can't be made anew."""

    def __init__(self, one, other):
        super().__init__(one)
        self.other = other


def fail(x):
    raise Strange(f"no {x}", other=[x])


def test_exceptions_arrive_as_themselves(client):
    with pytest.raises(Strange, match="no 1") as caught:
        dask.compute(dask.delayed(fail)(1, dask_key_name="the-task"), scheduler=client)
    assert caught.value.other == [1]
    assert caught.value.__notes__ == ["raskt: this happened in task `the-task`"]
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "fail"


def test_tracebacks_hold_no_frame_of_raskt(client):
    with pytest.raises(Strange) as caught:
        dask.delayed(fail)(dask.delayed(abs)(-1)).compute(scheduler=client)
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert not [file for file in files if "raskt/dask" in file.replace("tests/dask", "")]
    # Neither does one from within a fused task hold Dask's own way to it.
    fused = Task.fuse(Task("a", abs, -2), Task("b", fail, TaskRef("a")), key="fused")
    with pytest.raises(Strange, match="no 2") as caught:
        client.get({"fused": fused}, "fused")
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "fail" and "_execute_subgraph" not in names
    assert caught.value.__notes__ == ["raskt: this happened in task `fused`"]


def test_keys_that_are_tuples_are_named(client):
    with pytest.raises(Strange) as caught:
        client.get({("x", 3): Task(("x", 3), fail, 0)}, [("x", 3)])
    assert caught.value.__notes__ == ["raskt: this happened in task `('x', 3)`"]


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, StopIteration, MemoryError])
def test_exceptions_of_every_kind(kind, client):
    def leave():
        raise kind("for good")

    with pytest.raises(kind, match="for good"):
        dask.delayed(leave)().compute(scheduler=client)
    assert dask.delayed(abs)(-3).compute(scheduler=client) == 3


def test_after_a_failure_nothing_else_begins():
    begun = []
    graph = {i: Task(i, begun.append, i) for i in range(1000)}
    graph["bad"] = Task("bad", fail, 0)
    with pytest.raises(Strange):
        raskt.dask.get(graph, ["bad", *range(1000)], num_workers=1)
    assert len(begun) < 1000
    count = len(begun)
    time.sleep(0.05)
    assert len(begun) == count


@pytest.mark.own_process
def test_nothing_is_held_after_a_failure():
    import gc
    import weakref

    class Big:
        pass

    made = []

    def make():
        big = Big()
        made.append(weakref.ref(big))
        return big

    with pytest.raises(Strange):
        raskt.dask.get({"x": Task("x", make), "y": Task("y", lambda x: fail(0), TaskRef("x"))}, ["x", "y"])
    for _ in range(100):
        gc.collect()
        if made[0]() is None:
            return
        time.sleep(0.02)
    raise AssertionError("the result is still there")


@pytest.mark.parametrize("function", ["busy", "sleepy"])
@pytest.mark.parametrize("how", ["", "scheduler='sync'"])
def test_ctrl_c_stops_a_computation_and_the_next_one_works(function, how):
    setup = f"""
import dask, raskt.dask
work = [dask.delayed({function})() for _ in range(4)]
"""
    compute = f"dask.compute(*work, scheduler=raskt.dask.Client({how}))"
    again = "assert dask.delayed(sum)([1, 2]).compute(scheduler=raskt.dask.get) == 3"
    assert_interrupts(setup, compute, again, after=1.0, within=2.5)


def test_a_computation_in_another_thread_outlives_a_failure_in_this_one(client):
    results = []
    slow = dask.delayed(lambda: time.sleep(0.1) or "done")()
    thread = threading.Thread(target=lambda: results.append(slow.compute(scheduler=client)))
    thread.start()
    with pytest.raises(Strange):
        dask.delayed(fail)(0).compute(scheduler=client)
    thread.join()
    assert results == ["done"]
