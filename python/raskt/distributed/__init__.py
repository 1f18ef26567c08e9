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

from raskt import _streams
from raskt._core import ClusterFuture as Future
from raskt._core import KilledWorker, Reschedule
from raskt.distributed import _joblib
from raskt.distributed._actors import Actor, ActorFuture, BaseActorFuture
from raskt.distributed._client import Client
from raskt.distributed._clusters import (
    Adaptive,
    Cluster,
    DaskCluster,
    LocalCluster,
    Nanny,
    ProcessInterface,
    RayCluster,
    Scheduler,
    SpecCluster,
    SSHCluster,
    Status,
    SubprocessCluster,
    Worker,
)
from raskt.distributed._current import default_client
from raskt.distributed._events import Event
from raskt.distributed._executor import ClusterExecutor as CompatibleExecutor
from raskt.distributed._in_tasks import get_client, local_client, rejoin, secede, worker_client
from raskt.distributed._locks import Lock, MultiLock
from raskt.distributed._plugin_kinds import (
    CondaInstall,
    Environ,
    InstallPlugin,
    NannyPlugin,
    PipInstall,
    SchedulerPlugin,
    UploadDirectory,
    UploadFile,
    WorkerPlugin,
)
from raskt.distributed._progress import progress
from raskt.distributed._refused import connect, get_task_metadata, rpc
from raskt.distributed._reports import get_task_stream, performance_report
from raskt.distributed._security import Security
from raskt.distributed._semaphores import Semaphore
from raskt.distributed._spans import span
from raskt.distributed._this_worker import get_worker
from raskt.distributed._variables import Queue, Variable
from raskt.distributed._waiting import as_completed, fire_and_forget, futures_of, wait
from raskt.distributed._words import print, warn

_streams.hold()
_joblib.announce()

__all__ = [
    "Actor",
    "ActorFuture",
    "Adaptive",
    "BaseActorFuture",
    "CancelledError",
    "Client",
    "Cluster",
    "CompatibleExecutor",
    "CondaInstall",
    "DaskCluster",
    "Environ",
    "Event",
    "Future",
    "InstallPlugin",
    "KilledWorker",
    "LocalCluster",
    "Lock",
    "MultiLock",
    "Nanny",
    "NannyPlugin",
    "PipInstall",
    "ProcessInterface",
    "Queue",
    "RayCluster",
    "Reschedule",
    "SSHCluster",
    "Scheduler",
    "SchedulerPlugin",
    "Security",
    "Semaphore",
    "SpecCluster",
    "Status",
    "SubprocessCluster",
    "TimeoutError",
    "UploadDirectory",
    "UploadFile",
    "Variable",
    "Worker",
    "WorkerPlugin",
    "as_completed",
    "connect",
    "default_client",
    "fire_and_forget",
    "futures_of",
    "get_client",
    "get_task_metadata",
    "get_task_stream",
    "get_worker",
    "local_client",
    "performance_report",
    "print",
    "progress",
    "rejoin",
    "rpc",
    "secede",
    "span",
    "wait",
    "warn",
    "worker_client",
]
