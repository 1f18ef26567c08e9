"""Persisted collections in functions that the cluster calls, and in what they give, stay where they are."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

import raskt
import raskt.array as ra
from processes_seen import until
from raskt.distributed import Client, LocalCluster, _asking, futures_of, get_client, wait

PATIENCE = 30


def behind(gate: Path, block: Any) -> Any:
    while not gate.exists():
        time.sleep(0.01)
    return block


class Holder:
    """An object of somebody's."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __call__(self) -> float:
        return float(self.held.sum().compute())


def captured(array: ra.Array) -> dict[str, Callable[[], float]]:
    """Functions that have the array, each in another way."""

    def with_default(held: ra.Array = array) -> float:
        return float(held.sum().compute())

    return {
        "closure": lambda: float(array.sum().compute()),
        "default": with_default,
        "partial": partial(lambda held: float(held["x"][0].sum().compute()), {"x": [array]}),
        "object": Holder(array),
        "expression": lambda expression=(array + 1)[:-1]: float(expression.sum().compute()),
    }


def in_time(call: Callable[[], Any]) -> Any:
    """What `call` gives, which mustn't wait for what isn't there."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(call).result(timeout=PATIENCE)
    finally:
        pool.shutdown(wait=False)


@pytest.mark.parametrize("way", captured(ra.ones(1)))
def test_a_function_has_names_and_no_data(client: Client, tmp_path: Path, way: str) -> None:
    gate = tmp_path / "gate"
    try:
        array = client.persist(ra.arange(6, chunks=2).map_blocks(partial(behind, gate), dtype=int))
        function = captured(array)[way]
        # Its data isn't there: whoever asked for it would wait until the gate is open.
        future = in_time(lambda: client.submit(function, pure=False))  # noqa: F821
        assert future.status == "pending"
        # Nobody else has it.
        del array, function
    finally:
        gate.touch()
    assert future.result(timeout=PATIENCE) == 15.0


@pytest.mark.parametrize("as_default", [True, False])
def test_workers_that_have_had_no_client_find_it(as_default: bool) -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1) as cluster,
        Client(cluster, set_as_default=as_default) as client,
    ):
        array = client.persist(ra.arange(6, chunks=2))
        assert len(wait(array, timeout=PATIENCE).done) == len(futures_of(array)) == 3
        assert client.submit(lambda: int(array.sum().compute())).result(timeout=PATIENCE) == 15
        assert client.submit(lambda: len(futures_of(array))).result(timeout=PATIENCE) == 3
        assert int(client.persist(array + 1).sum().compute()) == 21


def test_what_a_call_names_stays_for_as_long_as_the_call_is_needed(client: Client, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    try:
        busy = [client.submit(behind, gate, number, pure=False) for number in range(2)]
        array = client.persist(ra.arange(6, chunks=2))
        first = client.submit(lambda: int(array.sum().compute()), pure=False)  # noqa: F821
        second = client.submit(lambda number: number + 1, first)
        # Only the second call is anybody's by now.
        del first, array
    finally:
        gate.touch()
    assert second.result(timeout=PATIENCE) == 16
    assert client.gather(busy) == [0, 1]


def test_what_a_call_names_is_there_when_it_is_tried_again(client: Client, tmp_path: Path) -> None:
    array = client.persist(ra.arange(6, chunks=2))

    def fails_once() -> int:
        if not (tmp_path / "tried").exists():
            (tmp_path / "tried").touch()
            raise ValueError("once")
        return int(array.sum().compute())  # noqa: F821

    future = client.submit(fails_once)
    with pytest.raises(ValueError, match="once"):
        future.result(timeout=PATIENCE)
    del array, fails_once
    future.retry()
    assert future.result(timeout=PATIENCE) == 15


def test_functions_within_a_result_have_their_data(client: Client) -> None:
    def made() -> Any:
        array = get_client().persist(ra.arange(6, chunks=2))
        return raskt.delayed(lambda: int(array.sum().compute(scheduler="threads")))()

    call = client.submit(made).result(timeout=PATIENCE)
    # By now nobody holds what it was made of.
    again = pickle.loads(cloudpickle.dumps(call))
    assert call.compute() == again.compute(scheduler="processes") == 15


def test_what_a_function_has_is_held_by_clients_of_the_cluster(client: Client) -> None:
    array = client.persist(ra.arange(6, chunks=2))

    def seen() -> tuple[int, list[int]]:
        return len(futures_of(array)), array.compute().tolist()

    assert client.submit(seen).result(timeout=PATIENCE) == (3, list(range(6)))
    assert client.gather(client.map(lambda number: (array * number).sum().compute(), range(20))) == [
        15 * number for number in range(20)
    ]


def test_results_come_as_names(client: Client) -> None:
    def made(number: int) -> dict[str, Any]:
        own = get_client()
        array = own.persist(ra.full((1000, 100), number, chunks=(100, 100), dtype=float))
        wait(array)
        return {"array": array, "call": own.persist(raskt.delayed(pow)(number, 2)), "number": number}

    futures = client.map(made, range(3))
    for number, found in enumerate(client.gather(futures)):
        assert len(futures_of(found["array"])) == 10 and found["number"] == number
        assert float(found["array"].sum().compute()) == number * 1e5
        assert found["call"].compute() == number**2
    # They outlive what they came in.
    array = futures[2].result(timeout=PATIENCE)["array"]
    del futures, found
    assert float((array + 1).mean().compute()) == 3.0


def test_a_task_that_reads_such_a_result_finds_it(client: Client) -> None:
    array = client.persist(ra.arange(100, chunks=10))
    first = client.submit(lambda: {"held": array})
    seconds = [client.submit(lambda found: int(found["held"].sum().compute()), first, pure=False) for _ in range(6)]
    assert client.gather(seconds) == [4950] * 6


def test_calls_that_are_persisted_go_by_their_names(client: Client, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    try:
        call = client.persist(raskt.delayed(partial(behind, gate))(7))
        future = in_time(lambda: client.submit(lambda: call.compute() + 1))
        assert future.status == "pending"
    finally:
        gate.touch()
    assert future.result(timeout=PATIENCE) == 8


def test_many_blocks_are_taken_up_together(client: Client) -> None:
    array = client.persist(ra.arange(5000, chunks=1))
    runs = client.submit(lambda: (len(futures_of(array)), len(_asking.runs(get_client()._raskt_cluster_client))))
    blocks, known = runs.result(timeout=60)
    assert blocks == 5000 and known < 100


def test_what_is_cancelled_says_so(client: Client) -> None:
    array = client.persist(ra.arange(6, chunks=2))
    client.cancel(array)
    with pytest.raises(Exception, match="cancelled|released"):
        client.submit(lambda: array.sum().compute()).result(timeout=PATIENCE)


def test_a_pickle_of_a_user_has_the_data() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        array = client.persist(ra.arange(6, chunks=2))
        pickles = [pickle.dumps(array), cloudpickle.dumps(lambda: array)]
    first, second = pickle.loads(pickles[0]), cloudpickle.loads(pickles[1])()
    for read in (first, second):
        assert read.compute(scheduler="threads").tolist() == list(range(6))


def test_another_cluster_gets_the_data(client: Client) -> None:
    array = client.persist(ra.arange(6, chunks=2))
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster, set_as_default=False) as other:
        assert other.submit(lambda: int(array.sum().compute(scheduler="threads"))).result(timeout=PATIENCE) == 15
    assert int(array.sum().compute()) == 15


def test_a_function_may_have_more_than_a_message() -> None:
    rows = 160
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=400 << 20) as cluster,
        Client(cluster) as client,
    ):
        pid = client.submit(os.getpid).result(timeout=PATIENCE)
        array = client.persist(ra.ones((rows, 1 << 17), chunks=(4, 1 << 17)))
        wait(array, timeout=PATIENCE)
        results = client.map(lambda number: float(array[number].sum().compute()), range(0, rows, 4))
        assert client.gather(results) == [float(1 << 17)] * (rows // 4)
        assert client.submit(os.getpid, pure=False).result(timeout=PATIENCE) == pid


def test_it_is_let_go_of_when_nobody_has_it(client: Client) -> None:
    def held() -> int:
        return sum(len(keys) for keys in client.has_what().values())

    until(lambda: held() == 0)
    array = client.persist(ra.arange(1000, chunks=100))
    wait(array, timeout=PATIENCE)
    assert held() >= 10
    assert client.submit(lambda: int(array.sum().compute())).result(timeout=PATIENCE) == 499500  # noqa: F821
    del array
    until(lambda: held() == 0)


def test_a_computation_in_a_task_runs_where_its_data_is() -> None:
    limit = 300 << 20
    with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=limit) as cluster, Client(cluster) as client:
        pids = client.run(os.getpid)
        array = client.persist(ra.arange(60_000_000, chunks=2_000_000))
        wait(array, timeout=60)
        # More than one of them has room for.
        total = client.submit(lambda: int(array.sum().compute()))
        parts = client.map(lambda number: int(array[number::10].sum().compute()), range(3))
        assert total.result(timeout=60) == 60_000_000 * 59_999_999 // 2
        assert client.gather(parts) == [sum(range(number, 60_000_000, 10)) for number in range(3)]
        assert client.run(os.getpid) == pids
