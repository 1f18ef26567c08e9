"""Topics: events that processes log, and who listens to them."""

from __future__ import annotations

import asyncio
import inspect
import logging
import pickle
import threading
import warnings
import weakref
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from raskt import _core
from raskt._process import codec
from raskt.distributed._names import read, written
from raskt.distributed._session import Session
from raskt.distributed._threads import running_loop

PATIENCE_SECONDS = 1.0
"""How often one who listens looks whether its client is still there."""

_log = logging.getLogger("raskt.distributed")


def log(session: Session, topic: Any, msg: Any) -> None:
    """Logs an event under a topic, or under several."""
    topics = list(topic) if isinstance(topic, Collection) and not isinstance(topic, (str, bytes, tuple)) else [topic]
    names = [written(each) for each in topics]
    try:
        data = codec.dump_by_value(msg)
    except Exception as error:
        raise TypeError(f"an event is what can be pickled, and {type(msg).__name__} can't be: {error}") from error
    native = session.native
    for name in names:
        native.log(name, data)


def events(session: Session, topic: Any = None) -> Any:
    """The events of a topic, or of each by name: times and messages."""
    native = session.native
    names = native.topics() if topic is None else [written(topic)]
    found = [_events(native, name) for name in names]
    _tell_since_when(native)
    return found[0] if topic is not None else {read(name): events for name, events in zip(names, found, strict=True)}


def _tell_since_when(native: _core.ClusterCoordination) -> None:
    began = native.begun_anew()
    if began is not None:
        since = datetime.fromtimestamp(began).strftime("%Y-%m-%d %H:%M:%S")
        sentence = f"the scheduler has begun anew at {since}: events that were logged before are gone"
        warnings.warn(sentence, RuntimeWarning, stacklevel=2)


def _events(native: _core.ClusterCoordination, name: str) -> tuple[tuple[float, Any], ...]:
    return tuple((time, pickle.loads(data)) for time, data in native.events(name))


class Listener:
    """Calls a function with each event of a topic, in a thread of its own, or in the loop in which it was made."""

    def __init__(self, client: Any, topic: Any, handler: Callable[[tuple[float, Any]], Any]) -> None:
        self.handler = handler
        self._subscription = Session(client).native.subscribe(written(topic))
        self._client = weakref.ref(client)
        self._loop = running_loop() if client.asynchronous else None
        thread = threading.Thread(target=self._listen, args=(topic,), name="raskt-topic", daemon=True)
        thread.start()

    def end(self) -> None:
        """Listens no longer."""
        self._subscription.end()

    def _listen(self, topic: Any) -> None:
        while not self._subscription.is_over():
            found = self._subscription.next(PATIENCE_SECONDS)
            if found is None:
                client = self._client()
                if client is None or client.is_closed:
                    return
                continue
            missed, (time, data) = found
            if missed:
                _log.warning("topic %r: %d events were missed: they came faster than they were seen to", topic, missed)
            try:
                self._call((time, pickle.loads(data)))
            except Exception:
                _log.exception("an event of topic %r wasn't seen to", topic)

    def _call(self, event: tuple[float, Any]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._called(event), self._loop).result()
        elif inspect.iscoroutinefunction(self.handler):
            asyncio.run(self._called(event))
        else:
            self.handler(event)

    async def _called(self, event: tuple[float, Any]) -> None:
        result = self.handler(event)
        if inspect.isawaitable(result):
            await result
