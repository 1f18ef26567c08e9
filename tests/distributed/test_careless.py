"""What careless users do."""

from __future__ import annotations

import asyncio
import collections
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
import raskt.futures
from raskt.distributed import (
    Client,
    Cluster,
    KilledWorker,
    LocalCluster,
    MultiLock,
    Nanny,
    Queue,
    fire_and_forget,
    futures_of,
    performance_report,
    wait,
)


def inc(number: int) -> int:
    return number + 1


def test_what_is_changed_after_it_was_given_is_what_it_was(client: Client) -> None:
    for size in (5, 20_000, 3_000_000):
        x = np.zeros(size)
        asked = [client.submit(np.sum, x), *client.map(np.sum, [x, x]), client.scatter(x)]
        x[:] = 1
        totals = [float(np.sum(result)) for result in client.gather(asked)]
        assert totals == [0.0] * 4
    held = [1, 2]
    future = client.scatter([held])
    held.append(3)
    assert client.gather(future) == [[1, 2]]


def test_arrays_that_are_persisted_are_read_before_they_are_there(client: Client) -> None:
    for _ in range(5):
        x = client.persist(ra.from_array(np.arange(50), chunks=10))
        assert int(x.sum().compute()) == 1225
        y = client.persist(ra.from_array(np.arange(50), chunks=10) + 1)
        assert int((y.sum() + client.persist(y * 2).sum()).compute()) == 3 * 1275


class Pair(collections.namedtuple("Pair", "a b")):
    pass


class Several(list):  # type: ignore[type-arg]
    pass


@pytest.mark.parametrize(
    "contain",
    [
        lambda one, two: {1: one, 2: two}.values(),
        lambda one, two: collections.deque([one, two]),
        lambda one, two: Pair(one, two),
        lambda one, two: Several([one, two]),
        lambda one, two: collections.OrderedDict(a=one, b=two),
        lambda one, two: {one: 1, two: 2}.keys(),
        lambda one, two: (each for each in (one, two)),
    ],
)
def test_containers_of_all_kinds_are_looked_through(client: Client, contain: Any) -> None:
    one, two = client.submit(inc, 0), client.submit(inc, 1)
    gathered = client.gather(contain(one, two))
    assert set(gathered.values() if isinstance(gathered, dict) else gathered) == {1, 2}
    if not hasattr(contain(one, two), "send"):
        assert set(futures_of(contain(one, two))) == {one, two}
    assert wait(contain(one, two)).done == {one, two}
    client.cancel(contain(one, two))
    assert one.cancelled() and two.cancelled()


def test_what_holds_no_futures_is_refused(client: Client) -> None:
    for ask in (wait, client.cancel, client.retry, fire_and_forget):
        with pytest.raises(TypeError, match="takes futures of a cluster"):
            ask(5)
    assert client.gather(5) == 5


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"actor": 3}, TypeError),
        ({"actors": "yes"}, TypeError),
        ({"actor": ""}, TypeError),
        ({"actors": 0}, TypeError),
        ({"fifo_timeout": "bad"}, ValueError),
        ({"fifo_timeout": -1}, ValueError),
    ],
)
def test_what_has_no_effect_is_looked_at_all_the_same(client: Client, said: dict[str, Any], error: type) -> None:
    for ask in (lambda: client.submit(abs, 1, **said), lambda: client.map(abs, [1], **said)):
        with pytest.raises(error, match=next(iter(said))):
            ask()
    for harmless in ({"actor": False, "fifo_timeout": "60s"}, {"actors": None, "fifo_timeout": 0.1}):
        assert client.submit(abs, -1, **harmless).result(30) == 1


@pytest.mark.parametrize("actors", ["yes", 0, 3])
def test_whether_there_are_actors_is_yes_or_no(client: Client, actors: Any) -> None:
    for ask in (client.compute, client.persist):
        with pytest.raises(TypeError, match="actors is"):
            ask(ra.ones(3), actors=actors)
        with pytest.raises(NotImplementedError, match="actor=True"):
            ask(ra.ones(3), actors=True)


