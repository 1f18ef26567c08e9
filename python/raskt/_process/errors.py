"""Exceptions on their way from one process to another: with their tracebacks, causes and notes.

A traceback can't be pickled. Its lines can: file, function and number. Where the exception arrives, a traceback is
built that shows them, so that it reads as if the exception had been raised there.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

from raskt._process import codec

DEPTH = 20
"""Causes of causes are followed this far."""

Line = tuple[str, str, int]
"""File, function and number."""

LINES_MOST = 2000
"""Lines of a traceback that travel: of more, those at both ends."""

SHORT_BYTES = 64 << 10
"""So many bytes of a text are left of an exception that has too many to travel whole, and of all others."""

GROUP_BYTES = 512 << 10
"""So many bytes of the members of a group are left of one that has too many; the first of them is always there."""

SMALL_BYTES = 4 << 10
"""What has more besides texts is left out then."""


def dump(error: BaseException, skip: int = 0, most: int | None = None) -> bytes:
    """Pickles an exception, without the first `skip` entries of its traceback.

    If that has more than `most` bytes it is shortened: it stays of its class, with the beginnings of its texts, without
    what else is large, and with a note that says so.
    """

    def pickled(error: BaseException) -> bytes:
        # One that has much more than may travel isn't copied first.
        return _pickled(error) if most is None or _bytes_of(error) <= most else _short(error)

    data = pickle.dumps(_entries(error, skip, DEPTH, pickled), protocol=5)
    if most is None or len(data) <= most:
        return data
    data = pickle.dumps(_entries(error, skip, DEPTH, _short), protocol=5)
    return data if len(data) <= most else pickle.dumps(_entries(error, skip, 1, _short), protocol=5)


def with_note(error: BaseException, story: str) -> BaseException:
    """The exception with a note, from Python 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(f"raskt: {story}")
    return error


def load(data: bytes) -> BaseException:
    """The exception that `dump` was given."""
    return _whole(pickle.loads(data))


Entry = tuple[bytes, list[Line], "int | None", "int | None", bool]
"""An exception by itself, its traceback, where its cause and its context stand, and whether that isn't shown."""


def _entries(error: BaseException, skip: int, depth: int, pickled: Callable[[BaseException], bytes]) -> list[Entry]:
    """An exception, and those that have led to it, each once: a cause is mostly the context as well."""
    entries: list[Any] = []
    places: dict[int, int] = {}

    def place(error: BaseException | None, skip: int, depth: int) -> int | None:
        if error is None or depth == 0:
            return None
        if id(error) not in places:
            at = places[id(error)] = len(entries)
            entries.append(None)
            cause, context = (place(other, 0, depth - 1) for other in (error.__cause__, error.__context__))
            lines = _lines(error.__traceback__)[skip:]
            entries[at] = pickled(error), lines, cause, context, error.__suppress_context__
        return places[id(error)]

    place(error, skip, depth)
    return entries


