"""Arrays of lengths that are not known: what needs them says so at the call, and all else is as NumPy has it."""

from __future__ import annotations

import inspect
import itertools
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.matrix.array_data import Arrays
from tests.matrix.array_functions import FRACTIONS, ONE_ARRAY, REDUCTIONS, one_name
from tests.matrix.case import Case, attempt

import raskt.array as ra
from raskt._errors import UnknownLengths
from raskt.array.base.lengths import UnknownLength

WORLD = Arrays()
SKIPPED = {"empty", "empty_like", "to_svg", "explain", "visualize", "persist", "from_delayed", "to_delayed"}
DUNDERS = {
    "__add__",
    "__matmul__",
    "__getitem__",
    "__len__",
    "__iter__",
    "__bool__",
    "__float__",
    "__index__",
    "__eq__",
}


def unknown(values: np.ndarray) -> Any:
    """A lazy array of these elements, whose first length is not known."""
    x = ra.from_array(values, chunks=2)
    return x[ra.ones(len(values), dtype=bool, chunks=2)] if values.ndim else x


def settled(result: Any) -> Any:
    """A result with all that is lazy in it computed."""
    if isinstance(result, tuple | list):
        return [settled(part) for part in result]
    return result.compute() if isinstance(result, ra.Array) else result


def fault(call: Callable[..., Any], values: list[np.ndarray]) -> str:
    """What is wrong with a call of arrays of unknown lengths, if it works for the same arrays of known lengths."""
    expected = attempt(lambda: settled(call(ra, *map(ra.from_array, values))))
    if expected.error:
        return ""
    found = attempt(lambda: call(ra, *map(unknown, values)))
    if isinstance(found.error, NotImplementedError):
        return "" if "compute_chunk_sizes()" in str(found.error) else f"unclear: {found.error}"
    if found.error is None:
        found = attempt(settled, found.value)
    if found.error:
        return repr(found.error)
    return "" if equal(found.value, expected.value) else f"{found.value!r} and not {expected.value!r}"


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, list) or isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, UnknownLength):
        return True
    if not isinstance(one, np.ndarray | np.generic | int | float | complex):
        return bool(one == other)
    return np.shape(one) == np.shape(other) and np.allclose(one, other, equal_nan=True)


def with_arguments() -> Iterator[Case]:
    """Functions with each of their arguments."""
    for name, overrides in itertools.chain(zip(REDUCTIONS, itertools.repeat({})), ONE_ARRAY.items()):
        overrides = overrides | (FRACTIONS if name.endswith("quantile") else {})
        for kind in ("float64|plain", "float64|2d|plain"):
            cases = one_name("", name, "float64", (kind,), overrides, depth=1)
            yield from (case for case in cases if case.arguments.startswith("ra"))


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions of the package, those of linear algebra, and the methods of arrays."""
    for title, place in (("ra", ra), ("ra.linalg", ra.linalg), ("Array", ra.Array)):
        for name in sorted(set(dir(place)) - SKIPPED):
            function = getattr(place, name)
            if callable(function) and not inspect.isclass(function) and (name[0] != "_" or name in DUNDERS):
                yield f"{title}.{name}", function


def generated() -> Iterator[tuple[str, Callable[..., Any], list[np.ndarray]]]:
    """Every public function of one, two or three arrays, of a sequence of them, and of an array and something else."""
    line, table = np.array([3.0, 1.0, 2.0, -4.0]), np.arange(8.0).reshape(4, 2)
    for (title, function), values in itertools.product(public(), (line, table)):
        for count in (1, 2, 3):
            yield f"{title} {count}", partial(_called, function, ()), [values] * count
        if not title.startswith("Array"):
            yield f"{title} [2]", partial(_called_with_list, function), [values] * 2
        for other in (1, 0, -1, 2, (2, 4), [0, 1], slice(0, 2), np.ones(4)):
            yield f"{title} {other}", partial(_called, function, (other,)), [values]


def _called(function: Callable[..., Any], other: tuple[Any, ...], library: Any, *arrays: Any) -> Any:
    return function(*arrays, *other)


def _called_with_list(function: Callable[..., Any], library: Any, *arrays: Any) -> Any:
    return function(list(arrays))


@pytest.mark.parametrize(
    "reader", [int, range, bool, abs, np.arange, np.zeros, lambda n: n + 1, lambda n: 2 * n, lambda n: n < 1]
)
def test_a_length_that_is_not_known_cannot_be_read_as_a_number(reader: Callable[[Any], Any]) -> None:
    x = unknown(np.ones(4))
    for length in (x.shape[0], x.size, x.nbytes, x.chunks[0][0], x.chunksize[0]):
        with pytest.raises(UnknownLengths, match="compute_chunk_sizes"):
            reader(length)
        assert np.isnan(length) and length != length and repr(length) == "nan"
        assert isinstance(pickle.loads(pickle.dumps(length)), UnknownLength)


def test_the_density_of_bins_whose_number_is_found_by_computing() -> None:
    values = np.arange(9.0) ** 2
    found = ra.histogram(ra.from_array(values, chunks=4), "auto", density=True)[0].compute()
    np.testing.assert_allclose(found, np.histogram(values, "auto", density=True)[0])


def test_every_public_function_is_right_or_asks_for_the_lengths() -> None:
    faults = [f"{title}: {found}" for title, call, values in generated() if (found := fault(call, values))]
    assert not faults, "\n".join(faults)


def test_every_argument_is_right_or_asks_for_the_lengths() -> None:
    faults = []
    for case in with_arguments():
        if found := fault(case.call, [WORLD.concrete(name) for name in case.inputs]):
            faults.append(f"{case.name} {case.arguments}: {found}")
    assert not faults, "\n".join(faults)


def test_blocks_of_different_lengths_are_not_repeated() -> None:
    x = ra.arange(8.0, chunks=4)
    few, more = x[(x % 4 == 0) | (x == 5)], x[x % 4 < 2]
    calls = [
        lambda: few + more,
        lambda: np.where(few > 0, more, 1),
        lambda: np.logaddexp(few, more),
        lambda: more < few,
        lambda: np.stack([few, more], axis=1),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match="compute_chunk_sizes"):
            call().compute()
    np.testing.assert_array_equal((few * 2 + few).compute(), np.array([0.0, 4, 5]) * 3)


@pytest.mark.parametrize("reps", [2, (2, 1), (1, 3), (2, 1, 1), 0])
def test_lengths_that_are_not_known_are_tiled(reps):
    x = np.arange(12.0).reshape(4, 3)
    lazy = ra.from_array(x, chunks=2)
    found = np.tile(lazy[lazy[:, 0] > 3], reps)
    np.testing.assert_array_equal(found.compute(), np.tile(x[x[:, 0] > 3], reps))
