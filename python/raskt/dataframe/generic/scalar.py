"""A value that is not computed yet: the sum of a column."""

from __future__ import annotations

from typing import Any

from ..base.collection import Collection, is_scalar
from ..base.meta import infer, type_of, with_example
from ..base.pandas_methods import native_or
from ..base.partitionwise import over_rows
from ..base.registry import register, wrap
from .operands import COMPARISONS, binary
from .operators import FUNCTIONS, Operators, applied


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
        made = lambda: as_scalar(applied(operation, self, other, reflected, meta=objects_of(operation, *pair)))
        in_pandas = lambda: with_example(made(), FUNCTIONS[operation], pair, {})
        is_lazy = isinstance(other, Collection)
        if (
            not is_lazy
            and operation not in COMPARISONS
            and getattr(getattr(other, "dtype", None), "kind", "O") in "iuf"
        ):
            return in_pandas()  # beside a scalar a number of NumPy is of its own type, and not what fits
        return native_or(lambda: wrap(binary(self._expr, operation, other, reflected)), in_pandas)

    def _unary(self, operation: str) -> Any:
        meta = objects_of(operation, self)
        return native_or(
            lambda: wrap(self._expr.unary(operation)),
            lambda: as_scalar(over_rows(FUNCTIONS[operation], self, name=operation, meta=meta, plainly=True)),
        )

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


def as_scalar(series: Any) -> Any:
    """The value of the one row of a series."""
    return wrap(series._expr.reduce("only"))


def objects_of(operation: str, *operands: Any) -> Any:
    """The promise of objects for numbers that are made of numbers of Python, which have no bounds; else None."""
    import pandas as pd

    if not any(is_scalar(one) and one.dtype == object for one in operands):
        return None
    found = infer(FUNCTIONS[operation], operands, {}, operation, plainly=True)
    return pd.Series([], dtype=object) if found.dtype.kind in "iuf" else None
