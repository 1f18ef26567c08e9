"""What is called while a computation runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

from raskt._core import TaskHooks

_Self = TypeVar("_Self", bound="Active")

_active: list[Callback] = []
"""The callbacks that ``compute`` and ``persist`` call, in the order in which they came."""


class TaskData(NamedTuple):
    """What a task did."""

    key: str
    """The task's name."""
    task: str
    """The name of what it did, which tasks that do the same have in common."""
    start_time: float
    """When it began, in seconds of ``time.perf_counter``."""
    end_time: float
    """When it was over."""
    worker_id: int
    """The thread that ran it."""
    nbytes: int
    """Bytes of its result."""
    failed: bool
    """Whether it raised."""


class Active:
    """What is active within a ``with`` block, or from ``register`` to ``unregister``."""

    def register(self) -> None:
        """Stay active until ``unregister``."""
        raise NotImplementedError

    def unregister(self) -> None:
        """Be active no longer."""
        raise NotImplementedError

    def _is_registered(self) -> bool:
        raise NotImplementedError

    def __enter__(self: _Self) -> _Self:
        # Whoever is registered already stays so when the block ends; blocks may be nested.
        self._leaves: list[bool] = [*getattr(self, "_leaves", []), not self._is_registered()]
        self.register()
        return self

    def __exit__(self, *error: object) -> Literal[False]:
        if self._leaves.pop():
            self.unregister()
        return False


class Callback(Active):
    """Is told of every computation while it is active: within a ``with`` block, or from ``register`` to ``unregister``.

    Override what you want to know of, or give functions. `start`, `update` and `finish` are called in the thread that
    called ``compute``; `pretask` and `posttask` in the thread that runs the task, for the calls behind futures too. A
    callback for tasks takes Python's lock for each of them: leave these two out where you can.

    Parameters
    ----------
    start, pretask, posttask, finish : callable, optional
        Functions to be called in place of the methods of these names.

    Examples
    --------
    >>> import raskt
    >>> class Count(raskt.diagnostics.Callback):
    ...     def start(self, total):
    ...         print(total, "task")
    >>> with Count():
    ...     raskt.delayed(sum)([1, 2]).compute()
    1 task
    3
    >>> with raskt.diagnostics.Callback(posttask=lambda task: print(task.task)):
    ...     raskt.delayed(sum)([1, 2]).compute()
    sum
    3
    """

    def __init__(
        self,
        start: Callable[[int], Any] | None = None,
        pretask: Callable[[str], Any] | None = None,
        posttask: Callable[[TaskData], Any] | None = None,
        finish: Callable[[BaseException | None], Any] | None = None,
    ) -> None:
        given = {"start": start, "pretask": pretask, "posttask": posttask, "finish": finish}
        for name, function in given.items():
            if function is None:
                continue
            if not callable(function):
                raise TypeError(f"{name} is {function!r}; it has to be a function")
            self.__dict__[name] = function

    def start(self, total: int) -> None:
        """A computation of `total` tasks begins."""

    def update(self, done: int, total: int, elapsed: float) -> None:
        """`done` of `total` tasks are done, `elapsed` seconds after the beginning; called several times a second."""

    def pretask(self, key: str) -> None:
        """A task begins."""

    def posttask(self, task: TaskData) -> None:
        """A task is over."""

    def finish(self, error: BaseException | None) -> None:
        """The computation is over; `error` is what it raises, if it does."""

    def register(self) -> None:
        """Stay active until ``unregister``."""
        if self not in _active:
            _active.append(self)
            self._hooks = self._task_hooks()
            if self._hooks is not None:
                self._hooks.start()

    def unregister(self) -> None:
        """Be active no longer."""
        if self in _active:
            _active.remove(self)
            if self._hooks is not None:
                self._hooks.stop()

    def _is_registered(self) -> bool:
        return self in _active

    def _task_hooks(self) -> TaskHooks | None:
        """What calls the methods for tasks, if there are any."""
        before = self.pretask if self._has("pretask") else None
        after = (lambda *task: self.posttask(task_data(*task))) if self._has("posttask") else None
        return TaskHooks(before, after) if before or after else None

    def _has(self, name: str) -> bool:
        return name in self.__dict__ or getattr(type(self), name) is not getattr(Callback, name)


def task_data(key: str, op: str, start: float, end: float, thread: int, nbytes: int, failed: bool) -> TaskData:
    """The record of a task, as the native module tells it."""
    return TaskData(key, task_name(key, op), start, end, thread, nbytes, failed)


def task_name(key: str, op: str) -> str:
    """What tasks that do the same have in common: what a native task does, or the name of the function.

    >>> task_name("sum-5f78[3, 0]", "add+sum"), task_name("inc-2a", "delayed"), task_name("mine", "delayed")
    ('add+sum', 'inc', 'mine')
    """
    if op not in _CALLS:
        return op
    name, _, number = key.rpartition("-")
    is_number = bool(name) and all(digit in "0123456789abcdef" for digit in number)
    return name if is_number else key


_CALLS = ("delayed", "future")
"""The ops whose tasks call functions of their own each."""