def test_a_closed_client_answers_nothing(cluster: LocalCluster) -> None:
    client = Client(cluster, set_as_default=False)
    client.close()
    for ask in (client.nthreads, client.scheduler_info, lambda: client.run(os.getpid), lambda: client.submit(inc, 1)):
        with pytest.raises(ConnectionError):
            ask()


def test_a_task_that_ends_its_worker_with_success_is_told() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        with pytest.raises(KilledWorker):
            client.submit(os._exit, 0).result(timeout=60)
        assert client.submit(inc, 1).result(timeout=60) == 2


def test_equal_calls_of_an_executor(client: Client) -> None:
    with client.get_executor(pure=True) as executor:
        futures = [executor.submit(pow, 2, 5) for _ in range(5)]
        assert [future.result(30) for future in futures] == [32] * 5


def test_awaits_that_are_cancelled_take_no_threads_of_the_loop(cluster: LocalCluster) -> None:
    async def main() -> None:
        async with Client(cluster, asynchronous=True, set_as_default=False) as client:
            late = client.submit(time.sleep, 3)
            for _ in range(20):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.gather(late), 0.01)
            assert await asyncio.wait_for(client.gather(client.submit(inc, 1)), 30) == 2
            late.cancel()

    asyncio.run(main())


def test_what_was_cancelled_is_no_argument(client: Client) -> None:
    from concurrent.futures import CancelledError

    future = client.submit(time.sleep, 0.2)
    future.cancel()
    with pytest.raises(CancelledError):
        client.submit(inc, future)


@pytest.mark.parametrize("timeout", [float("nan"), "soon", [], "1e400 parsecs"])
def test_timeouts_that_are_none(cluster: LocalCluster, timeout: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="duration|timeout"):
        Client(cluster, timeout=timeout, set_as_default=False)


def test_timeouts_beyond_all_bounds(client: Client) -> None:
    assert client.submit(inc, 1).result(timeout=1e300) == 2
    client.wait_for_workers(1, timeout=1e300)
    client.wait_for_workers(1, timeout=-1)


def test_forks_leave_the_cluster_alone() -> None:
    program = """
        import os, sys
        from raskt.distributed import Client
        import raskt.array as ra
        def main():
            client = Client(n_workers=1, threads_per_worker=1)
            future = client.submit(abs, -1)
            assert future.result() == 1
            child = os.fork()
            if child == 0:
                ones = ra.ones(10, chunks=2)
                for use in (lambda: client.submit(abs, -2), lambda: ones.sum().compute(), client.nthreads):
                    try:
                        use()
                    except RuntimeError as error:
                        assert "forked" in str(error), error
                    else:
                        os._exit(3)
                client.close()
                sys.exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert client.submit(abs, -5).result() == 5 and future.result() == 1
            client.cluster.scale(2)
            client.wait_for_workers(2, 30)
            client.close()
        main()
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fork_waits_for_nothing_of_its_parent() -> None:
    program = """
        import os, sys, threading
        from raskt.distributed import Client, as_completed, wait
        import raskt.array as ra
        def main():
            client = Client(n_workers=1, threads_per_worker=1)
            future = client.submit(abs, -1, resources={"NONE": 1})
            array, began = client.persist(ra.ones(4, chunks=2)), as_completed([future])
            child = os.fork()
            if child == 0:
                uses = [future.result, future.exception, future.retry, future.cancel, began.__next__]
                uses += [lambda: client.gather(future), lambda: wait(future), lambda: as_completed([future])]
                uses += [lambda: future.add_done_callback(print), lambda: array.compute(scheduler="threads")]
                for use in uses:
                    try:
                        use()
                    except RuntimeError as error:
                        assert "forked" in str(error), error
                    else:
                        os._exit(3)
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert future.status == "pending"
            client.close()
        main()
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "said",
    [
        *({"priority": value} for value in ("", None, 0.0, 1.5, True, False, 2**40, [], b"")),
        *({"retries": value} for value in ("", True, False, 1.0, 0.0, -1, [], {})),
        *({"workers": value} for value in ([], "", [""], (), {}, 0, False, [1], b"w")),
        *(
            {"resources": value}
            for value in ([], "", 0, {1: 1}, {"a": "x"}, {"a": -1}, {"a": float("nan")}, {"a": True})
        ),
        *({"pure": value} for value in (0, 1, "", "yes", [])),
        *({"key": value} for value in ("", 5, 0, b"x", ("a", 1), False)),
        *({"allow_other_workers": value} for value in (True, 1, "no", None)),
        *({"workers": "any", "allow_other_workers": value} for value in (1, 0, "no", None)),
    ],
    ids=repr,
)
def test_what_is_said_of_a_call_is_of_its_kind_or_refused(client: Client, said: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match="[a-z]"):
        client.submit(abs, 1, **said)
    if "key" not in said:
        with pytest.raises((TypeError, ValueError), match="[a-z]"):
            client.map(abs, [1, 2], **said)


