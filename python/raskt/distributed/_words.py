"""What tasks write, for those who look on from afar."""

from __future__ import annotations

import builtins
import sys
import warnings
from typing import IO, Any

from raskt.distributed import _this_worker, _topics
from raskt.distributed._session import Session

PRINTED = "print"
WARNED = "warn"
"""The topics of what tasks print and warn of."""


def print(
    *args: Any, sep: str | None = " ", end: str | None = "\n", file: IO[str] | None = None, flush: bool = False
) -> None:
    """As the `print` of Python, where it is called; what a task prints is shown by clients elsewhere as well.

    A client of a `LocalCluster` shows nothing by itself: its workers write where it does.

    Parameters
    ----------
    *args
        What is printed.
    sep, end : str
        What comes between, and at the end.
    file : file, optional
        Where to; what goes into any other file than those of the process goes nowhere else.
    flush : bool, default False
        Whether it is written at once.
    """
    builtins.print(*args, sep=sep, end=end, file=file, flush=flush)
    if file not in (None, sys.stdout, sys.stderr) or (worker := _this_worker.here()) is None:
        return
    text = (" " if sep is None else sep).join(map(str, args)) + ("\n" if end is None else end)
    _topics.log(
        Session(), PRINTED, {"worker": worker.name, "text": text, "file": "stderr" if file is sys.stderr else "stdout"}
    )


def warn(
    message: str | Warning, category: type[Warning] | None = UserWarning, stacklevel: int = 1, source: Any = None
) -> None:
    """As `warnings.warn`, where it is called; clients elsewhere warn of what a task warns of as well.

    Parameters
    ----------
    message : str or Warning
        What is wrong.
    category : type, optional
        Which sort of warning it is.
    stacklevel : int, default 1
        As that of `warnings.warn`.
    source : object, optional
        As that of `warnings.warn`.
    """
    warnings.warn(message, category, stacklevel + 1, source)
    worker = _this_worker.here()
    if worker is not None:
        _topics.log(Session(), WARNED, {"worker": worker.name, "message": message, "category": category})


def show(client: Any) -> None:
    """Has a client show what tasks print and warn of."""
    client.subscribe_topic(PRINTED, _print)
    client.subscribe_topic(WARNED, _warn)


def _print(event: tuple[float, Any]) -> None:
    _, told = event
    stream = sys.stderr if told["file"] == "stderr" else sys.stdout
    stream.write(told["text"])
    stream.flush()


def _warn(event: tuple[float, Any]) -> None:
    _, told = event
    warnings.warn(told["message"], told["category"], stacklevel=1)
