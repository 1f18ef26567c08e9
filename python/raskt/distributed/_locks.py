"""Locks and semaphores that processes share by name."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from raskt import _core
from raskt._process.errors import with_note
from raskt.distributed import _arguments
from raskt.distributed._names import fresh, written
from raskt.distributed._session import Session
from raskt.distributed._waits import awaited, timeout_seconds

_numbers = itertools.count(1)
"""Of holders and leases, each once in this process."""


def _refuse_internals(scheduler_rpc: Any, loop: Any) -> None:
    if scheduler_rpc is not None or loop is not None:
        raise NotImplementedError("scheduler_rpc= and loop= are Dask's own: the current client asks here")


def _timeout(blocking: bool, timeout: Any) -> float | None:
    if blocking:
        return timeout_seconds(timeout)
    if timeout is not None:
        raise ValueError(f"timeout is {timeout!r}, and who doesn't block doesn't wait: give one of them")
    return 0.0


class _Waiting:
    """What has `with` and `async with`: it is acquired, and released at the end."""

    _session: Session

    def acquire(self) -> Any:
        """As of those that derive from this."""
        raise NotImplementedError

    def release(self) -> Any:
        """As of those that derive from this."""
        raise NotImplementedError

    def _leave(self) -> Any:
        """At the end of `with`: an error if it was lost within."""
        return self.release()

    def _do(self, act: Callable[[Any], Any], undo: Callable[[Any], Any] | None = None) -> Any:
        """``act(stop)``, or something to be awaited if the client is asynchronous."""
        return awaited(act, undo) if self._session.is_asynchronous else act(None)

    def __enter__(self) -> Any:
        if self._session.is_asynchronous:
            raise TypeError("the client is asynchronous: write `async with`")
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with _rather(error):
            self._leave()

    async def __aenter__(self) -> Any:
        acquired = self.acquire()
        if self._session.is_asynchronous:
            await acquired
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with _rather(error):
            released = self._leave()
            if self._session.is_asynchronous:
                await released

    def __await__(self) -> Generator[Any, None, Any]:
        return _itself(self).__await__()


async def _itself(thing: Any) -> Any:
    return thing


@contextmanager
def _rather(error: BaseException | None) -> Iterator[None]:
    """What the block within has raised counts more than that its lock was lost meanwhile, which is a note of it."""
    try:
        yield
    except RuntimeError as lost:
        if error is None:
            raise
        with_note(error, str(lost))


class Lock(_Waiting):
    """A lock that processes of a cluster share by its name: one of them has it at a time.

    Whoever comes first has it first. It is free when it is released, and when the process that holds it is gone or the
    object goes. Copies by pickle are other holders of the same lock. It is free as well when the scheduler begins
    anew, also by a journal: whoever held it hears so when he releases it.

    Parameters
    ----------
    name : str, optional
        Its name. Default: one that nobody has.

    Examples
    --------
    >>> from raskt.distributed import Client, Lock
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     lock = Lock("x")
    ...     with lock:
    ...         Lock("x").acquire(timeout="10 ms")
    False
    """

    def __init__(self, name: Any = None, scheduler_rpc: Any = None, loop: Any = None) -> None:
        _refuse_internals(scheduler_rpc, loop)
        self._held: deque[tuple[_core.ClusterCoordination, int]] = deque()
        self.name = fresh("lock", name)
        self._session = Session()

    def acquire(self, blocking: bool = True, timeout: Any = None) -> Any:
        """Waits for the lock; says whether it is held.

        Parameters
        ----------
        blocking : bool, default True
            Whether to wait for it.
        timeout : float, timedelta or str, optional
            Seconds to wait at most, or a text such as "200 ms".
        """
        patience, holder = _timeout(blocking, timeout), next(_numbers)
        return self._do(lambda stop: self._acquire(holder, patience, stop), lambda _: self._forget(holder))

    def _acquire(self, holder: int, timeout: float | None, stop: Any) -> bool:
        native = self._session.native
        try:
            has_it = native.acquire_locks([written(self.name)], 1, holder, timeout, stop) is not None
            if has_it:
                self._held.append((native, holder))
            return has_it
        except BaseException:
            # It may have been given at the moment in which this was interrupted.
            native.forget_locks([written(self.name)], holder)
            self._forget(holder)
            raise

    def _forget(self, holder: int) -> None:
        for each in [each for each in self._held if each[1] == holder]:
            self._held.remove(each)
            each[0].forget_locks([written(self.name)], holder)

    def release(self) -> Any:
        """Lets go of the lock.

        Raises
        ------
        RuntimeError
            If this object doesn't hold it.
        """
        if not self._held:
            raise RuntimeError(
                f"lock {self.name!r} isn't held by this object: it was released before, or never acquired"
            )
        native, holder = self._held.popleft()
        return self._do(lambda _: native.release_locks([written(self.name)], holder))

    def locked(self) -> Any:
        """Whether somebody holds it."""
        return self._do(lambda _: self._session.native.is_locked(written(self.name)))

    def get_value(self) -> Any:
        """How many hold it: 0 or 1."""
        return self._do(lambda _: int(self._session.native.is_locked(written(self.name))))

    def register(self) -> Any:
        """Does nothing: a lock needs no preparation."""
        return self._do(lambda _: None)

    def close(self) -> Any:
        """Lets go of it, if this object holds it."""
        held, self._held = self._held, deque()

        def act(_: Any) -> None:
            for native, holder in held:
                native.forget_locks([written(self.name)], holder)

        return self._do(act)

    def __del__(self) -> None:
        for native, holder in getattr(self, "_held", ()):
            native.forget_locks([written(self.name)], holder)

    def __reduce__(self) -> Any:
        return type(self), (self.name,)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}{', held here' if self._held else ''}>"


class MultiLock(_Waiting):
    """Several locks that are had at once, or some of them: nobody holds one while it waits for another.

    They are free as well when the scheduler begins anew, as a `Lock` is.

    Parameters
    ----------
    names : list of str, optional
        Their names; they are the same locks as those of `Lock`.
    client : Client, optional
        Who asks. Default: the current client, or the worker.

    Examples
    --------
    >>> from raskt.distributed import Client, Lock, MultiLock
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     with MultiLock(["x", "y"]):
    ...         Lock("y").locked(), Lock("z").locked()
    (True, False)
    """

    def __init__(self, names: list[Any] | None = None, client: Any = None) -> None:
        self._held: tuple[_core.ClusterCoordination, int, list[str]] | None = None
        if isinstance(names, (str, bytes)):
            raise TypeError(f"names is {names!r}; it is a list of the names of locks, such as [{names!r}]")
        self.names = list(names or [])
        self._written = [written(name) for name in self.names]
        self._session = Session(client)

    def acquire(self, blocking: bool = True, timeout: Any = None, num_locks: int | None = None) -> Any:
        """Waits for the locks; says whether they are held.

        Parameters
        ----------
        blocking : bool, default True
            Whether to wait for them.
        timeout : float, timedelta or str, optional
            Seconds to wait at most, or a text such as "200 ms".
        num_locks : int, optional
            How many of them are enough. Default: all.

        Raises
        ------
        RuntimeError
            If this object holds them already.
        """
        patience, holder = _timeout(blocking, timeout), next(_numbers)
        most = len(self.names)
        count = most if num_locks is None else _arguments.count("num_locks", num_locks, 1, most)
        if self._held is not None:
            raise RuntimeError("these locks are held by this object already")
        return self._do(lambda stop: self._acquire(holder, count, patience, stop), lambda _: self._forget(holder))

    def _acquire(self, holder: int, count: int, timeout: float | None, stop: Any) -> bool:
        native = self._session.native
        try:
            held = native.acquire_locks(self._written, count, holder, timeout, stop)
            if held is not None:
                self._held = native, holder, held
            return held is not None
        except BaseException:
            # Some may have been given at the moment in which this was interrupted, and nobody knows which.
            for name in self._written:
                native.forget_locks([name], holder)
            self._forget(holder)
            raise

    def _forget(self, holder: int) -> None:
        if self._held is not None and self._held[1] == holder:
            native, _, held = self._held
            self._held = None
            native.forget_locks(held, holder)

    def release(self) -> Any:
        """Lets go of the locks.

        Raises
        ------
        ValueError
            If this object doesn't hold them.
        """
        if self._held is None:
            raise ValueError("these locks aren't held by this object")
        native, holder, held = self._held
        self._held = None
        return self._do(lambda _: native.release_locks(held, holder))

    def locked(self) -> bool:
        """Whether this object has acquired them and not released them. That they were lost since `release` tells."""
        return self._held is not None

    def __del__(self) -> None:
        held = getattr(self, "_held", None)
        if held is not None:
            held[0].forget_locks(held[2], held[1])

    def __reduce__(self) -> Any:
        return type(self), (self.names,)
