"""Plugins on a worker: they are set up, and torn down, by threads of their own.

The worker's tasks that come later wait for that, and nothing else does. But one that asks for work of the cluster may
wait for these very tasks: from then on they go on. What takes too long is told, and tasks go on without it.
"""

from __future__ import annotations

import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from raskt.distributed import _this_worker
from raskt.distributed._this_worker import Worker

SETUP_SECONDS = 600.0
"""How long tasks wait for a plugin that is being set up: packages may have to be installed."""

READY_SECONDS = 5.0
"""How long a call beside the tasks waits for plugins that are being set up: one that never ends keeps none."""

NEXT_SECONDS = 0.05
"""A plugin that waits for another one comes sooner than this after it."""

GIVEN_UP_SECONDS = 5.0
"""How long one that is to take the place of another waits until that is set up, or torn down."""

OUTCOMES_MOST = 1024
"""Plugins of which it is remembered how it went, also when others have taken their places."""

PATIENCE_SECONDS = 60.0
"""How long is waited for a plugin that is on its way to a worker."""

_lock = threading.RLock()
_settled = threading.Condition(_lock)
_own: ContextVar[Change | None] = ContextVar("raskt-plugin", default=None)
"""What this thread or coroutine sets up."""


def changed(number: int, name: str, data: bytes | None, goes_on: Callable[[], None]) -> None:
    """A worker is to have a plugin, or to have it no longer. Its later tasks run when `goes_on` is called, or goes.

    Called by the native module, in the order in which this is wanted.
    """
    worker = _this_worker.of_number(number)
    if worker is None:
        return
    with _lock:
        changes = worker._changes.setdefault(name, Changes())
        before = changes.latest
        joined = before if before is not None and data is not None and before.is_joined_by(data, goes_on) else None
        if joined is None:
            changes.latest = change = Change(worker, name, data, before, goes_on)
            changes.outcomes.pop(change.version, None)
            worker._changed_at = time.monotonic()
        if joined is None and before is not None and not before.over.is_set():
            sentence = f"plugin {name!r} was taken away from worker {worker.name}, or replaced, while it was set up"
            for version in before.versions:
                changes.outcomes.setdefault(version, Replaced(sentence))
        _settled.notify_all()
    if joined is not None:
        if joined.is_on:
            goes_on()
        return
    try:
        change.start()
    except BaseException as error:
        # There are no threads left.
        change.failed_to_start(error)


