"""How long `import` takes in a fresh interpreter."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from workload import Case, Stopwatch


def importing(name: str) -> Callable[[Stopwatch], str]:
    def run(stopwatch: Stopwatch) -> str:
        with stopwatch:
            import_module(name)
        return ""

    return run


MODULES = ["raskt", "dask", "dask.array", "dask.dataframe", "numpy", "pandas", "polars"]
CASES = {"import": Case("import in a fresh interpreter", {name: importing(name) for name in MODULES}, repeats=7)}
