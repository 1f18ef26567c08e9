"""Objects in terms of simpler ones."""

from __future__ import annotations

import copyreg
import dataclasses
import enum
import pickle
import sys
from collections.abc import Callable
from typing import Any, TypeVar, overload

from raskt._core import TokenizationError

__all__ = ["is_importable", "normalize", "normalize_token", "reduced"]

Normalizer = Callable[[Any], Any]
NormalizerT = TypeVar("NormalizerT", bound=Normalizer)
RegistrarT = TypeVar("RegistrarT", bound=Callable[[], object])


class Registry:
    """Functions that put objects of a class, and of those derived from it, into simpler terms.

    >>> import raskt
    >>> class Point:
    ...     def __init__(self, x):
    ...         self.x, self.cache = x, {}
    >>> @raskt.normalize_token.register(Point)
    ... def point(it):
    ...     return "Point", it.x
    >>> one, other = Point(1), Point(1)
    >>> one.cache[2] = 3
    >>> raskt.tokenize(one) == raskt.tokenize(other)
    True
    """

    def __init__(self) -> None:
        self._by_class: dict[type, Normalizer] = {}
        self._for_library: dict[str, list[Callable[[], object]]] = {}

    @overload
    def register(self, classes: type | tuple[type, ...]) -> Callable[[NormalizerT], NormalizerT]: ...
    @overload
    def register(self, classes: type | tuple[type, ...], function: NormalizerT) -> NormalizerT: ...
    def register(self, classes: Any, function: Any = None) -> Any:
        """Register `function` for a class or a tuple of them; without a function, this is a decorator."""

        def take(function: NormalizerT) -> NormalizerT:
            for kind in classes if isinstance(classes, tuple) else (classes,):
                self._by_class[kind] = function
            return function

        return take if function is None else take(function)

    @overload
    def register_lazy(self, library: str) -> Callable[[RegistrarT], RegistrarT]: ...
    @overload
    def register_lazy(self, library: str, function: RegistrarT) -> RegistrarT: ...
    def register_lazy(self, library: str, function: Any = None) -> Any:
        """Have `function` called, to register more, when an object of `library` is first met; or a decorator."""

        def take(function: RegistrarT) -> RegistrarT:
            self._for_library.setdefault(library, []).append(function)
            return function

        return take if function is None else take(function)

    def dispatch(self, kind: type) -> Normalizer | None:
        """The function for a class: its own, or that of the nearest class it derives from."""
        for base in kind.__mro__:
            for register in self._for_library.pop(base.__module__.partition(".")[0], ()):
                register()
            found = self._by_class.get(base)
            if found is not None:
                return found
        return None

    def __call__(self, obj: Any) -> Any:
        return normalize(obj)


normalize_token = Registry()


def normalize(obj: Any) -> Any:
    """`obj` in terms of other objects that tell it from what differs.

    Raises TokenizationError if nothing is known of it but its identity.
    """
    kind = type(obj)
    if not isinstance(obj, type):
        for method in ("__raskt_tokenize__", "__dask_tokenize__"):
            if hasattr(kind, method):
                return _name(kind), getattr(obj, method)()
    known = normalize_token.dispatch(kind)
    if known is not None:
        return known(obj)
    if isinstance(obj, enum.Enum):
        return "enum", kind, obj.name
    if dataclasses.is_dataclass(obj):
        names = [field.name for field in dataclasses.fields(obj) if hasattr(obj, field.name)]
        return "dataclass", kind, [(name, getattr(obj, name)) for name in names]
    return reduced(obj)


def reduced(obj: Any) -> Any:
    """What pickle would write of `obj`, without writing it: parts are hashed by their own rules."""
    kind = type(obj)
    if kind is object:
        raise TokenizationError("a plain object() has no content, so that no token can be the same in every process")
    try:
        reducer = copyreg.dispatch_table.get(kind)
        parts: Any = reducer(obj) if reducer is not None else obj.__reduce_ex__(4)
    except Exception as error:
        raise TokenizationError(
            f"an object of type {_name(kind)} has no token that is the same in every process ({error}); say what tells "
            "it from others by a method __raskt_tokenize__, or by raskt.normalize_token.register"
        ) from error
    if isinstance(parts, str):
        return _found_as_global(obj, parts)
    function, arguments, state, items, pairs = [*parts, None, None, None][:5]
    return (
        "object",
        function,
        arguments,
        state,
        None if items is None else list(items),
        None if pairs is None else [list(pair) for pair in pairs],
    )


def _found_as_global(obj: Any, path: str) -> Any:
    """The place that pickle would look at for an object which says to be a global, if it is there.

    Universal functions made by `numpy.frompyfunc` say the name of the function that they call, and nothing by which
    two of one name could be told apart.
    """
    module = pickle.whichmodule(obj, path)  # type: ignore[attr-defined]
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is not obj:
        raise TokenizationError(
            f"an object of type {_name(type(obj))} calls itself {module}.{path}, and isn't found there, so that it has "
            "no token that is the same in every process; make it at the top of a module, or register its class by "
            "raskt.normalize_token.register"
        )
    return "global", module, path


def is_importable(obj: Any) -> bool:
    """Whether the module and the name of a function or class lead to it, in this and every other process."""
    module, path = getattr(obj, "__module__", None), getattr(obj, "__qualname__", None)
    if not module or not path or module == "__main__" or "<" in path:
        return False
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found is obj


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
