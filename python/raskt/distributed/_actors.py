"""Actors: objects that stay on one worker, and are called there."""

from __future__ import annotations

import functools
import threading
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from raskt import _annotations, _core
from raskt._process import errands, travel
from raskt.distributed import _asking, _errands, _futures, _this_worker
from raskt.distributed._durations import seconds
from raskt.distributed._leaving import has_left
from raskt.distributed._threads import in_thread, running_loop
from raskt.futures._errors import timeout_error

if TYPE_CHECKING:
    from raskt.distributed._client import Client

T = TypeVar("T")

GLANCE_SECONDS = 0.05
"""How often signals are looked for."""


class BaseActorFuture(Generic[T]):
    """What a call of an actor's method gives: its result, once it is there."""

    def result(self, timeout: float | str | None = None) -> T:
        """Waits for the result, `timeout` seconds at most; raises what the method raised."""
        raise NotImplementedError

    def done(self) -> bool:
        """Whether it is there."""
        raise NotImplementedError

    def __await__(self) -> Generator[Any, None, T]:
        return in_thread(self.result).__await__()


class EagerActorFuture(BaseActorFuture[T]):
    """A result that is there already: the actor is on the worker of the task that called it."""

    def __init__(self, result: T) -> None:
        self._result = result

    def result(self, timeout: float | str | None = None) -> T:
        """The result."""
        return self._result

    def done(self) -> bool:
        """Whether it is there: it is."""
        return True


class ActorFuture(BaseActorFuture[T]):
    """A call that was sent to an actor. Made by calling its methods."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None

    def _settle(self, result: Any, error: BaseException | None) -> None:
        self._result, self._error = result, error
        self._over.set()

    def done(self) -> bool:
        """Whether it is over."""
        return self._over.is_set()

    def result(self, timeout: float | str | None = None) -> T:
        """Waits for the result, `timeout` seconds at most; raises what the method raised."""
        if not self._over.is_set():
            self._wait(None if timeout is None else seconds(timeout))
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[no-any-return]

    def _wait(self, patience: float | None) -> None:
        # A task that waits lends its slot: the actor may need it.
        loan = _core.ClusterLoan()
        try:
            while not self._over.wait(GLANCE_SECONDS if patience is None else min(patience, GLANCE_SECONDS)):
                _core.cluster_check_cancelled()
                if patience is not None and (patience := patience - GLANCE_SECONDS) <= 0:
                    raise timeout_error("the actor hasn't answered in the time that was given")
        finally:
            loan.close()

    def __repr__(self) -> str:
        return f"<ActorFuture, {'done' if self.done() else 'pending'}>"


class Actor:
    """An object that stays on one worker: its methods are called there, in the order in which they are called here.

    Made by ``client.submit(cls, ..., actor=True).result()``. It may be passed to tasks and other clients. It is there
    as long as somebody holds it or its future, and goes with its worker: then its methods raise an `OSError`.

    Examples
    --------
    >>> from raskt.distributed import Client
    >>> class Counter:
    ...     n = 0
    ...     def increment(self):
    ...         self.n += 1
    ...         return self.n
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     counter = client.submit(Counter, actor=True).result()
    ...     first = counter.increment()
    ...     counter.increment().result(), first.result(), counter.n
    (2, 1, 2)
    """

    def __init__(
        self, cls: type, worker: str, key: str, future: _core.ClusterFuture | None, instance: Any = None
    ) -> None:
        self._cls = cls
        self._worker = worker
        self._key = key
        self._future = future
        self._name: tuple[_futures.Name, str] | None = None
        """The task that made it, on its own worker."""
        self._instance = instance
        self._lock = threading.RLock()
        self._calls: deque[tuple[bytes, ActorFuture[Any]]] = deque()
        """Those that wait until the one before them is over, as they were when they were made."""
        self._is_calling = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"an actor hands on no attribute {name!r}")
        if self._instance is not None:
            own = getattr(self._instance, name)
            return _Eager(self, name) if callable(own) else own
        if callable(getattr(self._cls, name, None)):
            return _Method(self, name)
        return self._send(("attribute", name)).result()

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(
                f"attributes of actors aren't set from elsewhere: give {self._cls.__name__} a method for {name!r}"
            )
        object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*dir(type(self)), *dir(self._cls)})

    def __repr__(self) -> str:
        return f"<Actor: {self._cls.__name__}, key: {self._key}>"

    def __reduce__(self) -> Any:
        if self._instance is not None and travel.is_leaving():
            raise TypeError(f"{self!r} is nowhere but in memory")
        if self._name is not None:
            name, key = self._name
            return _actor_of, (self._cls, self._worker, self._key, (_futures.future_of, (name, key)))
        future = None if self._future is None else self._future.__reduce__()
        return _actor_of, (self._cls, self._worker, self._key, future)

    def _send(self, what: tuple[Any, ...]) -> ActorFuture[Any]:
        future: ActorFuture[Any] = ActorFuture()
        written = errands.dump(_perform, (self._key, *what), {})
        with self._lock:
            self._calls.append((written, future))
            if self._is_calling:
                return future
            self._is_calling = True
        self._next()
        return future

    def _next(self) -> None:
        """Sends what waits longest. Errands go in no order, so that there is one at a time."""
        while True:
            with self._lock:
                if not self._calls:
                    self._is_calling = False
                    return
                written, future = self._calls.popleft()
            try:
                errand = self._errand(written)
            except BaseException as error:
                future._settle(None, error)
                continue
            errand.add_done_callback(functools.partial(self._came, errand, future))
            return

    def _errand(self, written: bytes) -> _core.ClusterErrand:
        native = _client_of(self)._raskt_cluster_client
        native.check()
        number = self._number()
        if number is None:
            raise self._gone()
        return native.errand([number], written)

    def _came(self, errand: _core.ClusterErrand, future: ActorFuture[Any]) -> None:
        try:
            ((_, result, error),) = _errands.given(errand)
            if has_left(error):
                error = self._gone()
        except BaseException as failure:
            result, error = None, failure
        future._settle(result, error)
        self._next()

    def _number(self) -> int | None:
        """What the scheduler calls its worker now: each time that it comes back it is another number."""
        native = _client_of(self)._raskt_cluster_client
        looks = [native.workers]
        if running_loop() is None:
            # A scheduler that has begun anew has yet to hear of the worker, for one: it says so when it has. A loop of
            # asyncio would stand still meanwhile.
            looks.append(functools.partial(_asking.there, native))
        found = (about["id"] for look in looks for about in look() if about["identity"] == self._worker)
        return next(found, None)

    def _gone(self) -> OSError:
        return OSError(f"the worker of {self!r} is gone, and the state of the actor with it")


class _Method:
    """A method of an actor elsewhere."""

    def __init__(self, actor: Actor, name: str) -> None:
        self._actor, self.__name__ = actor, name

    def __call__(self, *args: Any, **kwargs: Any) -> BaseActorFuture[Any]:
        return self._actor._send(("call", self.__name__, args, kwargs))


class _Eager(_Method):
    """A method of an actor of this worker."""

    def __call__(self, *args: Any, **kwargs: Any) -> BaseActorFuture[Any]:
        return EagerActorFuture(_call(self._actor, self.__name__, args, kwargs))


def create(
    client: Client,
    cls: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    key: str | None,
    said: dict[str, Any],
) -> _core.ClusterFuture:
    """Has a worker make an actor; the future's result is the `Actor`."""
    # It is nothing elsewhere: whoever moves results leaves it where it is.
    said = _annotations.annotation_set(**(_annotations.get_annotations() | said | {"actor": True}))
    token = key or f"{getattr(cls, '__name__', 'actor')}-{uuid.uuid4().hex}"
    return client._raskt_cluster_client.submit(_made, (token, cls, *args), kwargs or None, token, said)


