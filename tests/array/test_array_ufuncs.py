"""Functions of elements against NumPy's."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import DTYPES, check, sample

UNARY = [
    "abs",
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "cbrt",
    "ceil",
    "conj",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "negative",
    "positive",
    "rad2deg",
    "radians",
    "reciprocal",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
BINARY = [
    "add",
    "arctan2",
    "copysign",
    "divide",
    "equal",
    "float_power",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "greater",
    "greater_equal",
    "hypot",
    "heaviside",
    "less",
    "less_equal",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "nextafter",
    "not_equal",
    "power",
    "remainder",
    "subtract",
    "true_divide",
]


def agree(name, *blocks):
    arrays = [ra.from_array(block, chunks=3) for block in blocks]
    with np.errstate(all="ignore"):
        try:
            expected = getattr(np, name)(*blocks)
        except (TypeError, ValueError) as error:
            with pytest.raises(TypeError if isinstance(error, TypeError) else ValueError):
                getattr(ra, name)(*arrays).compute()
            return
        if expected.dtype == np.float16:
            # There are no blocks of float16: the engine computes in float32 where NumPy computes in that.
            expected = getattr(np, name)(*(block.astype("f4") for block in blocks))
        check(getattr(ra, name)(*arrays), expected)
        check(getattr(np, name)(*arrays), expected)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_one_array(name, dtype):
    x = sample(dtype, (4, 5))
    if name == "reciprocal" and x.dtype.kind in "iu":
        x = np.where(x == 0, x.dtype.type(1), x)  # What C gives for 1 / 0 is the processor's affair.
    agree(name, x)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_two_arrays(name, dtype):
    agree(name, sample(dtype, (4, 5)), sample(dtype, 5, seed=1))


@pytest.mark.parametrize("name", UNARY)
def test_special_numbers(name):
    agree(name, np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e308, 5e-324]))


@pytest.mark.parametrize("name", BINARY)
def test_special_numbers_in_pairs(name):
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5])
    agree(name, x[:, None], x[None, :])


@pytest.mark.parametrize("name", ["sqrt", "exp", "add", "abs", "maximum"])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (1,), (), (1, 1, 1)])
def test_shapes_without_much(name, shape):
    x = sample(float, shape)
    agree(name, *[x] * getattr(np, name).nin)


def test_functions_take_numbers_and_lists():
    check(ra.sqrt([4, 9]), np.sqrt([4, 9]))
    check(ra.add(1, ra.ones(3, dtype="i4")), np.add(1, np.ones(3, "i4")))
    check(ra.maximum(ra.arange(5), 2), np.maximum(np.arange(5), 2))
    check(ra.power(ra.asarray([1.5, 2.0]), 2), np.array([2.25, 4.0]))


def test_wrong_numbers_of_operands():
    with pytest.raises(TypeError, match="takes 2 operands"):
        ra.add(ra.ones(3))
    with pytest.raises(TypeError):
        ra.sin(ra.ones(3), ra.ones(3), ra.ones(3))


def test_out_where_and_dtype():
    x, y = np.arange(5.0), np.arange(5.0) * 2
    mine, other = ra.from_array(x, chunks=2), ra.from_array(y, chunks=3)
    target = ra.zeros(5)
    assert ra.add(mine, other, out=target) is target
    check(target, x + y)
    buffer = np.zeros(5)
    assert np.add(mine, 1, out=buffer) is buffer
    np.testing.assert_array_equal(buffer, x + 1)
    target = ra.full(5, -1.0)
    ra.sqrt(mine, out=target, where=mine > 2)
    check(target, np.sqrt(x, out=np.full(5, -1.0), where=x > 2))
    check(ra.add(mine, other, dtype="f4"), np.add(x, y, dtype="f4"))
    with pytest.raises(NotImplementedError, match="where"):
        ra.sqrt(mine, where=mine > 2)
    with pytest.raises(ValueError, match="shape"):
        ra.add(mine, other, out=ra.zeros(4))
    with pytest.raises(TypeError, match="nonsense"):
        ra.add(mine, other, nonsense=1)


def test_outer_reduce_and_accumulate():
    x, y = np.arange(3), np.arange(4)
    check(ra.multiply.outer(ra.asarray(x), y), np.multiply.outer(x, y))
    check(np.subtract.outer(ra.asarray(x), ra.asarray(y)), np.subtract.outer(x, y))
    m = np.arange(6.0).reshape(2, 3)
    check(np.add.reduce(ra.asarray(m)), np.add.reduce(m))
    check(np.maximum.reduce(ra.asarray(m), axis=1), np.maximum.reduce(m, axis=1))
    check(np.add.accumulate(ra.asarray(m)), np.add.accumulate(m))
    check(np.hypot.reduce(ra.asarray(m)), np.hypot.reduce(m))
    with pytest.raises(NotImplementedError, match="reduce"):
        np.subtract.reduce(ra.asarray(m), where=m > 1)


def test_ufuncs_of_other_libraries_run_on_blocks():
    special = pytest.importorskip("scipy.special")
    x = np.linspace(-1, 1, 11)
    mine = special.erf(ra.from_array(x, chunks=4))
    check(mine, special.erf(x))
    assert "python" in mine.explain().lower()


def test_native_and_borrowed_functions_tell_themselves_apart():
    x = ra.ones(3)
    assert ra.add.is_native
    assert "native" in ra.sqrt(x + 1).explain().lower()
    assert "python" in ra.sinc(x).explain().lower()


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex128"])
def test_parts_and_angles(dtype):
    x = sample(dtype, (3, 4))
    y = ra.from_array(x, chunks=2)
    for name in ["real", "imag", "isreal", "iscomplex"]:
        check(getattr(ra, name)(y), getattr(np, name)(x))
    check(y.real, x.real)
    check(y.imag, x.imag)
    check(y.conj(), x.conj())
    if dtype != "int32":
        check(ra.angle(y), np.angle(x))
        check(ra.angle(y, deg=True), np.angle(x, deg=True), rtol=1e-5)


def test_where():
    x = np.arange(12).reshape(3, 4)
    y = ra.from_array(x, chunks=2)
    check(ra.where(y > 5, y, -1), np.where(x > 5, x, -1))
    check(ra.where(y > 5, 1.5, y), np.where(x > 5, 1.5, x))
    check(np.where(y % 2 == 0, y, y.astype("f4")), np.where(x % 2 == 0, x, x.astype("f4")))
    check(ra.where([True, False, True, False], y, 0), np.where([True, False, True, False], x, 0))
    with pytest.raises(ValueError, match="two arrays"):
        ra.where(y > 5, y)


def test_clip_and_round():
    x = sample(float, (3, 5)) * 10
    y = ra.from_array(x, chunks=2)
    check(y.clip(-1, 2), x.clip(-1, 2))
    check(ra.clip(y, None, 2), np.clip(x, None, 2))
    check(np.clip(y, 0, ra.full(5, 3.0)), np.clip(x, 0, np.full(5, 3.0)))
    for decimals in (0, 1, 3, -1):
        check(y.round(decimals), x.round(decimals))
    check(ra.round(ra.arange(5), 1), np.round(np.arange(5), 1))
    check(ra.around(ra.asarray(np.arange(50)), -1), np.around(np.arange(50), -1))


def test_other_functions_of_elements():
    x = np.array([1.0, np.nan, np.inf, -np.inf, -2.7, 0.0])
    y = ra.from_array(x, chunks=4)
    check(ra.nan_to_num(y), np.nan_to_num(x))
    check(ra.nan_to_num(y, nan=1, posinf=2, neginf=3), np.nan_to_num(x, nan=1, posinf=2, neginf=3))
    check(ra.isposinf(y), np.isposinf(x))
    check(ra.isneginf(y), np.isneginf(x))
    check(ra.isnull(y), np.isnan(x))
    check(ra.notnull(y), ~np.isnan(x))
    check(ra.fix(y), np.fix(x))
    check(ra.isclose(y, x + 1e-9, equal_nan=True), np.isclose(x, x + 1e-9, equal_nan=True))
    check(ra.allclose(y, x), np.asarray(np.allclose(x, x)))
    finite = np.array([0.5, -2.7, 3.0])
    for name in ("sinc", "i0"):
        check(getattr(ra, name)(ra.asarray(finite)), getattr(np, name)(finite))
    for name in ("modf", "frexp"):
        for mine, theirs in zip(getattr(ra, name)(ra.asarray(finite)), getattr(np, name)(finite), strict=True):
            check(mine, theirs)
    check(ra.ldexp(ra.asarray(finite), ra.asarray([1, 2, 3])), np.ldexp(finite, [1, 2, 3]))


def test_select_and_piecewise():
    x = np.arange(10)
    y = ra.from_array(x, chunks=4)
    check(ra.select([y < 3, y > 6], [y, y * 10], -1), np.select([x < 3, x > 6], [x, x * 10], -1))
    check(
        ra.piecewise(y * 1.0, [y < 5], [lambda v: -v, 7]),
        np.piecewise(x * 1.0, [x < 5], [lambda v: -v, 7]),
    )


def test_frompyfunc():
    function = ra.frompyfunc(lambda a, b: a * 2 + b, 2, 1)
    check(function(ra.arange(4, chunks=2), 1), np.arange(4) * 2 + 1)


def test_frompyfunc_loses_nothing():
    function = ra.frompyfunc(lambda a: a if a < 2 else a + 0.5, 1, 1)
    check(function(ra.arange(2)), np.arange(2))
    with pytest.raises(TypeError, match="cannot hold"):
        function(ra.arange(4, chunks=2)).compute()


def test_bitwise_functions():
    x, y = sample("int32", 9), np.abs(sample("int32", 9, 1)) % 8
    for name in ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]:
        agree(name, x, y)
    agree("invert", x)
    agree("bitwise_not", x > 0)


@pytest.mark.parametrize("name", ["maximum", "minimum", "subtract", "fmin", "logical_xor", "gcd", "bitwise_or"])
def test_reducing_by_any_ufunc(name):
    x = np.arange(24).reshape(4, 6) % 7
    mine = ra.from_array(x, chunks=(3, 4))
    for axis in (0, 1, -1):
        check(getattr(ra, name).accumulate(mine, axis), getattr(np, name).accumulate(x, axis))
        check(getattr(ra, name).reduce(mine, axis), getattr(np, name).reduce(x, axis))
        check(getattr(np, name).reduce(mine, axis, keepdims=True), getattr(np, name).reduce(x, axis, keepdims=True))
    if name == "subtract":
        with pytest.raises(ValueError, match="reorder"):
            ra.subtract.reduce(mine, axis=(0, 1))


@pytest.mark.parametrize("name", ["power", "arctan2", "fmod", "divide", "hypot"])
@pytest.mark.parametrize("options", [{}, {"initial": 1.5}, {"dtype": "float32"}, {"keepdims": True}])
def test_reducing_is_in_order_however_lines_lie_in_memory(name, options):
    """NumPy's `power` and `arctan2` along contiguous lines read results before they are written."""
    x = np.abs(np.random.default_rng(0).normal(size=(5, 6)))
    ufunc, first = getattr(np, name), options.get("initial")
    rows = [row.astype(options.get("dtype", float)) for row in ([x[0]] if first is None else [np.full(6, first), x[0]])]
    expected = rows[0] if first is None else ufunc(rows[0], rows[1])
    for row in x[1:]:
        expected = ufunc(expected, row.astype(expected.dtype))
    for chunks in (-1, 1, (2, (1, 3, 2))):
        for lines, axis in ((x, 0), (np.ascontiguousarray(x.T), 1)):
            cut = chunks if axis == 0 or not isinstance(chunks, tuple) else chunks[::-1]
            found = getattr(ra, name).reduce(ra.from_array(lines, chunks=cut), axis=axis, **options)
            result = found.compute()
            assert result.dtype == found.dtype == expected.dtype
            assert result.shape == found.shape
            np.testing.assert_allclose(result.ravel(), expected, rtol=1e-5 if "dtype" in options else 1e-14)


