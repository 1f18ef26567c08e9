"""The parent's side: calls into messages, messages into results."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Sequence
from typing import Any

from raskt._process import codec, culprit, errors

KNOWN_MOST = 256
"""A process keeps so many functions; the one that was sent first is forgotten first."""

Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
Result = tuple[list[Any], bool, int, BaseException | None]


class Run:
    """What processes need to know of one computation: where it runs, and its functions.

    A function is pickled once for a computation, and is sent to a process that doesn't have it: between computations
    what it refers to may have changed, and then its pickle is another.
    """

    def __init__(self) -> None:
        self._context = pickle.dumps((os.getcwd(), list(sys.path), dict(os.environ)), protocol=5)
        self._context_digest = b"context" + _digest(self._context)
        # By the address of a function, which is kept alive.
        self._functions: dict[int, tuple[Any, bytes, bytes]] = {}

    def pack(self, calls: Sequence[Call], known: dict[bytes, None]) -> tuple[bytes, int, int, BaseException | None]:
        """A message with the first of `calls`, its descriptor, how many they are, and why the next can't be sent."""
        entries: list[codec.Entry] = []
        buffers: list[memoryview] = []
        wanted: dict[bytes, bytes] = {}
        failure: BaseException | None = None
        for function, positional, named in calls:
            start = len(buffers)
            try:
                digest, blob = self._function(function)
                entry = codec.dump((digest, positional, named), buffers)
            except BaseException as error:
                del buffers[start:]
                failure = _not_sent(function, positional, named, error)
                break
            wanted[digest] = blob
            entries.append(entry)
        if not entries:
            return b"", -1, 0, failure
        context = None if self._context_digest in known else self._context
        new = {digest: blob for digest, blob in wanted.items() if digest not in known}
        forgotten = self._note(known, wanted)
        content = (context, new, forgotten, entries)
        message, descriptor = codec.seal(content, buffers)
        return message, descriptor, len(entries), failure

    def unpack(self, message: bytes, descriptor: int) -> Result:
        """Results, whether the batch has ended with them, the nanoseconds they took, and the error that ended it."""
        (entries, has_ended, nanoseconds, failure), views = codec.open_sealed(message, descriptor)
        results = []
        start = 0
        for entry in entries:
            try:
                results.append(codec.load(entry, views, start))
            except Exception as error:
                errors.with_note(error, "the result of a task can't be read here")
                return results, has_ended, nanoseconds, error
            start += entry[1]
        return results, has_ended, nanoseconds, errors.load(failure) if failure else None

    def _function(self, function: Any) -> tuple[bytes, bytes]:
        known = self._functions.get(id(function))
        if known is None:
            blob = codec.dump_by_value(function)
            known = self._functions[id(function)] = (function, _digest(blob), blob)
        return known[1], known[2]

    def _note(self, known: dict[bytes, None], wanted: dict[bytes, bytes]) -> list[bytes]:
        """Notes what a process is being sent, and gives what it is to forget."""
        # A process is in one context at a time.
        for digest in [digest for digest in known if digest.startswith(b"context")]:
            del known[digest]
        known[self._context_digest] = None
        for digest in wanted:
            known[digest] = None
        surplus = len(known) - max(KNOWN_MOST, len(wanted) + 1)
        spare = (digest for digest in known if digest not in wanted and digest != self._context_digest)
        forgotten = [digest for digest, _ in zip(spare, range(max(0, surplus)))]
        for digest in forgotten:
            del known[digest]
        return forgotten


def _digest(blob: bytes) -> bytes:
    return hashlib.blake2b(blob, digest_size=16).digest()


def _not_sent(function: Any, positional: tuple[Any, ...], named: dict[str, Any], error: BaseException) -> BaseException:
    """Says of an error that the call could not be sent, why, and what would work."""
    name = getattr(function, "__qualname__", repr(function))
    story = f'`{name}` or its arguments can\'t be sent to a worker process; scheduler="threads" needs to send nothing'
    told = errors.with_note(error, story).with_traceback(None)
    if isinstance(error, Exception):
        parts = {f"the function `{name}`": function, "args": positional, "kwargs": named}
        culprits = (culprit.find(part, called) for called, part in parts.items())
        found = next(filter(None, culprits), None)
        return errors.with_note(told, found) if found else told
    return told
