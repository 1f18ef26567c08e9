"""Plugins on a worker: they are set up, and torn down, by threads of their own.

The worker's tasks that come later wait for that. But one that asks for work of the cluster may wait for these very
tasks: from then on they go on. What takes too long is told, and tasks go on without it.
"""

from __future__ import annotations

import pickle
import sys
import threading
import traceback
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from raskt.distributed import _this_worker
from raskt.distributed._this_worker import Worker

SETUP_SECONDS = 600.0
"""How long tasks wait for a plugin that is being set up: packages may have to be installed."""

PATIENCE_SECONDS = 60.0
"""How long is waited for a plugin that is on its way to a worker."""

_lock = threading.RLock()
_settled = threading.Condition(_lock)
_own: ContextVar[Change | None] = ContextVar("raskt-plugin", default=None)
"""What this thread or coroutine sets up."""


def changed(number: int, name: str, data: bytes | None) -> None:
    """A worker is to have a plugin, or to have it no longer: returns when its later tasks may run.

    Called by the native module, in the order in which this is wanted.
    """
    worker = _this_worker.of_number(number)
    if worker is None:
        return
    with _lock:
        change = Change(worker, name, data, worker._changes.get(name))
        worker._changes[name] = change
    change.start()
    change.goes_on.wait()


def asks() -> None:
    """Whoever calls asks for something of the cluster. If that is a plugin, the tasks of its worker go on meanwhile."""
    change = _own.get()
    if change is not None:
        change.goes_on.set()


class Change:
    """A plugin that comes to a worker, or goes from it."""

    def __init__(self, worker: Worker, name: str, data: bytes | None, before: Change | None) -> None:
        self.worker, self.name, self.before = worker, name, before
        self.version: str = ""
        self.written: bytes | None = None
        if data is not None:
            self.version, self.written = pickle.loads(data)
        self.goes_on = threading.Event()
        """Tasks that came later may run."""
        self.over = threading.Event()
        self.is_there = False
        """It is set up."""
        self.is_given_up = False
        """The plugin is to go as soon as it is set up."""
        self._thread = threading.Thread(target=self._run, name="raskt-plugin", daemon=True)
        self._timer = threading.Timer(SETUP_SECONDS, self._late)
        self._timer.daemon = True

    def start(self) -> None:
        """Begins with it."""
        self._timer.start()
        self._thread.start()

    def _run(self) -> None:
        _own.set(self)
        _this_worker._coroutine_of.set(self.worker)
        failure = None
        try:
            self._act()
        except BaseException as error:
            failure = error
            self._tell(f"plugin {self.name!r} can't be set up:", error)
        self._timer.cancel()
        self._settle(failure)
        self.over.set()

    def _act(self) -> None:
        before, self.before = self.before, None
        if before is not None and not before.over.is_set():
            if self.written is None:
                # It may never end. Nobody wants what it makes.
                with _lock:
                    before.is_given_up = not before.is_there
                if before.is_given_up:
                    return
            before.over.wait()
        if self.written is None:
            tear_down(self.worker, self.name)
        else:
            self._set_up(pickle.loads(self.written))

    def _set_up(self, plugin: Any) -> None:
        plugins = self.worker.plugins
        if self.name in plugins:
            if getattr(plugin, "idempotent", False):
                return
            tear_down(self.worker, self.name)
        setup = getattr(plugin, "setup", None)
        if setup is not None:
            _await(setup(worker=self.worker))
        with _lock:
            plugins[self.name] = plugin
            self.is_there = True
            is_given_up = self.is_given_up
        if is_given_up:
            tear_down(self.worker, self.name)

    def _late(self) -> None:
        what = "torn down" if self.written is None else "set up"
        frame = sys._current_frames().get(self._thread.ident or 0)
        at = None if frame is None else traceback.extract_stack(frame)[-1]
        where = "" if at is None else f" (in {at.name}, {Path(at.filename).name}:{at.lineno})"
        error = TimeoutError(
            f"plugin {self.name!r} wasn't {what} after {SETUP_SECONDS:g} s{where}: tasks go on without waiting for it"
        )
        self._tell(str(error), None)
        if not self.over.is_set():
            self._settle(error)

    def _settle(self, failure: BaseException | None) -> None:
        worker = self.worker
        with _settled:
            if worker._changes.get(self.name) is self:
                worker._failures.pop(self.name, None)
                if failure is not None:
                    worker._failures[self.name] = failure
                worker._versions[self.name] = self.version
            _settled.notify_all()
        self.goes_on.set()

    def _tell(self, sentence: str, error: BaseException | None) -> None:
        print(f"raskt: worker {self.worker.name}: {sentence}", file=sys.stderr)
        if error is not None:
            traceback.print_exception(error)


def tear_down(worker: Worker, name: str) -> None:
    """A plugin goes from a worker."""
    plugin = worker.plugins.pop(name, None)
    teardown = getattr(plugin, "teardown", None)
    if teardown is None:
        return
    try:
        _await(teardown(worker=worker))
    except Exception as error:
        print(f"raskt: worker {worker.name}: plugin {name!r} can't be torn down:", file=sys.stderr)
        traceback.print_exception(error)


def _await(given: Any) -> None:
    import inspect

    if inspect.iscoroutine(given):
        from raskt.distributed._coroutines import awaited

        awaited(given)


def state(name: str, version: str) -> dict[str, str]:
    """How it went with a plugin of that version ("" if it is to go). An errand, which waits until that is known."""
    worker = _this_worker.get_worker()
    with _settled:
        came = _settled.wait_for(lambda: worker._versions.get(name) == version, SETUP_SECONDS + PATIENCE_SECONDS)
        failure = worker._failures.get(name)
    if not came:
        raise TimeoutError(f"plugin {name!r} hasn't come to worker {worker.name}, or another one took its place")
    if failure is not None:
        raise failure
    return {"status": "OK"}