def _lines(entry: TracebackType | None) -> list[Line]:
    lines = [(frame.f_code.co_filename, frame.f_code.co_name, number) for frame, number in traceback.walk_tb(entry)]
    return lines if len(lines) <= LINES_MOST else lines[: LINES_MOST // 2] + lines[-LINES_MOST // 2 :]


def _pickled(error: BaseException) -> bytes:
    """The exception by itself; one that doesn't come through that whole is told by a RuntimeError."""
    for told in (error, _Remade(error), *_group(error, _pickled)):
        try:
            data = _in_one(told)
            if type(pickle.loads(data)) is type(error):
                return data
        except Exception:
            continue
    sentence = f"{_name(error)}: {_text(error)} (this exception can't be passed between processes)"
    return pickle.dumps(RuntimeError(sentence))


def _in_one(thing: object) -> bytes:
    """The pickle, with the memory of arrays in it: nothing travels beside an exception."""
    data = codec.dump_by_name(thing)
    return codec.dump_by_value(thing) if data is None else data


def _name(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "(its message can't be shown)"


def _short(error: BaseException) -> bytes:
    """The same of an exception that has too many bytes."""
    size = _bytes_of(error)
    if size <= SHORT_BYTES:
        data = _pickled(error)
        if len(data) <= SHORT_BYTES:
            return data
        size = len(data)
    note = f"raskt: of the {size} bytes of this exception only a part has come, since so many don't travel"
    for group in _group(error, _short, GROUP_BYTES):
        with suppress(Exception):
            group.attributes["__notes__"] = [*group.attributes.get("__notes__", []), note]
            data = _in_one(group)
            if type(pickle.loads(data)) is type(error):
                return data
    text = (_beginning(_text(error)),), {}
    # Some classes want just what was left out: then it is one that they derive from.
    kinds = [kind for kind in type(error).__mro__ if issubclass(kind, BaseException)]
    for kind, (args, attributes) in ((kinds[0], _shortened(error)), *((kind, text) for kind in kinds)):
        attributes = {**attributes, "__notes__": [*attributes.get("__notes__", []), note]}
        with suppress(Exception):
            data = _in_one(_Remade(error, kind, args, attributes))
            if len(data) <= 4 * SHORT_BYTES and str(pickle.loads(data)) is not None:
                return data
    return pickle.dumps(RuntimeError(_beginning(f"{_name(error)}: {_text(error)} ({note})")))


def _shortened(error: BaseException) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What an exception has, without what is large."""
    args = tuple(_beginning(value) if isinstance(value, str) else _unless_large(value) for value in error.args)
    small = {name: value for name, value in vars(error).items() if _unless_large(value) is value}
    return args, small


def _beginning(text: str) -> str:
    written = text.encode(errors="surrogatepass")
    if len(written) <= SHORT_BYTES:
        return text
    return f"{written[:SHORT_BYTES].decode(errors='ignore')}… ({len(text)} characters in all)"


def _unless_large(value: Any) -> Any:
    """The same object, or what is said of it."""
    size = _bytes_of(value)
    return value if 0 < size <= SMALL_BYTES else f"<{type(value).__name__} that was left out>"


def _bytes_of(value: Any) -> int:
    """Bytes of its pickle, of which those of arrays aren't copied; 0 if it can't be pickled."""
    with suppress(Exception):
        buffers: list[memoryview] = []
        data, _ = codec.dump(value, buffers)
        return len(data) + sum(buffer.nbytes for buffer in buffers)
    return 0


def _group(error: BaseException, pickled: Callable[[BaseException], bytes], most: float = float("inf")) -> list[_Group]:
    """The same, member by member, if it is a group: as many of them as have so many bytes together."""
    with suppress(Exception):
        members = getattr(error, "exceptions", None)
        if isinstance(members, tuple) and hasattr(error, "subgroup"):
            return [_Group(error, _members(members, pickled, most))]
    return []


def _members(members: tuple[BaseException, ...], pickled: Callable[[BaseException], bytes], most: float) -> list[bytes]:
    taken: list[bytes] = []
    left = most
    for member in members:
        data = pickled(member)
        left -= len(data)
        if taken and left < 0:
            rest = f"{len(members) - len(taken)} more exceptions of this group were left out"
            return [*taken, pickle.dumps(RuntimeError(rest))]
        taken.append(data)
    return taken


class _Group:
    """A group of exceptions, each of which travels by itself."""

    def __init__(self, error: BaseException, members: list[bytes]) -> None:
        self._kind, self._message, self._members = type(error), _beginning(str(error.args[0])), members
        self.attributes = {name: value for name, value in vars(error).items() if _unless_large(value) is value}

    def __reduce__(self) -> tuple[Any, ...]:
        return _regrouped, (self._kind, self._message, self._members, self.attributes)


def _regrouped(
    kind: type[BaseException], message: str, members: list[bytes], attributes: dict[str, Any]
) -> BaseException:
    return _remade(kind, (message, [_alone(member) for member in members]), attributes)


class _Remade:
    """An exception that is made again without its `__init__`, which may want other arguments than `Exception` has."""

    def __init__(
        self,
        error: BaseException,
        kind: type[BaseException] | None = None,
        args: tuple[Any, ...] | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> None:
        self._kind = kind or type(error)
        self._args = error.args if args is None else args
        self._attributes = vars(error) if attributes is None else attributes

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self._kind, self._args, self._attributes)


def _remade(kind: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    # Python's own classes have things to set up, and take what is in `args`; classes of users may want anything.
    builtin = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    error: BaseException = builtin.__new__(kind, *args)
    builtin.__init__(error, *args)
    error.__dict__.update(attributes)
    return error


def _whole(entries: list[Entry]) -> BaseException:
    errors = [_alone(data).with_traceback(_traceback(lines)) for data, lines, *_ in entries]
    for error, (_, _, cause, context, is_hidden) in zip(errors, entries):
        error.__cause__ = None if cause is None else errors[cause]
        error.__context__ = None if context is None else errors[context]
        error.__suppress_context__ = is_hidden
    return errors[0]


def _alone(data: bytes) -> BaseException:
    try:
        error: BaseException = pickle.loads(data)
    except Exception as failure:
        return RuntimeError(f"a task raised an exception that can't be read here: {failure!r}")
    return error


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
