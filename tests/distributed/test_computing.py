"""What raskt computes, on a cluster."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from raskt.distributed import Client, LocalCluster, WorkerPlugin, default_client, wait


def test_arrays_are_computed_by_the_workers(client: Client) -> None:
    data = np.arange(1000.0).reshape(40, 25)
    x = ra.from_array(data, chunks=(7, 9))
    np.testing.assert_array_equal((x + x.T.T).compute(), 2 * data)
    np.testing.assert_allclose(x.sum(axis=0).compute(), data.sum(axis=0))
    assert int(ra.arange(10**6, chunks=10**4).sum().compute()) == sum(range(10**6))


def test_frames_are_computed_by_the_workers(client: Client) -> None:
    frame = pd.DataFrame({"key": [1, 2, 1, 3] * 50, "value": np.arange(200.0), "text": ["a", "é", None, ""] * 50})
    lazy = rd.from_pandas(frame, npartitions=4)
    pd.testing.assert_frame_equal(lazy.compute(), frame)
    pd.testing.assert_series_equal(lazy.groupby("key").value.sum().compute(), frame.groupby("key").value.sum())


def test_functions_run_in_worker_processes(client: Client) -> None:
    processes = raskt.compute(*[raskt.delayed(os.getpid, pure=False)() for _ in range(20)])
    assert os.getpid() not in processes
    here = raskt.compute(*[raskt.delayed(os.getpid, pure=False)() for _ in range(2)], scheduler="threads")
    assert set(here) == {os.getpid()}


class Slowly:
    """Takes longer to pickle than anybody waits at a time, and says how often it was."""

    def __init__(self, path: str) -> None:
        self.path, self.pad = path, b"x" * 100_000

    def __getstate__(self) -> dict[str, Any]:
        with open(self.path, "a") as file:
            file.write("once\n")
        time.sleep(0.3)
        return self.__dict__


def test_what_takes_long_to_fetch_is_fetched_once(tmp_path: Path) -> None:
    counts = [tmp_path / name for name in ("computed", "asked", "gathered")]
    # There is nobody who would hold a copy.
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        assert raskt.delayed(Slowly)(str(counts[0])).compute().path == str(counts[0])
        assert client.submit(Slowly, str(counts[1])).result().path == str(counts[1])
        assert client.gather([client.submit(Slowly, str(counts[2]))])[0].path == str(counts[2])
    assert [count.read_text() for count in counts] == ["once\n"] * 3


def test_what_a_function_raises_comes_back_as_it_is(client: Client) -> None:
    class Odd(Exception):
        def __init__(self, first: int, second: int) -> None:
            super().__init__(f"{first} and {second}")
            self.first = first

    def fails(number: int) -> int:
        raise Odd(number, 2)

    with pytest.raises(Odd, match="1 and 2") as caught:
        raskt.delayed(fails)(1).compute()
    assert caught.value.first == 1
    assert any("fails" in str(entry) for entry in caught.traceback)
    # The client goes on.
    assert raskt.delayed(abs)(-3).compute() == 3


def test_results_come_in_the_order_in_which_they_were_asked_for(client: Client) -> None:
    calls = [raskt.delayed(pow)(number, 2) for number in range(50)]
    asked = [calls[3], calls[1], calls[3], *calls[::-1]]
    assert raskt.compute(*asked) == tuple([9, 1, 9, *[number**2 for number in range(50)][::-1]])
    assert raskt.compute([calls[2], {"a": calls[1]}], 5) == ([4, {"a": 1}], 5)


def test_named_schedulers_and_settings_go_before_the_client(client: Client) -> None:
    pid = raskt.delayed(os.getpid, pure=False)
    assert pid().compute() != os.getpid()
    assert pid().compute(scheduler="threads") == os.getpid()
    with raskt.config.set(scheduler="sync"):
        assert pid().compute() == os.getpid()
        assert pid().compute(scheduler=client) != os.getpid()


def test_what_is_no_scheduler_is_refused(client: Client) -> None:
    with pytest.raises(TypeError, match="scheduler is 3"):
        raskt.delayed(abs)(1).compute(scheduler=3)


def test_the_latest_client_is_the_current_one_until_it_is_closed(cluster: LocalCluster) -> None:
    with Client(cluster) as first:
        assert default_client() is first
        with Client(cluster) as second:
            assert default_client() is second
            with first.as_current():
                assert default_client() is first
            assert default_client() is second
        assert default_client() is first
        quiet = cluster.get_client()
        assert default_client() is first
        quiet.close()
    with pytest.raises(ValueError, match="there is no client"):
        default_client()


def test_a_closed_client_says_so(cluster: LocalCluster) -> None:
    client = Client(cluster, set_as_default=False)
    client.close()
    client.close()
    assert client.status == "closed"
    with pytest.raises(ConnectionError):
        raskt.delayed(abs)(1).compute(scheduler=client)


def test_raskt_futures_are_of_the_current_client(client: Client) -> None:
    from raskt import futures

    future = futures.submit(os.getpid)
    assert future.result() != os.getpid()
    several = futures.map(pow, [2, 3], [3, 2])
    assert futures.gather({"a": several}) == {"a": [8, 9]}
    assert futures.wait(several).not_done == set()
    assert sorted(each.result() for each in futures.as_completed(several)) == [8, 9]
    assert futures.futures_of([several]) == several
    assert futures.submit(sum, futures.scatter([1, 2])).result() == 3
    with raskt.config.set(scheduler="threads"):
        here = futures.submit(os.getpid)
    assert here.result() == os.getpid()
    with pytest.raises(TypeError, match="one kind at a time"):
        futures.gather([here, future])
    # Collections aren't gathered, and keep nobody from it.
    kept = client.persist(ra.arange(4, chunks=2))
    for one in (here, future):
        result, same = futures.gather([one, kept])
        assert result == one.result() and same is kept


def test_collections_of_dask(client: Client) -> None:
    import dask
    import dask.array
    import dask.dataframe

    x = dask.array.ones((100, 100), chunks=30)
    frame = pd.DataFrame({"a": [1, 2, 3] * 20, "b": range(60)})
    with dask.config.set(scheduler=client):
        assert float((x + 1).sum().compute()) == 20000
        assert set(dask.compute(*[dask.delayed(os.getpid, pure=False)() for _ in range(4)])) & {os.getpid()} == set()
        lazy = dask.dataframe.from_pandas(frame, npartitions=4)
        pd.testing.assert_frame_equal(lazy.compute(), frame)
        pd.testing.assert_series_equal(lazy.groupby("a").b.sum().compute().sort_index(), frame.groupby("a").b.sum())


def held_by_its_process(number: int) -> list[Any]:
    """What can't be pickled."""
    return [threading.Lock(), number]


