"""What somebody has put beside the elements of an object, or has of it, isn't lost: such objects stay."""

from __future__ import annotations

import errno
import os
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
    "a buffer": lambda: pa.allocate_buffer(COUNT),
}


@pytest.mark.parametrize("kind", STAY)
def test_what_has_something_beside_it_stays(kind: str) -> None:
    assert is_shared(STAY[kind]())


@pytest.mark.parametrize("kind", LEAVE)
def test_what_pandas_keeps_beside_it_keeps_nobody(kind: str) -> None:
    assert not is_shared(LEAVE[kind]())


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
