"""Futures of a cluster."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import operator
import os
import random
import threading
import time

import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt.distributed import (
    CancelledError,
    Client,
    Future,
    LocalCluster,
    Queue,
    Semaphore,
    TimeoutError,
    as_completed,
    get_worker,
    wait,
)


def inc(number: int) -> int:
    return number + 1


def fails(number: int) -> int:
    raise KeyError(number)


def slow(seconds: float, result: object = None) -> object:
    time.sleep(seconds)
    return result


def test_calls_are_made_elsewhere(client: Client) -> None:
    future = client.submit(inc, 1)
    assert isinstance(future, Future)
    assert future.result() == 2
    assert future.status == "finished" and future.done() and not future.cancelled()
    assert client.submit(os.getpid).result() != os.getpid()
    assert client.submit(sorted, [3, 1], reverse=True).result() == [3, 1]


def test_futures_stand_among_arguments_also_within_containers(client: Client) -> None:
    one, two = client.submit(inc, 0), client.submit(inc, 1)
    assert client.submit(operator.add, one, two).result() == 3
    assert client.submit(sum, [one, two, 10]).result() == 13
    assert client.submit(lambda given: given["a"][0] + given["b"], {"a": [one], "b": two}).result() == 3
    assert client.submit(pow, one, exp=two).result() == 1
    # A future is what it stands for also where something lazy is computed.
    assert raskt.delayed(inc)(two).compute() == 3
    assert raskt.delayed(inc)(two).compute(scheduler="threads") == 3


def test_a_chain_of_calls(client: Client) -> None:
    future = client.submit(inc, 0)
    for _ in range(300):
        future = client.submit(inc, future)
    assert future.result() == 301


def test_many_calls_at_once(client: Client) -> None:
    futures = client.map(inc, range(20_000))
    assert client.gather(futures) == list(range(1, 20_001))
    assert client.gather(client.map(operator.add, [1, 2, 3], [10, 20])) == [11, 22]
    assert client.gather(client.map(inc, range(10), batch_size=3)) == list(range(1, 11))
    assert client.gather(client.map(pow, [2, 3], exp=3)) == [8, 27]
    assert client.map(inc, []) == []


def test_gather_puts_results_in_the_places_of_futures(client: Client) -> None:
    one, two = client.submit(inc, 0), client.submit(inc, 1)
    nested = {"a": [one, (two, one)], "b": {"c": two}, "d": 5}
    assert client.gather(nested) == {"a": [1, (2, 1)], "b": {"c": 2}, "d": 5}
    assert client.gather(one) == 1
    assert client.gather(iter([one, two])) == [1, 2]
    assert client.gather([]) == []
    assert client.gather({one, two}) == {1, 2}


def test_what_a_call_raises(client: Client) -> None:
    future = client.submit(fails, 3)
    with pytest.raises(KeyError, match="3"):
        future.result()
    assert future.status == "error"
    assert isinstance(future.exception(), KeyError)
    assert future.traceback() is not None
    reader = client.submit(inc, future)
    with pytest.raises(KeyError):
        reader.result()
    good = client.submit(inc, 1)
    with pytest.raises(KeyError):
        client.gather([good, future])
    assert client.gather([good, future, reader], errors="skip") == [2]
    with pytest.raises(ValueError, match="errors is 'no'"):
        client.gather([good], errors="no")
    assert good.exception() is None and good.traceback() is None


def test_failures_of_some_leave_others_alone(client: Client) -> None:
    futures = client.map(lambda number: 1 // (number % 7), range(100))
    wait(futures)
    for number, future in enumerate(futures):
        assert future.status == ("error" if number % 7 == 0 else "finished")


def test_retry_makes_a_failed_call_again(client: Client, tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "there")

    def reads() -> str:
        with open(path) as file:
            return file.read()

    future = client.submit(reads)
    reader = client.submit(len, future)
    with pytest.raises(FileNotFoundError):
        reader.result()
    with open(path, "w") as file:
        file.write("four")
    reader.retry()
    assert reader.result() == 4
    assert future.result() == "four"


def test_retries_are_made_by_themselves(client: Client, tmp_path: os.PathLike[str]) -> None:
    def unsteady(path: str) -> int:
        with open(path, "a") as file:
            file.write("x")
        attempts = os.path.getsize(path)
        return attempts if attempts > 2 else 1 // 0

    assert client.submit(unsteady, os.path.join(tmp_path, "a"), retries=5).result() == 3
    with pytest.raises(ZeroDivisionError):
        client.submit(unsteady, os.path.join(tmp_path, "b"), retries=1).result()


def test_timeouts(client: Client) -> None:
    future = client.submit(slow, 1.0, 5)
    with pytest.raises(TimeoutError, match="isn't done"):
        future.result(timeout=0.05)
    with pytest.raises(TimeoutError):
        wait([future], timeout="50 ms")
    with pytest.raises(TypeError, match="no duration"):
        future.result(timeout=[])
    with pytest.raises(ValueError, match="no duration"):
        future.result(timeout="soon")
    assert future.result(timeout=30) == 5


def test_wait_for_some(client: Client) -> None:
    fast, late = client.submit(inc, 1), client.submit(slow, 1.0)
    done, not_done = wait([fast, late], return_when="FIRST_COMPLETED")
    assert done == {fast} and not_done == {late}
    done, _ = wait([late, client.submit(fails, 1)], return_when="FIRST_EXCEPTION")
    assert all(future.status == "error" for future in done)
    with pytest.raises(ValueError, match="return_when is 'SOON'"):
        wait([fast], return_when="SOON")
    assert wait([]) == (set(), set())


def test_as_completed_gives_each_once(client: Client) -> None:
    futures = client.map(inc, range(100))
    came = list(as_completed(futures))
    assert sorted(future.result() for future in came) == list(range(1, 101))
    # Those who name one twice get it twice.
    # What is done needs no time.
    assert all(list(as_completed(futures[:2], timeout=0)) for _ in range(200))
    assert len(list(as_completed([futures[0], futures[0]]))) == 2
    running = as_completed([client.submit(inc, 0)])
    results = []
    for future in running:
        results.append(future.result())
        if len(results) < 20:
            running.add(client.submit(inc, future))
    assert results == list(range(1, 21))
    pairs = dict(as_completed(futures[:3], with_results=True))
    assert sorted(pairs.values()) == [1, 2, 3]
    failed = client.submit(fails, 1)
    [(_, error)] = as_completed([failed], with_results=True, raise_errors=False)
    assert isinstance(error, KeyError)
    with pytest.raises(TimeoutError):
        list(as_completed([client.submit(slow, 1.0)], timeout=0.05))
    with pytest.raises(TypeError, match="futures of a cluster"):
        as_completed([1])
    assert sum(len(batch) for batch in as_completed(futures).batches()) == 100


def test_the_first_that_is_done_comes_first(client: Client) -> None:
    late, soon = client.submit(slow, 0.6, "late"), client.submit(slow, 0.0, "soon")
    assert [future.result() for future in as_completed([late, soon])] == ["soon", "late"]


def test_callbacks(client: Client) -> None:
    told = threading.Event()
    future = client.submit(slow, 0.1, 1)
    future.add_done_callback(lambda done: told.set() if done is future else None)
    assert told.wait(30)
    again = threading.Event()
    future.add_done_callback(lambda _: again.set())
    assert again.wait(30)
    with pytest.raises(TypeError, match="callback"):
        future.add_done_callback(3)


def test_keys_name_calls(client: Client) -> None:
    first = client.submit(inc, 1, key="mine")
    assert first.key == "mine"
    again = client.submit(inc, 50, key="mine")
    assert again == first and hash(again) == hash(first) and again.result() == 2
    assert client.submit(inc, 1) != client.submit(inc, 1)
    assert client.submit(inc, 1, pure=True) == client.submit(inc, 1, pure=True)
    assert [future.key for future in client.map(inc, [1, 2], key="some")] == ["some-0", "some-1"]
    with pytest.raises(ValueError, match="1 keys for 2 calls"):
        client.map(inc, [1, 2], key=["one"])
    del first, again
    assert client.submit(inc, 50, key="mine").result() == 51
    assert client.submit(inc, 1).key.startswith("inc-")


def test_cancelled_calls(client: Client) -> None:
    blocks = client.map(slow, [0.5] * 2)
    waiting = client.submit(inc, 1)
    waiting.cancel()
    assert waiting.cancelled() and waiting.status == "cancelled"
    with pytest.raises(CancelledError):
        waiting.result()
    client.cancel(blocks)
    assert client.submit(inc, 1).result() == 2
    released = client.submit(inc, 1)
    released.release()
    assert released.status == "cancelled"
    with pytest.raises(CancelledError):
        client.gather([released])


def test_results_that_nobody_holds_are_let_go_of(client: Client) -> None:
    """A hundred results of 40 MB pass through workers that may hold a few of them at a time."""
    total = 0
    for number in range(60):
        total += len(client.submit(bytes, 40_000_000 + number).result())
    assert total == sum(40_000_000 + number for number in range(60))


def test_scattered_objects(client: Client) -> None:
    data = np.arange(1000)
    future = client.scatter(data)
    np.testing.assert_array_equal(future.result(), data)
    assert client.submit(int, client.submit(np.sum, future)).result() == data.sum()
    several = client.scatter([1, "two", None])
    assert client.gather(several) == [1, "two", None]
    named = client.scatter({"a": 1, "b": [2]})
    assert client.gather(named) == {"a": 1, "b": [2]}
    assert client.gather(client.scatter(iter(range(3)))) == [0, 1, 2]
    assert client.scatter([]) == []
    # A list among them is an object as it is, and futures in it too.
    assert client.gather(client.scatter((([1], 2),))) == (([1], 2),)


def test_data_is_scattered_to_the_workers_that_are_said(client: Client) -> None:
    names = sorted(client.nthreads())
    for name in names:
        futures = client.scatter({"a": np.arange(1000), "b": [1]}, workers=[name])
        assert all(name in held for held in client.who_has(list(futures.values())).values())
        assert client.gather(futures)["b"] == [1]
    many = client.scatter(list(range(5000)), workers=names[0])
    assert all(names[0] in held for held in client.who_has(many).values())
    for broadcast in (True, 2, 99):
        future = client.scatter("everywhere", broadcast=broadcast)
        assert sorted(client.who_has([future])[future.key]) == names
    future = client.scatter("somewhere", workers=names[1:], broadcast=True)
    assert names[1] in client.who_has([future])[future.key]
    assert client.scatter([], broadcast=True) == []
    with pytest.raises(ValueError, match="nobody"):
        client.scatter([1], workers=["nobody"])
    with pytest.raises(ValueError, match="-1"):
        client.scatter([1], broadcast=-1)
    with pytest.raises(TypeError, match="broadcast"):
        client.scatter([1], broadcast="all")


def test_collections_as_futures(client: Client) -> None:
    x = ra.arange(100, chunks=30)
    future = client.compute(x)
    np.testing.assert_array_equal(future.result(), np.arange(100))
    total, mean = client.compute([x.sum(), raskt.delayed(inc)(1)])
    assert (total.result(), mean.result()) == (4950, 2)
    assert client.compute(x.sum(), sync=True) == 4950
    assert client.compute([x.sum()], sync=True) == [4950]
    assert client.submit(np.sum, client.compute(x)).result() == 4950


def test_persisted_arrays_stay_with_the_workers(client: Client) -> None:
    x = ra.random.random((300, 200), chunks=90)
    kept = client.persist(x)
    values = kept.compute()
    np.testing.assert_array_equal(kept.compute(), values)
    np.testing.assert_array_equal((kept + 1).T.compute(), (values + 1).T)
    np.testing.assert_array_equal(kept[10:250:3, 5].compute(), values[10:250:3, 5])
    np.testing.assert_allclose((kept @ kept.T).compute(), values @ values.T)
    twice = (kept * 2).persist()
    np.testing.assert_array_equal(twice.compute(), values * 2)
    # Elsewhere it is fetched first.
    np.testing.assert_array_equal((kept + 1).compute(scheduler="threads"), values + 1)
    np.testing.assert_array_equal(twice.sum().compute(scheduler="sync"), twice.sum().compute())


def test_persisted_calls_and_frames(client: Client) -> None:
    import pandas as pd

    import raskt.dataframe as rd

    call = client.persist(raskt.delayed(os.getpid, pure=False)())
    assert call.compute() == call.compute() != os.getpid()
    assert raskt.delayed(inc)(call).compute(scheduler="threads") == call.compute() + 1
    frame = pd.DataFrame({"a": range(30), "b": list("abc") * 10})
    kept = client.persist(rd.from_pandas(frame, npartitions=3))
    pd.testing.assert_frame_equal(kept.compute(), frame)
    both = client.persist([ra.ones(5, chunks=2), raskt.delayed(inc)(1)])
    assert both[0].sum().compute() == 5 and both[1].compute() == 2


def test_functions_on_each_worker(client: Client) -> None:
    processes = client.run(os.getpid)
    assert set(processes) == set(client.nthreads()) and len(set(processes.values())) == 2
    name = next(iter(processes))
    assert client.run(os.getpid, workers=name) == {name: processes[name]}
    assert client.submit(os.getpid, workers=name).result() == processes[name]
    with pytest.raises(ZeroDivisionError):
        client.run(operator.truediv, 1, 0)
    errors = client.run(operator.truediv, 1, 0, on_error="return")
    assert all(isinstance(error, ZeroDivisionError) for error in errors.values())
    assert client.run(operator.truediv, 1, 0, on_error="ignore") == {}
    with pytest.raises(ValueError, match="no worker 'nobody'"):
        client.run(os.getpid, workers="nobody")


def test_executor(client: Client) -> None:
    with client.get_executor(retries=1) as executor:
        assert list(executor.map(inc, range(20))) == list(range(1, 21))
        with pytest.raises(KeyError):
            executor.submit(fails, 1).result()
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(inc, 1)
    with pytest.raises(TypeError, match="no argument 'colour'"):
        client.get_executor(colour=1)


def test_executors_say_what_becomes_of_calls(client: Client) -> None:
    with client.get_executor(resources={"NONE": 1}) as executor:
        first, second = executor.submit(inc, 1), executor.submit(inc, 2)
        assert not (first.running() or first.done() or first.cancelled())
        told = []
        first.add_done_callback(told.append)
        assert first.cancel() and first.cancelled() and first.done() and told == [first]
        with pytest.raises(CancelledError):
            first.result()
        # Those who wait for it hear of it, too.
        assert concurrent.futures.wait([first], timeout=30).done == {first}
        assert second.cancel()
        waiting = [executor.submit(inc, number) for number in range(5)]
        late = executor.map(inc, range(3))
        with pytest.raises(TimeoutError):
            next(executor.map(inc, [1], timeout=0.01))
        executor.shutdown(cancel_futures=True)
        assert all(future.cancelled() and not future.running() for future in waiting)
        with pytest.raises(CancelledError):
            next(late)
        with pytest.raises(RuntimeError, match="after shutdown"):
            executor.map(inc, [1])


def test_what_else_cancels_calls_of_an_executor(client: Client) -> None:
    executor = client.get_executor(resources={"NONE": 1})
    future = executor.submit(inc, 1)
    client.cancel(list(executor._works.values()))
    assert concurrent.futures.wait([future], timeout=30).done == {future} and future.cancelled()


def test_executors_make_several_calls_in_a_task(client: Client) -> None:
    with client.get_executor() as executor:
        pids = list(executor.map(lambda number: (number, object_of_task()), range(10), chunksize=4))
        assert [number for number, _ in pids] == list(range(10))
        assert [len(list(group)) for _, group in itertools.groupby(pids, key=lambda pair: pair[1])] == [4, 4, 2]
        assert list(executor.map(inc, [], chunksize=3)) == list(executor.map(inc)) == []
        assert list(executor.map(pow, [2, 3], [3, 2, 1])) == [8, 9]
        failing = executor.map(lambda number: 1 // number, [1, 0, 1])
        assert next(failing) == 1
        with pytest.raises(ZeroDivisionError):
            next(failing)
        assert list(executor.map(inc, range(3), chunksize=np.int64(2))) == [1, 2, 3]  # type: ignore[arg-type]
        for chunksize in (0, -1, True, "2"):
            with pytest.raises((ValueError, TypeError), match="chunksize"):
                executor.map(inc, [1], chunksize=chunksize)  # type: ignore[arg-type]


def object_of_task() -> str:
    return get_worker().get_current_task()


def test_asyncio(cluster: LocalCluster) -> None:
    async def main() -> None:
        async with Client(cluster, asynchronous=True, set_as_default=False) as client:
            futures = client.map(inc, range(10))
            assert await client.gather(futures) == list(range(1, 11))
            assert await client.submit(inc, futures[3]) == 5
            came = [future async for future in as_completed(futures)]
            assert len(came) == 10
            with pytest.raises(KeyError):
                await client.submit(fails, 1)
            assert len(await client.run(os.getpid)) == 2

    asyncio.run(main())


def test_arguments_that_can_not_be_sent_are_named(client: Client) -> None:
    with pytest.raises(TypeError, match="lock"):
        client.submit(inc, threading.Lock())
    with pytest.raises(TypeError, match="can't be pickled"):
        client.submit(lambda: client)
    assert client.submit(inc, 1).result() == 2


def test_results_that_can_not_be_sent_are_told(client: Client) -> None:
    future = client.submit(threading.Lock)
    with pytest.raises(TypeError, match="Lock|lock"):
        future.result(timeout=30)
    assert client.submit(inc, 1).result() == 2


def test_large_arguments_and_results(client: Client) -> None:
    data = np.random.default_rng(1).random(3_000_000)
    np.testing.assert_array_equal(client.submit(np.negative, data).result(), -data)
    many = client.map(np.negative, [data] * 4)
    assert all((result == -data).all() for result in client.gather(many))


def test_random_graphs_of_calls(client: Client) -> None:
    """Calls on calls, some of which fail, let go of in any order: each is what it is here."""
    random.seed(5)
    for _ in range(5):
        values: list[int | None] = []
        futures: list[Future] = []
        for _ in range(120):
            inputs = random.sample(range(len(futures)), min(len(futures), random.randrange(4)))
            extra = random.randrange(100)
            failing = random.random() < 0.03
            known = [values[at] for at in inputs]
            values.append(None if failing or None in known else sum(filter(None, known)) + extra)
            add = (lambda *given: 1 // 0) if failing else (lambda *given: sum(given))
            futures.append(client.submit(add, *[futures[at] for at in inputs], extra))
        wanted = random.sample(range(len(futures)), 60)
        held = {at: futures[at] for at in wanted}
        futures.clear()
        for at, future in held.items():
            if values[at] is None:
                assert isinstance(future.exception(timeout=30), ZeroDivisionError)
            else:
                assert future.result(timeout=30) == values[at]


def test_clients_on_many_threads(client: Client) -> None:
    wrong: list[object] = []

    def use(number: int) -> None:
        try:
            for turn in range(20):
                futures = client.map(inc, range(number, number + 20))
                if client.gather(futures) != list(range(number + 1, number + 21)):
                    wrong.append((number, turn))
                if client.submit(sum, futures).result() != sum(range(number + 1, number + 21)):
                    wrong.append(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_executor_gives_a_function_its_own_words(client: Client) -> None:
    def told(key: str, pure: int = 0) -> tuple[str, int]:
        return key, pure

    executor = client.get_executor()
    futures = [executor.submit(told, key="a", pure=at) for at in range(3)]
    assert [future.result(30) for future in futures] == [("a", 0), ("a", 1), ("a", 2)]


def test_what_cannot_be_sent_is_said_once_with_its_key_and_can_be_left_out(client):
    good, bad = client.submit(abs, -1), client.submit(threading.Lock, key="a-lock")
    for ask in (bad.result, lambda: client.gather([good, bad])):
        with pytest.raises(TypeError, match="can't be sent") as told:
            ask()
        assert str(told.value).count("a result can't be sent") == 1
        assert any("a-lock" in note for note in told.value.__notes__)
    assert client.gather([good, bad, good], errors="skip") == [1, 1]


@pytest.mark.parametrize("count", [0, -1, 1.5, "x", True, float("nan"), 10**30])
def test_numbers_that_are_none_are_refused_where_they_are_said(client, count):
    future = client.submit(inc, 1)
    with pytest.raises((TypeError, ValueError), match=r"^n is .*; it has to be"):
        client.replicate(future, n=count)
    with pytest.raises((TypeError, ValueError), match=r"^batch_size is .*; it has to be"):
        client.map(inc, range(3), batch_size=count)
    if count not in (0, -1):
        with pytest.raises((TypeError, ValueError), match=r"^n_workers is .*; it "):
            client.wait_for_workers(count, timeout=1)
        with pytest.raises((TypeError, ValueError), match=r"^maxsize is .*; it "):
            Queue("never", client=client, maxsize=count)
    with pytest.raises((TypeError, ValueError), match=r"^max_leases is .*; it "):
        Semaphore(count, "never")
