"""Semaphores that processes share by name."""

from __future__ import annotations

from collections import deque
from typing import Any

from raskt import _core
from raskt.distributed import _arguments
from raskt.distributed._locks import _numbers, _refuse_internals, _Waiting
from raskt.distributed._names import fresh, written
from raskt.distributed._session import Session
from raskt.distributed._waits import timeout_seconds


class Semaphore(_Waiting):
    """So many places that processes of a cluster share by name: each holder has one until it releases it.

    Whoever comes first has one first. A place is free as well when the process that has it is gone, or the object, and
    when the scheduler begins anew, also by a journal: then `release` says False, and the end of a `with` block raises.

    Parameters
    ----------
    max_leases : int, default 1
        How many places there are; everybody has to say the same.
    name : str, optional
        Its name. Default: one that nobody has.

    Examples
    --------
    >>> from raskt.distributed import Client, Semaphore
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     semaphore = Semaphore(2, "x")
    ...     semaphore.acquire(), semaphore.acquire(), semaphore.acquire(timeout="10 ms")
    (True, True, False)
    """

    def __init__(self, max_leases: int = 1, name: Any = None, scheduler_rpc: Any = None, loop: Any = None) -> None:
        self._held: deque[tuple[_core.ClusterCoordination, int]] = deque()
        _refuse_internals(scheduler_rpc, loop)
        _arguments.count("max_leases", max_leases, 1, _arguments.COUNT_MAX)
        self.name = fresh("semaphore", name)
        self.max_leases = max_leases
        self._session = Session()

    def acquire(self, timeout: Any = None) -> Any:
        """Waits for a place; says whether one is held.

        Parameters
        ----------
        timeout : float, timedelta or str, optional
            Seconds to wait at most, or a text such as "200 ms".

        Raises
        ------
        ValueError
            If others say that it has another number of places.
        """
        patience, lease = timeout_seconds(timeout), next(_numbers)
        return self._do(lambda stop: self._acquire(lease, patience, stop), lambda _: self._forget(lease))

    def _acquire(self, lease: int, timeout: float | None, stop: Any) -> bool:
        native, name = self._session.native, written(self.name)
        try:
            has_one = native.acquire_lease(name, self.max_leases, lease, timeout, stop)
            if has_one:
                self._held.append((native, lease))
            return has_one
        except BaseException:
            # It may have been given at the moment in which this was interrupted.
            native.forget_lease(name, lease)
            self._forget(lease)
            raise

    def _forget(self, lease: int) -> None:
        for each in [each for each in self._held if each[1] == lease]:
            self._held.remove(each)
            each[0].forget_lease(written(self.name), lease)

    def release(self) -> Any:
        """Gives back the place that this object has had longest; says whether it still had it.

        Raises
        ------
        RuntimeError
            If it was given none, or has released all.
        """
        native, lease = self._longest()
        return self._do(lambda _: _released(native, written(self.name), lease))

    def _leave(self) -> Any:
        native, lease = self._longest()
        return self._do(lambda _: native.release_lease(written(self.name), lease))

    def _longest(self) -> tuple[_core.ClusterCoordination, int]:
        if not self._held:
            raise RuntimeError(f"semaphore {self.name!r} was released as often as it was acquired by this object")
        return self._held.popleft()

    def get_value(self) -> Any:
        """How many places are taken."""
        return self._do(lambda _: self._session.native.leases(written(self.name)))

    def register(self) -> Any:
        """Says how many places it has, before somebody else does."""
        return self._do(lambda _: self._session.native.open_semaphore(written(self.name), self.max_leases))

    def close(self) -> Any:
        """Has everybody forget it: all places are free, and who waits is told by a `RuntimeError`."""
        return self._do(lambda _: self._session.native.close_semaphore(written(self.name)))

    def __del__(self) -> None:
        for native, lease in getattr(self, "_held", ()):
            native.forget_lease(written(self.name), lease)

    def __reduce__(self) -> Any:
        return type(self), (self.max_leases, self.name)

    def __repr__(self) -> str:
        return f"<Semaphore {self.name!r} of {self.max_leases}, {len(self._held)} held here>"


def _released(native: _core.ClusterCoordination, name: str, lease: int) -> bool:
    try:
        native.release_lease(name, lease)
    except RuntimeError:
        # It was closed meanwhile, or the scheduler has begun anew.
        return False
    return True
