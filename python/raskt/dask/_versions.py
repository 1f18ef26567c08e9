"""Which versions of Dask the module was tested with."""

from __future__ import annotations

import re
import warnings

TESTED = ("2026.1", "2026.8")
"""The first and the last release of Dask that the tests were run with; patches of the last count as tested."""


def check() -> None:
    """Raise where Dask isn't there or lacks what is needed, and warn where it wasn't tested.

    >>> check()
    """
    first, last = TESTED
    try:
        import dask
    except ImportError as error:
        raise ImportError(
            f"raskt.dask runs collections of Dask, and Dask can't be imported ({error}); "
            f"install it: python -m pip install 'dask[array,dataframe]>={first}'"
        ) from error
    found = dask.__version__
    try:
        import dask._task_spec
    except ImportError as error:
        raise ImportError(
            f"raskt.dask needs the task graphs that Dask writes since 2024.12, and this is Dask {found}; "
            f"install one from {first} to {last}: python -m pip install 'dask>={first}'"
        ) from error
    if not _release(first) <= _release(found) <= _release(last):
        warnings.warn(
            f"raskt.dask was tested with Dask {first} to {last}, and this is Dask {found}: it may fail, or give wrong "
            f"results, where Dask writes graphs in another way. Tested ones: python -m pip install 'dask~={last}.0'",
            RuntimeWarning,
            stacklevel=3,
        )


def _release(version: str) -> tuple[int, int]:
    """The year and the month of a version.

    >>> _release("2026.8.0"), _release("2026.8.0+12.g1a2b3c"), _release("2027.1")
    ((2026, 8), (2026, 8), (2027, 1))
    """
    numbers = [int(number) for number in re.findall(r"\d+", version)[:2]]
    year, month = (*numbers, 0, 0)[:2]
    return year, month
