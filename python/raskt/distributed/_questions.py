"""What a client asks about its cluster."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from raskt.distributed import _arguments, _asking, _dumps, _errands, _logs, _profile, _reports, _versions
from raskt.distributed._nested import as_container, futures_asked, futures_of

if TYPE_CHECKING:
    from raskt._core import ClusterClient

Workers = str | Sequence[Any] | None

INFINITE_BYTES = 2**64 - 1
"""What a worker without a limit may hold."""


class Questions:
    """Questions of a client."""

    _raskt_cluster_client: ClusterClient
    _address: str
    sync: Callable[..., Any]

    def who_has(self, futures: Any = None) -> Any:
        """The workers that hold each result.

        Parameters
        ----------
        futures : futures, or containers and collections of them, optional
            Which results. Default: all that are in memory, also those of other clients. These are called by the keys of
            their tasks, and the numbers of their runs.

        Returns
        -------
        dict
            The names of the workers, by key. What isn't in memory has none.

        Examples
        --------
        >>> from raskt.distributed import Client, wait
        >>> with Client(n_workers=1, threads_per_worker=1) as client:
        ...     future = client.submit(abs, -1, key="one")
        ...     _ = wait(future)
        ...     client.who_has(future) == {"one": list(client.nthreads())}
        True
        """
        return self.sync(_who_has, self._raskt_cluster_client, futures)

    def has_what(self, workers: Workers = None) -> Any:
        """The keys of the results that each worker holds, by its name.

        They are called by the keys of their tasks, and the numbers of their runs.
        """
        return self.sync(_has_what, self._raskt_cluster_client, workers)

    def nbytes(self, keys: Any = None, summary: bool = True) -> Any:
        """The bytes of results that are in memory, as far as is known.

        Parameters
        ----------
        keys : sequence of str, or futures, optional
            Which results. Default: all.
        summary : bool, default True
            Whether to add up those of one name.
        """
        return self.sync(_nbytes, self._raskt_cluster_client, keys, summary)

    def processing(self, workers: Workers = None) -> Any:
        """The keys of the tasks that each worker was given and hasn't ended, by its name."""
        return self.sync(_processing, self._raskt_cluster_client, workers)

    def waiting(self) -> Any:
        """How many tasks haven't been given to any worker yet."""
        return self.sync(_waiting, self._raskt_cluster_client)

    def call_stack(self, futures: Any = None, keys: Any = None) -> Any:
        """What the threads of workers are at.

        Parameters
        ----------
        futures : futures, or containers of them, optional
            Only workers that have one of these calls are asked. Default: those that have any.

        Returns
        -------
        dict
            The lines of the stack of each thread that is in Python, by worker and thread.
        """
        if keys is not None:
            raise NotImplementedError("call_stack() finds calls by their futures, and not by keys")
        return self.sync(_call_stack, self._raskt_cluster_client, futures)

    def nthreads(self, workers: Workers = None) -> Any:
        """The threads of each worker, by its name."""
        return self.sync(_nthreads, self._raskt_cluster_client, workers)

    ncores = nthreads

    def scheduler_info(self, n_workers: int = -1) -> Any:
        """What is known of the scheduler, and of the first `n_workers` workers (-1 for all).

        Examples
        --------
        >>> from raskt.distributed import Client
        >>> with Client(n_workers=1, threads_per_worker=2) as client:
        ...     client.scheduler_info()["total_threads"]
        2
        """
        return self.sync(info_of, self._raskt_cluster_client, self._address, n_workers)

    def story(self, *keys_or_stimuli: Any, on_error: str = "raise") -> Any:
        """What is known of calls.

        Parameters
        ----------
        *keys_or_stimuli : futures, or containers of them
            Which calls.
        on_error : {"raise", "ignore"}
            Of no effect: the scheduler alone is asked, and no worker that might not answer.

        Returns
        -------
        list of tuple
            For each: its key, where it stands ("waiting", "ready", "processing", "memory", "erred", "released",
            "forgotten"), the name of the worker that has it, how often it failed and was tried again, and how many
            workers died while they had it.
        """
        if on_error not in ("raise", "ignore"):
            raise ValueError(f"on_error is {on_error!r}; known are 'raise' and 'ignore'")
        return self.sync(_story, self._raskt_cluster_client, keys_or_stimuli)

    def dump_cluster_state(
        self,
        filename: str = "raskt-cluster-dump",
        write_from_scheduler: bool | None = None,
        exclude: Sequence[str] = (),
        format: str = "msgpack",
        **storage_options: Any,
    ) -> Any:
        """Writes all that is known of the cluster into a file: ``filename.msgpack.gz``, or ``filename.yaml``.

        Parameters
        ----------
        filename : str
            Its beginning.
        write_from_scheduler : bool, optional
            False or None: the file is written here. The scheduler writes none.
        exclude : sequence of str
            Parts that are left out: "scheduler", "workers", "runs", "results", "log", "versions".
        format : {"msgpack", "yaml"}
            The form; "msgpack" needs the package of that name.
        """
        if write_from_scheduler:
            raise NotImplementedError("the scheduler writes no files for clients: the dump is written here")
        if storage_options:
            raise NotImplementedError(
                f"{next(iter(storage_options))}= is for file systems elsewhere; the dump is a local file"
            )
        _dumps.check(exclude, format)
        return self.sync(_dumps.dump, self, filename, exclude, format)

    def get_versions(self, check: bool = False, packages: Sequence[str] | None = None) -> Any:
        """The versions of packages here and on all workers; the scheduler runs no Python.

        Parameters
        ----------
        check : bool, default False
            Whether to raise a ValueError if they differ where that may go wrong.
        packages : sequence of str, optional
            Others to tell of.
        """
        return self.sync(_versions.everywhere, self._raskt_cluster_client, check, tuple(packages or ()))

    def get_worker_logs(self, n: int | None = None, workers: Workers = None, nanny: bool = False) -> Any:
        """The last records that were logged on workers (`logging`): level and line of each, the oldest first."""
        if nanny:
            raise NotImplementedError("what supervises workers keeps no records: they are in its output")
        return self.sync(_logs.of_workers, self._raskt_cluster_client, n, workers)

    def get_scheduler_logs(self, n: int | None = None) -> Any:
        """What the scheduler has noted down last: level and line of each, the oldest first."""
        return self.sync(_logs.of_scheduler, self._raskt_cluster_client, n)

    def get_task_stream(
        self,
        start: Any = None,
        stop: Any = None,
        count: int | None = None,
        plot: bool | str = False,
        filename: str = "task-stream.html",
        bokeh_resources: Any = None,
    ) -> Any:
        """The assignments that have ended lately, as far as the scheduler remembers them: some thousands.

        Parameters
        ----------
        start, stop : float or str, optional
            Moments (`time.time()`), or how long ago ("10s").
        count : int, optional
            The last so many.
        plot : bool, default False
            Whether to draw them into `filename`.

        Returns
        -------
        list of dict
            ``key`` (of the first task), ``worker``, ``startstops``, ``tasks``, ``status`` and ``nbytes``.
        """
        if bokeh_resources is not None:
            raise NotImplementedError("bokeh_resources= is for bokeh; what is drawn needs no library")
        if count is not None:
            count = _arguments.count("count", count, 0, _arguments.COUNT_MAX)
        return self.sync(_task_stream, self._raskt_cluster_client, (start, stop, count), plot, filename)

    def profile(
        self,
        key: str | None = None,
        start: Any = None,
        stop: Any = None,
        workers: Workers = None,
        merge_workers: bool = True,
        plot: bool = False,
        filename: str | None = None,
        server: bool = False,
        scheduler: bool = False,
        seconds: float = 1.0,
    ) -> Any:
        """Where the tasks of workers spend their time: their threads are looked at for `seconds` from now on.

        Nothing is looked at while nobody asks. `start` and `stop`, which would ask for the past, and `key`, `plot`,
        `filename`, `server` and `scheduler` aren't known.

        Returns
        -------
        dict
            A tree: how often a line was met (``count``), what it is (``description``), and what it called
            (``children``); by worker if they aren't merged.
        """
        refused = {"key": key, "start": start, "stop": stop, "plot": plot, "filename": filename}
        for name, value in (refused | {"server": server, "scheduler": scheduler}).items():
            if value:
                raise NotImplementedError(
                    f"profile({name}={value!r}): threads of workers are looked at from now on, no more"
                )
        return self.sync(_profile.of_workers, self._raskt_cluster_client, workers, merge_workers, seconds)


