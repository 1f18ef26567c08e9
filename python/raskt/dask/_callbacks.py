"""Dask's callbacks: progress bars, profilers and whatever users write."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from contextlib import ExitStack
from typing import Any

from dask._task_spec import convert_legacy_graph
from dask.callbacks import local_callbacks
from dask.local import finish_task, start_state_from_dask

Callback = tuple[Callable[..., Any] | None, ...]


class Watch:
    """Calls the callbacks of one computation, and keeps the state that Dask shows them.

    ``start`` and ``start_state`` are called when it is made, ``pretask`` and ``posttask`` in the thread that runs the
    task, one call at a time, and ``finish`` in the end.
    """

    def __init__(
        self, graph: dict[Hashable, Any], keys: list[Hashable], cache: Any, callbacks: Iterable[Callback] | None
    ) -> None:
        self.graph = convert_legacy_graph(graph)
        self._state: dict[str, Any] = {}
        self._wanted = set(keys)
        # A callback may compute something itself.
        self._turn = threading.RLock()
        self._started: list[Callback] = []
        self._closing = ExitStack()
        self._callbacks = list(self._closing.enter_context(local_callbacks(callbacks)))
        try:
            self._start(cache)
        except BaseException:
            self.finish(True)
            raise

    def _start(self, cache: Any) -> None:
        for callback in self._callbacks:
            if callback[0]:
                callback[0](self.graph)
            self._started.append(callback)
        # A callback may have put objects into the graph.
        self.graph = convert_legacy_graph(self.graph)
        positions = {key: position for position, key in enumerate(self.graph)}
        self._position = positions.__getitem__
        kept = None if cache is None else dict(cache)
        self._state.update(start_state_from_dask(self.graph, cache=kept, sortkey=self._position, keys=self._wanted))
        self._state["ready"] = _Ready.fromkeys(self._state["ready"])
        self._call(1, self.graph, self._state)

    def before(self, key: Hashable) -> None:
        """A thread is about to run the task `key`."""
        with self._turn:
            self._state["ready"].pop(key, None)
            self._state["running"].add(key)
            self._call(2, key, self.graph, self._state)

    def after(self, key: Hashable, result: object) -> None:
        """The task `key` gave `result`."""
        with self._turn:
            self._state["cache"][key] = result
            finish_task(self.graph, key, self._state, self._wanted, self._position)
            self._call(3, key, result, self.graph, self._state, threading.get_ident())

    def finish(self, failed: bool) -> None:
        """The computation is over."""
        with self._closing, self._turn:
            for callback in self._started:
                if callback[4]:
                    callback[4](self.graph, self._state, failed)

    def _call(self, which: int, *arguments: Any) -> None:
        for callback in self._callbacks:
            function = callback[which]
            if function:
                function(*arguments)


class _Ready(dict[Hashable, None]):
    """The keys that are ready, in order, any of which can be taken out at once."""

    def append(self, key: Hashable) -> None:
        self[key] = None