def _made(token: str, cls: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Actor:
    """The actor itself, on its worker: it is there as long as the result of this task."""
    worker = _this_worker.get_worker()
    instance = cls(*args, **kwargs)
    actor = Actor(type(instance), worker._identity, f"{token}@{uuid.uuid4().hex}", None, instance)
    actor._name = _core.cluster_task_name()
    worker._actors[actor._key] = actor
    return actor


_met: weakref.WeakValueDictionary[Any, Actor] = weakref.WeakValueDictionary()
"""Actors that were met here, by the tasks that made them. A task that was run again has made another one, without the
state of the first: whoever knows the first is to hear of its end."""


def _actor_of(cls: type, worker: str, key: str, future: tuple[Any, tuple[Any, ...]] | None) -> Actor:
    """The actor that was pickled: itself on its own worker, else what stands for it."""
    own = _this_worker.here()
    found: Actor | None = None if own is None or own._identity != worker else own._actors.get(key)
    if found is not None:
        return found
    place = key if future is None else future[1][0]
    known = _met.get(place)
    if known is not None:
        return known
    actor = Actor(cls, worker, key, None if future is None else future[0](*future[1]))
    _met[place] = actor
    return actor


def _client_of(actor: Actor) -> Client:
    from raskt.distributed._in_tasks import get_client

    held = None if actor._future is None else _futures.client_of(actor._future)
    return get_client() if held is None else held


def _perform(key: str, what: str, name: str, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
    """An errand on the worker of an actor."""
    actor = _this_worker.get_worker()._actors.get(key)
    if actor is None:
        raise OSError(f"actor {key.split('@')[0]!r} is gone: nobody has held it")
    return getattr(actor._instance, name) if what == "attribute" else _call(actor, name, args, kwargs or {})


def _call(actor: Actor, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    import inspect

    from raskt.distributed._coroutines import awaited

    with actor._lock:
        given = getattr(actor._instance, name)(*args, **kwargs)
    # Methods that wait in the loop don't keep others from it.
    return awaited(given) if inspect.iscoroutine(given) else given
