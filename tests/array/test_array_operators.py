"""Python's operators against NumPy's."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import DTYPES, check, sample

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
BITWISE = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def apply(op, x, y):
    """The result and None, or None and the class of the exception."""
    with np.errstate(all="ignore"):
        try:
            return op(x, y), None
        except Exception as error:
            return None, type(error)


def agree(op, x, y, my_x, my_y):
    expected, error = apply(op, x, y)
    if error is None:
        check(op(my_x, my_y), expected)
    else:
        with pytest.raises(error):
            op(my_x, my_y).compute()


@pytest.mark.parametrize("op", ARITHMETIC + BITWISE + COMPARISONS)
@pytest.mark.parametrize("left", DTYPES)
def test_operators_promote_as_numpy_does(op, left):
    x = sample(left, (3, 4))
    for right in DTYPES:
        y = np.abs(sample(right, 4, seed=1)).astype(right) % 7 if right[0] in "iu" else sample(right, 4, seed=1)
        agree(op, x, y, ra.from_array(x, chunks=2), ra.from_array(y, chunks=3))


@pytest.mark.parametrize("op", ARITHMETIC + BITWISE + COMPARISONS)
@pytest.mark.parametrize("scalar", [2, True, 1.5, 1 + 2j, np.float32(2), np.int8(3), np.uint64(3), np.float64(0.5)])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float32", "float64", "complex64"])
def test_numbers_on_both_sides(op, scalar, dtype):
    x = sample(dtype, 7)
    y = ra.from_array(x, chunks=3)
    agree(op, x, scalar, y, scalar)
    agree(op, scalar, x, scalar, y)


@pytest.mark.parametrize("op", [operator.neg, operator.pos, operator.abs, operator.invert])
@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_of_one_operand(op, dtype):
    x = sample(dtype, 9)
    y = ra.from_array(x, chunks=4)
    try:
        expected = op(x)
    except TypeError:
        with pytest.raises(TypeError):
            op(y)
    else:
        check(op(y), expected)


def test_arrays_of_numpy_on_both_sides():
    x, y = np.arange(6).reshape(2, 3), ra.ones(3, chunks=2)
    check(x + y, x + np.ones(3))
    check(y - x, np.ones(3) - x)
    check([1, 2, 3] * y, np.array([1.0, 2, 3]))


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 4), (4,)), ((3, 1), (1, 4)), ((), (2, 2)), ((5, 1, 3), (4, 1)), ((0, 3), (1, 3)), ((1,), (0,))],
)
def test_broadcasting(left, right):
    x, y = sample(float, left), sample(float, right, 1)
    check(ra.from_array(x, chunks=2) + ra.from_array(y, chunks=3), x + y)


def test_uneven_chunks_are_aligned():
    x, y = np.arange(10.0), np.arange(10.0) ** 2
    mine = ra.from_array(x, chunks=((1, 4, 5),)) + ra.from_array(y, chunks=((3, 3, 4),))
    check(mine, x + y)


def test_shapes_that_do_not_fit_are_refused_at_the_call():
    with pytest.raises(ValueError, match=r"\(3,\).*\(4,\)"):
        ra.zeros(3) + ra.zeros(4)


def test_numbers_that_do_not_fit_are_refused_as_numpy_refuses_them():
    with pytest.raises(OverflowError):
        ra.zeros(3, dtype="u1") + 300
    with pytest.raises(OverflowError):
        ra.zeros(3, dtype="i8") + 2**70


def test_subtracting_booleans_is_refused():
    with pytest.raises(TypeError):
        ra.zeros(3, dtype=bool) - ra.ones(3, dtype=bool)


def test_in_place_operators_replace_the_expression():
    x = ra.arange(5, chunks=2)
    y = x
    x += 2
    check(y, np.arange(5) + 2)
    x *= 3
    check(x, (np.arange(5) + 2) * 3)
    with pytest.raises(TypeError, match="float64"):
        x += 0.5
    with pytest.raises(ValueError, match="shape"):
        x += np.ones((2, 5), dtype=int)
    x //= 4
    x -= 1
    x **= 2
    x %= 5
    x |= 1
    x &= 7
    x ^= 2
    x <<= 1
    x >>= 1
    f = ra.ones(3, dtype="f4")
    f /= 3
    assert f.dtype == "f4"


def test_divmod():
    x = ra.arange(7, chunks=3)
    for mine, theirs in zip(divmod(x, 3), divmod(np.arange(7), 3), strict=True):
        check(mine, theirs)
    for mine, theirs in zip(divmod(10, x + 1), divmod(10, np.arange(7) + 1), strict=True):
        check(mine, theirs)


def test_other_classes_may_know_better():
    class Other:
        def __radd__(self, other):
            return "mine"

        def __rmatmul__(self, other):
            return "mine, too"

    assert ra.ones(3) + Other() == "mine"
    with pytest.raises(TypeError):
        ra.ones(3) + "text"
    with pytest.raises(TypeError):
        ra.ones(3) + None


def test_the_special_numbers():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, 5e-324])
    y = ra.from_array(x, chunks=3)
    with np.errstate(all="ignore"):
        for op in ARITHMETIC + COMPARISONS:
            check(op(y, y), op(x, x))
            check(op(y, 2.0), op(x, 2.0))
            check(op(2.0, y), op(2.0, x))


def test_integers_divided_by_zero_give_what_numpy_gives():
    x = np.array([5, -5, 0], "i4")
    with np.errstate(all="ignore"):
        check(ra.from_array(x) // 0, x // 0)
        check(ra.from_array(x) % 0, x % 0)
        check(ra.from_array(x) / 0, x / 0)


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128"])
@pytest.mark.parametrize("shape", [(2, 2), (3, 2, 2), (1, 2, 2), (2,), (5, 2)])
@pytest.mark.parametrize("other", [(2, 2), (3, 2, 2), (2,), (2, 3), (2, 1), ()])
@pytest.mark.parametrize("kind", ["int8", "float64", "complex64"])
def test_matrices_are_multiplied_in_place_as_numpy_does(dtype, shape, other, kind):
    x = np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype)
    y = np.arange(1, 1 + np.prod(other, dtype=int)).reshape(other).astype(kind)
    expected, error = x.copy(), None
    try:
        expected @= y
    except (TypeError, ValueError) as caught:
        error = caught
    for operand in (y, ra.from_array(y, chunks=1)):
        found = held = ra.from_array(x, chunks=1)
        if error is not None:
            with pytest.raises((TypeError, ValueError)):  # Of two errors, either may come first.
                found @= operand
            assert np.array_equal(held.compute(), x)
            continue
        found @= operand
        assert found is held
        assert found.dtype == expected.dtype
        assert np.array_equal(held.compute(), expected)


def test_no_operator_in_place_is_missing():
    names = [name for name in dir(np.ndarray) if name.startswith("__i") and hasattr(ra.Array, f"__{name[3:]}")]
    assert "__imatmul__" in names
    assert [name for name in names if not hasattr(ra.Array, name)] == []
