"""Tries cases: the reference once, raskt in every layout, many results in one computation."""

from __future__ import annotations

import itertools
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import raskt

from .case import Case, Outcome, World, attempt, engine_words, error_kinds
from .compare import Difference, difference

BATCH = 64


@dataclass(frozen=True, slots=True)
class Finding:
    """A combination that came out unlike the reference; plain text, so that it can come from another process."""

    part: str
    name: str
    types: str
    arguments: str
    layout: str
    kind: str
    text: str

    @property
    def key(self) -> str:
        """The key of the case."""
        return f"{self.part} {self.name} [{self.types}] {self.arguments}"

    @property
    def group(self) -> tuple[str, str, str]:
        """Findings of one group are listed in one row."""
        return self.part, self.name, self.kind


@dataclass
class Report:
    """What was tried and what came of it."""

    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    refusals: dict[tuple[str, str], str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add(self, case: Case, layout: str, verdict: Difference | Outcome) -> None:
        self.tried[case.part] += 1
        if isinstance(verdict, Outcome):
            name = (case.part, case.name)
            self.refused[name] += 1
            self.refusals.setdefault(name, f"{case.types} {case.arguments}: {verdict.error}")
        elif verdict:
            self.findings.append(Finding(case.part, case.name, case.types, case.arguments, layout, *verdict))

    def merge(self, other: Report) -> None:
        """Take in what another process has tried."""
        self.tried.update(other.tried)
        self.refused.update(other.refused)
        self.refusals = other.refusals | self.refusals
        self.findings += other.findings


@dataclass(frozen=True, slots=True)
class Choice:
    """Which cases are tried: a share of them, the same in each run; those asked for by key; one process's slice."""

    share: float = 1.0
    always: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    slice: tuple[int, int] = (0, 1)

    def of(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The chosen ones of some cases, each once."""
        limit, seen = int(self.share * 2**32), set()
        number, count = self.slice
        for case in cases:
            key = case.key
            place = zlib.crc32(key.encode())
            if place % count == number and key not in seen and all(word in key for word in self.words):
                if place < limit or key in self.always:
                    seen.add(key)
                    yield case


def run(world: World, cases: Iterable[Case], report: Report) -> Report:
    """Try each case in each layout of a world."""
    cases = iter(cases)
    while batch := list(itertools.islice(cases, BATCH)):
        expected = [_expect(world, case) for case in batch]
        for layout in world.layouts:
            _try_together(world, layout, batch, expected, report)
    return report


def _expect(world: World, case: Case) -> Outcome:
    expected = attempt(lambda: case.call(world.reference, *map(world.concrete, case.inputs)))
    if world.reference is world.library and expected.error is None:
        return attempt(lambda: raskt.compute(expected.value)[0])
    return expected


def _call(world: World, layout: str, case: Case) -> Outcome:
    return attempt(lambda: case.call(world.library, *(world.lazy(name, layout) for name in case.inputs)))


def _try_together(world: World, layout: str, batch: list[Case], expected: list[Outcome], report: Report) -> None:
    calls = [_call(world, layout, case) for case in batch]
    results = compute_all(calls)
    for case, wanted, call, result in zip(batch, expected, calls, results):
        verdict = judge(wanted, call, result, case.tolerance)
        if verdict and not isinstance(verdict, Outcome) and call.error is None and len(batch) > 1:
            alone = attempt(lambda call=call: raskt.compute(call.value)[0])
            if judge(wanted, call, alone, case.tolerance) is None:
                verdict = "together", f"right when computed alone: {verdict[1]}"
        report.add(case, layout, verdict)


def compute_all(calls: list[Outcome]) -> list[Outcome]:
    """The results of lazy values, computed together; a half at a time if one of them fails."""
    values = [call.value for call in calls if call.error is None]
    results = iter(_compute(values))
    return [call if call.error else next(results) for call in calls]


def _compute(values: list[Any]) -> list[Outcome]:
    if not values:
        return []
    together = attempt(lambda: raskt.compute(*values))
    if together.error is None:
        return [Outcome(value) for value in together.value]
    if len(values) == 1:
        return [together]
    half = len(values) // 2
    return _compute(values[:half]) + _compute(values[half:])


def judge(expected: Outcome, call: Outcome, result: Outcome, tolerance: float) -> Difference | Outcome:
    """None for equal, the refusal, or the difference."""
    if result.error is not None:
        return _judge_error(expected, result)
    if expected.error is not None:
        if isinstance(expected.error, NotImplementedError):
            return None
        return "no error", f"{_short(result.value)}, not {type(expected.error).__name__}: {expected.error!s:.100}"
    return difference(expected.value, result.value, tolerance) or _untrue_promise(call.value, result.value)


def _judge_error(expected: Outcome, result: Outcome) -> Difference | Outcome:
    error = result.error
    if isinstance(expected.error, MemoryError):
        return None
    word = engine_words(error)
    if word:
        return "message", f"{word!r} in {type(error).__name__}: {error!s:.160}"
    if expected.error is not None and error_kinds(error) & error_kinds(expected.error):
        return None
    if result.refused or _is_absent(error):
        return None if isinstance(expected.error, NotImplementedError) else result
    text = f"{type(error).__name__}: {error!s:.120}"
    if expected.error is None:
        return "error", f"{text}, not {_short(expected.value)}"
    return "error kind", f"{text}, not {type(expected.error).__name__}: {expected.error!s:.100}"


def _is_absent(error: Exception) -> bool:
    """A name that raskt hasn't got is refused as loudly as can be."""
    absent = "raskt has no `" in str(error) or "has no attribute" in str(error)
    return isinstance(error, AttributeError) and absent


def _short(value: Any) -> str:
    return " ".join(repr(value).split())[:100]


def _untrue_promise(lazy: Any, result: Any) -> Difference:
    """A lazy object says its data types and names before it is computed; they must be true."""
    if not hasattr(lazy, "compute"):
        return None
    if isinstance(result, pd.DataFrame):
        if list(lazy.columns) == list(result.columns):
            return _untrue_types(list(lazy.dtypes), list(result.dtypes))
        said, true = list(lazy.columns), list(result.columns)
    elif isinstance(result, pd.MultiIndex):
        said, true = (list(lazy.names), list(lazy.dtypes)), (list(result.names), list(result.dtypes))
    elif isinstance(result, pd.Series | pd.Index):
        said, true = (lazy.name, lazy.dtype), (result.name, result.dtype)
    elif isinstance(result, np.ndarray):
        said, true = (lazy.dtype, len(lazy.shape)), (result.dtype, result.ndim)
    else:
        return None
    same = all(map(_is_kept, said, true))
    return None if same else ("promise", f"said {said!s:.120}, is {true!s:.120}")


def _untrue_types(said: list[Any], true: list[Any]) -> Difference:
    """The first of the types of columns that is none that was said."""
    pairs = ((one, other) for one, other in zip(said, true, strict=True) if not _is_kept(one, other))
    return next((("promise", f"said {one!r:.120}, is {other!r:.120}") for one, other in pairs), None)


def _is_kept(said: Any, true: Any) -> bool:
    """Whether one thing that was said is true; of categories that are not known yet nothing was, but their type."""
    if isinstance(said, list):
        return all(map(_is_kept, said, true))
    if isinstance(said, pd.CategoricalDtype) and isinstance(true, pd.CategoricalDtype) and not len(said.categories):
        return said.ordered == true.ordered and said.categories.dtype == true.categories.dtype
    return bool(said == true or (said != said and true != true))
