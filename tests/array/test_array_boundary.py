"""What stands at the boundary of lazy arrays: other classes, objects, numbers that don't fit, wrong axes."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import raskt
import raskt.array as ra
from array_comparing import check

LINE = np.array([1.0, 2.0, 3.0])
MASKED = np.ma.array(LINE, mask=[0, 1, 0])
MATRIX = np.matrix([[1.0, 2], [3, 4]])


def lazy(x=LINE):
    return ra.from_array(np.asarray(x), chunks=2)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + MASKED,
        lambda x: np.maximum(x, MASKED),
        lambda x: x == MASKED,
        lambda x: x[MASKED.astype(int) % 2],
        lambda x: x.__setitem__(0, MASKED[:1]),
        lambda x: x.map_blocks(np.ma.array, dtype=float).compute(),
        lambda x: ra.from_delayed(raskt.delayed(lambda: MASKED)(), (3,), float).compute(),
        lambda x: np.add(x, 1, where=MASKED > 1, out=lazy()),
        lambda x: ra.ones((2, 2)) * MATRIX,
        lambda x: MATRIX * ra.ones((2, 2)),
        lambda x: MATRIX @ ra.ones((2, 2)),
        lambda x: ra.from_array(MATRIX),
        lambda x: ra.ones((2, 2)).map_blocks(np.matrix).compute(),
    ],
)
def test_classes_that_mean_more_than_their_elements_are_refused(call):
    with pytest.raises(NotImplementedError, match="not implemented"):
        call(lazy())


@pytest.mark.parametrize("op", [operator.eq, operator.ne])
@pytest.mark.parametrize("other", [range(1, 4), Fraction(2), Decimal(2), None, "a", b"a", {1, 2}, {}, object(), ...])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "complex64"])
def test_objects_are_compared_with_each_element(op, other, dtype):
    x = LINE.astype(dtype)
    check(op(lazy(x), other), op(x, other))
    check(op(other, lazy(x)), op(other, x))


def test_objects_are_operands_where_numpy_makes_numbers_of_them():
    check(lazy() + range(3), LINE + range(3))
    check(np.add(lazy(), range(3)), np.add(LINE, range(3)))
    check(range(3) - lazy(), range(3) - LINE)
    for op in (operator.add, operator.pow, operator.lt, operator.ipow):
        with pytest.raises(NotImplementedError, match="Fraction"):
            op(lazy(), Fraction(1, 2))


class Knowing:
    """A class that knows what to do with arrays."""

    def __radd__(self, other):
        return "mine"


def test_other_classes_may_know_better():
    assert lazy() + Knowing() == "mine"


def test_blocks_that_are_no_arrays_are_told_of():
    with pytest.raises(TypeError, match="gave a NoneType"):
        lazy().map_blocks(lambda block: None, dtype=float).compute()


def test_squeezing_unknown_lengths_is_refused():
    x = lazy()
    for call in (lambda: np.squeeze(x[x > 2]), lambda: np.squeeze(x[x > 2], 0), lambda: np.unique(x).squeeze()):
        with pytest.raises(NotImplementedError, match="compute_chunk_sizes"):
            call()


def agree(call, *arrays):
    """The result is NumPy's, or the class of the error."""
    try:
        with np.errstate(all="ignore"):
            expected = call(*(x.copy() for x in arrays))
    except Exception as error:
        with pytest.raises(type(error)):
            call(*map(lazy, arrays)).compute()
    else:
        check(call(*map(lazy, arrays)), expected)


@pytest.mark.parametrize("dtype", ["float64", "int8"])
@pytest.mark.parametrize("value", [1j, 300, np.nan, 2.7])
def test_values_that_do_not_fit_are_refused_as_by_numpy(dtype, value):
    x = LINE.astype(dtype)
    agree(lambda x: np.insert(x, 1, value), x)
    agree(lambda x: np.pad(x, 1, constant_values=value), x)
    agree(lambda x: np.piecewise(x, [x > 1], [value, 2]), x)
    agree(lambda x: np.nan_to_num(x, nan=value), np.where(x > 1, x, np.nan))


def test_whole_numbers_are_whole():
    agree(lambda x: np.round(x, 1.5), LINE)
    agree(lambda x: np.round(x, 400), LINE)
    agree(lambda x: np.tile(x, 2.5), LINE)
    generator = ra.random.default_rng(0)
    with pytest.raises(TypeError):
        generator.random(2.5)
    with pytest.raises(ValueError, match="high - low"):
        generator.uniform(3, 1)