def number_of(held: list[Any], other: int = 0) -> int:
    return int(held[1]) + other


def sum_of(one: list[Any], other: list[Any]) -> int:
    return int(one[1]) + int(other[1])


def test_what_cannot_be_pickled_is_read_where_it_is() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        one, other = sorted(client.nthreads())
        for _ in range(5):
            made = client.map(held_by_its_process, range(20), pure=False)
            assert client.gather(client.map(number_of, made, pure=False)) == list(range(20))
            plain = client.map(abs, range(20), pure=False)
            wait([*made, *plain])
            both = client.map(number_of, made, plain, pure=False)
            assert client.gather(both) == list(range(0, 40, 2))
        at_one = client.map(held_by_its_process, range(20), pure=False, workers=[one])
        wait(at_one)
        assert client.gather(client.map(number_of, at_one, pure=False)) == list(range(20))
        # Chains of such results stay where they began.
        chained = client.map(lambda held: [threading.Lock(), held[1] + 1], at_one, pure=False)
        assert client.gather(client.map(number_of, chained, pure=False)) == list(range(1, 21))
        # Where that can't be, it is said.
        at_other = client.submit(held_by_its_process, 5, workers=[other])
        for impossible in (
            client.submit(sum_of, at_one[0], at_other),
            client.submit(number_of, at_one[0], workers=[other]),
        ):
            with pytest.raises(TypeError, match="can't be sent to another worker.*cannot pickle '_thread.lock'"):
                impossible.result(timeout=60)
        assert client.submit(sum_of, at_one[0], at_one[1]).result(timeout=60) == 1


def test_what_can_be_sent_comes_though_it_is_asked_for_with_what_can_not() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        one, other = sorted(client.nthreads())
        made = client.map(lambda number: [number, number], range(20), pure=False, workers=[one])
        made[7] = client.submit(held_by_its_process, 7, pure=False, workers=[one])
        wait(made)
        assert client.gather(client.map(abs, range(50), workers=[other], pure=False)) == list(range(50))
        read = client.map(number_of, made, pure=False, workers=[other])
        wait(read, timeout=60)
        assert [number for number, future in enumerate(read) if future.status == "error"] == [7]
        assert client.gather(read, errors="skip") == [number for number in range(20) if number != 7]


def test_a_holder_that_sets_up_a_plugin_is_waited_for() -> None:
    class Slow(WorkerPlugin):
        name = "slow"

        def setup(self, worker: Any) -> None:
            time.sleep(3)

    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        one, _ = sorted(client.nthreads())
        made = client.map(held_by_its_process, range(4), pure=False, workers=[one])
        wait(made)
        setting_up = threading.Thread(target=client.register_plugin, args=(Slow(),))
        setting_up.start()
        read = client.map(number_of, made, pure=False)
        assert client.gather(read) == list(range(4))
        setting_up.join()
