"""Many futures at a time: map, gather, wait, as_completed, scatter, fire_and_forget."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

import raskt
from raskt.futures import (
    CancelledError,
    TimeoutError,
    as_completed,
    fire_and_forget,
    futures_of,
    gather,
    map,
    scatter,
    submit,
    wait,
)


def inc(x):
    return x + 1


@pytest.fixture
def stuck():
    gate = threading.Event()
    yield submit(gate.wait, 20)
    gate.set()


def test_map_calls_side_by_side():
    assert gather(map(pow, range(5), [2] * 9)) == [0, 1, 4, 9, 16]
    assert gather(map(int, ["a", "b"], base=16, retries=2, priority=1)) == [10, 11]
    assert map(inc, []) == []
    assert gather(map(inc, (i for i in range(3)))) == [1, 2, 3]
    assert gather(map(inc, map(inc, [1, 2]))) == [3, 4]
    with pytest.raises(TypeError, match="at least one iterable"):
        map(inc)


def test_map_names_its_calls():
    assert [future.key for future in map(inc, [1, 2], key="step")] == ["step-0", "step-1"]
    assert [future.key for future in map(inc, [1, 2], key=["x", "y"])] == ["x", "y"]
    with pytest.raises(ValueError, match="3 keys for 2 calls"):
        map(inc, [1, 2], key=["x", "y", "z"])


def test_gather_keeps_the_containers():
    one, two = map(inc, [0, 1])
    assert gather(one) == 1
    assert gather([one, (two, {"x": one}), {two}, 7]) == [1, (2, {"x": 1}), {2}, 7]
    assert gather(iter([one, two])) == [1, 2]
    assert gather([]) == [] and gather({}) == {}
    assert gather([one] * 3) == [1, 1, 1]


@pytest.mark.own_process
def test_gather_raises_as_soon_as_one_has_failed(stuck):
    bad = submit(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        gather([stuck, bad])


def test_gather_leaves_out_what_failed():
    good, bad, gone = submit(inc, 1), submit(lambda: 1 / 0), submit(time.sleep, 0)
    gone.cancel()
    wait([good, bad])
    assert gather([bad, good, [bad]], errors="skip") == [2, []]
    assert gather({"a": good, "b": bad}, errors="skip") == {"a": 2}
    assert gather(bad, errors="skip") is None
    with pytest.raises(ValueError, match="'raise' and 'skip'"):
        gather([], errors="ignore")


@pytest.mark.own_process
def test_wait_for_all_for_the_first_for_a_failure(stuck):
    quick = submit(inc, 1)
    done, not_done = wait([quick, stuck], return_when="FIRST_COMPLETED")
    assert (done, not_done) == ({quick}, {stuck})
    bad = submit(lambda: 1 / 0)
    found = wait({"x": [bad], "y": stuck}, return_when="FIRST_EXCEPTION")
    assert (found.done, found.not_done) == ({bad}, {stuck})
    assert wait([quick, bad]).done == {quick, bad}
    assert wait([]).done == set()
    assert wait([], return_when="FIRST_COMPLETED").done == set()


@pytest.mark.own_process
def test_wait_gives_up(stuck):
    quick = submit(inc, 1)
    quick.result()
    with pytest.raises(TimeoutError, match="1 of 2 futures"):
        wait([quick, stuck], timeout=0.01)
    with pytest.raises(ValueError, match="known are 'ALL_COMPLETED'"):
        wait([quick], return_when="SOME")


@pytest.mark.own_process
def test_as_completed_gives_each_once_in_the_order_of_their_ends(stuck):
    gates = [threading.Event() for _ in range(3)]
    with raskt.config.set(num_workers=4):
        calls = [submit(gate.wait, 20) for gate in gates]
        running = as_completed([*calls, calls[0]])
        order = []
        for index in (2, 0, 1):
            gates[index].set()
            order.append(next(running))
            if index == 0:
                assert next(running) is calls[0]
        assert order == [calls[2], calls[0], calls[1]]
        assert list(running) == [] and running.is_empty()


def test_as_completed_takes_more_while_it_runs():
    running = as_completed(map(inc, [0]))
    seen = []
    for future in running:
        seen.append(future.result())
        if seen[-1] < 20:
            running.add(submit(inc, future))
    assert seen == list(range(1, 21))
    running.update([submit(inc, 1), [submit(inc, 2)]])
    assert running.count() == 2
    assert sorted(future.result() for future in running) == [2, 3]
    with pytest.raises(TypeError, match="takes futures"):
        running.add(3)


def test_as_completed_with_results_and_errors():
    good, bad = submit(inc, 1), submit(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        dict(as_completed([good, bad], with_results=True))
    found = dict(as_completed([good, bad], with_results=True, raise_errors=False))
    assert found[good] == 2 and isinstance(found[bad], ZeroDivisionError)


@pytest.mark.own_process
def test_as_completed_with_cancelled_futures(stuck):
    waiting = submit(inc, stuck)
    waiting.cancel()
    (found,) = as_completed([waiting], with_results=True, raise_errors=False)
    assert found[0] == waiting and isinstance(found[1], CancelledError)


def test_as_completed_in_batches():
    running = as_completed(map(inc, range(1000)), with_results=True)
    batches = list(running.batches())
    assert sorted(result for batch in batches for _, result in batch) == list(range(1, 1001))
    assert all(batches)
    assert running.next_batch(block=False) == []


@pytest.mark.own_process
def test_as_completed_gives_up_and_forgets(stuck):
    running = as_completed([stuck], timeout=0.01)
    with pytest.raises(TimeoutError, match="1 future isn't done"):
        next(running)
    assert not running.has_ready()
    running.clear()
    assert list(running) == []


def test_as_completed_async():
    async def main():
        return sorted([result async for _, result in as_completed(map(inc, range(10)), with_results=True)])

    assert asyncio.run(main()) == list(range(1, 11))


def test_as_completed_holds_what_it_waits_for():
    assert sorted(future.result() for future in as_completed(submit(inc, i) for i in range(50))) == list(range(1, 51))


@pytest.mark.own_process
def test_scatter_keeps_the_container():
    data = object()
    future = scatter(data)
    assert future.result() is data and future.status == "finished"
    assert gather(scatter([1, 2])) == [1, 2]
    assert gather(scatter((1, 2))) == (1, 2)
    assert gather(scatter({"x": 1})) == {"x": 1}
    assert gather(scatter(iter([1, 2]))) == [1, 2]
    assert submit(inc, scatter(1)).result() == 2
    assert scatter("text").key.startswith("str-")


def test_futures_of_finds_them():
    one, two = map(inc, [1, 2])
    assert futures_of([one, {"x": (two, one)}]) == [one, two, one]
    assert futures_of(3) == []


@pytest.mark.own_process
def test_fire_and_forget_makes_the_call():
    called = threading.Event()
    fire_and_forget(submit(called.set))
    assert called.wait(20)
    called.clear()
    fire_and_forget([raskt.delayed(called.set)()][0])
    assert called.wait(20)
