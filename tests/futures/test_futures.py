"""One future: its states, its result, its key, its errors, its end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import random
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import pytest

import raskt
from raskt import futures
from raskt.futures import CancelledError, Executor, Future, TimeoutError, gather, submit, wait

SCHEDULERS = ["threads", "sync"]


def inc(x):
    return x + 1


class Gate:
    """A function that says when it runs, and returns when it is let."""

    def __init__(self):
        self.began = threading.Event()
        self.open = threading.Event()
        self.calls = 0

    def __call__(self, *args):
        self.calls += 1
        self.began.set()
        assert self.open.wait(20)
        return args


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
def one_thread():
    with raskt.config.set(num_workers=1):
        yield


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_call_gives_its_result(scheduler):
    with raskt.config.set(scheduler=scheduler):
        future = submit(int, "ff", base=16)
        assert isinstance(future, Future)
        assert future.result() == 255
        assert future.done() and not future.cancelled() and not future.running()
        assert (future.status, future.type, future.exception()) == ("finished", "int", None)


@pytest.mark.own_process
def test_the_states_of_a_future(gate):
    future = submit(gate, 1)
    assert gate.began.wait(20)
    assert (future.status, future.done(), future.running(), future.type) == ("pending", False, True, None)
    with pytest.raises(TimeoutError, match="isn't done after 0.01 s"):
        future.result(timeout=0.01)
    gate.open.set()
    assert future.result(timeout=20) == (1,)
    assert repr(future).startswith("<Future: finished, type: tuple, key: Gate-")


@pytest.mark.own_process
@pytest.mark.parametrize("timeout", [0, -1, 0.0])
def test_a_timeout_of_nothing_asks_once(gate, timeout):
    future = submit(gate)
    with pytest.raises(TimeoutError):
        future.result(timeout)
    gate.open.set()
    assert future.result(1e300) == ()


def test_a_timeout_that_is_no_number():
    with pytest.raises(ValueError, match="NaN"):
        submit(time.sleep, 0.2).result(float("nan"))


@pytest.mark.own_process
def test_futures_are_arguments_anywhere():
    a, b = submit(inc, 0), submit(inc, 1)
    nested = submit(lambda *args, **kwargs: (args, kwargs), a, [b, {"x": a, b: (a, {b})}], key_=frozenset([a]))
    assert nested.result() == ((1, [2, {"x": 1, 2: (1, {2})}]), {"key_": frozenset([1])})


@pytest.mark.own_process
def test_containers_are_as_they_were_at_the_call(gate):
    blocked = submit(gate)
    items = [blocked, 1]
    future = submit(len, items)
    items.append(blocked)
    gate.open.set()
    assert future.result() == 2


@pytest.mark.own_process
def test_containers_without_futures_are_passed_on_as_they_are():
    items = [1, [2]]
    assert submit(lambda x: x, items).result() is items


def test_too_deep_containers_are_refused():
    nested: list = []
    for _ in range(300):
        nested = [nested]
    with pytest.raises(RecursionError, match="200 deep"):
        submit(len, nested)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_an_error_is_the_users_own_with_its_traceback(scheduler):
    def fail():
        raise KeyError("no such luck")

    with raskt.config.set(scheduler=scheduler):
        future = submit(fail, key="unlucky")
        for _ in range(3):
            with pytest.raises(KeyError, match="no such luck") as caught:
                future.result()
            assert [entry.name for entry in caught.traceback][-1] == "fail"
            assert len(caught.traceback) == 2, "raising again must not add to the traceback"
        assert future.status == "error"
        assert isinstance(future.exception(), KeyError)
        assert future.traceback() is not None
        if sys.version_info >= (3, 11):
            assert future.exception().__notes__ == ["raskt: this happened in task `unlucky`"]


@pytest.mark.own_process
def test_what_reads_a_failed_call_fails_with_the_same_error():
    bad = submit(lambda: 1 / 0)
    one = submit(inc, bad)
    two = submit(sum, [[one]])
    assert bad.exception() is one.exception() is two.exception()
    late = submit(inc, two)
    assert isinstance(late.exception(), ZeroDivisionError)


@pytest.mark.own_process
def test_a_failure_reaches_what_waits_for_other_inputs_too(gate):
    slow = submit(gate)
    both = submit(max, slow, submit(lambda: 1 / 0))
    assert isinstance(both.exception(timeout=20), ZeroDivisionError)
    gate.open.set()


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_any_exception_ends_its_future_alone(error):
    def leave():
        raise error

    assert isinstance(submit(leave).exception(), error)
    assert submit(inc, 1).result() == 2


@pytest.mark.own_process
def test_a_call_that_waits_can_be_cancelled(one_thread, gate):
    running = submit(gate)
    assert gate.began.wait(20)
    called = []
    waiting = submit(called.append, 1)
    reader = submit(inc, waiting)
    assert waiting.cancel() and not waiting.cancel()
    assert waiting.cancelled() and waiting.done() and waiting.status == "cancelled"
    with pytest.raises(CancelledError, match="somebody called `cancel`"):
        waiting.result()
    with pytest.raises(CancelledError, match="it reads `append-"):
        reader.result()
    gate.open.set()
    assert running.result() == ()
    assert submit(inc, 1).result() == 2
    assert called == []


@pytest.mark.own_process
def test_cancelling_says_why():
    with raskt.config.set(num_workers=1):
        gate = Gate()
        hold, future = submit(gate), submit(inc, 1)
        future.cancel(reason="it rains")
        gate.open.set()
        with pytest.raises(CancelledError, match="it rains"):
            future.result()
        hold.result()


@pytest.mark.own_process
def test_a_running_call_that_is_cancelled_counts_for_nothing(gate):
    future = submit(gate)
    assert gate.began.wait(20)
    assert future.cancel()
    gate.open.set()
    with pytest.raises(CancelledError):
        future.result()


@pytest.mark.own_process
def test_what_is_done_is_not_cancelled():
    future = submit(inc, 1)
    future.result()
    assert not future.cancel()
    assert future.result() == 2


class Thing:
    pass


@pytest.mark.own_process
def test_a_result_goes_with_the_last_future():
    future = submit(Thing)
    seen = weakref.ref(future.result())
    same = submit(id, future)
    same.result()
    gc.collect()
    assert seen() is not None
    del future
    gc.collect()
    assert seen() is None


def test_arguments_go_when_the_call_is_made():
    thing = Thing()
    seen = weakref.ref(thing)
    future = submit(lambda _: None, thing)
    future.result()
    del thing
    deadline = time.monotonic() + 20
    while seen() is not None and time.monotonic() < deadline:
        # The thread lets go of the arguments right after it has told of the result.
        time.sleep(0.001)
    assert seen() is None


@pytest.mark.own_process
def test_a_call_that_nobody_wants_is_not_made(one_thread, gate):
    hold = submit(gate)
    assert gate.began.wait(20)
    called = []
    dropped = submit(called.append, "dropped")
    kept = submit(called.append, "kept")
    del dropped
    gate.open.set()
    wait([hold, kept])
    assert called == ["kept"]


@pytest.mark.own_process
def test_a_future_that_another_call_reads_is_wanted(one_thread, gate):
    hold = submit(gate)
    last = submit(inc, submit(inc, submit(inc, 0)))
    gate.open.set()
    assert last.result() == 3
    hold.result()


@pytest.mark.own_process
def test_a_long_chain_runs_and_is_dropped_without_recursion(one_thread, gate):
    count = 200_000
    hold = submit(gate)
    chain = submit(inc, 0)
    for _ in range(count - 1):
        chain = submit(inc, chain)
    del chain
    chain = submit(inc, 0)
    for _ in range(count - 1):
        chain = submit(inc, chain)
    gate.open.set()
    assert chain.result() == count
    hold.result()


@pytest.mark.own_process
def test_a_long_chain_fails_and_is_cancelled_without_recursion(gate):
    first = submit(gate)
    chain = [submit(lambda _: 1 / 0, first)]
    for _ in range(100_000):
        chain.append(submit(inc, chain[-1]))
    gate.open.set()
    assert isinstance(chain[-1].exception(), ZeroDivisionError)
    again = Gate()
    first = submit(again)
    last = first
    for _ in range(100_000):
        last = submit(inc, last)
    first.cancel()
    again.open.set()
    assert last.cancelled()


@pytest.mark.own_process
def test_higher_priority_first_and_then_in_order(one_thread, gate):
    hold = submit(gate)
    assert gate.began.wait(20)
    order = []
    later = [submit(order.append, name, priority=priority) for name, priority in zip("abcdef", [0, 5, 0, -1, 5, 1])]
    gate.open.set()
    wait([hold, later])
    assert "".join(order) == "befacd"


@pytest.mark.own_process
def test_a_synchronous_call_waits_for_its_inputs(gate):
    slow = submit(gate)
    threading.Timer(0.05, gate.open.set).start()
    with raskt.config.set(scheduler="sync"):
        assert submit(len, slow).status == "finished"
        chain = slow
        for _ in range(10_000):
            chain = submit(lambda x: x, chain)
    assert chain.result() == ()


@pytest.mark.own_process
def test_retries_make_the_call_again():
    calls = []

    def flaky():
        calls.append(1)
        if len(calls) < 3:
            raise OSError("flaky")
        return "at last"

    assert isinstance(submit(flaky, retries=1).exception(), OSError)
    assert len(calls) == 2
    assert submit(flaky, retries=5).result() == "at last"
    assert len(calls) == 3


@pytest.mark.own_process
def test_a_key_is_one_call_as_long_as_somebody_holds_it():
    calls = []
    first = submit(calls.append, 1, key="mine")
    second = submit(calls.append, 2, key="mine")
    assert first == second and hash(first) == hash(second) and first.key == "mine"
    wait([first, second])
    assert calls == [1]
    del first, second
    third = submit(calls.append, 3, key="mine")
    wait(third)
    assert calls == [1, 3]


@pytest.mark.own_process
def test_a_cancelled_key_is_submitted_again(one_thread, gate):
    hold = submit(gate)
    old = submit(inc, 1, key="again")
    old.cancel()
    new = submit(inc, 2, key="again")
    gate.open.set()
    assert (old.cancelled(), new.result(), hold.result()) == (True, 3, ())


@pytest.mark.own_process
def test_pure_calls_that_are_equal_are_one(monkeypatch):
    if not hasattr(raskt, "tokenize"):
        monkeypatch.setattr(raskt, "tokenize", lambda *parts: repr(parts), raising=False)
    one, two = submit(divmod, 7, 2, pure=True), submit(divmod, 7, 2, pure=True)
    other, given = submit(divmod, 8, 2, pure=True), submit(divmod, 7, 2, pure=True, key="mine")
    assert one == two and one.key.startswith("divmod-")
    assert len({one, other, given, submit(divmod, 7, 2)}) == 4
    reads = [submit(inc, source, pure=True) for source in (other, given, other)]
    assert reads[0] == reads[2] != reads[1]
    assert gather([one, other]) == [(3, 1), (4, 0)]


def test_keys_are_unlike_each_other():
    calls = [submit(inc, 1) for _ in range(100)]
    assert len({future.key for future in calls}) == 100
    assert len(set(calls)) == 100
    assert calls[0].key.startswith("inc-")
    assert calls[0] != 1 and calls[0] != calls[1]


@pytest.mark.parametrize("wrong", [3, [1], None, "text"])
def test_only_futures_can_be_waited_for_one_by_one(wrong):
    with pytest.raises(TypeError, match="takes futures and not"):
        futures.as_completed([wrong] if not isinstance(wrong, list) else wrong)


@pytest.mark.own_process
@pytest.mark.parametrize(("count", "match"), [(1, "1 future isn't done after 0.01 s"), (2, "2 futures aren't done")])
def test_the_error_of_a_wait_says_how_long_it_was(count, match):
    release = threading.Event()
    running = [submit(release.wait, 30) for _ in range(count)]
    try:
        with pytest.raises(TimeoutError, match=match):
            next(futures.as_completed(running, timeout=0.01))
    finally:
        release.set()


@pytest.mark.parametrize("wrong", [{"key": 1}, {"priority": "high"}, {"retries": -1}])
def test_wrong_arguments_are_refused_at_the_call(wrong):
    with pytest.raises((TypeError, ValueError)):
        submit(inc, 1, **wrong)


@pytest.mark.own_process
def test_callbacks_get_the_future_in_the_end(gate):
    told = []
    future = submit(gate)
    future.add_done_callback(lambda done: told.append((done, done.status)))
    assert told == []
    gate.open.set()
    future.result()
    future.add_done_callback(lambda done: told.append("at once"))
    deadline = time.monotonic() + 20
    while len(told) < 2 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert sorted(told, key=str) == [(future, "finished"), "at once"]


def test_a_future_with_a_callback_is_held_until_it_was_called():
    told = threading.Event()
    submit(time.sleep, 0.01).add_done_callback(lambda _: told.set())
    assert told.wait(20)


def test_a_callback_that_raises_harms_nobody(capsys, monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: seen.append(error.exc_value))
    future = submit(inc, 1)
    future.result()
    future.add_done_callback(lambda _: 1 / 0)
    assert future.result() == 2
    assert [type(error) for error in seen] == [ZeroDivisionError]


def test_a_call_may_submit_and_wait(one_thread):
    def fibonacci(n):
        if n < 2:
            return n
        return sum(gather([submit(fibonacci, n - 1), submit(fibonacci, n - 2)]))

    assert submit(fibonacci, 9).result() == 34


@pytest.mark.own_process
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by files of Linux")
def test_calls_that_wait_for_calls_need_no_threads_of_their_own():
    def threads():
        return len(os.listdir("/proc/self/task"))

    def outer(i):
        found = submit(inc, i).result()
        alive.append(threads())
        return found

    before, alive = threads(), []
    assert gather([submit(outer, i) for i in range(2000)]) == list(range(1, 2001))
    assert max(alive) <= before + (os.cpu_count() or 1) + 8


@pytest.mark.own_process
def test_a_call_that_waits_makes_no_calls_of_an_executor_that_is_busy():
    running, most = [], []

    def work(i):
        running.append(i)
        most.append(len(running))
        time.sleep(0.002)
        running.remove(i)

    with Executor(1) as executor:
        gather([submit(lambda i=i: executor.submit(work, i).result()) for i in range(20)])
    assert max(most) == 1


@pytest.mark.own_process
def test_a_wait_with_a_timeout_makes_no_call_that_may_take_longer(gate):
    def outer():
        inner = submit(gate)
        with pytest.raises(TimeoutError):
            inner.result(timeout=0.05)
        gate.open.set()
        return inner.result()

    assert submit(outer).result() == ()


def test_a_call_may_compute_and_a_computation_may_read_futures(one_thread):
    def nested():
        return raskt.delayed(inc)(submit(inc, 0)).compute()

    assert submit(nested).result() == 2


def test_futures_in_delayed_calls_and_in_compute():
    one, two = submit(inc, 0), submit(inc, 1)
    assert raskt.delayed(max)([one, two], key=raskt.delayed(lambda x: x)).compute() == 2
    assert raskt.compute(one, [two, {"x": one}]) == (1, [2, {"x": 1}])
    persisted = raskt.delayed(inc)(two).persist()
    assert persisted.compute() == 3
    assert raskt.persist(one)[0].compute() == 1


def test_a_failed_future_in_a_delayed_call():
    with pytest.raises(ZeroDivisionError):
        raskt.delayed(inc)(submit(lambda: 1 / 0)).compute()


def test_native_tasks_and_futures_side_by_side():
    import raskt.array as ra

    x = ra.ones((100, 100), chunks=10)
    sums = [submit(lambda x, i: float((x + i).sum().compute()), x, i) for i in range(20)]
    assert gather(sums) == [10_000.0 * (1 + i) for i in range(20)]


def test_many_threads_submit_at_once():
    totals = []

    def work(seed):
        mine = [submit(inc, i) for i in range(1000)]
        totals.append(sum(gather(mine)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert totals == [sum(range(1, 1001))] * 6


def test_await():
    async def main():
        quick, slow = submit(inc, 1), submit(lambda: time.sleep(0.05) or "slow")
        bad = submit(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await bad
        return await asyncio.gather(wrapped(quick), wrapped(slow)), await quick

    async def wrapped(future):
        return await future

    assert asyncio.run(main()) == ([2, "slow"], 2)


@pytest.mark.own_process
def test_a_loop_that_closes_before_the_future_is_done(gate):
    future = submit(gate)

    async def main():
        async def wait_for_it():
            await future

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(wait_for_it(), 0.01)

    asyncio.run(main())
    gate.open.set()
    assert future.result() == ()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_random_graphs_are_as_evaluated_one_by_one(seed, workers):
    """Random calls that read random earlier ones; some fail, and what reads them has to as well."""
    chance = random.Random(seed)
    with raskt.config.set(num_workers=workers):
        calls, expected = [], []
        for index in range(200):
            inputs = chance.sample(range(index), min(index, chance.randrange(4)))
            fails = chance.random() < 0.01

            def function(values, index=index, fails=fails):
                if fails:
                    raise LookupError(index)
                return index + sum(values)

            calls.append(submit(function, [calls[i] for i in inputs], priority=chance.randrange(3)))
            bad = next((expected[i] for i in inputs if isinstance(expected[i], str)), None)
            own = f"{index}" if fails else index + sum(e for i in inputs if not isinstance(e := expected[i], str))
            expected.append("bad" if bad is not None else ("bad" if fails else own))
        wait(calls)
        got = ["bad" if call.status == "error" else call.result() for call in calls]
        assert got == expected


@pytest.mark.own_process
def test_random_cancels_end_every_future():
    """Futures are cancelled while others run: each ends, and none that reads a cancelled one has a result."""
    chance = random.Random(7)
    calls, reads = [], []
    for index in range(2000):
        inputs = chance.sample(range(index), min(index, chance.randrange(3)))
        calls.append(submit(lambda values: sum(values) + 1, [calls[i] for i in inputs]))
        reads.append(inputs)
        if chance.random() < 0.1:
            calls[chance.randrange(len(calls))].cancel()
    wait(calls, timeout=60)
    for call, inputs in zip(calls, reads):
        assert call.status in ("finished", "cancelled")
        if call.status == "finished":
            # What was cancelled after it was done isn't cancelled.
            assert all(calls[i].status == "finished" for i in inputs)


class Holder:
    def method(self):
        return self

    def fail(self):
        raise ValueError("no")


@pytest.mark.parametrize("method", ["method", "fail"])
def test_cycles_through_futures_are_garbage(method):
    def work():
        holder = Holder()
        holder.future = submit(getattr(holder, method))
        with contextlib.suppress(ValueError):
            holder.future.result()
        return weakref.ref(holder)

    seen = work()
    deadline = time.monotonic() + 20
    while seen() is not None and time.monotonic() < deadline:
        # The thread that ran the call holds it for a moment longer.
        gc.collect()
    assert seen() is None


def test_a_caught_error_does_not_keep_the_future_alive():
    thing = Thing()
    seen = weakref.ref(thing)

    def ask(thing):
        future = submit(lambda: 1 / 0)
        with contextlib.suppress(ZeroDivisionError):
            future.result()

    ask(thing)
    del thing
    deadline = time.monotonic() + 20
    while seen() is not None and time.monotonic() < deadline:
        gc.collect()
    assert seen() is None


@pytest.mark.own_process
def test_garbage_that_is_shared_stays():
    one = submit(list, (1, 2), key="shared")
    two = submit(list, (1, 2), key="shared")
    one.result().append(one)
    gc.collect()
    assert two.result() == [1, 2, one]
    del one
    gc.collect()
    assert two.result()[:2] == [1, 2]
    two.result().clear()


@pytest.mark.own_process
@pytest.mark.parametrize("name", ["workers", "resources", "actor"])
def test_what_is_for_clusters_is_refused(name):
    with pytest.raises(NotImplementedError, match="for clusters"):
        submit(inc, 1, **{name: True})


def run_program(text):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_interpreter_goes_though_futures_wait_and_run():
    done = run_program(
        """
        import time
        from raskt.futures import submit
        running = [submit(time.sleep, 0.3) for _ in range(50)]
        waiting = submit(print, running)
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_control_c_ends_a_wait():
    done = run_program(
        """
        import os, signal, threading, time
        from raskt.futures import submit
        future = submit(time.sleep, 2)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        try:
            future.result()
        except KeyboardInterrupt:
            print("interrupted", future.status)
        """
    )
    assert done.stdout == "interrupted pending\n", done.stderr


