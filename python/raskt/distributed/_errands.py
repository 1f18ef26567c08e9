"""Calls on workers beside their tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from raskt._core import ClusterClient, ClusterErrand
from raskt._process import errands
from raskt.distributed import _asking


def send(
    client: ClusterClient,
    workers: Sequence[int],
    function: Callable[..., Any],
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
) -> ClusterErrand:
    """Has these workers call ``function(*args, **kwargs)``, also while they have no thread free."""
    return client.errand(list(workers), errands.dump(function, args, kwargs or {}))


def given(errand: ClusterErrand, timeout: float | None = None) -> Iterator[tuple[int, Any, BaseException | None]]:
    """What each worker gives, as it comes: its number, the result, and what it raised instead.

    Raises
    ------
    TimeoutError
        If nothing has come for `timeout` seconds.
    """
    while came := errand.next(timeout):
        for worker, data, error in came:
            if error is not None or data is None:
                yield worker, None, error
                continue
            try:
                result = errands.load(data)
            except Exception as unread:
                yield worker, None, unread
            else:
                yield worker, result, None


def all_of(
    client: ClusterClient,
    workers: Sequence[int],
    function: Callable[..., Any],
    args: tuple[Any, ...] = (),
    timeout: float | None = 60.0,
) -> dict[int, Any]:
    """What each worker gives, by number; those are left out that have left meanwhile.

    Raises
    ------
    Exception
        What the first raised that raised something.
    """
    came = {}
    for worker, result, error in given(send(client, workers, function, args), timeout):
        if isinstance(error, ConnectionError):
            continue
        if error is not None:
            raise error
        came[worker] = result
    return came


def numbers(client: ClusterClient, workers: str | Sequence[Any] | None) -> dict[int, str]:
    """The workers that are meant, by number: all, or those of these names, addresses or numbers, in their order.

    Raises
    ------
    ValueError, TypeError
        If one isn't there, or it isn't said which.
    """
    if not (workers is None or isinstance(workers, (str, int, Iterable))) or isinstance(workers, (bool, bytes)):
        raise TypeError(f"workers is {workers!r}; it has to be the name of a worker, or a list of names")
    client.check()
    there = _asking.there(client)
    if workers is None:
        return {about["id"]: about["name"] for about in there}
    known = {name: about for about in there for name in (about["id"], *about["addresses"], about["name"])}
    named = [workers] if isinstance(workers, (str, int)) else list(workers)
    for name in named:
        if not isinstance(name, (str, int)) or name not in known:
            names = ", ".join(repr(about["name"]) for about in there) or "none"
            raise ValueError(f"there is no worker {name!r}; there are {names}")
    return {known[name]["id"]: known[name]["name"] for name in named}


def listed(workers: str | Iterable[Any] | None) -> Any:
    """The same names, to be read several times."""
    return list(workers) if isinstance(workers, Iterator) else workers


def some(client: ClusterClient, workers: str | Sequence[Any] | None) -> dict[int, str]:
    """The same, where none would have nobody do what is asked.

    Raises
    ------
    ValueError
        If an empty list names none.
    """
    found = numbers(client, workers)
    if workers is not None and not found:
        raise ValueError(f"workers is {workers!r}, which names no worker: leave it out for any")
    return found
