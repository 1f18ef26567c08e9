"""What the parameters that many functions have mean, as `"type: meaning"`."""

from __future__ import annotations

__all__ = ["PARAMETERS"]

_ARRAY = "array_like: The array, or what NumPy makes one of."

PARAMETERS: dict[str, str] = {
    "a": _ARRAY,
    "x": _ARRAY,
    "m": _ARRAY,
    "f": _ARRAY,
    "v": _ARRAY,
    "arr": _ARRAY,
    "ar": _ARRAY,
    "ary": _ARRAY,
    "val": _ARRAY,
    "array": _ARRAY,
    "x1": "array_like: The left operand.",
    "x2": "array_like: The right operand; the two are broadcast.",
    "arys": "array_like: Arrays.",
    "axis": (
        "int or tuple of int: The axis or the axes along which it works, negative ones from the end; all if not given."
    ),
    "axis1": "int: The first axis of the planes.",
    "axis2": "int: The second axis of the planes.",
    "dtype": "data-type: The type of the result, and of the computation.",
    "out": (
        "Array or ndarray: Where the result goes. A lazy array takes over the result's expression, an ndarray gets the "
        "computed elements; it must have the result's shape and a type that the result can be cast to."
    ),
    "keepdims": "bool: Whether reduced axes stay, with length 1.",
    "initial": "scalar: What the reduction begins with; needed where there may be no element.",
    "where": "array_like of bool: Which elements count; broadcast against the array.",
    "split_every": (
        "int or dict: How many blocks one task of the reduction tree takes (in all, if given by axis). It changes how "
        "the work is spread, and the last bits of sums of floating numbers."
    ),
    "ddof": "float: Degrees of freedom that are taken off the number of elements in the divisor.",
    "correction": "float: The Array API's name of `ddof`; only one of them may be given.",
    "mean": "array_like: The mean, if it is known already, computed with `keepdims=True` along the same axes.",
    "method": "str: Of no effect on the result; Dask's `sequential` and `blelloch` are taken.",
    "chunks": (
        "int, tuple, dict or str: The lengths of blocks: one for all axes, one for each, the lengths of all blocks for "
        'each, a number of bytes such as `"8MB"`, -1 for a whole axis, or `"auto"`.'
    ),
    "name": "str: Taken for the sake of Dask's programs; equal work has equal names by itself.",
    "meta": "array_like: An example of a block; its data type is taken where none is given.",
    "order": "str: The order of memory; results have C's, so that `F` is refused.",
    "subok": "bool: Whether subclasses are kept; there are none of lazy arrays, so that both mean the same.",
    "like": "Array: Makes NumPy's function of this name give a lazy array; any other class is refused.",
    "device": 'str: `"cpu"` or nothing.',
    "copy": "bool: Whether memory must be copied (`True`), must not be (`False`), or is as needed.",
    "shape": "int or tuple of int: The lengths of the axes.",
    "size": "int or tuple of int: The shape of the result; a single number of no axes if not given.",
    "k": "int: The diagonal: 0 is the main one, positive ones lie above it.",
    "n": "int: A number.",
    "offset": "int: The diagonal: 0 is the main one, positive ones lie above it.",
    "casting": "str: What casts are allowed: `no`, `equiv`, `safe`, `same_kind` or `unsafe`.",
    "signature": "str or tuple of data-type: The types of operands and results that it computes with.",
    "decimals": "int: How many decimal places stay; negative numbers round before the point.",
    "weights": "array_like: How much each element counts.",
    "rtol": "float: The relative tolerance, of the elements of `b`.",
    "atol": "float: The absolute tolerance.",
    "equal_nan": "bool: Whether NaN equals NaN.",
}
