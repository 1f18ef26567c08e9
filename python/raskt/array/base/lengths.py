"""Lengths that are not known before an array is computed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from raskt._errors import UnknownLengths

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["UnknownLength", "has_unknown", "lengths_of", "marked", "of_lengths", "shapes_differ"]

_MESSAGE = "the length of an axis is not known before it is computed: call `compute_chunk_sizes()` first"


class UnknownLength(float):
    """NaN in a shape, which raises an error where it is read as a number.

    It is not equal to anything, as NaN, and NumPy takes it for NaN; as a position, in arithmetic and in comparisons by
    size it has no meaning, so that the error comes up where the length is needed, and not a number made of NaN.

    Examples
    --------
    >>> import numpy as np, raskt.array as ra
    >>> x = ra.ones(3)
    >>> length = x[x > 0].shape[0]
    >>> length, np.isnan(length), length != length
    (nan, np.True_, True)
    >>> range(length)
    Traceback (most recent call last):
        ...
    raskt._errors.UnknownLengths: the length of an axis is not known before it is computed: call ...
    """

    __slots__ = ()

    def __new__(cls) -> UnknownLength:
        return super().__new__(cls, "nan")

    __hash__ = float.__hash__

    def __reduce__(self) -> Any:
        return UnknownLength, ()

    def _refuse(self, *others: Any) -> NoReturn:
        raise UnknownLengths(_MESSAGE)


_READ = "index int trunc round floor ceil bool neg pos abs lt le gt ge"
_ARITHMETIC = "add sub mul truediv floordiv mod divmod pow"
for _name in [*_READ.split(), *_ARITHMETIC.split(), *(f"r{name}" for name in _ARITHMETIC.split())]:
    setattr(UnknownLength, f"__{_name}__", UnknownLength._refuse)


def marked(lengths: Any) -> Any:
    """Lengths, or tuples of them, with each NaN as a length of its own that is not known."""
    if isinstance(lengths, tuple):
        return tuple(marked(length) for length in lengths)
    return UnknownLength() if lengths != lengths else lengths


def has_unknown(lengths: Any) -> bool:
    """Whether a length among those of a shape is not known."""
    return any(length != length for length in lengths)


def shapes_differ(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether shapes are certainly not equal; lengths that are not known may be, which shows when blocks meet."""
    if has_unknown((*one, *other)) and len(one) == len(other):
        return any(x != y and x == x and y == y for x, y in zip(one, other, strict=True))
    return one != other


@contextmanager
def lengths_of(*operands: Any) -> Iterator[None]:
    """Shapes that don't fit where lengths are not known: whether they do shows when these are known."""
    try:
        yield
    except ValueError as error:
        if (told := of_lengths(error, *operands)) is error:
            raise
        raise told from None


def of_lengths(error: ValueError, *operands: Any) -> ValueError:
    """The error of an operation; that of unknown lengths if it may come of them."""
    expressions = [getattr(operand, "__raskt_expr__", operand) for operand in operands]
    known = all(getattr(expr, "is_known", True) for expr in expressions)
    if known or isinstance(error, (UnknownLengths, NotImplementedError)):
        return error
    text = str(error)
    return UnknownLengths(text if "compute_chunk_sizes" in text else f"{text}; call `compute_chunk_sizes()` first")
