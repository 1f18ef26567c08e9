"""Data that clients give, where those who have it die or leave."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from typing import Any

import numpy as np
import psutil
import pytest

from raskt.distributed import Client, LocalCluster


def total(*parts: Any) -> int:
    time.sleep(0.03)
    return int(sum(np.sum(part) for part in parts))


def processes() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def end(workers: set[psutil.Process], signal_number: int) -> None:
    for process in workers:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal_number)


@pytest.mark.parametrize("workers", [1, 2])
def test_data_that_was_let_go_of_is_given_again_to_whoever_reads_it_with_others(workers: int) -> None:
    """Each call reads data of two `scatter`s, of which nobody keeps the futures."""
    others = processes()
    with LocalCluster(n_workers=workers, threads_per_worker=1) as cluster, Client(cluster) as client:
        given = [client.scatter(np.arange(1000) + number) for number in range(24)]
        first = [client.submit(total, data, pure=False) for data in given]
        pairs = zip(first, first[1:], given, given[2:] + given[:2], strict=False)
        second = [client.submit(total, *each, pure=False) for each in pairs]
        expected = [2 * 499_500 * 2 + 1000 * (k + k + 1 + k + (k + 2) % 24) for k in range(23)]
        del given, first, pairs
        time.sleep(0.5)
        end(processes() - others, signal.SIGKILL)
        began = time.monotonic()
        assert client.gather(second) == expected
        assert time.monotonic() - began < 60
        # Nothing of it stays when nobody needs it any more.
        del second
        deadline = time.monotonic() + 30
        while any(client.has_what().values()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(client.has_what().values())


@pytest.mark.parametrize("how", ["scale", "terminate", "kill"])
def test_data_on_its_way_is_given_to_others_where_workers_leave(how: str) -> None:
    others = processes()
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        is_over = threading.Event()

        def end_them() -> None:
            for _ in range(3):
                time.sleep(0.4)
                if how == "scale":
                    cluster.scale(0)
                    time.sleep(0.4)
                    cluster.scale(2)
                elif how == "terminate":
                    end(processes() - others, signal.SIGTERM)
                else:
                    # Of what four workers have died that were to fetch it, others don't.
                    end(set(list(processes() - others)[:1]), signal.SIGKILL)
            is_over.set()

        threading.Thread(target=end_them).start()
        given = []
        while not is_over.is_set():
            given.append(client.scatter(np.arange(len(given) % 500)))
            time.sleep(0.0005)
        assert [len(data) for data in client.gather(given)] == [number % 500 for number in range(len(given))]
