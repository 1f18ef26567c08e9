"""What runs in a worker process: it takes batches of calls, makes them, and sends what they give.

The process has a main module of its own, which is empty: the user's is never imported again.
"""

from __future__ import annotations

import array
import faulthandler
import os
import pickle
import select
import socket
import sys
import time
from contextlib import suppress
from types import ModuleType
from typing import Any

from raskt._core import watch_parent
from raskt._process import codec, culprit, errors

STARTING, IDLE, FIRST_TASK = 0, 1, 2
"""Values of the first shared word: what this process is at. Task *i* of a batch is `FIRST_TASK + i`."""

AT, STOP = 0, 1
"""The two shared words: what this process is at, and whether it is to end its batch."""

MESSAGE_BYTES_MOST = 96 << 10
REPORT_NANOSECONDS = 2_000_000
"""Results wait this long for others, so that a batch of short tasks is one message."""

NOT_SENT = 'the result can\'t be sent from a worker process; scheduler="threads" needs to send nothing'

IDLE_SECONDS = 300
"""A process that gets no batch for so long ends."""

OWN_VARIABLES = frozenset(
    ("BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
)


def main() -> None:
    """Serves until the parent has no more to say."""
    parent, threads = int(sys.argv[2]), int(sys.argv[3])
    channel = _take_standard_input()
    watch_parent(channel.fileno(), parent, threads)
    sys.argv[:] = [""]
    sys.modules["__main__"] = ModuleType("__main__")
    faulthandler.enable()
    message, page = _receive(channel)
    if not message:
        os._exit(0)
    words = codec.shared_words(page)
    os.close(page)
    _Worker(channel, words).serve()
    _flush_output()
    # Nothing is left to be done, and threads of tasks must not keep it alive.
    os._exit(0)


class _Worker:
    def __init__(self, channel: socket.socket, words: memoryview) -> None:
        self.channel = channel
        self.words = words
        # Pickles by digest until they are used, functions from then on.
        self.blobs: dict[bytes, bytes] = {}
        self.functions: dict[bytes, Any] = {}
        self.folder = os.getcwd()

    def serve(self) -> None:
        while True:
            self.words[AT] = IDLE
            if not select.select([self.channel], [], [], IDLE_SECONDS)[0]:
                return
            message, descriptor = _receive(self.channel)
            if not message:
                return
            self.words[AT] = FIRST_TASK
            try:
                (context, new, forgotten, entries), views = codec.open_sealed(message, descriptor)
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
            if context is not None:
                self.folder = _enter(context)
            _go(self.folder)
            for digest in forgotten:
                self.blobs.pop(digest, None)
                self.functions.pop(digest, None)
            self.blobs.update(new)
            self.run(entries, views)

    def run(self, entries: list[codec.Entry], views: list[memoryview]) -> None:
        words, outbox = self.words, _Outbox(self.channel)
        start = 0
        failure = None
        for index, entry in enumerate(entries):
            if words[STOP]:
                break
            words[AT] = FIRST_TASK + index
            try:
                digest, positional, named = codec.load(entry, views, start)
                function = self.functions.get(digest) or self.function(digest)
                result = function(*positional, **named)
            except BaseException as error:
                # Entries of this file come first: the one above, and the one that reads what was sent.
                failure = errors.dump(error, skip=1)
                break
            try:
                outbox.add(result)
                # Nothing of this task is to live on while the next one runs.
                positional = named = function = result = None
            except BaseException as error:
                told = errors.with_note(error, NOT_SENT).with_traceback(None)
                found = culprit.find(result, "the result") if isinstance(error, Exception) else None
                failure = errors.dump(errors.with_note(told, found) if found else told)
                break
            start += entry[1]
        _flush_output()
        words[AT] = IDLE
        outbox.send(has_ended=True, failure=failure)

    def function(self, digest: bytes) -> Any:
        self.functions[digest] = pickle.loads(self.blobs[digest])
        del self.blobs[digest]
        return self.functions[digest]


class _Outbox:
    """Results until they are sent."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.entries: list[codec.Entry] = []
        self.buffers: list[memoryview] = []
        self.since = time.perf_counter_ns()

    def add(self, result: object) -> None:
        self.entries.append(codec.dump(result, self.buffers))
        if self.buffers or time.perf_counter_ns() - self.since > REPORT_NANOSECONDS:
            # Large results lie in memory of their own, so that they can be given back one by one.
            self.send()

    def send(self, has_ended: bool = False, failure: bytes | None = None) -> None:
        now = time.perf_counter_ns()
        content = (self.entries, has_ended, now - self.since, failure)
        message, descriptor = codec.seal(content, self.buffers)
        self.entries, self.buffers, self.since = [], [], now
        try:
            _send(self.channel, message, descriptor)
        finally:
            if descriptor >= 0:
                os.close(descriptor)


def _take_standard_input() -> socket.socket:
    """The channel, which lies where programs have their standard input; tasks find that empty."""
    channel = socket.socket(fileno=os.dup(0))
    os.set_inheritable(channel.fileno(), False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return channel


def _receive(channel: socket.socket) -> tuple[bytes, int]:
    try:
        message, ancillary, _, _ = channel.recvmsg(MESSAGE_BYTES_MOST, socket.CMSG_SPACE(4))
    except ConnectionError:
        return b"", -1
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptor = array.array("i", data[:4])[0]
            os.set_inheritable(descriptor, False)
            return message, descriptor
    return message, -1


def _send(channel: socket.socket, message: bytes, descriptor: int) -> None:
    ancillary = []
    if descriptor >= 0:
        ancillary.append((socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor])))
    try:
        channel.sendmsg([message], ancillary)
    except ConnectionError:
        # The parent is gone, and this process has nobody to work for.
        os._exit(0)


def _go(folder: str) -> None:
    """Goes to a folder, from wherever a task has gone."""
    try:
        if os.getcwd() != folder:
            os.chdir(folder)
    except OSError as error:
        print(f"raskt: a worker process can't go to {folder}: {error}", file=sys.stderr)


def _enter(context: bytes) -> str:
    """Takes over the parent's path of modules and environment; gives the folder that the parent is in."""
    folder, path, environment = pickle.loads(context)
    sys.path[:] = path
    for name in set(os.environ) - set(environment) - OWN_VARIABLES:
        del os.environ[name]
    for name, value in environment.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    return folder


def _flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
