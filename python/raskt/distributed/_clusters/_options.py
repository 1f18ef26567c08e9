"""Options of schedulers and workers: which are honoured, and what is said of the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from raskt.distributed import _sizes

ELSEWHERE = {
    "resources": "SubprocessCluster, LocalCluster and the command `raskt worker` have it",
    "lifetime": "SubprocessCluster, LocalCluster and the command `raskt worker` have it",
    "lifetime_stagger": "SubprocessCluster, LocalCluster and the command `raskt worker` have it",
    "lifetime_restart": "SubprocessCluster, LocalCluster and the command `raskt worker` have it",
    "death_timeout": "SubprocessCluster, LocalCluster and the command `raskt worker` have it",
    "idle_timeout": "SubprocessCluster and the command `raskt scheduler` have it",
    "scheduler_file": "Client(scheduler_file=...) and the commands `raskt scheduler` and `raskt worker` have it",
    "dashboard": "there is no dashboard",
    "dashboard_address": "there is no dashboard",
    "worker_dashboard_address": "there is no dashboard",
    "services": "there are no services beside workers and schedulers",
    "worker_services": "there are no services beside workers and schedulers",
    "blocked_handlers": "what a peer may say goes by its role",
    "reconnect": "workers always come back to their scheduler",
    "validate": "the machines are checked by tests",
    "executor": "tasks run on threads of the worker",
}
"""Where there is what isn't here."""


def refuse(kind: str, options: dict[str, Any], harmless: Iterable[Any] = (None, False)) -> None:
    """Refuses what was said and wouldn't be honoured."""
    for name, value in options.items():
        if any(value is each for each in harmless) or value in ((), [], {}):
            continue
        why = ELSEWHERE.get(name, "nothing is known of it")
        raise NotImplementedError(f"{kind} doesn't take {name}={value!r}: {why}")


def threads_of(nthreads: Any) -> int:
    """Threads of a worker; all processors if nobody says otherwise."""
    if nthreads is None:
        return _sizes.processors()
    if isinstance(nthreads, bool) or not isinstance(nthreads, int):
        raise TypeError(f"nthreads is {nthreads!r}; it has to be a whole number")
    if nthreads < 1:
        raise ValueError(f"nthreads is {nthreads}; at least one has to run tasks")
    return nthreads


def memory_of(limit: Any, threads: int) -> int | None:
    """Bytes of a worker; by default it has its threads' share of the machine."""
    return _sizes.memory_share(limit, max(1, _sizes.processors() // threads))


def modules_of(preload: Any) -> list[str]:
    """Modules that are run first."""
    modules = [preload] if isinstance(preload, str) else list(preload or ())
    if not all(isinstance(module, str) for module in modules):
        raise TypeError(f"preload is {preload!r}; it is the name of a module, the path of a file, or a list of those")
    return modules
