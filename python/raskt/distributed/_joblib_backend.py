"""joblib's calls on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from joblib._parallel_backends import AutoBatchingMixin, ParallelBackendBase  # type: ignore[import-untyped]
from joblib.parallel import parallel_config  # type: ignore[import-untyped]

from raskt import _core
from raskt.distributed._in_tasks import get_client

if TYPE_CHECKING:
    from raskt.distributed._client import Client

SCATTERED_BYTES_LEAST = 64 << 10
"""Arrays that have as many bytes are sent once, and not with each call."""

WORKERS_SECONDS = 10.0
"""How long is waited for the first worker."""


class RasktBackend(AutoBatchingMixin, ParallelBackendBase):  # type: ignore[misc]
    """The backend "raskt" of joblib: ``with joblib.parallel_config(backend="raskt"):`` has calls made by a cluster.

    Calls within calls are made by the cluster as well; a call that waits for its own lends its slot.

    Parameters
    ----------
    client : Client, optional
        Whose cluster it is. Default: the current client; within a task, that of the task.
    scatter : list, optional
        Objects that are sent once though they aren't large arrays.
    wait_for_workers_timeout : float, default 10
        How many seconds are waited for the first worker.
    nesting_level, inner_max_num_threads
        As joblib gives them.
    **submit_kwargs
        Arguments of `Client.submit` that hold for all calls, such as ``priority``, ``resources`` and ``workers``.
    """

    supports_inner_max_num_threads = False
    supports_retrieve_callback = True
    supports_sharedmem = False
    uses_threads = False
    default_n_jobs = -1

    def __init__(
        self,
        client: Client | None = None,
        scatter: Iterable[Any] | None = None,
        wait_for_workers_timeout: float = WORKERS_SECONDS,
        nesting_level: int | None = None,
        inner_max_num_threads: int | None = None,
        **submit_kwargs: Any,
    ) -> None:
        super().__init__(nesting_level=nesting_level, inner_max_num_threads=inner_max_num_threads)
        if scatter is not None and not isinstance(scatter, (list, tuple)):
            raise TypeError(f"scatter is {type(scatter).__name__}; it is a list of objects")
        self.client = get_client() if client is None else client
        self.submit_kwargs = submit_kwargs
        self._patience = wait_for_workers_timeout
        self._futures: set[_core.ClusterFuture] = set()
        self._kept: list[tuple[Any, _core.ClusterFuture]] = [
            (each, self.client.scatter([each])[0]) for each in scatter or []
        ]
        self._scattered: dict[int, tuple[Any, _core.ClusterFuture]] = {}

    def __reduce__(self) -> Any:
        return _nested, (self.nesting_level, self._patience, self.submit_kwargs)

    def get_nested_backend(self) -> tuple[Any, int]:
        """What calls within calls go to: the cluster, by the client of their task."""
        return _Nested((self.nesting_level or 0) + 1, self._patience, self.submit_kwargs), -1

    def configure(self, n_jobs: int = 1, parallel: Any = None, **backend_args: Any) -> int:
        """Begins for a `Parallel`."""
        return int(super().configure(n_jobs, parallel, **backend_args))

    def effective_n_jobs(self, n_jobs: int) -> int:
        """The threads of all workers."""
        if not self.client.nthreads():
            self.client.wait_for_workers(1, self._patience)
        return sum(self.client.nthreads().values())

    def start_call(self) -> None:
        """A `Parallel` begins."""
        self._scattered = {id(each): (each, future) for each, future in self._kept}

    def stop_call(self) -> None:
        """It is over."""
        self._scattered = {}
        self._futures = set()

    def submit(self, func: Any, callback: Callable[..., Any] | None = None) -> _core.ClusterFuture:
        """Has the calls of a batch made."""
        places = _Places(self)
        calls = [(call, places.put(args), places.put(kwargs)) for call, args, kwargs in func.items]
        batch = _Batch(calls, func._backend, func._n_jobs)
        future = self.client.submit(_made, batch, places.futures, **self.submit_kwargs)
        self._futures.add(future)
        if callback is not None:
            future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out: _core.ClusterFuture) -> Any:
        """What the calls gave."""
        self._futures.discard(out)
        return out.result()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Calls that haven't begun aren't made."""
        futures, self._futures = self._futures, set()
        for future in futures:
            future.cancel()

    @contextmanager
    def retrieval_context(self) -> Iterator[None]:
        """While results are waited for, the slot of the task that waits is others'."""
        # Where results come one by one this lasts as long as whoever gets them is at work with them, and doesn't wait.
        loan = _core.ClusterLoan(within=bool(getattr(self.parallel, "return_generator", False)))
        try:
            yield
        finally:
            loan.close()

    def _future_of(self, value: Any) -> _core.ClusterFuture | None:
        """The future of what is sent once."""
        known = self._scattered.get(id(value))
        if known is not None:
            return known[1]
        if not _is_large(value):
            return None
        future: _core.ClusterFuture = self.client.scatter([value])[0]
        # The object is kept, so that no other one has its number.
        self._scattered[id(value)] = (value, future)
        return future


class _Places:
    """Futures of what is sent once, and what stands for them in the calls."""

    def __init__(self, backend: RasktBackend) -> None:
        self._backend = backend
        self._at: dict[int, int] = {}
        self.futures: list[_core.ClusterFuture] = []

    def put(self, values: Any) -> Any:
        if isinstance(values, dict):
            return {name: self._one(value) for name, value in values.items()}
        return tuple(self._one(value) for value in values)

    def _one(self, value: Any) -> Any:
        future = self._backend._future_of(value)
        if future is None:
            return value
        at = self._at.setdefault(id(value), len(self.futures))
        if at == len(self.futures):
            self.futures.append(future)
        return _Place(at)


class _Place:
    """Stands for an object that is sent once."""

    def __init__(self, at: int) -> None:
        self.at = at


class _Batch:
    """Calls as they travel: an object, so that nothing in them is looked through."""

    def __init__(self, calls: list[tuple[Any, Any, Any]], backend: Any, n_jobs: int) -> None:
        self.calls, self.backend, self.n_jobs = calls, backend, n_jobs


class _Nested:
    """The backend of calls within calls, which is made where they are."""

    def __init__(self, level: int, patience: float, submit_kwargs: dict[str, Any]) -> None:
        self.nesting_level, self._patience, self._submit_kwargs = level, patience, submit_kwargs

    def __reduce__(self) -> Any:
        return _nested, (self.nesting_level, self._patience, self._submit_kwargs)


def _nested(level: int | None, patience: float, submit_kwargs: dict[str, Any]) -> RasktBackend:
    return RasktBackend(wait_for_workers_timeout=patience, nesting_level=level, **submit_kwargs)


def _made(batch: _Batch, sent: list[Any]) -> list[Any]:
    """Makes the calls of a batch, in a task."""

    def filled(value: Any) -> Any:
        return sent[value.at] if isinstance(value, _Place) else value

    with parallel_config(backend=batch.backend, n_jobs=batch.n_jobs):
        return [
            call(*map(filled, args), **{name: filled(value) for name, value in kwargs.items()})
            for call, args, kwargs in batch.calls
        ]


def _is_large(value: Any) -> bool:
    module = type(value).__module__.partition(".")[0]
    if module == "numpy":
        import numpy as np

        return isinstance(value, np.ndarray) and value.nbytes >= SCATTERED_BYTES_LEAST
    if module == "pandas" and type(value).__name__ in ("DataFrame", "Series"):
        used = value.memory_usage()
        return int(used if isinstance(used, int) else used.sum()) >= SCATTERED_BYTES_LEAST
    return False
