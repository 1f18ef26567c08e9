"""Clusters: the same collections on many processes.

>>> from raskt.distributed import Client
>>> import raskt.array as ra
>>> with Client(n_workers=2, threads_per_worker=1):
...     ra.arange(6, chunks=2).sum().compute()
np.int64(15)
"""

from __future__ import annotations

from raskt._core import KilledWorker
from raskt.distributed._client import Client
from raskt.distributed._current import default_client
from raskt.distributed._local import LocalCluster
from raskt.distributed._security import Security

__all__ = ["Client", "KilledWorker", "LocalCluster", "Security", "default_client"]
