"""Callbacks of Dask: its progress bar, its profilers, and one's own."""

from __future__ import annotations

import io
import re
import threading
import time
from operator import add

import pytest

import raskt.dask

dask = pytest.importorskip("dask")

from dask.callbacks import Callback  # noqa: E402
from dask.diagnostics import Profiler, ProgressBar, ResourceProfiler  # noqa: E402

GRAPH = {"a": 1, "b": (add, "a", 1), "c": (add, "b", "b"), "d": (add, "a", "c"), "e": "d", "unread": (add, "a", "a")}


class Story(Callback):
    """Writes down what it is told."""

    def __init__(self):
        self.lines = []

    def _start(self, dsk):
        self.lines.append(("start", set(dsk)))

    def _start_state(self, dsk, state):
        self.lines.append(("start_state", list(state["ready"]), set(state["waiting"]), dict(state["cache"])))

    def _pretask(self, key, dsk, state):
        assert key in state["running"] and key not in state["ready"]
        self.lines.append(("pretask", key))

    def _posttask(self, key, result, dsk, state, worker_id):
        assert key in state["finished"]
        self.lines.append(("posttask", key, result))

    def _finish(self, dsk, state, failed):
        self.lines.append(("finish", failed, len(state.get("finished", []))))


@pytest.fixture(params=[{}, {"rerun_exceptions_locally": True}], ids=["threads", "sync"])
def how(request):
    return request.param


@pytest.mark.own_process
def test_the_calls_are_those_of_dask(how):
    ours, theirs = Story(), Story()
    with ours:
        assert raskt.dask.get(GRAPH, ["e"], **how) == (5,)
    with theirs:
        dask.get(GRAPH, ["e"])
    assert ours.lines == theirs.lines
    with ours:
        pass
    assert raskt.dask.get(GRAPH, "e") == 5 and ours.lines == theirs.lines


def seen(line):
    """The call and the name of the task; the number of the last task is another in each computation."""
    return line[0], re.sub(r"(finalize-\w+)-\w+", r"\1", str(line[1])) if "task" in line[0] else ""


@pytest.mark.own_process
def test_calls_for_a_collection(how):
    import dask.array as da

    x = da.ones((20, 20), chunks=5)
    ours, theirs = Story(), Story()
    with ours:
        (x + x.T).sum().compute(scheduler=raskt.dask.get, **how)
    with theirs:
        (x + x.T).sum().compute(scheduler="sync")
    assert sorted(map(seen, ours.lines)) == sorted(map(seen, theirs.lines))
    assert [line[0] for line in ours.lines[:2]] == ["start", "start_state"]
    assert ours.lines[-1] == theirs.lines[-1]


@pytest.mark.own_process
def test_a_failure_is_told(how):
    story = Story()
    with story, pytest.raises(ZeroDivisionError):
        raskt.dask.get({"x": 1, "y": (lambda x: x / 0, "x")}, "y", **how)
    assert story.lines[-1] == ("finish", True, 0)
    assert story.lines[-2] == ("pretask", "y")


@pytest.mark.own_process
def test_a_callback_that_fails_ends_the_computation(how):
    def bad(*_):
        raise LookupError("not today")

    finished = []
    for which in (0, 1, 2, 3):
        callback = [None] * 5
        callback[which], callback[4] = bad, lambda *args: finished.append(args[2])
        with pytest.raises(LookupError, match="not today"):
            raskt.dask.get(GRAPH, "e", callbacks=[tuple(callback)], **how)
    # One that could not start isn't told of the end.
    assert finished == [True] * 3
    assert Callback.active == set()


@pytest.mark.own_process
def test_only_the_outermost_computation_is_told():
    story = Story()

    def inner(x):
        return raskt.dask.get({"p": x, "q": (add, "p", 1)}, "q")

    with story:
        assert raskt.dask.get({"x": 1, "y": (inner, "x")}, "y") == 2
    assert [line[1] for line in story.lines if line[0] == "pretask"] == ["y"]


def test_objects_that_a_callback_puts_into_the_graph_are_taken():
    def start(dsk):
        dsk["c"] = 100

    assert raskt.dask.get(GRAPH, "d", callbacks=[(start, None, None, None, None)]) == 101


def test_the_progress_bar_of_dask(how):
    out = io.StringIO()
    bar = ProgressBar(out=out, dt=0.01)
    tasks = {i: (time.sleep, 0.005) for i in range(20)}
    with bar:
        raskt.dask.get(tasks, list(tasks), **how)
    assert "| 100% Completed |" in out.getvalue()
    assert bar.last_duration > 0


@pytest.mark.own_process
def test_the_profilers_of_dask():
    graph = {f"x{i}": (add, i, 1) for i in range(20)}
    graph["last"] = (sum, list(graph))
    with Profiler() as profiler, ResourceProfiler(dt=0.01):
        raskt.dask.get(graph, "last", num_workers=2)
    assert {result.key for result in profiler.results} == set(graph)
    assert all(result.end_time >= result.start_time for result in profiler.results)
    assert threading.get_ident() not in {result.worker_id for result in profiler.results}
