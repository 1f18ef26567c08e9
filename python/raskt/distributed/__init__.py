"""Clusters: the same collections on many processes, and futures.

>>> from raskt.distributed import Client
>>> import raskt.array as ra
>>> with Client(n_workers=2, threads_per_worker=1) as client:
...     ra.arange(6, chunks=2).sum().compute()
...     client.gather(client.map(abs, [-1, -2]))
np.int64(15)
[1, 2]
"""

from __future__ import annotations

from concurrent.futures import CancelledError, TimeoutError

from raskt._core import ClusterFuture as Future
from raskt._core import KilledWorker
from raskt.distributed._client import Client
from raskt.distributed._current import default_client
from raskt.distributed._local import LocalCluster
from raskt.distributed._reports import get_task_stream, performance_report
from raskt.distributed._security import Security
from raskt.distributed._waiting import as_completed, fire_and_forget, futures_of, wait

__all__ = [
    "CancelledError",
    "Client",
    "Future",
    "KilledWorker",
    "LocalCluster",
    "Security",
    "TimeoutError",
    "as_completed",
    "default_client",
    "fire_and_forget",
    "futures_of",
    "get_task_stream",
    "performance_report",
    "wait",
]
