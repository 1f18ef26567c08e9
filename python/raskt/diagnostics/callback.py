"""What is called while a computation runs."""

from __future__ import annotations

from typing import Literal, TypeVar

_Self = TypeVar("_Self", bound="Callback")

_active: list[Callback] = []
"""The callbacks that ``compute`` and ``persist`` call, in the order in which they came."""


class Callback:
    """Is told of every computation while it is active: within a ``with`` block, or from ``register`` to ``unregister``.

    Override what you want to know of. The methods are called in the thread that called ``compute``.

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
    """

    def start(self, total: int) -> None:
        """A computation of `total` tasks begins."""

    def update(self, done: int, total: int, elapsed: float) -> None:
        """`done` of `total` tasks are done, `elapsed` seconds after the beginning; called several times a second."""

    def finish(self, error: BaseException | None) -> None:
        """The computation is over; `error` is what it raises, if it does."""

    def register(self) -> None:
        """Stay active until ``unregister``."""
        if self not in _active:
            _active.append(self)

    def unregister(self) -> None:
        """Be active no longer."""
        if self in _active:
            _active.remove(self)

    def __enter__(self: _Self) -> _Self:
        # Whoever is registered already stays so when the block ends; blocks may be nested.
        self._leaves: list[bool] = [*getattr(self, "_leaves", []), self not in _active]
        self.register()
        return self

    def __exit__(self, *error: object) -> Literal[False]:
        if self._leaves.pop():
            self.unregister()
        return False
