"""joblib's backend "raskt" is known as soon as both joblib and this package are imported, in whichever order.

joblib isn't imported for it: that would cost every worker that needs none.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAME = "raskt"


def announce() -> None:
    """Registers the backend, at once or when joblib is imported."""
    if "joblib" in sys.modules:
        _register()
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _register() -> None:
    from joblib.parallel import register_parallel_backend  # type: ignore[import-untyped]

    register_parallel_backend(NAME, _backend)


def _backend(**kwargs: Any) -> Any:
    from raskt.distributed._joblib_backend import RasktBackend

    return RasktBackend(**kwargs)


class _Finder(MetaPathFinder):
    """Waits for the import of joblib."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "joblib":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            # It isn't there now; it may be another time.
            sys.meta_path.insert(0, self)
            return None
        load = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            load(module)
            _register()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
