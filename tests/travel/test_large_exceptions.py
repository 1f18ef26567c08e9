"""Exceptions that are too large to travel whole stay what they are, as far as they can."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raskt._process import errors

MOST = 2 << 20
LARGE = 4 << 20


class Told(ValueError):
    """Has more than a text."""

    def __init__(self, message: str, payload: object = None) -> None:
        super().__init__(message, payload)
        self.payload = payload


class Wordy(KeyError):
    """Says by what it has."""

    def __init__(self, *, rows: list[int]) -> None:
        super().__init__()
        self.rows = rows

    def __str__(self) -> str:
        return f"{len(self.rows)} rows, the first {self.rows[:3]}"


class Many(Exception):
    """Of many arguments."""


def decoding() -> UnicodeDecodeError:
    return UnicodeDecodeError("utf-8", b"\xff" * LARGE, 0, 1, "it is none")


LARGE_ONES: list[tuple[Callable[[], BaseException], type[BaseException], str]] = [
    (lambda: ValueError("y" * LARGE), ValueError, "yyy"),
    (lambda: Told("small", b"z" * LARGE), Told, "small"),
    (lambda: Told("ü" * LARGE), Told, "üüü"),
    (lambda: ValueError("😀" * LARGE), ValueError, "😀😀"),
    (lambda: ValueError("\ud800" * LARGE), ValueError, ""),
    (lambda: Wordy(rows=list(range(10**6))), KeyError, "1000000 rows"),
    (lambda: Many(*range(10**6)), Many, "0, 1, 2"),
    (lambda: OSError(2, "no such file", "x" * LARGE), FileNotFoundError, "no such file"),
    (decoding, UnicodeError, "it is none"),
    (lambda: KeyboardInterrupt("k" * LARGE), KeyboardInterrupt, "kkk"),
    (lambda: StopIteration(["s" * LARGE]), StopIteration, ""),
]


@pytest.mark.parametrize(("make", "kind", "says"), LARGE_ONES)
@pytest.mark.parametrize("place", ["itself", "cause", "context"])
def test_they_stay_of_their_class(
    make: Callable[[], BaseException], kind: type[BaseException], says: str, place: str
) -> None:
    large = make()
    error = large
    if place != "itself":
        error = RuntimeError("outer")
        setattr(error, f"__{place}__", large)
    data = errors.dump(error, 0, MOST)
    assert len(data) <= MOST
    came = errors.load(data)
    if place != "itself":
        assert (type(came), str(came)) == (RuntimeError, "outer")
        came = getattr(came, f"__{place}__")
    assert isinstance(came, kind) and says in str(came)
    if sys.version_info >= (3, 11):
        assert any("only a part has come" in note for note in came.__notes__)


def test_what_is_small_comes_along() -> None:
    error = Told("m" * LARGE, {"status": 404})
    error.attempt = 3  # type: ignore[attr-defined]
    came = errors.load(errors.dump(error, 0, MOST))
    assert isinstance(came, Told) and came.payload == {"status": 404}
    assert came.attempt == 3 and came.args[1] == {"status": 404}  # type: ignore[attr-defined]


def test_causes_that_are_too_many_are_left_out() -> None:
    error = ValueError("v" * LARGE)
    last: BaseException = error
    for _ in range(30):
        last.__cause__ = last = Many("m" * LARGE)
    data = errors.dump(error, 0, MOST)
    assert len(data) <= MOST and type(errors.load(data)) is ValueError


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups")
def test_groups_have_their_members() -> None:
    group = ExceptionGroup("several", [ValueError("v" * LARGE), ExceptionGroup("inner", [KeyError("k"), Told("t", 1)])])  # noqa: F821
    came = errors.load(errors.dump(group, 0, MOST))
    assert type(came) is ExceptionGroup and came.args[0] == "several"  # noqa: F821
    first, inner = came.exceptions
    assert type(first) is ValueError and str(first).startswith("vvv")
    assert [type(member) for member in inner.exceptions] == [KeyError, Told]


class ByName(ValueError):
    def __init__(self, *, code: int) -> None:
        super().__init__(code)
        self.code = code


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups")
@pytest.mark.parametrize("size", [1, LARGE])
def test_a_group_is_one_whatever_its_members_are(size: int) -> None:
    members = [ByName(code=3), Many("m" * size), Many(threading.Lock())]
    group = BaseExceptionGroup("several", [*members, KeyboardInterrupt()])  # noqa: F821
    group.add_note("mine")
    came = errors.load(errors.dump(group, 0, MOST))
    assert type(came) is BaseExceptionGroup and came.args[0] == "several" and "mine" in came.__notes__  # noqa: F821
    by_name, many, unpicklable, last = came.exceptions
    assert (type(by_name), by_name.code) == (ByName, 3) and type(many) is Many
    assert "Many" in str(unpicklable) and type(last) is KeyboardInterrupt


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups")
@pytest.mark.parametrize("size", [60_000, 90_000, 3 * LARGE])
def test_of_many_members_the_first_come_and_it_is_said_how_many_do_not(size: int) -> None:
    members = [ValueError(f"{at} " + "m" * size) for at in range(100)]
    group = ExceptionGroup("outer", [ExceptionGroup("inner", members), KeyError("k")])  # noqa: F821
    data = errors.dump(group, 0, MOST)
    came = errors.load(data)
    assert len(data) <= MOST and type(came) is type(came.exceptions[0]) is ExceptionGroup  # noqa: F821
    *first, rest = came.exceptions[0].exceptions
    assert [str(member).split()[0] for member in first] == [str(at) for at in range(len(first))] and len(first) > 1
    assert str(rest) == f"{100 - len(first)} more exceptions of this group were left out"


@pytest.mark.parametrize("count", [10, 100_000, 700_000])
def test_arrays_of_an_exception_come_or_are_left_out(count: int) -> None:
    error = ValueError("big")
    error.array, error.number = np.arange(count), 7  # type: ignore[attr-defined]
    data = errors.dump(error, 0, MOST)
    came = errors.load(data)
    assert (type(came), str(came), came.number, len(data) <= MOST) == (ValueError, "big", 7, True)
    if count * 8 < MOST:
        assert np.array_equal(came.array, error.array)  # type: ignore[attr-defined]
    else:
        assert "only a part has come" in came.__notes__[0] and not hasattr(came, "array")


def test_an_exception_whose_members_can_not_be_looked_at_comes_all_the_same() -> None:
    class Sly(ValueError):
        @property
        def exceptions(self) -> None:
            raise RuntimeError("no")

    assert "sly" in str(errors.load(errors.dump(Sly("sly", threading.Lock()))))


def test_a_chain_travels_in_as_many_steps_as_it_has_links() -> None:
    error: BaseException = ValueError(0)
    for number in range(1, errors.DEPTH):
        raised = ValueError(number)
        # As where one is raised from another that is handled just then.
        raised.__cause__ = raised.__context__ = error
        error = raised
    data = errors.dump(error)
    assert len(data) < 40_000
    came: BaseException | None = errors.load(data)
    for number in reversed(range(errors.DEPTH)):
        assert came is not None and came.args == (number,) and came.__context__ is came.__cause__
        came = came.__cause__
    assert came is None


def test_of_long_tracebacks_both_ends_come() -> None:
    def deep(depth: int) -> None:
        if depth:
            deep(depth - 1)
        raise LookupError("at the bottom")

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        deep(5000)
    except LookupError as error:
        came = errors.load(errors.dump(error, 0, MOST))
    finally:
        sys.setrecursionlimit(limit)
    entries, entry = 0, came.__traceback__
    while entry is not None:
        entries, entry = entries + 1, entry.tb_next
    assert entries == errors.LINES_MOST


contents = st.recursive(
    st.none() | st.integers() | st.text() | st.binary() | st.sampled_from(["t" * LARGE, b"b" * LARGE]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(contents, max_size=4), st.sampled_from([ValueError, Told, Many, KeyError, SystemExit]))
def test_whatever_they_have(args: list[object], kind: type[BaseException]) -> None:
    error = kind.__new__(kind)
    error.args = tuple(args)
    data = errors.dump(error, 0, MOST)
    whole = pickle.dumps(args)
    assert len(data) <= MOST
    came = errors.load(data)
    assert isinstance(came, kind)
    # One of a class that wants other arguments than it has is made by these.
    if len(whole) < MOST // 2 and kind is not Told:
        assert came.args == error.args