@pytest.mark.parametrize("said", [{"retries": np.int64(2)}, {"priority": np.int8(-3)}], ids=repr)
def test_numbers_of_numpy_are_numbers(client: Client, said: dict[str, Any]) -> None:
    assert client.submit(abs, -1, **said).result(30) == 1
    with raskt.annotate(resources={"GPU": np.float32(0.5)}):
        assert raskt.get_annotations() == {"resources": {"GPU": 0.5}}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda client: client.run(os.getpid, workers=1.5), "workers is 1.5; it has to be the name of a worker"),
        (lambda client: client.rebalance(workers=1.5), "workers is 1.5"),
        (lambda client: client.has_what(workers=True), "workers is True"),
        (lambda client: client.nthreads(workers=[None]), "there is no worker None"),
        (lambda client: client.nthreads(workers=[[]]), r"there is no worker \[\]"),
        (lambda client: client.get_task_stream(count="a"), "count is 'a'"),
        (lambda client: client.get_task_stream(count=-1), "count is -1"),
        (lambda client: client.profile(seconds=None), "seconds is None"),
        (lambda client: client.scatter([1], timeout=object()), "timeout: .* is no duration"),
        (lambda client: client.scatter([1], hash="yes"), "hash is 'yes'"),
        (lambda client: client.scatter([1], direct=2), "direct is 2"),
        (lambda client: client.gather([], direct="x"), "direct is 'x'"),
        (lambda client: client.scatter([1], workers=[]), r"workers is \[\], which names no worker"),
        (lambda client: client.replicate([], workers=()), r"workers is \(\), which names no worker"),
        (lambda client: client.rebalance(workers=[]), r"workers is \[\], which names no worker"),
        (lambda client: client.cancel([], force="x"), "force is 'x'"),
        (lambda client: client.map(abs, [1], key=5), "key is 5"),
        (lambda client: wait([], return_when=None), "return_when is None"),
        (lambda client: MultiLock("ab", client=client), r"names is 'ab'; it is a list .*\['ab'\]"),
        (lambda client: client.replicate([], branching_factor=object()), "branching_factor is"),
    ],
)
def test_arguments_of_another_kind_are_refused(client: Client, call: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call(client)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tcp://127.0.0.1:1", r"tcp://127.0.0.1:1 needs the token .*none at '.*token'.*Security\(token_file"),
        ("tls://127.0.0.1:1", r"tls://127.0.0.1:1 needs the certificate of .*authority.*Security\(tls_ca_file"),
    ],
)
def test_clients_without_credentials_hear_which(
    address: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(ConnectionError, match=words):
        Client(address)


def test_who_is_not_called_refuses_nobody(cluster: LocalCluster) -> None:
    with pytest.raises(ConnectionError, match="^`tcp://nohost.invalid:80` is on another host.* use `tls://`$"):
        Client("tcp://nohost.invalid:80", security=cluster.security)


class Hired(Cluster):
    """Says nothing of what clients are known by."""

    @property
    def scheduler_address(self) -> str:
        return "tls://127.0.0.1:1"

    @property
    def security(self) -> Any:
        raise AttributeError("it was never set")


def test_clusters_of_other_classes_need_not_say_by_what_clients_are_known() -> None:
    hired = Hired()
    for cluster in (hired, hired.scheduler_address):
        with pytest.raises(ConnectionError, match="needs the certificate of .*authority"):
            Client(cluster)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nope", "address is 'nope', which says by no 'tcp://'"),
        ("127.0.0.1:8786", "which says by no 'tcp://'"),
        ("", "address is '', which says by no 'tcp://'"),
        (" ", "address is ' ', which"),
        ("http://host:8786", "begins with 'http', which nobody speaks here"),
        ("TCP://host:8786", "begins with 'TCP'"),
        ("tcp://", "has no port from 1 to 65535"),
        ("tcp://host", "has no port from 1 to 65535"),
        ("tcp://host:", "has no port from 1 to 65535"),
        ("tcp://host:0", "has no port from 1 to 65535"),
        ("tcp://host:70000", "has no port from 1 to 65535"),
        ("tcp://host:-1", "has no port from 1 to 65535"),
        ("tcp://host:8786 ", "has no port from 1 to 65535"),
        ("tcp://ho st:8786", "has no host that is a name or a number"),
        ("tcp://:8786", "has no host that is a name or a number"),
        ("tcp://[::1:8786", "has no host that is a name or a number"),
        ("tls://me:hunter2@host:8786", "has a user, a password or a query"),
        ("unix://run/raskt.sock", "isn't the absolute path of a socket"),
        ("unix:///" + "x" * 107, "isn't the absolute path of a socket"),
    ],
)
def test_what_is_no_address_is_told_as_such(address: str, words: str) -> None:
    with pytest.raises(ValueError, match="looks like 'tcp://host:8786', 'tls://host:8786' or 'unix:///") as refused:
        Client(address)
    assert words in str(refused.value) and "hunter2" not in str(refused.value) and "token=" not in str(refused.value)
    if "://" in address:
        with pytest.raises(ValueError, match="the scheduler is .*looks like"):
            Nanny(address)


