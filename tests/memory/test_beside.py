"""What somebody has put beside the elements of an object, or has of it, isn't lost: such objects stay."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from raskt._moving.arrow_layout import layout
from raskt._moving.constants import is_constant
from raskt._sharing import is_shared
from raskt._spill import dump, load

pa = pytest.importorskip("pyarrow")

COUNT = 2**14
MEASURES = np.dtype([("a", "f8"), ("b", "i8")])
OTHERS = np.zeros(COUNT)


class Lying(dict):  # type: ignore[type-arg]
    """Doesn't show what is in it."""

    def values(self) -> Any:
        return ()

    def __len__(self) -> int:
        return 0


class Hidden(list):  # type: ignore[type-arg]
    """The same."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class Marked(pa.ExtensionType):
    """Arrow's type with something of Python's."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "raskt.marked")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: bytes) -> Marked:
        return cls()


class Text(str):
    """A text that may have something beside it."""


class Number(np.float64):
    """The same of a number."""


def unit() -> str:
    return "km"


def frame() -> Any:
    return pd.DataFrame({"x": np.arange(COUNT), "t": pd.Timestamp(0)}, index=pd.Index(np.arange(COUNT) * 2))


def put(value: Any, of: Callable[[Any], Any], name: str, what: Any) -> Any:
    with warnings.catch_warnings():
        # pandas thinks that it was meant to be a column.
        warnings.simplefilter("ignore")
        setattr(of(value), name, what)
    return value


def made(value: Any, *asked_for: Callable[[Any], Any]) -> Any:
    """With what pandas keeps once it has been asked for."""
    for ask in asked_for:
        ask(value)
    return value


def itself(value: Any) -> Any:
    return value


FLAGS: list[Any] = []


def with_flags() -> Any:
    """A frame whose flags somebody has."""
    value = frame()
    FLAGS.append(value.flags)
    return value


def with_attribute(attribute: Any) -> Any:
    value = frame()
    value.attrs["attribute"] = attribute
    return value


STAY: dict[str, Callable[[], Any]] = {
    "a series beside a frame": lambda: put(frame(), itself, "other", pd.Series([1])),
    "a time beside a series": lambda: put(frame()["x"].copy(), itself, "ts", pd.Timestamp(0)),
    "an array beside a frame": lambda: put(frame(), itself, "other", OTHERS),
    "a unit beside labels": lambda: put(frame(), lambda value: value.index, "unit", "km"),
    "a unit beside names of columns": lambda: put(frame(), lambda value: value.columns, "unit", "km"),
    "flags that somebody has": with_flags,
    "values that aren't shown": lambda: Lying(x=OTHERS),
    "elements that aren't shown": lambda: Hidden([OTHERS]),
    "names of fields": lambda: np.zeros(COUNT, MEASURES),
    "names of fields, in a list": lambda: [np.zeros(COUNT, MEASURES)],
    "a buffer that grows": lambda: pa.allocate_buffer(COUNT, resizable=True),
    "an array beside a text": lambda: with_attribute(put(Text("x"), itself, "other", OTHERS)),
    "an array beside a number": lambda: with_attribute(put(Number(1), itself, "other", OTHERS)),
    "an array beside a text in a list": lambda: [put(Text("x"), itself, "other", OTHERS), np.zeros(COUNT)],
    "a type of Python's": lambda: pa.ExtensionArray.from_storage(Marked(), pa.array(range(COUNT))),
}

LEAVE: dict[str, Callable[[], Any]] = {
    "a frame": frame,
    "a frame with flags": lambda: made(frame(), lambda value: value.flags),
    "a frame that was looked into": lambda: made(
        frame(), lambda value: value.index.is_unique, lambda value: value.loc[2]
    ),
    "a column of times": lambda: made(frame()["t"].copy(), lambda value: value.dt.year),
    "labels of texts": lambda: made(
        pd.Series(range(COUNT), [f"{at}" for at in range(COUNT)]), lambda value: value.index.str.len()
    ),
    "fields": lambda: np.zeros(COUNT, [("a", "f8"), ("b", "i8")]),
    "a frame with a function": lambda: with_attribute(unit),
    "a frame with a class": lambda: with_attribute(Text),
    "a frame with a module": lambda: with_attribute(np),
    "a buffer": lambda: pa.allocate_buffer(COUNT),
}


@pytest.mark.parametrize("kind", STAY)
def test_what_has_something_beside_it_stays(kind: str) -> None:
    assert is_shared(STAY[kind]())


@pytest.mark.parametrize("kind", LEAVE)
def test_what_pandas_keeps_beside_it_keeps_nobody(kind: str) -> None:
    assert not is_shared(LEAVE[kind]())


@pytest.mark.parametrize("named", [unit, Text, np, lambda: "m", type("Local", (), {})])
def test_what_has_a_name_comes_back_whatever_the_name_stands_for_by_then(
    named: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = with_attribute(named)
    arrays, _, kept = dump(value)
    monkeypatch.setattr(sys.modules[__name__], "unit", lambda: "miles")
    monkeypatch.setattr(sys.modules[__name__], "Text", str)
    found = load([array.copy() for array in arrays], kept)
    assert found.attrs["attribute"] is named and found.equals(value)


def test_another_function_in_the_place_of_one_is_seen() -> None:
    value = with_attribute(unit)
    before = dump(value)[0][0].tobytes()
    value.attrs["attribute"] = frame
    assert dump(value)[0][0].tobytes() != before


def test_times_that_are_none_are_told_apart() -> None:
    assert not is_constant(np.datetime64("NaT")) and not is_constant(np.timedelta64("NaT", "s"))
    assert is_constant(np.datetime64(0, "s")) and is_constant(np.float64(1))


def test_what_stands_beside_the_elements_of_a_counter_stays() -> None:
    assert not is_shared([Counter("abc"), np.zeros(COUNT)])
    assert is_shared([put(Counter("abc"), itself, "unit", "km"), np.zeros(COUNT)])


def test_want_of_files_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: Any) -> int:
        raise OSError(errno.EMFILE, "none left")

    layout.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", none_left)
        with pytest.raises(OSError, match="none left"):
            layout()
    assert layout() is not None


@pytest.mark.parametrize("number", ["NaN", "sNaN", "-NaN12"])
def test_decimals_that_are_no_numbers_are_told_apart(number: str) -> None:
    assert not is_constant(Decimal(number))
    assert is_constant(Decimal(1)) and is_constant((Decimal("Infinity"),))
