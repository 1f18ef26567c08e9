"""Large results that are one pickle: bytes, texts and what holds them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from raskt.distributed import Client

LARGE = 64 << 10
"""From here on a pickle isn't copied on its way."""

PATIENCE = 120

MEBIBYTE = 1 << 20

FETCHED = """
import resource
from raskt.distributed import Client, LocalCluster

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        client.submit(bytes, 1 << 20).result()
        before = peak()
        assert len(client.submit(bytes, 256 << 20).result()) == 256 << 20
        print(peak() - before)
"""


def made(kind: str, size: int) -> Any:
    data = bytes(range(256)) * (size // 256 + 1)
    if kind == "bytes":
        return data[:size]
    if kind == "text":
        return "größe" * (size // 6) + "x" * (size % 6)
    if kind == "dictionary":
        return {"a": data[:size], "b": [data[: size // 2]]}
    # The arrays' memory lies beside the pickle, which is as large.
    return data[:size], np.arange(size // 8 + 1), np.arange(3)


@pytest.fixture(scope="module")
def client() -> Any:
    with Client(n_workers=2, threads_per_worker=1) as client:
        yield client


def same(one: Any, other: Any) -> Any:
    """The first, if the other is the same."""
    assert_same(one, other)
    return one


def assert_same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, tuple):
        for mine, yours in zip(one, other, strict=True):
            assert_same(mine, yours)
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


@pytest.mark.parametrize("kind", ["bytes", "text", "dictionary", "arrays"])
@pytest.mark.parametrize("size", [0, 1, LARGE - 64, *range(LARGE - 20, LARGE + 20, 7), LARGE + 64, 5 * MEBIBYTE + 3])
def test_they_are_the_same_wherever_they_are_read(client: Client, kind: str, size: int) -> None:
    first, second = sorted(client.nthreads())
    expected = made(kind, size)
    future = client.submit(made, kind, size, workers=[first])
    elsewhere = client.submit(same, future, expected, workers=[second])
    given = client.submit(same, client.scatter(expected), future, workers=[second])
    for result in client.gather([future, elsewhere, given]):
        assert_same(result, expected)


def test_a_client_has_them_twice_at_most() -> None:
    told = subprocess.run([sys.executable, "-c", FETCHED], capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 0, told.stderr
    # What has come, and what is made of it.
    assert int(told.stdout) < 2.3 * 256 * MEBIBYTE
