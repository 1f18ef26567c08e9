"""raskt inside of a Ray cluster, a real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import raskt.array as ra
from processes_seen import is_alive, until
from raskt.distributed import Client, RayCluster

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def theirs() -> Iterator[Any]:
    """A Ray cluster of four processors, of which this process is a part."""
    context = ray.init(num_cpus=4, resources={"rare": 1}, include_dashboard=False, log_to_driver=False)
    yield context
    ray.shutdown()


def processors() -> float:
    return float(ray.available_resources().get("CPU", 0.0))


def test_a_process_in_no_ray_cluster_is_told() -> None:
    assert not ray.is_initialized()
    with pytest.raises(RuntimeError, match=r"ray\.init"):
        RayCluster()


def test_workers_are_actors_with_processors_of_ray(theirs: Any) -> None:
    until(lambda: processors() == 4)
    with RayCluster(1, 2, name="guest", memory_limit="1 GiB") as cluster, Client(cluster) as client:
        assert cluster.scheduler_address.startswith("tls://")
        client.wait_for_workers(1, timeout=60)
        assert int(ra.arange(1000, chunks=10).sum().compute()) == sum(range(1000))
        assert client.nthreads() == {"guest-worker-0": 2} and cluster.observed == cluster.plan
        until(lambda: processors() == 2)
        [pid] = client.run(os.getpid).values()
        # Ray starts it again when it dies, and what it was to do is done.
        futures = client.map(abs, range(-20, 0))
        os.kill(pid, signal.SIGKILL)
        assert client.gather(futures) == list(range(20, 0, -1))
        again = client.submit(os.getpid).result(timeout=60)
        assert again != pid
        cluster.scale(0)
        until(lambda: not is_alive(again) and processors() == 4)


def test_what_ray_has_no_room_for_waits_and_may_be_given_up(theirs: Any) -> None:
    with RayCluster(2, 1, actor_options={"resources": {"rare": 1}}) as cluster:
        cluster.wait_for_workers(1, timeout=60)
        with pytest.raises(TimeoutError):
            cluster.wait_for_workers(2, timeout=0.2)
        assert len(cluster.requested) == 2
    until(lambda: ray.available_resources().get("rare") == 1)
    with pytest.raises(ValueError, match="in a Ray cluster already"):
        RayCluster(address="auto")


def test_it_ends_with_a_program_that_is_killed(theirs: Any) -> None:
    program = f"""
import os, ray
ray.init(address={theirs.address_info["address"]!r}, log_to_driver=False)
from raskt.distributed import Client, RayCluster
cluster = RayCluster(1, 1)
with Client(cluster) as client:
    client.wait_for_workers(1, timeout=60)
    print(*client.run(os.getpid).values(), flush=True)
input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    assert is_alive(pid)
    process.kill()
    process.communicate()
    until(lambda: not is_alive(pid))
    until(lambda: processors() == 4)
