"""Options of schedulers and workers: which are honoured, and what is said of the others."""

from __future__ import annotations

import os
from typing import Any

from raskt._cli import is_file
from raskt.distributed import _arguments, _sizes

COMMAND = "SubprocessCluster, LocalCluster and the command `raskt worker` have it"
SCHEDULER_COMMAND = "SubprocessCluster and the command `raskt scheduler` have it"
PLACE = (
    "it listens within its host, or where it reaches a scheduler beyond it; the command `raskt worker` is told where"
)
PAGE = "there is no dashboard"
SERVICES = "there are no services beside schedulers and workers"
ALWAYS = "nothing can be changed there"

UNTAKEN = {
    **dict.fromkeys(("resources", "lifetime", "lifetime_stagger", "lifetime_restart", "death_timeout"), COMMAND),
    **dict.fromkeys(
        ("worker_port", "contact_address", "listen_address", "host", "port", "interface", "protocol"), PLACE
    ),
    **dict.fromkeys(("idle_timeout", "pid_file"), SCHEDULER_COMMAND),
    **dict.fromkeys(
        ("dashboard", "dashboard_address", "worker_dashboard_address", "dashboard_prefix", "http_prefix"), PAGE
    ),
    **dict.fromkeys(
        ("services", "worker_services", "service_kwargs", "blocked_handlers", "extensions", "jupyter"), SERVICES
    ),
    **dict.fromkeys(("reconnect", "validate", "executor", "executors", "data", "quiet", "heartbeat_interval"), ALWAYS),
    **dict.fromkeys(("allowed_failures", "worker_ttl", "transition_counter_max", "low_level_profiler"), ALWAYS),
    **dict.fromkeys(("metrics", "startup_information", "profile_cycle_interval", "WorkerStateClass"), ALWAYS),
    **dict.fromkeys(("preload_argv", "preload_nanny", "preload_nanny_argv"), "preload takes modules alone"),
    "plugins": "Client.register_plugin has it, if anything",
    "scheduler_file": "Client(scheduler_file=...) and the commands `raskt scheduler` and `raskt worker` have it",
    "start": "a cluster that isn't asynchronous starts at once",
    "config": "settings of workers are variables of their environment (env=)",
    "env": "it has the environment of this process",
    "local_directory": "a worker in this process spills where this process does (raskt.config's `memory.spill-path`)",
    "worker_class": "what workers are is said already",
    "scheduler_sni": "certificates name roles, and no hosts",
    "silence_logs": "nothing is logged there",
}
"""What `dask.distributed` has and isn't taken here, and why or where it is."""


def refuse(kind: str, options: dict[str, Any]) -> None:
    """Refuses what was said and wouldn't be honoured, and what nobody knows."""
    for name, value in options.items():
        if name not in UNTAKEN:
            raise TypeError(f"{kind} has no option {name}={value!r}")
        is_nothing = value is None or value is False or (isinstance(value, (tuple, list, dict)) and not value)
        if not is_nothing:
            raise NotImplementedError(f"{kind} doesn't take {name}={value!r}: {UNTAKEN[name]}")


def threads_of(nthreads: Any) -> int:
    """Threads of a worker; all processors if nobody says otherwise."""
    if nthreads is None:
        return _sizes.processors()
    return _arguments.count("nthreads", nthreads, 1, _arguments.THREADS_MAX)


def shares(n_workers: Any, threads_per_worker: Any) -> tuple[int, int]:
    """Workers, and threads of each, as far as somebody says."""
    workers = None if n_workers is None else _arguments.count("n_workers", n_workers)
    threads = threads_per_worker
    if threads is not None:
        threads = _arguments.count("threads_per_worker", threads, 1, _arguments.THREADS_MAX)
    return _sizes.shares(workers, threads)


def memory_of(limit: Any, threads: int) -> int | None:
    """Bytes of a worker; by default it has its threads' share of the machine."""
    return _sizes.memory_share(limit, max(1, _sizes.processors() // threads))


def modules_of(preload: Any) -> list[str]:
    """Modules that are run first."""
    modules = [preload] if isinstance(preload, str) else preload
    if modules is None:
        return []
    if not isinstance(modules, (list, tuple)) or not all(isinstance(module, str) for module in modules):
        raise TypeError(f"preload is {preload!r}; it is the name of a module, the path of a file, or a list of those")
    return [_arguments.text("preload", module) for module in modules]


def modules_here(preload: Any) -> list[str]:
    """The same of processes of this host: files have to be there, and are found wherever this process goes."""
    return [_file_here(module) if is_file(module) else module for module in modules_of(preload)]


def _file_here(path: str) -> str:
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"preload is {path!r}, and there is no such file (this process is in {os.getcwd()!r}); name a file of this "
            "host, or a module that can be imported"
        )
    return os.path.abspath(path)


def of_guest(name: Any, nthreads: int | None, memory_limit: Any, preload: Any) -> dict[str, Any]:
    """Options of a worker in a process that belongs to another engine."""
    threads = None if nthreads is None else threads_of(nthreads)
    if isinstance(memory_limit, bool) or not isinstance(memory_limit, (int, float, str, type(None))):
        raise TypeError(f"memory_limit is {memory_limit!r}; it is a number of bytes, a text such as '4 GiB', or None")
    return {"name": str(name), "nthreads": threads, "memory_limit": memory_limit, "preload": modules_of(preload)}


def environment_of(env: Any) -> dict[str, str]:
    """Variables of an environment."""
    variables = {key: str(value) for key, value in _arguments.mapping("env", env).items()}
    for key, value in variables.items():
        if not key or "=" in key or "\0" in key + value:
            raise ValueError(f"env has {key!r}: {value!r}, which no environment can have")
    return variables
