"""Mistakes that are easily made, and what is said of them."""

from __future__ import annotations

import os
import sys
import threading

import pytest

import raskt
from raskt import delayed
from raskt.futures import Executor, submit

# --- arguments ---


@pytest.mark.parametrize("wrong", [-1, 4097, 10**9, 10**30])
def test_numbers_of_workers_that_cannot_be(wrong):
    with pytest.raises(ValueError, match=f"num_workers is {wrong}; allowed is a whole number from 1 to 4096"):
        delayed(abs)(-1).compute(num_workers=wrong)


@pytest.mark.parametrize("wrong", ["2", 1.5, [2]])
def test_numbers_of_workers_that_are_none(wrong):
    with pytest.raises(TypeError, match="it has to be a whole number"):
        delayed(abs)(-1).compute(num_workers=wrong)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_no_workers_at_all(scheduler):
    with pytest.raises(ValueError, match="num_workers is 0"):
        delayed(abs)(-1).compute(num_workers=0, scheduler=scheduler)
    assert delayed(abs)(-1).compute(num_workers=0, scheduler="sync") == 1


def test_settings_of_a_call_that_cannot_be():
    with pytest.raises(ValueError, match="retries is -1"):
        submit(abs, -1, retries=-1)
    with pytest.raises(TypeError, match="a callback is called with the future; 5 can't be"):
        submit(abs, -1).add_done_callback(5)
    with pytest.raises(ValueError, match="unknown scheduler 'thread'; 'threads'"):
        delayed(abs)(-1).compute(scheduler="thread")


def test_a_container_that_holds_itself():
    circle = [1]
    circle.append(circle)
    for wrong in (lambda: raskt.compute(circle), lambda: delayed(len)(circle), lambda: submit(len, circle)):
        with pytest.raises(RecursionError, match="more than 200 deep"):
            wrong()


def test_generators_are_passed_on_and_read_once():
    call = delayed(sum)(i for i in range(5))
    assert (call.compute(), call.compute()) == (10, 0)


# --- what can't be sent ---


@pytest.mark.parametrize("what", ["function", "argument", "result"])
def test_what_cannot_be_sent_to_a_process_or_from_it(what):
    lock = threading.Lock()
    call = {
        "function": lambda: delayed(lambda: lock)(),
        "argument": lambda: delayed(str)(lock),
        "result": lambda: delayed(threading.Lock)(),
    }[what]()
    with pytest.raises(TypeError, match="cannot pickle '_thread.lock' object") as caught:
        call.compute(scheduler="processes")
    if sys.version_info >= (3, 11):
        assert any('scheduler="threads" needs to send nothing' in note for note in caught.value.__notes__)
    assert delayed(abs)(-1).compute(scheduler="processes") == 1


def test_a_folder_that_a_task_went_to_is_not_the_next_ones():
    where = delayed(os.getcwd)()
    for _ in range(2):
        assert delayed(os.chdir)("/").compute(scheduler="processes", num_workers=1) is None
        assert where.compute(scheduler="processes", num_workers=1) == os.getcwd()


class Mute(Exception):
    def __str__(self):
        raise TypeError("no words")


@pytest.mark.parametrize("scheduler", ["sync", "threads", "processes"])
def test_an_exception_that_cannot_be_shown(scheduler, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    def fail():
        raise Mute

    with pytest.raises(Mute):
        delayed(fail)().compute(scheduler=scheduler)
    assert told == []


# --- threads and pools ---


def test_many_workers_for_little_work():
    """Threads are started for work, and not because they may be."""
    before = len(os.listdir("/proc/self/task"))
    assert delayed(abs)(-1).compute(num_workers=4000) == 1
    assert len(os.listdir("/proc/self/task")) < before + 20


def test_an_executor_is_closed_as_often_as_one_likes():
    executor = Executor(2)
    future = executor.submit(abs, -1)
    for _ in range(3):
        executor.shutdown()
    assert future.result() == 1
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(abs, -1)


def test_a_callback_may_compute():
    done = threading.Event()

    def callback(future):
        assert delayed(pow)(future.result(), 2).compute() == 9
        done.set()

    submit(abs, -3).add_done_callback(callback)
    assert done.wait(20)
