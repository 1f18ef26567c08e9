"""A bar that fills while a computation runs."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from raskt import _core, config
from raskt.diagnostics._units import count
from raskt.diagnostics.callback import Callback
from raskt.diagnostics.notebook import State, notebook_bar


class ProgressBar(Callback):
    """Draws the share of tasks that are done, and the time since the computation began.

    On a terminal the line is drawn over itself, and a notebook shows a bar of its own; anywhere else (a file, a pipe)
    each computation leaves one line when it is over.

    Where calls of cancelled computations go on that nothing can stop, and take so many threads that this one lacks
    some, the bar says how many, as long as that is so.

    Parameters
    ----------
    minimum : float, optional
        Draw nothing for computations shorter than this, in seconds. Default: the setting ``progress.minimum`` (0).
    width : int, optional
        Characters between the brackets. Default: the setting ``progress.width`` (40).
    dt : float, optional
        Seconds between two drawings. Default: the setting ``progress.interval`` (0.1).
    out : file object, optional
        Where to draw. Default: ``sys.stdout`` as it is when the computation begins.
    only_terminal : bool, optional
        Draw nothing unless `out` is a terminal or a notebook. Default: False.

    Examples
    --------
    >>> import raskt
    >>> from raskt.diagnostics import ProgressBar
    >>> with ProgressBar(width=20):  # doctest: +ELLIPSIS
    ...     raskt.delayed(sum)([1, 2, 3]).compute()
    [####################] | 100% completed | ...s
    6
    """

    def __init__(
        self,
        minimum: float | None = None,
        width: int | None = None,
        dt: float | None = None,
        out: TextIO | None = None,
        only_terminal: bool = False,
    ) -> None:
        super().__init__()
        self._minimum = _setting("progress.minimum", minimum)
        self._width = _setting("progress.width", width)
        self._dt = _setting("progress.interval", dt)
        self._given_out = out
        self._only_terminal = only_terminal

    def start(self, total: int) -> None:
        self._out = self._given_out if self._given_out is not None else sys.stdout
        self._live = _redraws(self._out)
        self._notebook = notebook_bar() if self._given_out is None and _is_notebook(self._out) else None
        self._silent = self._out is None or (self._only_terminal and not self._live)
        self._done, self._total = 0, total
        self._began = time.monotonic()
        self._drawn_at = -self._dt
        self._drawn_length = 0

    def update(self, done: int, total: int, elapsed: float) -> None:
        self._done, self._total = done, total
        if self._live and elapsed >= self._minimum and elapsed - self._drawn_at >= self._dt:
            self._drawn_at = elapsed
            self._draw(elapsed, end="", state="running")

    def finish(self, error: BaseException | None) -> None:
        elapsed = time.monotonic() - self._began
        if error is None:
            self._done = self._total
        if elapsed >= self._minimum:
            self._draw(elapsed, end="\n", state="done" if error is None else "failed")

    def _draw(self, elapsed: float, end: str, state: State) -> None:
        if self._silent:
            return
        lack = _lack() if state == "running" else ""
        if self._notebook is not None:
            self._notebook.draw(self._done, self._total, _duration(elapsed) + lack, state)
            return
        line = _line(self._done, self._total, elapsed, self._width) + lack
        # Spaces wipe out what is left of a longer line.
        wiped = line.ljust(self._drawn_length) if self._live else line
        try:
            self._out.write(("\r" if self._live else "") + wiped + end)
            self._out.flush()
        except (OSError, ValueError):
            # The terminal went away or the file was closed; the computation goes on without a bar.
            self._silent = True
        self._drawn_length = len(line)


def _line(done: int, total: int, elapsed: float, width: int) -> str:
    share = done / total if total else 1.0
    filled = "#" * int(width * share)
    return f"[{filled:<{width}}] | {int(100 * share):>3}% completed | {_duration(elapsed)}"


def _lack() -> str:
    """What a computation is told that others keep threads from it."""
    _, threads = _core.left_running()
    return f" | {count(threads, 'thread')} in cancelled tasks that can't be stopped" if threads else ""


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _redraws(out: TextIO | None) -> bool:
    """Whether a carriage return takes the next characters to the start of the line."""
    if out is None:
        return False
    try:
        return out.isatty() or _is_notebook(out)
    except (AttributeError, ValueError):
        return False


def _is_notebook(out: TextIO | None) -> bool:
    return type(out).__module__.startswith("ipykernel")


def _setting(key: str, given: float | None) -> float | int:
    """What was given, checked as the setting is; else the setting."""
    if given is None:
        return config.get(key)
    with config.set({key: given}):
        return config.get(key)
