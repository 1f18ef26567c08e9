"""Whether two answers are one: `difference` gives None, or in what they differ and how."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

Difference = tuple[str, str] | None
SUMS = 1e-12  # the least tolerance of what is made of sums


def difference(expected: Any, found: Any, tolerance: float = 0.0) -> Difference:
    """The first of type, data type, name, index, shape and value in which two answers differ."""
    if isinstance(expected, pd.DataFrame):
        return _frames(expected, found, tolerance)
    if isinstance(expected, pd.Series):
        return _series(expected, found, tolerance)
    if isinstance(expected, pd.Index):
        return _indexes(expected, found, tolerance, "value")
    if isinstance(expected, pd.api.extensions.ExtensionArray):
        return _extension_arrays(expected, found, tolerance)
    if isinstance(expected, np.ndarray | np.generic):
        return _arrays(expected, found, tolerance)
    if isinstance(expected, tuple | list):
        return _sequences(expected, found, tolerance)
    if isinstance(expected, dict):
        if not isinstance(found, dict) or list(map(str, expected)) != list(map(str, found)):
            return "type", f"{found!r}, not {expected!r}"
        return _sequences(tuple(expected.values()), tuple(found.values()), tolerance)
    return _scalars(expected, found, tolerance)


def _sequences(expected: Any, found: Any, tolerance: float) -> Difference:
    if not isinstance(found, tuple | list):
        return "type", f"{type(found).__name__}, not {type(expected).__name__}"
    if len(expected) != len(found):
        return "shape", f"{len(found)} parts, not {len(expected)}"
    pairs = (difference(one, other, tolerance) for one, other in zip(expected, found))
    return next((found for found in pairs if found), None)


def _scalars(expected: Any, found: Any, tolerance: float) -> Difference:
    if isinstance(expected, bool | int | float | complex):
        return _arrays(np.asarray(expected), found, tolerance) if _fits(expected) else _same(expected, found)
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found[()]
    return _same(expected, found)


def _fits(number: Any) -> bool:
    return not isinstance(number, int) or -(2**63) <= number < 2**63


def _same(expected: Any, found: Any) -> Difference:
    if expected is found or type(expected) is type(found) and (expected == found) is True:
        return None
    if type(expected) is not type(found):
        return "type", f"{type(found).__name__} {found!r:.80}, not {type(expected).__name__} {expected!r:.80}"
    if type(expected).__module__.startswith("pandas") and repr(expected) == repr(found):
        return None
    return "value", f"{found!r:.80}, not {expected!r:.80}"


def _arrays(expected: Any, found: Any, tolerance: float) -> Difference:
    if not isinstance(found, np.ndarray | np.generic | bool | int | float | complex):
        return "type", f"{type(found).__name__} {found!r:.80}, not {type(expected).__name__}"
    expected, found = np.asarray(expected), np.asarray(found)
    if expected.dtype != found.dtype:
        return "dtype", f"{found.dtype}, not {expected.dtype}"
    if expected.shape != found.shape:
        return "shape", f"{found.shape}, not {expected.shape}"
    same = equal_elements(expected, found, tolerance)
    if same.all():
        return None
    return _unequal(expected.ravel(), found.ravel(), same.ravel())


def _unequal(expected: Any, found: Any, same: Any) -> Difference:
    """Which element differs; elements that are all there in another place are a matter of order."""
    at = int(np.flatnonzero(~same)[0])
    if expected.ndim == 1 and len(expected) > 1 and sorted(map(repr, expected)) == sorted(map(repr, found)):
        return "order", f"[{at}] is {found[at]!r}, not {expected[at]!r}"
    return "value", f"[{at}] is {found[at]!r}, not {expected[at]!r}"


def equal_elements(expected: np.ndarray, found: np.ndarray, tolerance: float = 0.0) -> np.ndarray:
    """For each element whether it is the same: to the bit (NaN being one value), or within a relative tolerance."""
    kind = expected.dtype.kind
    if kind == "c":
        return equal_elements(expected.real, found.real, tolerance) & equal_elements(
            expected.imag, found.imag, tolerance
        )
    if kind == "f":
        return _equal_floats(expected, found, tolerance)
    if kind in "mM":
        return expected.view("i8") == found.view("i8")
    if kind == "O":
        same = [_same_object(one, other, tolerance) for one, other in zip(expected.ravel(), found.ravel())]
        return np.array(same, bool).reshape(expected.shape)
    return np.asarray(expected == found)


def _equal_floats(expected: np.ndarray, found: np.ndarray, tolerance: float) -> np.ndarray:
    with np.errstate(all="ignore"):
        same = (expected == found) | (np.isnan(expected) & np.isnan(found))
        if not tolerance:
            return same & ((expected != 0) | (np.signbit(expected) == np.signbit(found)))
        if expected.dtype.itemsize < 8:
            tolerance = max(tolerance, 1e-5 if expected.dtype.itemsize == 4 else 1e-2)
        finite = np.isfinite(expected)
        size = np.abs(expected, where=finite, out=np.zeros_like(expected))
        if tolerance > SUMS:  # what is added may cancel: an element is as exact as the largest of its row is
            size = np.full_like(size, size.max(initial=0))
        return same | (finite & np.isfinite(found) & (np.abs(expected - found) <= tolerance * np.maximum(size, 1e-3)))


def _same_object(expected: Any, found: Any, tolerance: float) -> bool:
    if type(expected) is float and type(found) is float:
        return (
            expected == found
            or (math.isnan(expected) and math.isnan(found))
            or (bool(tolerance) and math.isclose(expected, found, rel_tol=tolerance))
        )
    return difference(expected, found, tolerance) is None


def _frames(expected: pd.DataFrame, found: Any, tolerance: float) -> Difference:
    if not isinstance(found, pd.DataFrame):
        return "type", f"{type(found).__name__}, not DataFrame"
    columns = _indexes(expected.columns, found.columns, 0.0, "columns")
    if columns:
        return columns
    if len(expected) != len(found):
        return "shape", f"{len(found)} rows, not {len(expected)}"
    for at in range(expected.shape[1]):
        differs = _values(expected.iloc[:, at].array, found.iloc[:, at].array, tolerance)
        if differs:
            return differs[0], f"column {expected.columns[at]!r}: {differs[1]}"
    return _indexes(expected.index, found.index, tolerance, "index")


def _series(expected: pd.Series, found: Any, tolerance: float) -> Difference:
    if not isinstance(found, pd.Series):
        return "type", f"{type(found).__name__} {found!r:.80}, not Series"
    differs = _values(expected.array, found.array, tolerance) or _indexes(
        expected.index, found.index, tolerance, "index"
    )
    return differs or _names([expected.name], [found.name])


def _names(expected: list[Any], found: list[Any]) -> Difference:
    for one, other in zip(map(_plain, expected), map(_plain, found)):
        if not (one is other or (type(one) is type(other) and one == other) or (one != one and other != other)):
            return "name", f"{found!r}, not {expected!r}"
    return None


def _plain(name: Any) -> Any:
    """A name as a value of Python's: NumPy's number is the same label as the one that it equals."""
    return name.item() if isinstance(name, np.generic) else name


def _indexes(expected: pd.Index, found: Any, tolerance: float, kind: str) -> Difference:
    if not isinstance(found, pd.Index):
        return "type", f"{type(found).__name__}, not {type(expected).__name__}"
    if expected.nlevels != found.nlevels:
        return kind, f"{found.nlevels} levels, not {expected.nlevels}"
    if len(expected) != len(found):
        return "shape", f"{len(found)} labels, not {len(expected)}"
    if expected is not found:
        for level in range(expected.nlevels):
            one, other = expected.get_level_values(level), found.get_level_values(level)
            differs = _values(one.array, other.array, tolerance)
            if differs:
                return (kind if differs[0] != "order" else "order"), f"labels: {differs[0]}: {differs[1]}"
    if _names(list(expected.names), list(found.names)):
        return "name", f"labels named {list(found.names)}, not {list(expected.names)}"
    return None


def _extension_arrays(expected: Any, found: Any, tolerance: float) -> Difference:
    if not isinstance(found, pd.api.extensions.ExtensionArray):
        return "type", f"{type(found).__name__}, not {type(expected).__name__}"
    return _values(expected, found, tolerance)


def _values(expected: Any, found: Any, tolerance: float) -> Difference:
    """The difference of two columns' data."""
    if expected.dtype != found.dtype:
        if isinstance(expected.dtype, pd.CategoricalDtype) and isinstance(found.dtype, pd.CategoricalDtype):
            return "categories", f"{found.dtype!r:.120}, not {expected.dtype!r:.120}"
        return "dtype", f"{found.dtype}, not {expected.dtype}"
    if len(expected) != len(found):
        return "shape", f"{len(found)} rows, not {len(expected)}"
    if isinstance(expected.dtype, pd.CategoricalDtype):
        differs = _indexes(expected.categories, found.categories, 0.0, "categories")
        return differs or _values(pd.array(expected.codes), pd.array(found.codes), 0.0)
    if isinstance(expected.dtype, np.dtype):
        return _arrays(np.asarray(expected), np.asarray(found), tolerance)
    if expected.dtype.kind in "mM":
        return _arrays(expected.asi8 if hasattr(expected, "asi8") else expected.astype(object),
                       found.asi8 if hasattr(found, "asi8") else found.astype(object), tolerance)  # fmt: skip
    if tolerance and str(expected.dtype).lower().startswith(("float32", "float[")):
        tolerance = max(tolerance, 1e-5)
    return _arrays(expected.astype(object), found.astype(object), tolerance)
