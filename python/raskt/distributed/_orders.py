"""What a client has done with its cluster."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raskt.distributed import _arguments, _asking, _current, _errands, _hardware
from raskt.distributed._durations import seconds
from raskt.distributed._nested import as_container, futures_asked
from raskt.distributed._waiting import wait

if TYPE_CHECKING:
    from raskt._core import ClusterClient, ClusterFuture
    from raskt.distributed._clusters import Cluster
    from raskt.distributed._security import Security

Workers = str | Sequence[Any] | None

RESTART_SECONDS = 60.0
"""How long workers have to begin anew."""

GLANCE_SECONDS = 0.02
"""How often it is looked whether they have."""

MOVES_MOST = 64
"""How often at most the scheduler is asked to move more."""


class Orders:
    """Orders of a client."""

    _raskt_cluster_client: ClusterClient
    _address: str
    _security: Security | None = None
    """By what the cluster knows it; None if that is what a worker is known by."""
    cluster: Cluster | None
    sync: Callable[..., Any]
    close: Callable[..., Any]

    def retire_workers(
        self,
        workers: Workers = None,
        close_workers: bool = True,
        remove: bool = True,
        names: Workers = None,
        n: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Has workers leave without anything being lost or made again.

        They get nothing more to do. When they have ended what they have, others hold all that they alone held, and they
        leave.

        Parameters
        ----------
        workers : str or sequence of str, optional
            The names or addresses of the workers. Default: `names`, or `n` of those that hold least.
        close_workers : bool, default True
            Whether they leave. If not they stay, and get nothing to do any more.
        remove : bool, default True
            A worker that leaves is always forgotten; False is refused.

        Returns
        -------
        dict
            What was known of each, by its name.

        Raises
        ------
        RuntimeError
            If nobody else can hold what they hold. They go on then.
        """
        if kwargs:
            raise NotImplementedError(
                f"retire_workers({next(iter(kwargs))}=...) isn't known: name the workers, or say n"
            )
        if not remove:
            raise NotImplementedError("a worker that retires is forgotten by the scheduler: remove=False isn't known")
        if workers is not None and names is not None:
            raise TypeError("workers and names say the same: give one of them")
        if n is not None and (workers is not None or names is not None):
            raise TypeError("n says how many workers are to retire, and workers or names which: give one of them")
        if n is not None:
            n = _arguments.count("n", n, 0, _arguments.COUNT_MAX)
        return self.sync(_retire, self._raskt_cluster_client, workers if names is None else names, n, close_workers)

    def replicate(
        self, futures: Any, n: int | None = None, workers: Workers = None, branching_factor: int = 2, **kwargs: Any
    ) -> Any:
        """Has more workers hold results, once these are there.

        Parameters
        ----------
        futures : futures, or containers of them
            Which results.
        n : int, optional
            How many workers are to hold each, of those that there are. Default: all.
        workers : str or sequence of str, optional
            Those that may. Default: all.
        branching_factor : int
            Of no effect: copies are fetched from one holder each.
        """
        if kwargs:
            raise NotImplementedError(f"replicate({next(iter(kwargs))}=...) isn't known")
        if n is not None:
            n = _arguments.count("n", n, 1, _arguments.COUNT_MAX)
        _arguments.count("branching_factor", branching_factor, 1, _arguments.COUNT_MAX)
        every = futures_asked(as_container(futures), "replicate()")
        return self.sync(replicate, self._raskt_cluster_client, every, n, workers)

    def rebalance(self, futures: Any = None, workers: Workers = None, **kwargs: Any) -> Any:
        """Has results go from workers that hold much of their memory to those that hold little of it.

        It is over when each holds about as large a part of its memory, as far as whole results allow that. What several
        workers hold stays where it is, and so does an `Actor`. Tasks and other clients go on meanwhile: whatever they
        read, they fetch it from where it is by then.

        Parameters
        ----------
        futures : futures, or containers of them, optional
            Results that may go; first it waits for these. Default: all that there are.
        workers : str or sequence of str, optional
            Workers between which they do. Default: all.

        Raises
        ------
        RuntimeError
            If a result couldn't be copied: others have gone all the same.

        Examples
        --------
        >>> from raskt.distributed import Client
        >>> with Client(n_workers=2, threads_per_worker=1) as client:
        ...     first = list(client.nthreads())[0]
        ...     futures = client.map(bytes, [2_000_000] * 8, workers=[first])
        ...     client.rebalance(futures)
        ...     sorted(map(len, client.has_what().values()))
        [4, 4]
        """
        if kwargs:
            raise NotImplementedError(f"rebalance({next(iter(kwargs))}=...) isn't known")
        every = None if futures is None else futures_asked(as_container(futures), "rebalance()")
        return self.sync(_rebalance, self._raskt_cluster_client, every, workers)

    def restart(self, timeout: float | str | None = None, wait_for_workers: bool = True) -> Any:
        """Ends all runs of all clients, and has workers begin anew.

        Futures are cancelled. Processes of workers are started again where somebody looks after them: those of a
        `LocalCluster`, and of the command ``raskt worker``. Others let go of all that they hold.

        Parameters
        ----------
        timeout : float or str, default 60
            Seconds that workers have for that.
        wait_for_workers : bool, default True
            Whether to wait until as many are there as there were.

        Raises
        ------
        TimeoutError
            If they aren't there in time.
        """
        patience = RESTART_SECONDS if timeout is None else seconds(timeout)
        return self.sync(_restart, self._raskt_cluster_client, "Restart", patience, wait_for_workers)

    def restart_workers(
        self, workers: Workers, timeout: float | str | None = None, raise_for_error: bool = True
    ) -> Any:
        """Has some workers begin anew; what they held is made again where somebody needs it.

        Returns
        -------
        dict
            "OK" or "timed out", by the names of the workers.
        """
        patience = RESTART_SECONDS if timeout is None else seconds(timeout)
        return self.sync(_restart_workers, self._raskt_cluster_client, workers, patience, raise_for_error)

    def shutdown(self) -> Any:
        """Ends the cluster, also one that others have started, and leaves it."""
        return self.sync(_shut_down, self)

    def write_scheduler_file(self, scheduler_file: str | os.PathLike[str]) -> None:
        """Writes where the scheduler is, and which file has its token, for other clients and workers to read.

        Raises
        ------
        RuntimeError
            If it is the client of a task (`get_client`), which is known by what its worker is known by.
        """
        if self._security is None:
            raise RuntimeError(
                "the client of a task has no file of its own with a token, which others could read: have a client of "
                "the program write the scheduler file"
            )
        about = {
            "id": "client",
            "address": self._address,
            "token_file": _text(self._security.token_file),
            "tls_ca_file": _text(self._security.tls_ca_file),
            "process": os.getpid(),
            "version": dict(_versions_here())["raskt"],
        }
        path = Path(scheduler_file)
        new = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({key: value for key, value in about.items() if value is not None}, file, indent=1)
        new.replace(path)

    def benchmark_hardware(self) -> Any:
        """Measures disks and memory of workers, a few hundred milliseconds each.

        Returns
        -------
        dict
            Bytes a second by the size of what was written or copied: "disk", "memory". The network isn't measured.
        """
        return self.sync(_hardware.of_workers, self._raskt_cluster_client)

    def forward_logging(self, logger_name: str | None = None, level: int = 0) -> None:
        """Isn't done: `get_worker_logs` gives what workers have logged."""
        raise NotImplementedError("records of workers aren't sent to clients: get_worker_logs() gives the last of them")

    def unforward_logging(self, logger_name: str | None = None) -> None:
        """Does nothing, since nothing is forwarded."""

    def run_on_scheduler(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Isn't done: the scheduler runs no code of users."""
        raise NotImplementedError(
            "the scheduler runs no code of users, and no Python: call the function here, or on workers (run())"
        )


def _versions_here() -> list[tuple[str, str]]:
    from raskt.distributed._versions import told

    return told()


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


def _retire(client: ClusterClient, workers: Workers, n: int | None, leaves: bool) -> dict[str, dict[str, Any]]:
    meant = _errands.numbers(client, workers)
    loads = _asking.workers(client)
    if workers is None:
        if n is None:
            raise ValueError(
                "retire_workers() is to be told which workers: workers=[...] or names=[...], or how many: n=1"
            )
        by_load = sorted(
            (loads[number]["bytes"], loads[number]["assignments"], number) for number in meant if number in loads
        )
        meant = {number: meant[number] for _, _, number in by_load[:n]}
    known = {about["id"]: about for about in client.workers()}
    done = _asking.order(client, {"Retire": {"workers": list(meant), "leaves": leaves}})
    return {meant[number]: known[number] for number in done if number in known}


def replicate(
    client: ClusterClient, futures: Any, n: int | None, workers: Workers, timeout: float | str | None = None
) -> None:
    """Has `n` workers hold results, all if it is None, among `workers`; first it waits for the results.

    `timeout` is for both.
    """
    patience = None if timeout is None else seconds(timeout)
    deadline = None if patience is None else time.monotonic() + patience
    workers = _errands.listed(workers)
    # Who isn't there is told of before anything is waited for; others may have come by the end of that.
    if not _errands.some(client, workers):
        warnings.warn("results wait for workers that are to hold them: there is none yet", stacklevel=4)
    tasks = _ranges_of(client, futures)
    wait(futures, timeout)
    among = _errands.some(client, workers)
    copies = len(among) if n is None else min(n, len(among))
    named = [] if workers is None else list(among)
    for start in range(0, len(tasks), _asking.TASKS_AT_A_TIME):
        part = tasks[start : start + _asking.TASKS_AT_A_TIME]
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        _asking.order(client, {"Replicate": {"tasks": part, "copies": copies, "among": named}}, left)


def _rebalance(client: ClusterClient, futures: list[ClusterFuture] | None, workers: Workers) -> None:
    workers = _errands.listed(workers)
    _errands.some(client, workers)
    named: list[Any] = []
    if futures is not None:
        named = _ranges_of(client, futures)
        wait(futures)
        if not named:
            return
    among = [] if workers is None else list(_errands.some(client, workers))
    parts = [named[at : at + _asking.TASKS_AT_A_TIME] for at in range(0, len(named), _asking.TASKS_AT_A_TIME)] or [[]]
    failed: RuntimeError | None = None
    for part in parts:
        # As much is moved at a time as the scheduler looks at.
        for _ in range(MOVES_MOST):
            try:
                if not _asking.order(client, {"Rebalance": {"tasks": part, "among": among}}):
                    break
            except RuntimeError as error:
                # What can't go keeps no other from it.
                failed = failed or error
                break
    if failed is not None:
        raise failed


def _ranges_of(client: ClusterClient, futures: Any) -> list[Any]:
    return [
        [run, {"layer": layer, "start": index, "end": index + 1}]
        for run, layer, index in _asking.places_of(client, futures).values()
    ]


def _restart(client: ClusterClient, order: Any, patience: float, waits: bool) -> list[int]:
    client.check()
    deadline, count = time.monotonic() + patience, len(_asking.there(client))
    gone = set(_asking.order(client, order, patience))
    while waits:
        there = {about["id"] for about in client.workers()}
        if len(there) >= count and not gone & there:
            break
        client.check()
        if time.monotonic() >= deadline:
            raise TimeoutError(f"{len(there - gone)} of {count} workers were there {patience} s after a restart")
        time.sleep(GLANCE_SECONDS)
    return sorted(gone)


def _restart_workers(client: ClusterClient, workers: Workers, patience: float, raises: bool) -> dict[str, str]:
    meant, deadline = _errands.numbers(client, workers), time.monotonic() + patience
    try:
        # Those that nobody would start again stay as they are.
        gone = set(_restart(client, {"RestartWorkers": {"workers": list(meant)}}, patience, False))
    except TimeoutError:
        if raises:
            raise
        gone = set(meant)
    while True:
        there = {about["name"] for about in client.workers() if about["id"] not in meant}
        late = [name for number, name in meant.items() if number in gone and name not in there]
        if not late:
            break
        client.check()
        if time.monotonic() >= deadline:
            if raises:
                names = ", ".join(repr(name) for name in late)
                raise TimeoutError(f"{names} weren't there {patience} s after a restart")
            break
        time.sleep(GLANCE_SECONDS)
    return {name: "timed out" if name in late else "OK" for name in meant.values()}


def _shut_down(client: Any) -> None:
    if client.cluster is not None:
        _leave(client)
        client.cluster.close()
        return
    if not client.is_closed:
        _asking.order(client._raskt_cluster_client, "ShutDown", _asking.PATIENCE_SECONDS)
        _leave(client)


def _leave(client: Any) -> None:
    _current.remove_default(client)
    client._finalizer()
