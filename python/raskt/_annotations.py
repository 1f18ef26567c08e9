"""What users say of work beside what it does: how urgent it is, how often it may fail, what it needs."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from numbers import Real
from typing import Any

from raskt._core import AnnotationSet, annotations_closed, annotations_opened

__all__ = ["annotate", "get_annotations"]

_here: ContextVar[tuple[dict[str, Any], AnnotationSet] | None] = ContextVar("raskt_annotations", default=None)


def annotate(
    *,
    priority: int | None = None,
    retries: int | None = None,
    resources: Mapping[str, float] | None = None,
    workers: str | list[str] | tuple[str, ...] | None = None,
    allow_other_workers: bool | None = None,
    **other: Any,
) -> AbstractContextManager[None]:
    """Says something of all work that is written, or computed, inside a `with` block.

    A block inside another adds to what that says. Delayed calls keep what was said where they were written. Array and
    dataframe expressions take what is said where they are computed.

    Parameters
    ----------
    priority
        Higher runs earlier; 0 is usual.
    retries
        How often a task that fails is tried again.
    resources
        What a task takes of its worker's resources while it runs, by name: `{"gpu": 1}`.
    workers
        The names of the workers that may run it.
    allow_other_workers
        Whether others may where none of them is there.
    **other
        Anything else is kept beside the task under its name.

    Raises
    ------
    TypeError, ValueError
        If a value is not of its kind, or out of bounds.
    NotImplementedError
        If a value is a function of the key.

    Examples
    --------
    >>> import raskt
    >>> attempts = []
    >>> def unsteady():
    ...     attempts.append(1)
    ...     return 1 / (len(attempts) - 1)
    >>> with raskt.annotate(retries=1):
    ...     call = raskt.delayed(unsteady)()
    >>> call.compute(), len(attempts)
    (1.0, 2)
    """
    said: dict[str, Any] = {
        "priority": priority,
        "retries": retries,
        "resources": resources,
        "workers": workers,
        "allow_other_workers": allow_other_workers,
    }
    said = {name: _checked(name, value) for name, value in (said | other).items() if value is not None}
    return _block(said)


def get_annotations() -> dict[str, Any]:
    """What is said here and now, by name.

    >>> import raskt
    >>> with raskt.annotate(priority=3):
    ...     raskt.get_annotations()
    {'priority': 3}
    """
    here = _here.get()
    return {} if here is None else dict(here[0])


def current_set() -> AnnotationSet | None:
    """The same in the engine's words; the native module asks for it."""
    here = _here.get()
    return None if here is None else here[1]


def annotation_set(**said: Any) -> AnnotationSet:
    """What is said by name, checked and in the engine's words."""
    return _native({name: _checked(name, value) for name, value in said.items()})


@contextmanager
def _block(said: dict[str, Any]) -> Iterator[None]:
    said = get_annotations() | said
    token = _here.set((said, _native(said)))
    annotations_opened()
    try:
        yield
    finally:
        annotations_closed()
        _here.reset(token)


def _native(said: dict[str, Any]) -> AnnotationSet:
    known = ("priority", "retries", "resources", "workers", "allow_other_workers")
    other = {name: repr(value) for name, value in said.items() if name not in known}
    return AnnotationSet(other=other, **{name: said[name] for name in known if name in said})


def _checked(name: str, value: Any) -> Any:
    if callable(value):
        raise NotImplementedError(f"annotate({name}=...) takes a value; a function of the key is not supported")
    if name == "priority":
        return _whole(name, value, -(2**31))
    if name == "retries":
        return _whole(name, value, 0)
    if name == "allow_other_workers":
        if not isinstance(value, bool):
            raise TypeError(f"annotate(allow_other_workers={value!r}): it has to be True or False")
        return value
    if name == "workers":
        if not isinstance(value, (str, list, tuple, set, frozenset)):
            raise TypeError(f"annotate(workers={value!r}): it has to be the name of a worker, or a list of names")
        names = [value] if isinstance(value, str) else list(value)
        wrong = next((item for item in names if not isinstance(item, str)), None)
        if wrong is not None:
            raise TypeError(f"annotate(workers=...) takes names of workers, not {wrong!r}")
        if not all(names):
            raise ValueError(f"annotate(workers={value!r}): the name of a worker has to have a letter at least")
        if not names:
            raise ValueError(
                f"annotate(workers={value!r}) names no worker, so that nothing could run: leave it out for any"
            )
        return names
    if name == "resources":
        if not isinstance(value, Mapping):
            raise TypeError(f"annotate(resources={value!r}): it has to be a dictionary of amounts by name")
        wrong = next((key for key in value if not isinstance(key, str)), None)
        if wrong is not None:
            raise TypeError(f"annotate(resources=...): the name of a resource is a text, not {wrong!r}")
        return {key: _amount(key, amount) for key, amount in value.items()}
    return value


def _whole(name: str, value: Any, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"annotate({name}={value!r}): it has to be a whole number")
    if not least <= number < 2**31:
        raise ValueError(f"annotate({name}={value!r}): it has to be from {least} to {2**31 - 1}")
    return number


def _amount(name: str, amount: Any) -> float:
    if isinstance(amount, bool) or not isinstance(amount, Real):
        raise TypeError(f"annotate(resources=...): the amount of {name!r} is {amount!r}; it has to be a number")
    if not 0 <= amount < 2**40:
        raise ValueError(f"annotate(resources=...): the amount of {name!r} is {amount!r}; it can't be that")
    return float(amount)
