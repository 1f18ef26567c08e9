"""Clusters on other hosts, each process at the end of a connection that OpenSSH holds."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import Any

from raskt.distributed import _arguments
from raskt.distributed._clusters import _places
from raskt.distributed._clusters._command import CommandProcess
from raskt.distributed._clusters._command_line import arguments, log_level
from raskt.distributed._clusters._connections import checked, ssh
from raskt.distributed._clusters._keys import Keys
from raskt.distributed._clusters._spec import SpecCluster
from raskt.distributed._clusters._subprocess import NANNY, check, nanny_of


class SSHProcess(CommandProcess):
    """A process of the command `raskt` on another host."""

    def __init__(
        self,
        scheduler: str | None,
        name: Any,
        address: str,
        connect_options: dict[str, Any],
        remote_python: str | Sequence[str] | None,
        own: list[str],
        files: dict[str, str],
    ) -> None:
        super().__init__(scheduler, name, own, files, _interpreter(remote_python))
        self._ssh = ssh(address, connect_options, self._words)

    def command_line(self) -> list[str]:
        """`ssh` and its arguments."""
        return self._ssh


class SSHScheduler(SSHProcess):
    """`raskt scheduler` on another host."""

    _command = "scheduler"

    def __init__(
        self,
        address: str,
        connect_options: dict[str, Any],
        kwargs: dict[str, Any],
        remote_python: str | Sequence[str] | None = None,
        *,
        keys: Keys,
        silence_logs: int | bool | None = None,
    ) -> None:
        own = [log_level(silence_logs), *arguments("scheduler", kwargs)]
        super().__init__(None, "scheduler", address, connect_options, remote_python, own, keys.files("scheduler"))


class SSHWorker(SSHProcess):
    """`raskt worker` on another host, with a nanny there."""

    def __init__(
        self,
        scheduler: str,
        name: Any,
        address: str,
        connect_options: dict[str, Any],
        kwargs: dict[str, Any],
        worker_class: Any = NANNY,
        remote_python: str | Sequence[str] | None = None,
        *,
        keys: Keys,
        silence_logs: int | bool | None = None,
    ) -> None:
        own = [log_level(silence_logs), *arguments("worker", {"name": str(name), **kwargs}), *nanny_of(worker_class)]
        super().__init__(scheduler, name, address, connect_options, remote_python, own, keys.files("worker"))


def SSHCluster(
    hosts: Sequence[str] | None = None,
    connect_options: dict[str, Any] | list[dict[str, Any]] | None = None,
    worker_options: dict[str, Any] | None = None,
    scheduler_options: dict[str, Any] | None = None,
    worker_class: Any = NANNY,
    remote_python: str | list[str] | None = None,
    **kwargs: Any,
) -> SpecCluster:
    """A scheduler on the first host, and a worker on each of the others, over OpenSSH's `ssh`.

    raskt is installed on all of them. They speak with each other by TLS, with certificates that this process makes and
    sends over these connections; nothing has to be prepared. All of it ends with the cluster, and with its connections.

    Parameters
    ----------
    hosts : list of str
        The hosts, as `ssh` knows them: the scheduler's, and one for each worker. The same may stand several times.
    connect_options : dict or list of dict, optional
        How they are reached: ``username``, ``port``, ``client_keys``, ``known_hosts`` (None for any), ``config``,
        ``tunnel``, ``proxy_command``, ``connect_timeout``, ``compression``; for all hosts, or a list with those of
        each.
    worker_options : dict, optional
        Options of `raskt worker`; ``n_workers`` for so many on each host.
    scheduler_options : dict, optional
        Options of `raskt scheduler`.
    worker_class : str or type
        Whether workers have a nanny ("raskt.distributed.Nanny") or not ("raskt.distributed.Worker").
    remote_python : str or list of str, optional
        The interpreter there, or one for each host. Default: where this one lies.
    **kwargs
        Arguments of `SpecCluster`.

    Returns
    -------
    SpecCluster

    Examples
    --------
    >>> from raskt.distributed import Client, SSHCluster
    >>> cluster = SSHCluster(["node1", "node1", "node2"], {"username": "me"}, {"nthreads": 8})  # doctest: +SKIP
    >>> client = Client(cluster)  # doctest: +SKIP
    """
    if not isinstance(hosts, (list, tuple)) or len(hosts) < 2:
        raise (ValueError if isinstance(hosts, (str, list, tuple)) else TypeError)(
            f"hosts is {hosts!r}; it is a list of the scheduler's host and one for each worker"
        )
    is_here = all(checked(host) in _places.LOOPBACK for host in hosts)
    reached = [
        _arguments.mapping("connect_options", each) for each in _each("connect_options", connect_options, len(hosts))
    ]
    pythons = _each("remote_python", remote_python, len(hosts))
    worker = _arguments.mapping("worker_options", worker_options)
    count = _arguments.count("n_workers", worker.pop("n_workers", 1), 1)
    scheduler = {
        "port": 0,
        "host": _places.LOOPBACK[0] if is_here else _places.EVERYWHERE[0],
        **_arguments.mapping("scheduler_options", scheduler_options),
    }
    if "interface" in scheduler:
        del scheduler["host"]

    check(scheduler, worker, worker_class)
    for host, options, python in zip(hosts, reached, pythons):
        ssh(host, options, _interpreter(python))

    def spec(at: int, **options: Any) -> dict[str, Any]:
        return {"address": hosts[at], "connect_options": reached[at], "remote_python": pythons[at], **options}

    workers = [
        {"cls": SSHWorker, "options": spec(at, kwargs=worker, worker_class=worker_class)}
        for at in range(1, len(hosts))
        for _ in range(count)
    ]
    return SpecCluster(
        workers=dict(enumerate(workers)),
        scheduler={"cls": SSHScheduler, "options": spec(0, kwargs=scheduler)},
        **{"name": "SSHCluster", "security": None if is_here else True, "silence_logs": logging.WARNING, **kwargs},
    )


def _interpreter(remote_python: Any) -> list[str]:
    """The words that an interpreter is started by."""
    words = sys.executable if remote_python is None else remote_python
    words = [words] if isinstance(words, str) else words
    if not isinstance(words, (list, tuple)) or not words:
        raise TypeError(f"remote_python is {remote_python!r}; it has to be the path of an interpreter")
    return [_arguments.text("remote_python", word) for word in words]


def _each(name: str, value: Any, count: int) -> list[Any]:
    """What is said of each host."""
    if not isinstance(value, list):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{name} has {len(value)} entries, and there are {count} hosts")
    return list(value)