def test_control_c_while_a_call_runs_in_the_calling_thread():
    done = run_program(
        """
        import os, signal, threading, time, raskt
        from raskt.futures import submit
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with raskt.config.set(scheduler="sync"):
            try:
                submit(time.sleep, 20)
                print("went on")
            except KeyboardInterrupt:
                print("interrupted")
        """
    )
    assert done.stdout == "interrupted\n", done.stderr


def test_a_fork_says_that_futures_of_its_parent_are_not_there():
    done = run_program(
        """
        import os, threading
        from raskt.futures import submit
        gate = threading.Event()
        before = submit(int, 7)
        before.result()
        future = submit(gate.wait, 5)
        child = os.fork()
        if child == 0:
            try:
                future.result()
            except RuntimeError as error:
                print(error, flush=True)
            print(before.result(), submit(abs, -1).result(), flush=True)
            os._exit(0)
        gate.set()
        os.waitpid(child, 0)
        """
    )
    assert "is a fork of it" in done.stdout and done.stdout.endswith("7 1\n"), done.stdout + done.stderr


@pytest.mark.own_process
def test_futures_do_not_travel():
    import pickle

    with pytest.raises(TypeError, match="Future"):
        pickle.dumps(submit(inc, 1))


def test_the_module_is_found_from_the_package():
    assert raskt.futures is futures


def test_what_cannot_be_called_is_refused_at_once():
    for wrong in (lambda: submit(3), lambda: futures.map([1], [2])):
        with pytest.raises(TypeError, match=r"object can't be called; .* submit\(f, 1, 2\)"):
            wrong()