@pytest.mark.parametrize("name", ["add", "sin", "logical_not", "divmod"])
def test_ufuncs_are_pickled_by_name(name):
    ufunc = getattr(ra, name)
    assert pickle.loads(pickle.dumps(ufunc)) is ufunc


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("bounds", [(0, 1000), (-1000, 2), (-(10**30), 10**30), (None, 10**30), (-1, None)])
def test_bounds_beyond_the_type_bound_nothing(dtype, bounds):
    x = np.arange(5).astype(dtype)
    right, found = np.clip(x, *bounds), ra.clip(ra.from_array(x, chunks=2), *bounds).compute()
    np.testing.assert_array_equal(found, right)
    assert found.dtype == right.dtype


PIECES = {
    "of elements": lambda v: -v,
    "a value": 7,
    "a constant": lambda v: 7,
    "less the mean": lambda v: v - v.mean(),
    "sum": lambda v: v.sum(),
    "running": lambda v: np.cumsum(v),
    "with an argument": lambda v, k=2: v * k,
}


@pytest.mark.parametrize("dtype", ["f8", "i8", "u1", "c16", "f4"])
@pytest.mark.parametrize("shape", [(10,), (4, 5)])
@pytest.mark.parametrize("last", [[], ["less the mean"]])
def test_pieces_that_look_at_several_elements(dtype, shape, last):
    x = (np.arange(np.prod(shape)).reshape(shape) % 9 + 1).astype(dtype)
    y = ra.from_array(x, chunks=3)
    for names in itertools.product(PIECES, repeat=2):
        pieces = [PIECES[name] for name in (*names, *last)]
        expected = np.piecewise(x, [x.real > 2, x.real > 6], pieces)
        found = ra.piecewise(y, [y.real > 2, y.real > 6], pieces).compute()
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == "f4" else 1e-12, err_msg=str(names))


