"""What a Python function gave, as rows of pandas."""

from __future__ import annotations

from typing import Any

#: Said of integers that floats would be others of.
ROUNDED = (
    "integers beyond 2**53 would be rounded to floats, since one of them may be missing, or by meta=: convert them by "
    'astype("Int64") first'
)


def as_pandas(result: Any, meta: Any) -> Any:
    """A result as pandas rows: an index or an array (of an operation on an index) as a series, a plain value as a
    series of one row, of objects if promised."""
    import pandas as pd

    if isinstance(result, pd.Index):
        return result.to_series()
    if isinstance(result, pd.DataFrame | pd.Series):
        return result
    if is_array(result):
        return pd.Series(result)
    promised = meta.dtype if meta is not None and meta.ndim == 1 else None
    if is_text(promised) and not (isinstance(result, str) or is_missing(result)):
        return pd.Series([result])  # pandas would make text of it without a word
    if promised is not None and promised.kind in "mM" or isinstance(promised, pd.api.extensions.ExtensionDtype):
        return pd.Series([result], dtype=promised)
    is_object = is_missing(result) or promised == object
    return pd.Series([result], dtype=object if is_object else None)


def is_text(dtype: Any) -> bool:
    """Whether values of a type are text and nothing else."""
    import pandas as pd

    return dtype is not None and dtype != object and bool(pd.api.types.is_string_dtype(dtype))


def is_array(result: Any) -> bool:
    """Whether a result is pandas' array, or an array of truth values, which pandas gives for those about an index."""
    import numpy as np
    import pandas as pd

    if isinstance(result, np.ndarray):
        return bool(result.ndim == 1 and result.dtype == bool)
    return isinstance(result, pd.api.extensions.ExtensionArray) and result.ndim == 1


def is_missing(value: Any) -> bool:
    """Whether a plain value is pandas' or Python's word for a missing one, NaN left out."""
    import pandas as pd

    return value is None or value is pd.NA or value is pd.NaT


def refuse_rounded(found: Any, meta: Any) -> Any:
    """The rows that a function gave for all rows; NotImplementedError if integers would be rounded to promised floats.

    A trial of the function had missing values among the integers, which all of its rows have not.
    """
    if meta is None or found.ndim != meta.ndim or (found.ndim == 2 and found.shape[1] != meta.shape[1]):
        return found
    own, promised = (list(one.dtypes) if one.ndim == 2 else [one.dtype] for one in (found, meta))
    for at, (mine, wanted) in enumerate(zip(own, promised, strict=True)):
        if mine.kind in "iu" and getattr(mine, "itemsize", 0) == 8 and wanted.kind == "f":
            values = found.iloc[:, at] if found.ndim == 2 else found
            if is_rounded(values.dropna()):
                raise NotImplementedError(ROUNDED)
    return found


def is_rounded(whole: Any) -> bool:
    """Whether some integers of 64 bits are others as floats in double precision."""
    import numpy as np

    numbers = whole.to_numpy(dtype="int64" if whole.dtype.kind == "i" else "uint64")
    floats = numbers.astype("float64")
    inside = floats < float(np.iinfo(numbers.dtype).max)  # which as a float is the first that is too large
    return bool(not inside.all() or (floats.astype(numbers.dtype) != numbers).any())
