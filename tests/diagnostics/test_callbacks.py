"""Callbacks for tasks: in which order they are called, where, and what a faulty one does."""

from __future__ import annotations

import sys
import threading

import pytest

import raskt
import raskt.array as ra
from raskt.diagnostics import Callback, TaskData
from raskt.futures import submit, wait


class Notes(Callback):
    def __init__(self):
        super().__init__()
        self.events = []

    def start(self, total):
        self.events.append("start")

    def pretask(self, key):
        self.events.append(("before", key, threading.get_ident()))

    def posttask(self, task):
        assert isinstance(task, TaskData)
        self.events.append(("after", task.key, threading.get_ident()))
        self.last = task

    def finish(self, error):
        self.events.append("finish")


def inc(x):
    return x + 1


def test_a_task_is_told_of_before_and_after_in_its_thread():
    with Notes() as notes:
        raskt.delayed(inc)(raskt.delayed(inc)(1)).compute(scheduler="sync")
    told = [event for event in notes.events if isinstance(event, tuple)]
    assert [event[0] for event in told] == ["before", "after"] * 2
    assert told[0][1] == told[1][1] != told[2][1] == told[3][1]
    assert {event[2] for event in told} == {threading.get_ident()}
    assert [event for event in notes.events if isinstance(event, str)] == ["start", "finish"]


def test_what_a_task_did():
    with Notes() as notes:
        raskt.delayed(bytes)(1000).compute()
    task = notes.last
    assert (task.task, task.failed) == ("bytes", False)
    assert task.key.startswith("bytes-") and task.end_time >= task.start_time and task.worker_id >= 0


def test_native_tasks_are_told_of_too():
    names = []
    with Callback(posttask=lambda task: names.append((task.task, task.nbytes))):
        ra.ones((4, 4), chunks=2).sum().compute()
    assert len(names) >= 4 and all("sum" in name for name, _ in names)
    assert {nbytes for _, nbytes in names} >= {8}


def test_the_calls_of_futures_are_told_of():
    keys = []
    with Callback(pretask=keys.append):
        wait([submit(inc, 1, key="one"), submit(inc, 2, key="two")])
    assert sorted(keys) == ["one", "two"]


def test_a_failed_task_is_told_of_as_failed():
    failed = []
    with Callback(posttask=lambda task: failed.append((task.task, task.failed))):
        with pytest.raises(ZeroDivisionError):
            raskt.delayed(lambda: 1 / 0)().compute()
    assert failed == [("<lambda>", True)]


def test_a_callback_that_raises_harms_no_task(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: seen.append(type(error.exc_value)))
    with Callback(pretask=lambda key: 1 / 0, posttask=lambda task: [][0]):
        assert raskt.delayed(inc)(1).compute() == 2
    assert seen == [ZeroDivisionError, IndexError]


def test_nothing_is_told_after_the_block():
    keys = []
    callback = Callback(pretask=keys.append)
    with callback:
        with callback:
            pass
        raskt.delayed(inc)(1).compute()
    raskt.delayed(inc)(1).compute()
    assert len(keys) == 1


def test_several_callbacks_at_once():
    one, two = [], []
    with Callback(pretask=one.append), Callback(pretask=two.append):
        raskt.delayed(inc)(1).compute()
    assert len(one) == 1 and one == two


def test_functions_in_place_of_methods():
    events = []
    callback = Callback(start=lambda total: events.append(total), finish=lambda error: events.append(error))
    with callback:
        raskt.delayed(inc)(1).compute()
    assert events == [1, None]


def test_a_wait_for_futures_is_a_computation():
    """From `gather` and `wait` too the start, the progress and the end are told."""
    events = []

    class Progress(Callback):
        def update(self, done, total, elapsed):
            events.append((done, total))

    progress = Progress(start=lambda total: events.append(total), finish=events.append)
    gate = threading.Event()
    futures = [submit(gate.wait, 20), submit(inc, 1), submit(inc, 2)]
    with progress:
        threading.Timer(0.2, gate.set).start()
        wait(futures)
    assert events[0] == 3 and events[-1] is None and events[-2] == (3, 3)
    assert all(total == 3 for _, total in events[1:-1]) and (2, 3) in events


def test_what_a_call_waits_for_is_no_computation_of_its_own():
    started = []

    def outer():
        return sum(future.result() for future in [submit(inc, 1), submit(inc, 2)])

    future = submit(outer)
    with Callback(start=started.append):
        assert future.result() == 5
    assert len(started) <= 1


def test_computations_of_dask_are_told_of():
    dask = pytest.importorskip("dask")
    import raskt.dask

    with Notes() as notes:
        assert dask.delayed(inc)(1, dask_key_name="mine").compute(scheduler=raskt.dask.get) == 2
    kinds = [event if isinstance(event, str) else event[:2] for event in notes.events]
    assert sorted(kinds, key=str) == sorted(["start", ("before", "mine"), ("after", "mine"), "finish"], key=str)


@pytest.mark.parametrize("name", ["start", "pretask", "posttask", "finish"])
def test_what_is_no_function_is_refused(name):
    with pytest.raises(TypeError, match=f"{name} is 3"):
        Callback(**{name: 3})
