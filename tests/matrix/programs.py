"""Random programs: the same steps upon NumPy or pandas and upon raskt, one beside the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import raskt

from .case import Outcome, attempt, engine_words, error_kinds
from .compare import difference

Step = Callable[..., Any]
# pandas trips over itself where a length of time beside text, or one of whole numbers in categories, is missing (where
# none is, it compares, and has no accessor of times), and where it writes into memory that it has from Arrow.
FAULTS = (
    "ArrowStringArray requires a PyArrow (chunked) array",
    "Cannot convert float NaN to integer",
    "assignment destination is read-only",
)
TALLY: Counter[str] = Counter()


@dataclass(frozen=True, slots=True)
class Twin:
    """One value by both libraries."""

    concrete: Any
    lazy: Any


class Mismatch(AssertionError):
    """The two libraries part ways."""


def take_step(
    story: list[str], reference: Callable[[], Any], lazily: Callable[[], Any], any_kind: bool = False
) -> Twin | None:
    """What a step gives; None where it is an error for both (of one kind, or of `any_kind`), or refused."""
    expected, call = attempt(reference), attempt(lazily)
    TALLY["steps"] += 1
    if expected.error is not None:
        found = call if call.error else attempt(lambda: raskt.compute(call.value)[0])
        _check_errors(story, expected, found, any_kind)
        TALLY["errors"] += 1
        return None
    if call.refused:
        TALLY["refused"] += 1
        return None
    if call.error is not None:
        raise Mismatch(f"{_told(story)}: {type(call.error).__name__}: {call.error}, not {expected.value!r}")
    return Twin(expected.value, call.value)


def _check_errors(story: list[str], expected: Outcome, found: Outcome, any_kind: bool) -> None:
    if isinstance(expected.error, NotImplementedError) or found.refused or str(expected.error).startswith(FAULTS):
        return
    if found.error is None:
        raise Mismatch(f"{_told(story)}: {found.value!r}, not {type(expected.error).__name__}: {expected.error}")
    if engine_words(found.error) or not (any_kind or error_kinds(found.error) & error_kinds(expected.error)):
        raise Mismatch(f"{_told(story)}: {found.error!r}, not {expected.error!r}")


def check(story: list[str], twins: list[tuple[Twin, float]]) -> None:
    """All values together are what they are to be; a refusal when computing ends the program."""
    results = attempt(lambda: raskt.compute(*(twin.lazy for twin, _ in twins)))
    TALLY["programs"] += 1
    if results.refused:
        TALLY["refused when computed"] += 1
        return
    if results.error is not None:
        raise Mismatch(f"{_told(story)}: {type(results.error).__name__}: {results.error}")
    for (twin, tolerance), result in zip(twins, results.value):
        differs = difference(twin.concrete, result, tolerance)
        if differs:
            raise Mismatch(f"{_told(story)}: {differs[0]}: {differs[1]}\n{result!r}\n, not\n{twin.concrete!r}")


def _told(story: list[str]) -> str:
    return " | ".join(story)