def _nthreads(client: ClusterClient, workers: Workers) -> dict[str, int]:
    return {about["name"]: about["nthreads"] for about in _known(client, _errands.numbers(client, workers))}


def _known(client: ClusterClient, meant: dict[int, str]) -> list[dict[str, Any]]:
    by_number = {about["id"]: about for about in client.workers()}
    return [by_number[number] for number in meant if number in by_number]


def _names(client: ClusterClient) -> dict[int, str]:
    return {about["id"]: about["name"] for about in _asking.there(client)}


def _who_has(client: ClusterClient, futures: Any) -> dict[str, list[str]]:
    # First what is asked: a scheduler that has begun anew answers when workers are back, and these have other numbers.
    if futures is None:
        held = list(_asking.results(client))
    else:
        places = _asking.places_of(client, futures_asked(as_container(futures), "who_has()"))
        found = _asking.who_has(client, places.values())
    names = {about["id"]: about["name"] for about in client.workers()}

    def called(about: dict[str, Any]) -> list[str]:
        return [names[number] for number in about["workers"] if number in names]

    if futures is None:
        return {_asking.key_of(about): called(about) for about in held}
    return {key: called(found[place]) if place in found else [] for key, place in places.items()}


def _has_what(client: ClusterClient, workers: Workers) -> dict[str, list[str]]:
    meant = _errands.numbers(client, workers)
    held: dict[str, list[str]] = {name: [] for name in meant.values()}
    for about in _asking.results(client):
        for number in about["workers"]:
            if number in meant:
                held[meant[number]].append(_asking.key_of(about))
    return held


