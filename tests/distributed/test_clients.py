"""When clients end, and by what they are known, where nobody says it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import raskt.array as ra
from processes_seen import until
from raskt.distributed import Client, LocalCluster, _left_behind, get_client, wait


def inc(number: int) -> int:
    return number + 1


def test_a_client_that_nobody_keeps_is_there_for_its_futures(cluster: LocalCluster, tmp_path: Path) -> None:
    def asked() -> list[Any]:
        client = Client(cluster, set_as_default=False)
        path = tmp_path / "go"
        return [client.submit(inc, 1), client.submit(_when_there, path), client.persist(ra.arange(6, chunks=2) + 1)]

    done, waits, array = asked()
    gc.collect()
    time.sleep(0.6)
    (tmp_path / "go").touch()
    assert done.result(timeout=20) == 2 and waits.result(timeout=20) == "there"
    assert array.compute().tolist() == [1, 2, 3, 4, 5, 6]


def _when_there(path: Path) -> str:
    while not path.exists():
        time.sleep(0.02)
    return "there"


def test_a_client_that_nobody_keeps_ends_with_the_last_of_its_futures() -> None:
    def asked() -> Any:
        client = Client(n_workers=1, threads_per_worker=1, set_as_default=False)
        return client.submit(inc, 1), weakref.ref(client.cluster)

    future, cluster = asked()
    gc.collect()
    time.sleep(0.6)
    assert cluster() is not None and future.result(timeout=20) == 2
    del future
    until(lambda: gc.collect() >= 0 and cluster() is None)
    # Nothing was asked: it ends at once.
    cluster = weakref.ref(Client(n_workers=1, threads_per_worker=1, set_as_default=False).cluster)
    gc.collect()
    assert cluster() is None


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self) -> int:
        self.count += 1
        return self.count


def test_results_of_a_client_that_nobody_keeps_are_as_those_of_others(cluster: LocalCluster) -> None:
    def asked() -> list[Any]:
        client = Client(cluster, set_as_default=False)
        return [client.submit(Counter, actor=True), client.submit(inc, 1), client.submit(_asks, 5)]

    counter, number, nested = asked()
    gc.collect()
    actor = counter.result(timeout=20)
    assert actor.add().result() == 1 and actor.add().result() == 2
    assert number.client is not None and number.client.submit(inc, number).result(timeout=20) == 3
    assert number.type is int
    gc.collect()
    assert nested.result(timeout=20).result(timeout=20) == 6
    for _ in range(20):
        assert number.type is int
        gc.collect()
    assert actor.add().result() == 3


def _asks(number: int) -> Any:
    return get_client().submit(inc, number)


@pytest.fixture
def threads_take_turns() -> Iterator[None]:
    """All the time, so that each comes where another is in the midst of something."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_all_who_look_for_a_client_that_nobody_keeps_find_it(cluster: LocalCluster, threads_take_turns: None) -> None:
    def asked() -> Any:
        return Client(cluster, set_as_default=False).submit(inc, 1)

    number, ends = asked(), time.monotonic() + 2
    missed: list[Any] = []
    gc.collect()

    def looks() -> None:
        while time.monotonic() < ends and not missed:
            if number.client is None:
                missed.append(number)

    _in_threads(4, looks)
    assert not missed and number.result(timeout=20) == 2
    client = number.client
    assert client is number.client and not client.is_closed
    assert _left_behind._wakes.qsize() <= 4, "whoever looks leaves nothing behind"
    # It may be closed by whoever has found it.
    client.close()
    assert client.is_closed and number.client is None


def test_a_client_is_found_while_it_is_let_go(cluster: LocalCluster, threads_take_turns: None) -> None:
    kept: list[Any] = []
    missed: list[int] = []
    is_over = threading.Event()

    def looks() -> None:
        while not is_over.is_set():
            for future in list(kept):
                if future.client is None:
                    missed.append(1)

    def lets_go() -> None:
        for _ in range(40):
            client = Client(cluster, set_as_default=False)
            kept[:] = [client.submit(inc, 1)]
            del client
            time.sleep(0.002)
        is_over.set()

    looking = [threading.Thread(target=looks) for _ in range(2)]
    for thread in looking:
        thread.start()
    try:
        lets_go()
    finally:
        is_over.set()
        for thread in looking:
            thread.join()
    assert not missed


def test_finalizers_may_look_for_clients_in_the_midst_of_others(cluster: LocalCluster) -> None:
    found: list[Any] = []

    def asked() -> Any:
        return Client(cluster, set_as_default=False).submit(inc, 1)

    number = asked()
    gc.collect()

    class Looks:
        def __del__(self) -> None:
            found.append(number.client)

    def again() -> Any:
        # The garbage collector comes while a client is made.
        connection._again = made
        Looks()
        return made()

    def is_asked(connection: Any) -> bool:
        client = connection.client()
        return client is not None and client._raskt_cluster_client.holds(number)

    [connection] = [each for each in list(_left_behind._all.values()) if is_asked(each)]
    gc.collect()
    made, connection._again = connection._again, again
    assert _in_threads(1, lambda: found.append(number.client)) and len(found) == 2 and None not in found
    found.clear()
    assert number.result(timeout=20) == 2


def _in_threads(count: int, function: Callable[[], Any]) -> bool:
    """Whether all of them come to an end."""
    threads = [threading.Thread(target=function, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return not any(thread.is_alive() for thread in threads)


def test_whoever_awaits_need_not_keep_the_client(cluster: LocalCluster) -> None:
    async def main() -> int:
        async def asked() -> Any:
            client = await Client(cluster, set_as_default=False, asynchronous=True)
            return client.submit(inc, 1)

        future = await asked()
        gc.collect()
        done, _ = await wait([future])
        assert done == {future}
        result: int = await future
        return result

    assert asyncio.run(main()) == 2


def test_programs_end_that_keep_futures_of_a_client_that_they_do_not_keep() -> None:
    program = """
        from raskt.distributed import Client
        def asked():
            return Client(n_workers=1, threads_per_worker=1, set_as_default=False).submit(abs, -1)
        future = asked()
        print(future.result())
    """
    began = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "1\n", "")
    assert time.monotonic() - began < 30


def test_a_client_finds_the_token_that_the_command_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster:
        # What a cluster of this process has.
        with Client(cluster.scheduler_address, set_as_default=False) as client:
            assert client.submit(inc, 1).result(timeout=20) == 2
        assert cluster.security is not None and cluster.security.token_file is not None
        token = cluster.security.token_file.read_bytes()
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        program = """
            import sys
            from raskt.distributed import Client
            try:
                with Client(sys.argv[1]) as client:
                    print(client.submit(abs, -2).result(timeout=20))
            except ConnectionError as error:
                print(error)
        """

        def elsewhere() -> str:
            command = [sys.executable, "-c", textwrap.dedent(program), cluster.scheduler_address]
            return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

        assert f"there is none at '{tmp_path}/raskt/token'" in elsewhere()
        (tmp_path / "raskt").mkdir(mode=0o700)
        (tmp_path / "raskt" / "token").touch(mode=0o600)
        (tmp_path / "raskt" / "token").write_bytes(token)
        assert elsewhere() == "2\n"


def test_an_interrupt_is_heard_while_a_client_connects() -> None:
    program = """
        import os, signal, threading, time
        from raskt.distributed import Client, LocalCluster
        with LocalCluster(n_workers=0) as cluster:
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            began = time.monotonic()
            try:
                Client("tcp://127.0.0.1:1", security=cluster.security, timeout=30)
            except KeyboardInterrupt:
                print(time.monotonic() - began < 10)
    """
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "True\n", ran.stderr
