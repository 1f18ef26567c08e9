"""Events that processes share by name."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from raskt.distributed._names import fresh, written
from raskt.distributed._session import Session
from raskt.distributed._waits import awaited, timeout_seconds


class Named:
    """What a client or worker asks for under a name."""

    _kind = ""

    def __init__(self, name: Any = None, client: Any = None) -> None:
        self.name = fresh(self._kind, name)
        self._session = Session(client)

    @property
    def client(self) -> Any:
        """The client that asks, or None where the worker does."""
        return self._session.client

    def _do(self, act: Callable[[Any], Any], undo: Callable[[Any], Any] | None = None) -> Any:
        return awaited(act, undo) if self._session.is_asynchronous else act(None)

    def __await__(self) -> Generator[Any, None, Any]:
        return _itself(self).__await__()

    def __reduce__(self) -> Any:
        return type(self), (self.name,)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


async def _itself(thing: Any) -> Any:
    return thing


class Event(Named):
    """Something that has happened or not, as processes of a cluster know it by its name.

    Parameters
    ----------
    name : str, optional
        Its name. Default: one that nobody has.
    client : Client, optional
        Who asks. Default: the current client, or the worker.

    Examples
    --------
    >>> from raskt.distributed import Client, Event
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     event = Event("x")
    ...     event.wait(timeout="10 ms")
    ...     event.set()
    ...     Event("x").wait()
    False
    True
    """

    _kind = "event"

    def wait(self, timeout: Any = None) -> Any:
        """Waits until it is set; says whether it is.

        Parameters
        ----------
        timeout : float, timedelta or str, optional
            Seconds to wait at most, or a text such as "200 ms".
        """
        patience = timeout_seconds(timeout)
        return self._do(lambda stop: self._session.native.wait_for_event(written(self.name), patience, stop))

    def set(self) -> Any:
        """Sets it: whoever waits goes on."""
        return self._do(lambda _: self._session.native.set_event(written(self.name)))

    def clear(self) -> Any:
        """Takes that back: who waits from now on waits."""
        return self._do(lambda _: self._session.native.clear_event(written(self.name)))

    def is_set(self) -> Any:
        """Whether it is set."""
        return self._do(lambda _: self._session.native.event_is_set(written(self.name)))
