"""Ufuncs that are not NumPy's own: they may have any name, NumPy's too, or one that several of them share."""

import ctypes
import ctypes.util

import numpy as np
import pytest

import raskt
import raskt.array as ra

#: Of NumPy's table of functions for other libraries: what makes a ufunc, and loops over functions of doubles.
MAKE, LOOPS = 1, {1: 5, 2: 15}
KEPT = []


def foreign(name, function, operands):
    """A ufunc of doubles under a name, from a function of the C library."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer(np._core._multiarray_umath._UFUNC_API, None)
    table = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
    inner = ctypes.cast(getattr(ctypes.CDLL(ctypes.util.find_library("m")), function), ctypes.c_void_p)
    loops, data = (ctypes.c_void_p * 1)(table[LOOPS[operands]]), (ctypes.c_void_p * 1)(inner)
    types, words = ctypes.create_string_buffer(bytes([12] * (operands + 1))), name.encode()
    KEPT.extend((loops, data, types, words))
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, *[ctypes.c_void_p] * 3, *[ctypes.c_int] * 4, *[ctypes.c_char_p] * 2, ctypes.c_int
    )(table[MAKE])
    return make(
        ctypes.addressof(loops), ctypes.addressof(data), ctypes.addressof(types), 1, operands, 1, -1, words, b"", 0
    )


@pytest.mark.parametrize("name", ["f", "cos"])
def test_ufuncs_of_one_name_are_told_apart_when_computed_together(name):
    x = np.arange(4.0)
    one, other = foreign(name, "sin", 1), foreign(name, "exp", 1)
    found = raskt.compute(*(ufunc(ra.from_array(x, chunks=2)) for ufunc in (one, other, np.cos)))
    for ours, ufunc in zip(found, (np.sin, np.exp, np.cos), strict=True):
        np.testing.assert_allclose(ours, ufunc(x))


@pytest.mark.parametrize("name", ["add", "maximum", "power", "f"])
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_ufuncs_with_a_name_of_numpys_do_not_reduce_as_numpys_do(name, method):
    ufunc, x = foreign(name, "hypot", 2), np.array([3.0, 4.0, 12.0])
    np.testing.assert_allclose(ufunc(ra.asarray(x), 1.0), np.hypot(x, 1.0))
    with pytest.raises(NotImplementedError, match=f"{name}.{method}"):
        getattr(ufunc, method)(ra.asarray(x))
