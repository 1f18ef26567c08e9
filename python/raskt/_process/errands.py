"""What somebody has a worker do beside its tasks: a call of a function, there and back."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import threading
from collections.abc import Callable, Mapping
from typing import Any

from raskt._process import codec

current = threading.local()
"""The number of the worker for which this thread does an errand is its `worker`."""


def dump(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bytes:
    """The call as it travels; what can't be imported elsewhere goes by value."""
    return _pickled((function, args, dict(kwargs)))


def perform(data: bytes, worker: int) -> bytes:
    """Makes the call that `dump` has written, and gives its result as `load` reads it."""
    function, args, kwargs = pickle.loads(data)
    current.worker = worker
    try:
        given = function(*args, **kwargs)
        if inspect.iscoroutine(given):
            given = asyncio.run(given)
    except (SystemExit, KeyboardInterrupt) as error:
        # It ends neither this process nor that of whoever gets it.
        raise RuntimeError(f"a call on a worker raised {error!r}") from error
    finally:
        del current.worker
    return _pickled(given)


def load(data: bytes) -> Any:
    """The result that `perform` has given."""
    return pickle.loads(data)


def _pickled(thing: object) -> bytes:
    data = codec.dump_by_name(thing)
    return codec.dump_by_value(thing) if data is None else data
