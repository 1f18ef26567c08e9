"""One cluster of two worker processes for all tests that don't harm it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from raskt.distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=30)
        yield client