KINDS = ["bool", "int8", "int64", "uint8", "float32", "float64", "complex64"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_numbers_count_less_than_arrays_in_clip(kind, other):
    x, y = np.array([5, 2, 6]).astype(kind), np.array([5.25, 0.5, 1]).astype(other)
    for number, first in itertools.product((1, 1.5, -1e40, 2 + 1j, True, np.float32(1.5), [1, 2, 3]), (True, False)):
        bounds = lambda whole, number=number, first=first: (number, whole(y)) if first else (whole(y), number)
        expected = np.clip(x, *bounds(lambda array: array))
        found = ra.clip(ra.from_array(x, chunks=2), *bounds(lambda array: ra.from_array(array, chunks=2))).compute()
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_what_numpy_refuses_is_refused_as_often_as_it_is_asked():
    x = ra.from_array(np.arange(3.0), chunks=2)
    for _ in range(3000):  # a way of NumPy to the types of a ufunc ends the process after some hundred such errors
        with pytest.raises(TypeError):
            ra.add(x, 2, dtype="f8", casting="equiv")


NUMBERS = [-1, 5, 300, 2**40, 2**63, -(2**63), 2**70]
BINARY = ["add", "subtract", "multiply", "maximum", "floor_divide", "remainder", "bitwise_and", "equal", "less"]


@pytest.mark.parametrize("kind", ["uint8", "int8", "int32", "int64", "float32", "uint64"])
@pytest.mark.parametrize("casting", ["same_kind", "unsafe"])
def test_integers_that_a_type_cannot_hold_do_not_wrap(kind, casting):
    x = np.array([1, 5, 3]).astype(kind)
    for name, number in itertools.product(BINARY, NUMBERS):
        options = {"dtype": "bool" if name in ("equal", "less") else kind, "casting": casting}
        call = lambda library, array, name=name, number=number, options=options: getattr(library, name)(
            array, number, **options
        )
        try:
            expected = call(np, x)
        except (OverflowError, TypeError) as error:
            with pytest.raises(type(error)):
                call(ra, ra.from_array(x, chunks=2)).compute()
            continue
        found = call(ra, ra.from_array(x, chunks=2)).compute()
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["bool", "int8", "float32", "complex64"])
def test_conjugates_by_the_method_keep_the_type(kind):
    x = np.array([1, 0, 1]).astype(kind)
    for name in ("conj", "conjugate"):
        check(getattr(ra.from_array(x, chunks=2), name)(), getattr(x, name)())


def test_lines_of_blocks_without_any():
    x = np.arange(60.0).reshape(6, 10)
    lazy = ra.from_array(x, chunks=(2, 5))
    check(ra.apply_along_axis(np.sum, 1, lazy[lazy[:, 0] > 35]), np.apply_along_axis(np.sum, 1, x[x[:, 0] > 35]))
    check(ra.apply_along_axis(np.sort, 1, lazy[lazy[:, 0] > 35]), np.sort(x[x[:, 0] > 35], axis=1))
    with pytest.raises(ValueError, match="any iteration dimensions are 0"):
        ra.apply_along_axis(np.sum, 1, lazy[:0])


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "greater_equal"])
@pytest.mark.parametrize("number", [-1, 0, 2, 300, 2**40])
def test_numbers_beside_truth_values_are_truth_values_where_the_signature_says_so(name, number):
    x = np.array([True, False, True])
    found = getattr(ra, name)(ra.from_array(x, chunks=2), number, signature="??->?").compute()
    np.testing.assert_array_equal(found, getattr(np, name)(x, number, signature="??->?"))
