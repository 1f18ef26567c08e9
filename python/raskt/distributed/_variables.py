"""Variables and queues that processes share by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from raskt import _core
from raskt.distributed import _arguments
from raskt.distributed._durations import told
from raskt.distributed._events import Named
from raskt.distributed._names import written
from raskt.distributed._values import dump, load, unpacked
from raskt.distributed._waits import awaited, timeout_seconds
from raskt.futures._errors import timeout_error


class _Valued(Named):
    """What gives values."""

    def _given(self, wait: Callable[[Any], _core.ClusterValues | None], late: str, asynchronous: bool | None) -> Any:
        """The values that `wait` gives, or something to be awaited that gives them."""
        if not (self._session.is_asynchronous if asynchronous is None else asynchronous):
            return load(self._session, _there(wait(None), late))
        return self._given_later(wait, late)

    async def _given_later(self, wait: Callable[[Any], _core.ClusterValues | None], late: str) -> list[Any]:
        def act(stop: Any) -> tuple[_core.ClusterValues, list[Any]]:
            values = _there(wait(stop), late)
            return values, unpacked(self._session, values)

        values, found = await awaited(act, lambda came: came[0].give_back())
        values.taken()
        return found


def _there(values: _core.ClusterValues | None, late: str) -> _core.ClusterValues:
    if values is None:
        raise timeout_error(late)
    return values


async def _first(values: Any) -> Any:
    return (await values)[0]


def _only(values: Any) -> Any:
    return values[0] if isinstance(values, list) else _first(values)


class Variable(_Valued):
    """A value that processes of a cluster share by name.

    Futures in it, and persisted collections, stay with the workers for as long as the variable has them.

    Parameters
    ----------
    name : str, optional
        Its name. Default: one that nobody has.
    client : Client, optional
        Who asks. Default: the current client, or the worker.

    Examples
    --------
    >>> from raskt.distributed import Client, Variable
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     Variable("x").set({"a": client.submit(abs, -1)})
    ...     Variable("x").get()["a"].result()
    1
    """

    _kind = "variable"

    def set(self, value: Any, timeout: Any = "30 s", *, asynchronous: bool | None = None) -> Any:
        """Gives it a value; whoever waits for one goes on.

        Parameters
        ----------
        value : object
            What can be pickled.
        timeout : float, timedelta or str, default "30 s"
            Of no effect: nothing is waited for.
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.
        """
        timeout_seconds(timeout)

        def act(_: Any) -> None:
            data, references = dump(self._session, value)
            self._session.for_values.set_variable(written(self.name), data, references)

        is_asynchronous = self._session.is_asynchronous if asynchronous is None else asynchronous
        return awaited(act) if is_asynchronous else act(None)

    def get(self, timeout: Any = None, *, asynchronous: bool | None = None) -> Any:
        """Waits until it has a value, and gives it.

        Parameters
        ----------
        timeout : float, timedelta or str, optional
            Seconds to wait at most, or a text such as "200 ms".
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.

        Raises
        ------
        TimeoutError
            If it has none by then.
        """
        patience = timeout_seconds(timeout)
        late = f"variable {self.name!r} has no value after {told(timeout)}"

        def wait(stop: Any) -> _core.ClusterValues | None:
            return self._session.for_values.get_variable(written(self.name), patience, stop)

        return _only(self._given(wait, late, asynchronous))

    def delete(self) -> Any:
        """Has everybody forget it; who waits for its value is told by a `RuntimeError`."""
        return self._do(lambda _: self._session.for_values.delete_variable(written(self.name)))


class Queue(_Valued):
    """Items in order that processes of a cluster share by name: each is had by one of them.

    Who comes first has the first. What was on its way to somebody who gave up is first in the queue again. With a
    journal a queue outlives its scheduler; an item that was got as that was killed may come once more.

    Parameters
    ----------
    name : str, optional
        Its name. Default: one that nobody has.
    client : Client, optional
        Who asks. Default: the current client, or the worker.
    maxsize : int, default 0
        How many items it may have; 0 takes what others say, and else has no bound of its own.

    Examples
    --------
    >>> from raskt.distributed import Client, Queue
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     queue = Queue("x")
    ...     queue.put(1), queue.put([2])
    ...     Queue("x").get(), queue.qsize(), queue.get(batch=True)
    (None, None)
    (1, 1, [[2]])
    """

    _kind = "queue"

    def __init__(self, name: Any = None, client: Any = None, maxsize: int = 0) -> None:
        _arguments.count("maxsize", maxsize, 0, _arguments.COUNT_MAX)
        super().__init__(name, client)
        self.maxsize = maxsize

    def _native(self) -> _core.ClusterCoordination:
        native = self._session.for_values
        if self.maxsize:
            native.open_queue(written(self.name), self.maxsize)
        return native

    def put(self, value: Any, timeout: Any = None, *, asynchronous: bool | None = None) -> Any:
        """Puts an item at the end, once there is room.

        Parameters
        ----------
        value : object
            What can be pickled. Futures in it, and persisted collections, stay with the workers.
        timeout : float, timedelta or str, optional
            Seconds to wait at most, or a text such as "200 ms".
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.

        Raises
        ------
        TimeoutError
            If there is no room by then.
        """
        patience = timeout_seconds(timeout)

        def act(stop: Any) -> None:
            data, references = dump(self._session, value)
            if not self._native().put(written(self.name), data, references, patience, stop):
                raise timeout_error(f"queue {self.name!r} has no room after {told(timeout)}")

        is_asynchronous = self._session.is_asynchronous if asynchronous is None else asynchronous
        return awaited(act) if is_asynchronous else act(None)

    def get(self, timeout: Any = None, batch: bool | int = False, *, asynchronous: bool | None = None) -> Any:
        """Waits for the first item, and takes it out.

        Parameters
        ----------
        timeout : float, timedelta or str, optional
            Seconds to wait at most, or a text such as "200 ms".
        batch : bool or int, default False
            True gives a list of all that is there, without waiting. A number gives a list of so many, once there are;
            of less where they wouldn't fit into a message (32 MiB).
        asynchronous : bool, optional
            Whether to give something to be awaited. Default: as the client is.

        Raises
        ------
        TimeoutError
            If there isn't enough by then.
        """
        patience = timeout_seconds(timeout)
        name, late = written(self.name), f"queue {self.name!r} has too few items after {told(timeout)}"
        batch = bool(batch) if isinstance(batch, np.bool_) else batch
        if batch is True:
            return self._given(lambda _: self._native().get_all(name), late, asynchronous)
        count = 1 if batch is False else _arguments.count("batch", batch, 1, _arguments.COUNT_MAX)
        found = self._given(lambda stop: self._native().get(name, count, patience, stop), late, asynchronous)
        return _only(found) if batch is False else found

    def qsize(self, *, asynchronous: bool | None = None) -> Any:
        """How many items it has."""
        is_asynchronous = self._session.is_asynchronous if asynchronous is None else asynchronous

        def act(_: Any) -> int:
            return self._native().queue_size(written(self.name))

        return awaited(act) if is_asynchronous else act(None)

    def close(self) -> Any:
        """Has everybody forget it with what is in it; who waits is told by a `RuntimeError`."""
        return self._do(lambda _: self._session.for_values.close_queue(written(self.name)))

    def __reduce__(self) -> Any:
        return type(self), (self.name, None, self.maxsize)