REDUCTIONS = ["sum", "mean", "std", "max", "nanmin", "nanmean", "any", "argmax", "cumsum", "nancumprod", "ptp"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [[0], True, 2, (0, 0), (0, 2), 1.0, np.int8(1)], ids=repr)
def test_axes_are_checked_before_anything_else(name, axis):
    for x in (np.ones((2, 3)), np.zeros((0, 4))):
        agree(lambda x: getattr(np, name)(x, axis=axis), x)
        if name in ("max", "nanmin"):
            agree(lambda x: getattr(np, name)(x, axis=axis, initial=5), x)


def test_zeros_keep_their_sign_between_bounds():
    for x in (np.full(5, -0.0), np.zeros(5)):
        for low, high in ((0, 3), (-3, 0), (-0.0, 3)):
            found = np.clip(lazy(x), low, high).compute()
            assert (np.signbit(found) == np.signbit(np.clip(x, low, high))).all()


@pytest.mark.parametrize("shape", [(4, 4), (3, 6), (6, 3)])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_least_squares_have_residuals_for_full_rank_alone(shape, columns):
    rng = np.random.default_rng(0)
    b = rng.normal(size=(shape[0], *columns))
    for a in (rng.normal(size=shape), np.ones(shape)):
        expected = np.linalg.lstsq(a, b, rcond=None)
        for found, part in zip(np.linalg.lstsq(lazy(a), lazy(b)), expected, strict=True):
            check(found, part, rtol=1e-9)


@pytest.mark.parametrize("dtype", [float, complex])
def test_of_a_hermitian_matrix_the_lower_triangle_counts(dtype):
    x = (np.random.default_rng(0).normal(size=(3, 3)) * (1 + 1j if dtype is complex else 1)).astype(dtype)
    check(np.linalg.svd(lazy(x), compute_uv=False, hermitian=True), np.linalg.svd(x, compute_uv=False, hermitian=True))
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.svd(lazy(x[:2]), hermitian=True)


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64"])
@pytest.mark.parametrize("mean", [np.float64(2), 2.0, np.float32(2)])
def test_the_type_of_a_mean_counts(dtype, mean):
    agree(lambda x: np.std(x, mean=mean), LINE.astype(dtype))


def test_slopes_of_truth_values_are_numbers():
    x = np.array([[True, False, True], [False, True, True]])
    agree(lambda x: np.gradient(x, np.array([0, 1.0, 3]), axis=1, edge_order=2), x)


def test_functions_take_what_numpy_takes():
    assert np.allclose(lazy(), LINE, 1e-5, 1e-8) is True
    check(np.delete(lazy(), ra.asarray([0, 1])), [3.0])


def test_shapes_and_shifts_are_numpys():
    agree(lambda x: np.roll(x, 1.5, axis=0), LINE)
    check(ra.tri(-2), np.tri(-2))
    check(ra.tri(3, -1), np.tri(3, -1))
    check(np.full_like(lazy(), [4, 5, 6.5]), np.full_like(LINE, [4, 5, 6.5]))
    check(ra.full((2, 3), LINE, dtype="int8", chunks=1), np.full((2, 3), LINE, dtype="int8"))
    with pytest.raises(ValueError, match="negative"):
        ra.eye(-1)


def test_arrays_of_other_types_are_converted_as_by_numpy():
    pd = pytest.importorskip("pandas")
    for other in (pd.Categorical([1, 2]), pd.array([1, 2], dtype="int64")):
        check(ra.asarray(other), np.asarray(other))


@pytest.mark.parametrize("name", ["svd", "qr"])
def test_stacks_of_matrices_are_refused(name):
    with pytest.raises(NotImplementedError, match="stack"):
        getattr(np.linalg, name)(ra.ones((2, 3, 3)))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "mean", "var", "nansum", "std", "nanmean", "argmax"])
@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
def test_reductions_cast_to_out_as_numpy(name, dtype):
    x = LINE + 0.5
    expected, found, taken = np.zeros((), dtype), np.zeros((), dtype), ra.zeros((), dtype=dtype)
    try:
        getattr(np, name)(x, out=expected)
    except TypeError:
        if name != "argmax" or dtype == "bool":
            with pytest.raises(TypeError):
                getattr(np, name)(lazy(x), out=found)
        return
    if name == "argmax":
        return
    if dtype != "float32" and name not in ("sum", "prod", "nansum"):  # NumPy adds up or compares in that type, too.
        with pytest.raises(NotImplementedError, match="astype"):
            getattr(np, name)(lazy(x), out=found)
        return
    getattr(np, name)(lazy(x), out=found)
    getattr(np, name)(lazy(x), out=taken)
    assert found == expected
    check(taken, expected)
