"""Futures as they are pickled: by their results, since nobody elsewhere could wait for the calls of this process."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any

from raskt._core import Future, finished_future, submit, wait_futures


def announce() -> None:
    """Has futures pickled; whoever pickles one waits for its result."""
    copyreg.pickle(Future, _reduced)


def _reduced(future: Future) -> tuple[Callable[..., Future], tuple[Any, ...]]:
    error = future.exception()
    return (finished_future, (future.result(),)) if error is None else (_failed, (error,))


def _failed(error: BaseException) -> Future:
    future = submit(_raise, (error,))
    wait_futures([future])
    return future


def _raise(errors: tuple[BaseException]) -> None:
    raise errors[0]
