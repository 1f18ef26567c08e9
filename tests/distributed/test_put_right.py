"""What readers of the code have found, each as a test."""

from __future__ import annotations

import asyncio
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from raskt.distributed import Client, LocalCluster, as_completed, default_client


def add_to(number: int, values: Any) -> float:
    values += type(values)([1]) if isinstance(values, list) else 1
    return float(len(values) if isinstance(values, list) else values[0])


@pytest.mark.parametrize("given", [[0], np.zeros(100), [0] * 1000], ids=["a list", "an array", "a longer list"])
def test_a_call_that_changes_its_argument_changes_no_other_s(client: Client, given: Any) -> None:
    alone = client.submit(add_to, 0, given).result()
    assert client.gather(client.map(add_to, range(8), values=given)) == [alone] * 8
    calls = [raskt.delayed(add_to)(number, given) for number in range(8)]
    assert list(raskt.compute(*calls)) == [alone] * 8


def test_within_a_call_an_argument_is_one_object(client: Client) -> None:
    given = list(range(100))
    same = client.map(lambda _, one, other: one is other, range(4), one=given, other=given)
    assert client.gather(same) == [True] * 4


class Scale:
    by = 1

    def apply(self, number: int) -> int:
        return number * self.by


def test_pickles_of_a_call_whose_function_has_changed_are_two_calls() -> None:
    scale = Scale()
    call = raskt.delayed(scale.apply)(5)
    before = pickle.dumps(call)
    scale.by = 10
    after = pickle.dumps(call)
    assert raskt.compute(pickle.loads(before), pickle.loads(after)) == (5, 50)


def test_pickles_of_calls_whose_shared_argument_has_changed_are_others() -> None:
    shared = list(range(100))
    calls = [raskt.delayed(sum)(shared), raskt.delayed(len)(shared)]
    before = pickle.dumps(calls)
    shared.append(1000)
    after = pickle.dumps(calls)
    assert raskt.compute(pickle.loads(before), pickle.loads(after)) == ([4950, 100], [5950, 101])


class Sums:
    def __init__(self) -> None:
        self.total = 0

    def add(self, values: list[int]) -> int:
        self.total += values[0]
        return values[0]


def test_an_actor_is_told_what_an_argument_was_when_it_was_called(client: Client) -> None:
    actor = client.submit(Sums, actor=True).result()
    values, calls = [0], []
    for number in range(20):
        values[0] = number
        calls.append(actor.add(values))
    assert [call.result(30) for call in calls] == list(range(20))


def sleep_and_give(number: float) -> float:
    import time

    time.sleep(number)
    return number


def test_whoever_is_cancelled_while_futures_complete_loses_none(cluster: LocalCluster) -> None:
    async def run() -> set[float]:
        async with Client(cluster, asynchronous=True, set_as_default=False) as client:
            coming = as_completed(client.map(sleep_and_give, [0.3, 0.4]))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(coming.__anext__(), 0.05)
            return {await future async for future in coming}

    assert asyncio.run(run()) == {0.3, 0.4}


def test_who_is_cancelled_and_has_the_last_one_puts_it_back_before_it_is_over(cluster: LocalCluster) -> None:
    async def run() -> list[float]:
        async with Client(cluster, asynchronous=True, set_as_default=False) as client:
            coming = as_completed(client.map(sleep_and_give, [0.0]))
            # As a thread does whose task was cancelled meanwhile.
            future = await asyncio.to_thread(coming._next)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(coming.__anext__(), 0.1)
            coming._put_back(future)
            return [await future async for future in coming]

    assert asyncio.run(run()) == [0.0]


def test_asynchronous_clients_wait_cancel_and_retry(cluster: LocalCluster) -> None:
    async def run() -> Any:
        async with Client(cluster, asynchronous=True, set_as_default=False) as client:
            await client.wait_for_workers(2)
            future = client.submit(sleep_and_give, 0.0)
            await future
            await client.cancel([future])
            await client.retry([])
            return future.cancelled()

    assert asyncio.run(run())


def test_arguments_that_were_swallowed(client: Client) -> None:
    assert default_client(client) is client
    with pytest.raises(TypeError, match="c is 5"):
        default_client(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="retires"):
        client.persist(ra.ones(3), retires=3)
    with pytest.raises(NotImplementedError, match="actors"):
        client.persist(ra.ones(3), actors=True)
    with pytest.raises(TypeError, match="key"):
        client.get_executor(key="k")
    with pytest.raises(ValueError, match="n is -1"):
        client.retire_workers(n=-1)
    with pytest.raises(TypeError, match="one of them"):
        client.retire_workers(workers=["w"], n=1)
    with pytest.raises(ValueError, match="n_workers is -1"):
        client.wait_for_workers(-1)


def test_files_are_written_where_their_address_says(tmp_path: Path) -> None:
    frame = rd.from_dict({"a": [1, 2, 3]}, npartitions=1)
    frame.to_parquet(f"file://{tmp_path}/table")
    assert rd.read_parquet(f"file://{tmp_path}/table").a.sum().compute() == 6
    assert not Path("file:").exists()


def test_the_last_worker_does_not_retire_from_its_work() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        future = client.submit(sleep_and_give, 1.0)
        while not any(client.processing().values()):
            pass
        with pytest.raises(RuntimeError, match="nobody else would be left"):
            client.retire_workers(list(client.nthreads()))
        assert future.result(30) == 1.0


def test_a_worker_that_somebody_terminates_is_started_again() -> None:
    import signal

    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        (before,) = client.run(os.getpid).values()
        os.kill(before, signal.SIGTERM)
        while list(client.run(os.getpid, on_error="ignore").values()) in ([before], []):
            pass
        assert client.submit(abs, -1).result(30) == 1


def test_a_fork_leaves_the_workers_of_its_parent_alone() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        child = os.fork()
        if child == 0:
            try:
                cluster.scale(0)
            except RuntimeError as error:
                os._exit(0 if "forked" in str(error) else 2)
            os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert client.submit(abs, -1).result(30) == 1


def test_calls_of_one_map_have_names_of_their_own(client: Client) -> None:
    with pytest.raises(ValueError, match="'q' is that of several"):
        client.map(abs, [1, 2], key=["q", "q"])


def test_a_program_without_standard_error_has_workers() -> None:
    import subprocess
    import sys

    program = "from raskt.distributed import Client\nprint(Client(n_workers=1).submit(abs, -7).result())"
    command = ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&-', sys.executable, program]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.stdout == "7\n"
