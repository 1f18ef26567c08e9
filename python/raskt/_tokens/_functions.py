"""Functions, classes and what else Python itself is made of."""

from __future__ import annotations

import functools
import types
from typing import Any

from ._normalize import is_importable, normalize_token, reduced

register = normalize_token.register


@register(types.FunctionType)
def _function(function: types.FunctionType) -> Any:
    module = function.__module__
    return (
        "function",
        module,
        function.__qualname__,
        function.__code__,
        function.__defaults__,
        function.__kwdefaults__,
        [_content(cell) for cell in function.__closure__ or ()],
        # What a module's function reads of its module goes by the name of the module. A script and a notebook, and code
        # that was made at run time, are not the same in every process.
        None if is_importable(function) else _globals_read(function),
    )


def _content(cell: types.CellType) -> Any:
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _globals_read(function: types.FunctionType) -> dict[str, Any]:
    names = set(_names(function.__code__))
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def _names(code: types.CodeType) -> list[str]:
    nested = [name for part in code.co_consts if isinstance(part, types.CodeType) for name in _names(part)]
    return [*code.co_names, *nested]


@register(types.CodeType)
def _code(code: types.CodeType) -> Any:
    return (
        "code",
        code.co_code,
        code.co_consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
    )


@register(types.MethodType)
def _method(method: types.MethodType) -> Any:
    return "method", method.__func__, method.__self__


@register((types.BuiltinFunctionType, types.MethodWrapperType))
def _builtin(function: Any) -> Any:
    owner = function.__self__
    if owner is None or isinstance(owner, types.ModuleType):
        return "builtin", function.__module__, function.__qualname__
    return "builtin method", function.__name__, owner


@register((types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType))
def _descriptor(descriptor: Any) -> Any:
    return "descriptor", descriptor.__objclass__, descriptor.__name__


@register((types.GetSetDescriptorType, types.MemberDescriptorType))
def _attribute(descriptor: Any) -> Any:
    # Its class is being described where it is met.
    return "attribute", descriptor.__name__


@register((staticmethod, classmethod))
def _wrapped(method: Any) -> Any:
    return type(method).__name__, method.__func__


@register(property)
def _property(found: property) -> Any:
    return "property", found.fget, found.fset, found.fdel


@register(functools.partial)
def _partial(call: functools.partial[Any]) -> Any:
    return "partial", type(call), call.func, call.args, call.keywords


@register(types.ModuleType)
def _module(module: types.ModuleType) -> Any:
    return "module", module.__name__


@register((slice, range))
def _interval(interval: Any) -> Any:
    return type(interval).__name__, interval.start, interval.stop, interval.step


@register((type(Ellipsis), type(NotImplemented)))
def _single(value: Any) -> Any:
    return "builtin", repr(value)


@register((bytearray, memoryview))
def _buffer(buffer: Any) -> Any:
    view = memoryview(buffer)
    return type(buffer).__name__, view.format, view.shape, bytes(view)


@register(type)
def _class(kind: type) -> Any:
    if is_importable(kind):
        return "class", kind.__module__, kind.__qualname__
    members = {name: member for name, member in vars(kind).items() if name not in _OF_NO_INTEREST}
    return "class", kind.__module__, kind.__qualname__, kind.__bases__, members


_OF_NO_INTEREST = {
    "__dict__",
    "__weakref__",
    "__module__",
    "__doc__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotations__",
    "__abstractmethods__",
    "_abc_impl",
    # Made from the fields of a dataclass, which are there as well.
    "__dataclass_params__",
    "__dataclass_fields__",
    "__match_args__",
}


@register(list)
def _list(items: list[Any]) -> Any:
    # A class derived from it: what it holds, and what it is beside that.
    return reduced(items)
