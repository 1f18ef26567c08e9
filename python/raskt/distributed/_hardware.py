"""How fast disks and memory of workers are, measured briefly."""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

from raskt._core import ClusterClient
from raskt.distributed import _errands

SIZES = {"1 kiB": 1 << 10, "100 kiB": 100 << 10, "1 MiB": 1 << 20, "10 MiB": 10 << 20}
"""What is written, and copied, at a time."""

SECONDS = 0.05
"""How long each is tried."""


def measure() -> dict[str, dict[str, float]]:
    """Bytes a second in this process."""
    return {
        "disk": {name: _rate(size, _written) for name, size in SIZES.items()},
        "memory": {name: _rate(size, _copied) for name, size in SIZES.items()},
    }


def _rate(size: int, act: Any) -> float:
    data, done, began = os.urandom(size), 0, time.perf_counter()
    while (took := time.perf_counter() - began) < SECONDS or not done:
        act(data)
        done += size
    return done / max(took, 1e-9)


def _written(data: bytes) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()


def _copied(data: bytes) -> None:
    bytearray(data)


def of_workers(client: ClusterClient) -> dict[str, dict[str, float]]:
    """The mean over all workers; the network isn't measured."""
    names = _errands.numbers(client, None)
    came = list(_errands.all_of(client, list(names), measure).values())
    if not came:
        return {"disk": {}, "memory": {}, "network": {}}
    mean = {
        part: {name: sum(rates[part][name] for rates in came) / len(came) for name in SIZES}
        for part in ("disk", "memory")
    }
    return {**mean, "network": {}}
