"""raskt inside of a cluster of `dask.distributed`, a real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import raskt.array as ra
from processes_seen import until
from raskt.distributed import Client, DaskCluster

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def theirs() -> Iterator[Any]:
    """A client of a Dask cluster of two workers."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="2 GiB", resources={"RARE": 1}, dashboard_address=None
    ) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def running(client: Any) -> int:
    """Tasks of raskt that Dask has going."""
    return sum(key.startswith("raskt-") for keys in client.processing().values() for key in keys)


def test_workers_are_tasks_of_dask(theirs: Any) -> None:
    with DaskCluster(name="guest") as cluster, Client(cluster) as client:
        assert cluster.scheduler_address.startswith("tls://")
        client.wait_for_workers(2, timeout=60)
        assert client.nthreads() == {"guest-worker-0": 1, "guest-worker-1": 1} and cluster.observed == cluster.plan
        assert int(ra.arange(1000, chunks=10).sum().compute()) == sum(range(1000))
        pids = set(client.run(os.getpid).values())
        assert pids == set(theirs.run(os.getpid).values())
        about = client.scheduler_info()["workers"]["guest-worker-0"]
        assert about["memory_limit"] == 2**30
        cluster.scale(1)
        until(lambda: cluster.observed == {"guest-worker-0"} and running(theirs) <= 2)
        assert client.submit(abs, -1).result(timeout=60) == 1
    until(lambda: running(theirs) == 0)
    assert theirs.submit(abs, -2).result(timeout=60) == 2


def test_nothing_secret_lies_where_a_guest_is(theirs: Any) -> None:
    def keys() -> set[str]:
        return set(map(str, Path(tempfile.gettempdir()).glob("raskt-*/tls_key")))

    before = keys()
    with DaskCluster(theirs) as cluster:
        cluster.wait_for_workers(2, timeout=60)
        until(lambda: keys() <= before)
    assert not cluster._keys.folder.exists()


def test_a_worker_that_dies_is_started_elsewhere(theirs: Any) -> None:
    first, second = theirs.run(os.getpid).items()
    places = {
        "submit_options": {"workers": [first[0]], "allow_other_workers": True},
        "scheduler_options": {"submit_options": {"workers": [second[0]]}},
    }
    with DaskCluster(theirs, n_workers=1, threads_per_worker=2, **places) as cluster, Client(cluster) as client:
        client.wait_for_workers(1, timeout=60)
        assert list(client.run(os.getpid).values()) == [first[1]]
        futures = client.map(abs, range(-20, 0))
        os.kill(first[1], signal.SIGKILL)
        assert client.gather(futures) == list(range(20, 0, -1))
        assert client.submit(os.getpid).result(timeout=60) != first[1]
    theirs.wait_for_workers(2)


def test_a_worker_that_fails_is_asked_for_again(theirs: Any, tmp_path: Any) -> None:
    file = tmp_path / "first.py"
    file.write_text("raise OSError('not yet')")
    with DaskCluster(theirs, n_workers=1, preload=str(file)) as cluster:
        log = until(lambda: "not yet" in (log := cluster.get_logs()[next(iter(cluster.plan))]) and log)
        assert "asked for it again" in log
        file.write_text("")
        cluster.wait_for_workers(1, timeout=60)


def test_what_dask_has_no_room_for_waits(theirs: Any) -> None:
    with DaskCluster(theirs, n_workers=3, submit_options={"resources": {"RARE": 1}}) as cluster:
        cluster.wait_for_workers(2, timeout=60)
        with pytest.raises(TimeoutError):
            cluster.wait_for_workers(3, timeout=0.2)
        assert len(cluster.requested) == 3
    until(lambda: running(theirs) == 0)


def test_it_ends_with_a_program_that_is_killed(theirs: Any) -> None:
    program = f"""
import os, distributed
from raskt.distributed import DaskCluster
cluster = DaskCluster({theirs.scheduler.address!r})
cluster.wait_for_workers(2, timeout=60)
print("there", flush=True)
input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "there\n"
    assert running(theirs) >= 2
    process.kill()
    process.communicate()
    until(lambda: running(theirs) == 0)
    # And their slots are free again.
    assert theirs.gather(theirs.map(abs, range(-4, 0))) == [4, 3, 2, 1]


def test_what_is_no_cluster_of_dask_is_told(theirs: Any) -> None:
    with pytest.raises(Exception, match="no scheduler at all|tcp"):
        DaskCluster("no scheduler at all")
    with pytest.raises(TypeError, match="n_workers is 1.5"):
        DaskCluster(theirs, n_workers=1.5)  # type: ignore[arg-type]