@pytest.mark.parametrize("what", [[1], [[None, "x"]], {"a": 1}, (object(),)])
def test_what_is_about_futures_says_so_where_there_are_none(client: Client, what: Any) -> None:
    for ask in (client.cancel, client.retry, wait, fire_and_forget):
        with pytest.raises(TypeError, match="takes futures of a cluster.* there is none"):
            ask(what)
    future = client.submit(inc, 1)
    assert wait([future, None]).done == {future}
    client.cancel([])


def both(one: int, other: int) -> int:
    return one + other


def test_futures_of_another_cluster_are_told_apart(client: Client) -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1) as elsewhere,
        Client(elsewhere, set_as_default=False) as other,
    ):
        own, foreign = client.submit(inc, 1), other.submit(inc, 2)
        wait(own), wait(foreign)
        # Their numbers are of something else here.
        for ask in (client.who_has, client.replicate, client.rebalance, client.story, client.call_stack, client.nbytes):
            with pytest.raises(ValueError, match="is of another cluster than the client that is asked"):
                ask([foreign])
        assert client.submit(both, own, foreign).result(30) == 5
        assert client.submit(sum, [foreign, own, foreign]).result(30) == 8
        assert client.gather(client.map(both, [own, foreign], [foreign, own])) == [5, 5]
        assert raskt.delayed(both)(foreign, own).compute() == 5


