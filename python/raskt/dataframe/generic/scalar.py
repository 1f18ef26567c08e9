"""A value that is not computed yet: the sum of a column."""

from __future__ import annotations

from typing import Any

from ..base.collection import Collection, has_labels, unpickled
from ..base.meta import is_any_object, is_counted, type_of, with_example
from ..base.pandas_methods import native_or
from ..base.partitionwise import over_rows
from ..base.registry import register, wrap
from ..base.whole import over_whole
from .operands import COMPARISONS, LOGICAL, binary
from .operators import FUNCTIONS, Operators, applied

#: What integers of Python make integers of again, but for sums and products.
COUNTING = ("floordiv", "mod", "pow", *LOGICAL)


@register("scalar")
class Scalar(Collection, Operators):
    """The lazy result of a reduction. It mixes with columns of the frame it came from: `df.x - df.x.mean()`.

    `int(value)`, `float(value)`, `complex(value)`, `round(value, 2)` and `f"{value:.2f}"` compute it; `bool(value)` and
    `if value:` are a TypeError, as in Dask, and `str(value)` and `f"{value}"` are its representation.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> x = rd.from_pandas(pd.Series([1.0, 2.0, 6.0]), npartitions=2)
    >>> (x - x.mean()).compute().tolist()
    [-2.0, -1.0, 3.0]
    """

    __slots__ = ("_example",)

    def __reduce__(self) -> Any:
        example = getattr(self, "_example", None)
        return unpickled, (type(self), self._plan, None if example is None else example.settled())

    @property
    def dtype(self) -> Any:
        """The type of the value."""
        return type_of(self._expr)

    @property
    def ndim(self) -> int:
        """Zero."""
        return 0

    @property
    def npartitions(self) -> int:
        """One."""
        return 1

    @property
    def divisions(self) -> tuple[None, None]:
        """Those of one partition, of whose labels nothing is known."""
        return (None, None)

    def _binary(self, operation: str, other: Any, reflected: bool = False) -> Any:
        if isinstance(other, Collection) and not isinstance(other, Scalar):
            return NotImplemented
        pair = (other, self) if reflected else (self, other)
        if has_labels(other):
            return over_whole(FUNCTIONS[operation], *pair, name=operation)
        refuse_rows(operation, other)
        in_pandas = lambda: with_example(value_of(operation, pair), FUNCTIONS[operation], pair, {})
        if operation not in COMPARISONS and are_of_two_kinds(self, other):
            return in_pandas()
        if operation in LOGICAL and any(map(is_any_object, pair)):
            return in_pandas()  # which has no bits of what is missing
        if operation in COUNTING and is_counted(self) and (is_counted(other) or type(other) is int):
            found = in_pandas()
            return wrap(found._plan.counted()) if found.dtype == "int64" else found
        return native_or(lambda: wrap(binary(self._expr, operation, other, reflected)), in_pandas)

    def _unary(self, operation: str) -> Any:
        in_pandas = lambda: with_example(value_of(operation, (self,)), FUNCTIONS[operation], (self,), {})
        if is_any_object(self):
            return in_pandas()
        found = native_or(lambda: wrap(self._expr.unary(operation)), in_pandas)
        return wrap(found._plan.counted()) if is_counted(self) else found

    def __bool__(self) -> bool:
        raise TypeError(f"the truth of a lazy value is not known before it is computed: call compute() on {self!r}")

    def __float__(self) -> float:
        return float(self.compute())

    def __int__(self) -> int:
        return int(self.compute())

    def __complex__(self) -> complex:
        return complex(self.compute())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.compute(), digits) if digits is not None else round(self.compute())

    def __format__(self, spec: str) -> str:
        return format(self.compute(), spec) if spec else str(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Scalar' object has no attribute {name!r}", name=name, obj=self)
        raise AttributeError(
            f"'Scalar' object has no attribute {name!r}: the value isn't computed yet; call compute() first",
            name=name,
            obj=self,
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        value = np.asarray(self.compute(), dtype=dtype)
        return value.copy() if copy else value

    def __repr__(self) -> str:
        return f"<raskt.dataframe.Scalar dtype={self._expr.dtype}>"


def refuse_rows(operation: str, other: Any) -> None:
    """NotImplementedError for an index or an array: what comes of it has rows, and a lazy value is one."""
    if getattr(other, "ndim", 0) > 0:
        raise NotImplementedError(
            f"`{operation}` of a lazy value and rows of {type(other).__name__}: compute the value first, or give a "
            "pandas Series"
        )


def are_of_two_kinds(one: Scalar, other: Any) -> bool:
    """Whether one number is of a type of NumPy's by itself, and not what fits the other: only pandas' own values say
    what becomes of both."""
    if isinstance(other, Scalar):
        return is_counted(one) != is_counted(other)
    return getattr(getattr(other, "dtype", None), "kind", "O") in "iuf"


def value_of(operation: str, values: tuple[Any, ...]) -> Any:
    """What an operator of pandas gives for values, one of which is lazy at least.

    Of objects, which made-up values tell nothing about, comparisons give truth values and others any object.
    """
    if any(map(is_any_object, values)):
        dtype = bool if operation in COMPARISONS else object
        meta = no_values(dtype)
        return as_scalar(over_rows(FUNCTIONS[operation], *values, name=operation, meta=meta))
    if len(values) == 1:
        return as_scalar(over_rows(FUNCTIONS[operation], *values, name=operation, plainly=True))
    return as_scalar(applied(operation, *values))


def no_values(dtype: Any) -> Any:
    """No values of a type, with labels that the number of a single row fits."""
    import pandas as pd

    return pd.Series([], dtype=dtype, index=pd.Index([], dtype="int64"))


def as_scalar(series: Any) -> Any:
    """The value of the one row of a series."""
    return wrap(series._expr.reduce("only"))