def _nbytes(client: ClusterClient, keys: Any, summary: bool) -> dict[str, int]:
    futures = futures_of(as_container(keys)) if keys is not None else []
    if futures:
        places = _asking.places_of(client, futures)
        found = _asking.who_has(client, places.values())
        sizes = {key: found[place]["bytes"] for key, place in places.items() if place in found}
    else:
        sizes = {_asking.key_of(about): about["bytes"] for about in _asking.results(client)}
        if keys is not None:
            wanted = {keys} if isinstance(keys, str) else set(keys)
            sizes = {key: size for key, size in sizes.items() if key in wanted}
    if not summary:
        return sizes
    sums: dict[str, int] = {}
    for key, size in sizes.items():
        name = re.split(r"[\[(]|-[0-9a-f]+$", key, maxsplit=1)[0]
        sums[name] = sums.get(name, 0) + size
    return sums


def _processing(client: ClusterClient, workers: Workers) -> dict[str, list[str]]:
    meant = _errands.numbers(client, workers)
    return {
        name: [_asking.key_of(about) for about in _asking.processing(client, number)] for number, name in meant.items()
    }


def _waiting(client: ClusterClient) -> int:
    facts = _asking.facts(client)
    given = sum(len(_asking.processing(client, number)) for number in _names(client))
    waiting: int = facts["tasks"] - facts["done"] - facts["failed"] - given
    return max(0, waiting)


def _call_stack(client: ClusterClient, futures: Any) -> dict[str, dict[str, list[str]]]:
    names = _names(client)
    if futures is None:
        busy = [number for number in names if _asking.processing(client, number)]
    else:
        places = _asking.places_of(client, futures_asked(as_container(futures), "call_stack()"))
        told = _asking.stories(client, places.values())
        busy = sorted({about["worker"] for about in told if about["state"] == "processing"} & set(names))
    came = _errands.all_of(client, busy, _profile.stacks)
    return {names[number]: stacks for number, stacks in came.items()}


def info_of(client: ClusterClient, address: str, n_workers: int) -> dict[str, Any]:
    """What is known of a scheduler and its workers."""
    client.check()
    # First what is asked: who is there is known when that is answered.
    loads, facts = _asking.workers(client), _asking.facts(client)
    there = client.workers()
    shown = there if n_workers == -1 else there[:n_workers]
    return {
        "type": "Scheduler",
        "id": "scheduler",
        "address": address,
        "age": facts["age_nanoseconds"] / 1e9,
        "clients": facts["clients"],
        "tasks": {"total": facts["tasks"], "done": facts["done"], "failed": facts["failed"]},
        "n_workers": len(there),
        "total_threads": sum(about["nthreads"] for about in there),
        "total_memory": sum(about["memory_limit"] for about in there),
        "workers": {about["name"]: _worker_info(about, loads.get(about["id"])) for about in shown},
    }


def _worker_info(about: dict[str, Any], load: dict[str, Any] | None) -> dict[str, Any]:
    if load is None:
        # It has just come, or gone.
        return about
    return about | {
        "type": "Worker",
        "resources": {name: amount / 1000 for name, amount in load["resources"].items()},
        "status": "retiring" if load["is_retiring"] else "running",
        "age": load["age_nanoseconds"] / 1e9,
        "last_seen": load["heard_nanoseconds"] / 1e9,
        "metrics": {
            "executing": load["started"],
            "ready": load["assignments"] - load["started"],
            "in_memory": load["results"],
            "managed_bytes": load["bytes"],
            "occupancy": load["nanoseconds"] / 1e9,
        },
    }


def _story(client: ClusterClient, asked: Any) -> list[tuple[Any, ...]]:
    names = _names(client)
    places = _asking.places_of(client, futures_asked(list(asked), "story()"))
    told = zip(places, _asking.stories(client, places.values()), strict=True)
    return [
        (key, about["state"], names.get(about["worker"]), about["failures"], len(about["deaths"]))
        for key, about in told
    ]


def _task_stream(client: ClusterClient, which: tuple[Any, Any, int | None], plot: bool | str, filename: str) -> Any:
    rows = _reports.within(_reports.stream(client), *which)
    if plot:
        _reports.write(filename, _reports.drawn(rows), {})
    return rows