def once_set_up(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Makes a call when the plugins are there that have come, or have taken too long. An errand."""
    worker, deadline = _this_worker.get_worker(), time.monotonic() + READY_SECONDS
    with _settled:
        while (now := time.monotonic()) < deadline and not _are_set_up(worker, now):
            _settled.wait(NEXT_SECONDS)
    return function(*args, **with_worker(function, worker, kwargs))


def with_worker(function: Callable[..., Any], worker: Worker, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a call by name, and the worker among them if the function has a place for that."""
    import inspect

    # Functions of C may not say what they take.
    with suppress(TypeError, ValueError):
        if "dask_worker" in inspect.signature(function).parameters:
            return {"dask_worker": worker, **kwargs}
    return kwargs


def _are_set_up(worker: Worker, now: float) -> bool:
    return now - worker._changed_at > NEXT_SECONDS and all(changes.is_on for changes in worker._changes.values())


def asks() -> None:
    """Whoever calls asks for something of the cluster. If that is a plugin, the tasks of its worker go on meanwhile."""
    change = _own.get()
    if change is not None:
        change.go_on()


def asks_beside(number: int) -> None:
    """A thread asks by the client of that worker's tasks. If nobody knows whose it is, a plugin may have started it.

    Called by the native module.
    """
    worker = _this_worker.of_number(number)
    if _own.get() is not None:
        asks()
    elif worker is not None and _this_worker.here() is None:
        with _lock:
            waited_for = [changes.latest for changes in worker._changes.values() if not changes.is_on]
        for change in waited_for:
            if change is not None:
                change.go_on()


class Replaced(RuntimeError):
    """A plugin was taken away, or another one took its place, while it was set up."""


class Changes:
    """What a worker knows of the plugins of one name."""

    def __init__(self) -> None:
        self.latest: Change | None = None
        """The last that was to come or go."""
        self.settled: Change | None = None
        """The last of which it was known how it went before there was another one."""
        self.outcomes: dict[str, BaseException | None] = {}
        """How it went with those that came, by their versions: whoever wants to know may ask when others are there."""

    @property
    def is_on(self) -> bool:
        """Nothing waits for the last one."""
        return self.latest is None or self.latest.is_on

    @property
    def is_gone(self) -> bool:
        """There was to be none, and that is over."""
        return self.settled is not None and not self.settled.version

    def are_known(self, version: str) -> bool:
        """Whether it is known how it went with one, or with its going away ("")."""
        if version:
            return version in self.outcomes
        return self.is_gone or (self.latest is not None and bool(self.latest.version))

    def outcome(self, version: str) -> BaseException | None:
        """Why it didn't go well with that one."""
        if version:
            return self.outcomes.get(version)
        # Where another one has come meanwhile, how that went is no answer to who had this one taken away.
        return self.settled.failure if self.settled is not None and self.is_gone else None

    def settle(self, change: Change, failure: BaseException | None) -> None:
        """It is known how it went with one."""
        change.failure = failure
        if self.latest is change:
            self.settled = change
        for version in change.versions:
            # One that was given up has been told of already, however it ends.
            self.outcomes.setdefault(version, failure)
            if len(self.outcomes) > OUTCOMES_MOST:
                del self.outcomes[next(iter(self.outcomes))]


class Change:
    """A plugin that comes to a worker, or goes from it."""

    def __init__(
        self, worker: Worker, name: str, data: bytes | None, before: Change | None, goes_on: Callable[[], None]
    ) -> None:
        self.worker, self.name, self.before = worker, name, before
        self.data = data
        self.former: bytes | None = None
        """What the worker had by this name before: if this one fails, that may be put back."""
        self.version: str = ""
        self.written: bytes | None = None
        if data is not None:
            self.version, self.written = pickle.loads(data)
        self._goes_on = [goes_on]
        self.versions = [self.version] if self.version else []
        """Its own, and those of the same that others have registered while it was set up."""
        self.is_on = False
        """Tasks that came later may run."""
        self.is_settled = False
        """It is known how it went."""
        self.over = threading.Event()
        self.is_there = False
        """It is set up."""
        self.is_given_up = False
        """The plugin is to go as soon as it is set up."""
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="raskt-plugin", daemon=True)
        self._timer = threading.Timer(SETUP_SECONDS, self._late)
        self._timer.daemon = True

    def is_joined_by(self, data: bytes, goes_on: Callable[[], None]) -> bool:
        """Whether it is the same plugin, registered once more while it is set up, by another client, say.

        Then it is set up once. To be called under the lock.
        """
        version, written = pickle.loads(data)
        if written != self.written or self.is_settled or self.is_given_up:
            return False
        self.versions.append(version)
        self._goes_on.append(goes_on)
        return True

    def go_on(self) -> None:
        """Tasks that came later may run from now on."""
        with _settled:
            self.is_on, self.worker._changed_at = True, time.monotonic()
            all_go_on = list(self._goes_on)
            _settled.notify_all()
        for each in all_go_on:
            each()

    def start(self) -> None:
        """Begins with it."""
        self._timer.start()
        self._thread.start()

    def failed_to_start(self, error: BaseException) -> None:
        """Nobody sets it up."""
        self._timer.cancel()
        self._tell(f"plugin {self.name!r} can't be set up:", error)
        self._settle(error)
        self.over.set()

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
            if self.written is not None:
                before.over.wait(GIVEN_UP_SECONDS)
            # It may never end. Nobody wants what it makes.
            with _lock:
                before.is_given_up = not (before.over.is_set() or before.is_there)
            if before.is_given_up:
                before.go_on()
                if self.written is None:
                    return
            else:
                before.over.wait()
        if before is not None and self.written is not None:
            self.former = before.data if before.is_there else before.former
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
            self.is_there = not self.is_given_up
            if self.is_there:
                plugins[self.name] = plugin
        if not self.is_there:
            # Another one may be there by this name.
            _torn_down(self.worker, self.name, plugin)

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
        with _settled:
            self.is_settled = True
            self.worker._changes[self.name].settle(self, failure)
            _settled.notify_all()
        self.go_on()

    def _tell(self, sentence: str, error: BaseException | None) -> None:
        print(f"raskt: worker {self.worker.name}: {sentence}", file=sys.stderr)
        if error is not None:
            traceback.print_exception(error)


def tear_down(worker: Worker, name: str) -> None:
    """A plugin goes from a worker."""
    _torn_down(worker, name, worker.plugins.pop(name, None))


def _torn_down(worker: Worker, name: str, plugin: Any) -> None:
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

    def known() -> Changes | None:
        changes = worker._changes.get(name)
        return changes if changes is not None and changes.are_known(version) else None

    with _settled:
        came = _settled.wait_for(known, SETUP_SECONDS + PATIENCE_SECONDS)
        failure = None if came is None else came.outcome(version)
    if came is None:
        raise TimeoutError(f"plugin {name!r} hasn't come to worker {worker.name}, or another one took its place")
    if failure is not None:
        raise failure
    return {"status": "OK"}


def former(name: str, version: str) -> tuple[bool | None, bytes | None]:
    """Whether a plugin is still of that version on a worker, and what was there by its name before. An errand.

    Of a worker that hasn't come to it nobody knows: one before it may still be set up.
    """
    with _lock:
        changes = _this_worker.get_worker()._changes.get(name)
        latest = None if changes is None else changes.latest
        if latest is None:
            return None, None
        return (True, latest.former) if version in latest.versions else (False, None)
