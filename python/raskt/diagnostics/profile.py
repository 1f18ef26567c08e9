"""What tasks did, and what they took: `Profiler`, `ResourceProfiler`, `CacheProfiler`."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from raskt._core import TaskRecorder
from raskt.diagnostics import _processes
from raskt.diagnostics.callback import Active, TaskData, task_data, task_name
from raskt.diagnostics.page import Page, visualize

__all__ = ["CacheData", "CacheProfiler", "Profiler", "ResourceData", "ResourceProfiler"]


class _Recorder(Active):
    """Records tasks while it is active; what was recorded before is forgotten when it becomes so."""

    def __init__(self) -> None:
        self._recorder = TaskRecorder()
        self._registered = False

    def register(self) -> None:
        """Record from here on, until ``unregister``."""
        if not self._registered:
            self._registered = True
            self.clear()
            self._recorder.start()

    def unregister(self) -> None:
        """Record no longer."""
        if self._registered:
            self._registered = False
            self._recorder.stop()

    def clear(self) -> None:
        """Forget what was recorded."""
        self._recorder.clear()

    def visualize(self, filename: str | Path = "profile.html", **kwargs: Any) -> Page:
        """Draw what was recorded: see `raskt.diagnostics.visualize`."""
        return visualize(self, filename=filename, **kwargs)

    def _is_registered(self) -> bool:
        return self._registered


class Profiler(_Recorder):
    """Records each task while it is active: its key, when it began and ended, which thread ran it.

    Tasks of all computations of this process are recorded, native ones and Python's, and the calls behind futures.

    Examples
    --------
    >>> import raskt
    >>> from raskt.diagnostics import Profiler
    >>> with Profiler() as profiler:
    ...     raskt.delayed(sum)([1, 2, 3]).compute()
    6
    >>> [task.task for task in profiler.results]
    ['sum']
    """

    @property
    def results(self) -> list[TaskData]:
        """The tasks that were recorded, in the order in which they began."""
        tasks = [task_data(*task) for task in self._recorder.tasks()]
        return sorted(tasks, key=lambda task: (task.start_time, task.end_time))

    @property
    def left_out(self) -> int:
        """How many tasks ran that aren't among the results: those beyond the first ten million."""
        return self._recorder.left_out()


class CacheData(NamedTuple):
    """How long a result was held."""

    key: str
    """The name of the task that made it."""
    task: str
    """The name of what the task did."""
    metric: int
    """Bytes of the result."""
    cache_time: float
    """When it was there, in seconds of ``time.perf_counter``."""
    free_time: float | None
    """When it was let go; None if it wasn't by the time of asking."""


class CacheProfiler(_Recorder):
    """Records what the engine holds while it is active: the bytes of each result, when it came and when it went.

    A result that the caller gets counts as held by the engine until the computation is over.

    Examples
    --------
    >>> import raskt
    >>> from raskt.diagnostics import CacheProfiler
    >>> with CacheProfiler() as profiler:
    ...     raskt.delayed(len)(raskt.delayed(bytes)(1000)).compute()
    1000
    >>> sorted(held.task for held in profiler.results)
    ['bytes', 'len']
    """

    @property
    def results(self) -> list[CacheData]:
        """The results that were held, in the order in which they came."""
        held = [
            CacheData(key, task_name(key, op), nbytes, came, went)
            for key, op, nbytes, came, went in self._recorder.held()
        ]
        return sorted(held, key=lambda result: result.cache_time)


class ResourceData(NamedTuple):
    """What the process took at a moment."""

    time: float
    """When, in seconds of ``time.perf_counter``."""
    mem: float
    """Resident memory in MB (10⁶ bytes), that of child processes included."""
    cpu: float
    """Processor time since the moment before, in percent of one processor."""


class ResourceProfiler(Active):
    """Records memory and processor time while it is active, by a thread that looks every `dt` seconds.

    Parameters
    ----------
    dt : float
        Seconds between two looks.

    Raises
    ------
    ValueError
        If `dt` isn't greater than zero.

    Examples
    --------
    >>> import time
    >>> from raskt.diagnostics import ResourceProfiler
    >>> with ResourceProfiler(dt=0.01) as profiler:
    ...     time.sleep(0.05)
    >>> len(profiler.results) > 1 and profiler.results[0].mem > 1
    True
    """

    def __init__(self, dt: float = 1.0) -> None:
        if not dt > 0:
            raise ValueError(f"dt is {dt}; it is the time between two looks in seconds, and greater than zero")
        self._dt = dt
        self._thread: threading.Thread | None = None
        self._end = threading.Event()
        self._samples: list[ResourceData] = []

    @property
    def results(self) -> list[ResourceData]:
        """What was seen, a look after the other."""
        return list(self._samples)

    def register(self) -> None:
        """Look from here on, until ``unregister``; what was seen before is forgotten."""
        if self._thread is None:
            self.clear()
            self._end = threading.Event()
            looks = _looks(self._end, self._dt)
            # Before anything that is to be seen begins.
            self._samples.append(next(looks))
            # A daemon, so that it never keeps the process alive.
            arguments = (self._samples, looks)
            self._thread = threading.Thread(target=_watch, args=arguments, name="raskt-resources", daemon=True)
            self._thread.start()

    def unregister(self) -> None:
        """Look no longer."""
        if self._thread is not None:
            self._end.set()
            self._thread.join()
            self._thread = None

    close = unregister

    def clear(self) -> None:
        """Forget what was seen."""
        self._samples.clear()

    def visualize(self, filename: str | Path = "profile.html", **kwargs: Any) -> Page:
        """Draw what was seen: see `raskt.diagnostics.visualize`."""
        return visualize(self, filename=filename, **kwargs)

    def _is_registered(self) -> bool:
        return self._thread is not None


def _watch(samples: list[ResourceData], looks: Iterator[ResourceData]) -> None:
    # One by one, so that each is seen as soon as it is there.
    for sample in looks:
        samples.append(sample)


def _looks(end: threading.Event, dt: float) -> Iterator[ResourceData]:
    """A look at the beginning, one every `dt` seconds, and one in the end."""
    before, cpu_before = time.perf_counter(), _processes.cpu_seconds()
    yield ResourceData(before, _processes.resident_bytes() / 1e6, 0.0)
    is_over = False
    while not is_over:
        is_over = end.wait(dt)
        now, cpu = time.perf_counter(), _processes.cpu_seconds()
        # A child that has ended takes its time with it.
        percent = 100 * max(cpu - cpu_before, 0.0) / max(now - before, 1e-9)
        yield ResourceData(now, _processes.resident_bytes() / 1e6, percent)
        before, cpu_before = now, cpu
