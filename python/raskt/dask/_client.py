"""What users give to Dask for a scheduler."""

from __future__ import annotations

import weakref
from types import TracebackType
from typing import Any, ClassVar, Literal

import dask.config

from raskt._core import DaskScheduler
from raskt.dask import _shuffles

get = DaskScheduler()
"""Computes the keys of a graph, as ``dask.threaded.get`` does.

>>> from operator import add
>>> import raskt.dask
>>> raskt.dask.get({"x": 1, "y": (add, "x", 10)}, ["x", "y"])
(1, 11)
"""


class Client:
    """A scheduler for Dask's collections: give it to Dask's setting ``scheduler``, or use it in a ``with`` block.

    As long as there is one, dataframes are shuffled by tasks unless you chose a method: what Dask chooses by itself
    goes through files, or through a cluster.

    Parameters
    ----------
    num_workers : int, optional
        Threads (or processes) that run tasks. Default: Dask's setting ``num_workers``, then raskt's, then one for each
        core.
    scheduler : {"threads", "processes", "sync"}, optional
        Where tasks run; "sync" is the calling thread, and "processes" are worker processes, to which tasks are sent
        with what they read. Default: raskt's setting ``scheduler``.

    Examples
    --------
    >>> import dask, raskt.dask
    >>> total = dask.delayed(sum)([1, 2, dask.delayed(abs)(-3)])
    >>> with raskt.dask.Client(num_workers=2):
    ...     total.compute()
    6
    >>> with dask.config.set(scheduler=raskt.dask.Client()):
    ...     total.compute()
    6
    """

    # Dask takes an object for a client by the name of its class, this attribute and `get`. A method `persist` would
    # take the place of Dask's own.
    asynchronous: ClassVar[bool] = False

    def __init__(
        self, num_workers: int | None = None, scheduler: Literal["threads", "processes", "sync"] | None = None
    ) -> None:
        if scheduler not in (None, "threads", "sync", "processes"):
            raise ValueError(f"scheduler is {scheduler!r}; 'threads', 'processes' and 'sync' are known")
        _shuffles.refuse_cluster()
        if num_workers == 0:
            raise ValueError("num_workers is 0; at least one thread has to run the tasks")
        self.get = DaskScheduler(num_workers, scheduler)
        _shuffles.hold()
        self._finalizer = weakref.finalize(self, _shuffles.let_go)
        self._settings: list[Any] = []

    def close(self) -> None:
        """Give Dask its own choice of shuffles back. The client can still be used."""
        self._finalizer()

    def __enter__(self) -> Client:
        self._settings.append(dask.config.set(scheduler=self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._settings.pop().__exit__(kind, error, traceback)
        if not self._settings:
            self.close()

    def __repr__(self) -> str:
        return f"<raskt.dask.Client: {self.get!r}>"
