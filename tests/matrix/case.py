"""One combination, and what came of it."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Case:
    """An operation on named inputs: `call` gets the library (NumPy or `raskt.array`, …) and them."""

    part: str
    name: str
    types: str
    arguments: str
    call: Callable[..., Any]
    inputs: tuple[str, ...]
    tolerance: float = 0.0

    @property
    def key(self) -> str:
        """What names this case for good: it must not depend on the order in which cases are made."""
        return f"{self.part} {self.name} [{self.types}] {self.arguments}"


class World(Protocol):
    """Where a part's inputs live: once as NumPy or pandas has them, and lazily in several layouts."""

    layouts: tuple[str, ...]
    reference: Any
    library: Any

    def concrete(self, name: str) -> Any: ...
    def lazy(self, name: str, layout: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """A value, or the error that came in place of it."""

    value: Any = None
    error: Exception | None = None

    @property
    def refused(self) -> bool:
        return isinstance(self.error, NotImplementedError)


def attempt(call: Callable[..., Any], *args: Any) -> Outcome:
    """What a call gives or raises."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Outcome(call(*args))
    except Exception as error:
        return Outcome(error=error)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return Outcome(error=SystemError(f"panicked: {error}"))


ENGINE_WORDS = (
    "polars",
    "panicked",
    "lazyframe",
    "map_with_fmt_str",
    "supertype",
    "arrow2",
    "unwrap()",
    "rustc",
    ".rs:",
)


def engine_words(error: BaseException) -> str | None:
    """A word in an error's text that only the engine's makers know."""
    text = str(error).lower()
    return next((word for word in ENGINE_WORDS if word in text), None)


def error_kinds(error: BaseException) -> frozenset[str]:
    """The built-in kinds that an error is of: `np.exceptions.AxisError` is a ValueError and an IndexError."""
    general = {"object", "BaseException", "Exception", "ArithmeticError", "LookupError", "RuntimeError"}
    kinds = {kind.__name__ for kind in type(error).__mro__ if hasattr(builtins, kind.__name__)}
    return frozenset(kinds - general) or frozenset({type(error).__name__})


Cases = Iterable[Case]