@pytest.mark.parametrize("filename", [None, 0, [], "", "/nonexistent/report.html", "."])
def test_a_report_has_a_file(client: Client, filename: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="filename is"):
        performance_report(filename)


def test_durations_of_numpy_are_durations(client: Client) -> None:
    assert client.scatter([1], timeout=np.int64(30))[0].result(timeout=np.float32(30)) == 1
    client.wait_for_workers(1, timeout=np.int64(30))


def test_timeouts_are_looked_at_though_nothing_is_waited_for(client: Client) -> None:
    future = client.submit(inc, 1)
    wait(future)
    for ask in (future.result, future.exception, future.traceback):
        with pytest.raises((TypeError, ValueError), match="no duration"):
            ask(timeout="abc")
    with pytest.raises((TypeError, ValueError), match="fifo_timeout"):
        client.persist(ra.ones(3), fifo_timeout=-1)
    with pytest.raises(ValueError, match="batch is"):
        Queue("odd", client=client).get(batch=10**30)


def test_data_that_waits_for_workers_says_so() -> None:
    with LocalCluster(n_workers=0) as cluster, Client(cluster) as client:
        with pytest.warns(UserWarning, match="there is none yet"), pytest.raises(TimeoutError):
            client.scatter([1], broadcast=True, timeout=0.5)


def test_names_of_workers_may_come_one_by_one(client: Client) -> None:
    names = list(client.nthreads())
    future = client.scatter([np.arange(5)], workers=iter(names))[0]
    client.replicate([future], workers=(name for name in names))
    assert sorted(client.who_has([future])[future.key]) == sorted(names)
    client.rebalance([future], workers=iter(names))
    assert client.gather(future, direct=np.bool_(True)).sum() == 10  # type: ignore[arg-type]


def test_what_is_no_value_yet_is_refused_where_values_are_taken(client: Client) -> None:
    frame = rd.from_pandas(pd.DataFrame({"a": [1, 2, 3, 4]}), npartitions=2)
    array = ra.ones(4, chunks=2)
    for late in (client.scatter(5), client.submit(inc, 4), raskt.delayed(5), raskt.futures.submit(inc, 4)):
        for call in (
            lambda late: frame.map_partitions(lambda part, x: part, late),
            lambda late: frame.map_partitions(lambda part, x=0: part, x=[late]),
            lambda late: frame.a.map_overlap(lambda part, x: part, 1, 1, late),
            lambda late: frame.a.reduction(lambda part, x=0: part.sum(), chunk_kwargs={"x": late}),
            lambda late: array.map_blocks(lambda block, x: block, late, dtype=float),
            lambda late: array.map_blocks(lambda block, x=0: block, x={"y": late}, dtype=float),
            lambda late: ra.blockwise(lambda block, x: block, "i", array, "i", late, None, dtype=float),
        ):
            with pytest.raises(NotImplementedError, match="isn't replaced by its value: pass "):
                call(late)


def test_a_range_is_many_numbers(client: Client) -> None:
    assert client.gather(client.map(inc, client.scatter(range(3)))) == [1, 2, 3]
    assert client.gather(client.scatter([1], broadcast=np.int64(2))) == [1]
    with pytest.raises(TypeError, match="broadcast"):
        client.scatter([1], broadcast=1.5)  # type: ignore[arg-type]


def test_what_a_restart_has_cancelled_is_named_where_it_is_read() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        gone = client.submit(inc, 1, key="gone")
        assert gone.result() == 2
        client.restart()
        for call in (
            lambda: client.submit(inc, gone),
            lambda: client.submit(sum, [gone]),
            lambda: client.map(inc, [gone]),
            lambda: raskt.delayed(inc)(gone).compute(),
            lambda: client.get_executor().submit(inc, gone),
        ):
            with pytest.raises(raskt.futures.CancelledError, match="gone"):
                call()
