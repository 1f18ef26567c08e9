"""What workers have written to the disk goes with them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from processes_seen import until
from raskt.distributed import Client, Future, LocalCluster, SubprocessCluster, wait

LIMIT = "200MB"


def block(number: int) -> np.ndarray:
    return np.full(2_000_000, number, dtype=float)


def spilled(place: Path) -> int:
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())


@contextmanager
def spilling(place: Path) -> Iterator[tuple[LocalCluster, Client, list[Future]]]:
    """A cluster whose worker has had to write results there."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, memory_limit=LIMIT, local_directory=place) as cluster,
        Client(cluster) as client,
    ):
        held = client.map(block, range(20))
        wait(held)
        assert spilled(place) > 50_000_000
        yield cluster, client, held


def test_a_cluster_that_is_closed_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    with spilling(tmp_path) as (_, _, held):
        pass
    assert list(tmp_path.iterdir()) == [] and len(held) == 20


def test_workers_of_the_command_leave_nothing_on_the_disk(tmp_path: Path) -> None:
    options = {"nthreads": 1, "memory_limit": LIMIT, "local_directory": tmp_path}
    with SubprocessCluster(n_workers=1, worker_kwargs=options) as cluster, Client(cluster) as client:
        held = client.map(block, range(20))
        wait(held)
        assert spilled(tmp_path) > 50_000_000
        # Another life of the same process begins with a folder of its own.
        client.restart()
        until(lambda: not spilled(tmp_path))
        held = client.map(block, range(20, 40))
        wait(held)
        assert spilled(tmp_path) > 50_000_000
    until(lambda: list(tmp_path.iterdir()) == [])


def test_a_worker_that_dies_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    with spilling(tmp_path) as (cluster, client, held):
        before = set(tmp_path.iterdir())
        client.cancel(held)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        until(lambda: not before & set(tmp_path.iterdir()))
