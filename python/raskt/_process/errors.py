"""Exceptions on their way from one process to another: with their tracebacks, causes and notes.

A traceback can't be pickled. Its lines can: file, function and number. Where the exception arrives, a traceback is
built that shows them, so that it reads as if the exception had been raised there.
"""

from __future__ import annotations

import pickle
import traceback
from types import FrameType, TracebackType
from typing import Any

from raskt._process import codec

DEPTH = 20
"""Causes of causes are followed this far."""

Line = tuple[str, str, int]
"""File, function and number."""


def dump(error: BaseException, skip: int = 0) -> bytes:
    """Pickles an exception, without the first `skip` entries of its traceback."""
    return pickle.dumps(_parts(error, skip, DEPTH), protocol=5)


def with_note(error: BaseException, story: str) -> BaseException:
    """The exception with a note, from Python 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(f"raskt: {story}")
    return error


def load(data: bytes) -> BaseException:
    """The exception that `dump` was given."""
    return _whole(pickle.loads(data))


def _parts(error: BaseException | None, skip: int, depth: int) -> Any:
    if error is None or depth == 0:
        return None
    lines = _lines(error.__traceback__)[skip:]
    cause, context = (_parts(other, 0, depth - 1) for other in (error.__cause__, error.__context__))
    return _pickled(error), lines, cause, context, error.__suppress_context__


def _lines(entry: TracebackType | None) -> list[Line]:
    return [(frame.f_code.co_filename, frame.f_code.co_name, number) for frame, number in traceback.walk_tb(entry)]


def _pickled(error: BaseException) -> bytes:
    """The exception by itself; one that doesn't come through that whole is told by a RuntimeError."""
    for told in (error, _Remade(error)):
        try:
            data, _ = codec.dump(told, [])
            if type(pickle.loads(data)) is type(error):
                return data
        except Exception:
            continue
    name = f"{type(error).__module__}.{type(error).__qualname__}"
    try:
        text = str(error)
    except Exception:
        text = "(its message can't be shown)"
    return pickle.dumps(RuntimeError(f"{name}: {text} (this exception can't be passed between processes)"))


class _Remade:
    """An exception that is made again without its `__init__`, which may want other arguments than `Exception` has."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self._error), self._error.args, vars(self._error))


def _remade(kind: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    # Python's own classes have things to set up, and take what is in `args`; classes of users may want anything.
    builtin = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    error: BaseException = builtin.__new__(kind, *args)
    builtin.__init__(error, *args)
    error.__dict__.update(attributes)
    return error


def _whole(parts: Any) -> BaseException:
    data, lines, cause, context, suppress = parts
    try:
        error: BaseException = pickle.loads(data)
    except Exception as failure:
        error = RuntimeError(f"a task raised an exception that can't be read here: {failure!r}")
    error.__cause__ = _whole(cause) if cause else None
    error.__context__ = _whole(context) if context else None
    error.__suppress_context__ = suppress
    return error.with_traceback(_traceback(lines))


def _traceback(lines: list[Line]) -> TracebackType | None:
    entry = None
    for file, function, number in reversed(lines):
        frame = _frame(file, function, number)
        if frame is not None:
            entry = TracebackType(entry, frame, frame.f_lasti, max(1, number))
    return entry


def _frame(file: str, function: str, number: int) -> FrameType | None:
    """A frame that says it is at a line of a function: one of a code object that only raises, with those names."""
    code = compile("raise error", file, "exec").replace(co_name=function, co_firstlineno=max(1, number))
    try:
        exec(code, {"error": _Raised(), "__name__": function, "__file__": file})
    except _Raised as raised:
        entry = raised.__traceback__
        return entry.tb_next.tb_frame if entry and entry.tb_next else None
    return None


class _Raised(Exception):
    pass
