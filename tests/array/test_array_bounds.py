"""Numbers at the bounds of their types: what goes beyond them is as NumPy has it, however arrays are cut."""

from __future__ import annotations

import itertools
import operator
import warnings

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
HUGE = [2**31, 2**40, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70, -(2**63), -(2**63) - 1, -(2**70)]
INTEGERS = ["bool", "int8", "int64", "uint8", "uint64"]


def quietly(function):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


def agree(call, x, mine, rtol=None):
    """The same answer, or the same kind of error at the call."""
    try:
        expected = quietly(lambda: call(np, x))
    except (TypeError, ValueError, OverflowError) as error:
        with pytest.raises(next(kind for kind in (OverflowError, TypeError, ValueError) if isinstance(error, kind))):
            call(ra, mine)
        return
    if np.asarray(expected).dtype == np.float16:  # There are no blocks of float16.
        expected = np.asarray(expected, np.float32)
    check(call(ra, mine), expected, rtol)


@pytest.mark.parametrize("number", HUGE, ids=str)
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "complex64"])
def test_comparisons_with_huge_numbers(dtype, number):
    x = np.array([0, 1, 1], dtype)
    mine = ra.from_array(x, chunks=2)
    for compare in COMPARISONS:
        agree(lambda _, x, compare=compare: compare(x, number), x, mine)
        agree(lambda _, x, compare=compare: compare(number, x), x, mine)


@pytest.mark.parametrize("exponent", [True, 2, 2.0, 0, 1, 3, -1, 0.5, np.int8(2), np.int64(2)], ids=repr)
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "complex64"])
def test_powers_by_operator_function_and_in_place(dtype, exponent):
    x = np.array([0, 1, 1], dtype)
    mine = ra.from_array(x, chunks=2)

    def in_place(library, x):
        x = x.copy()
        x **= exponent
        return x

    if dtype == "complex64" and exponent == -1:
        x, mine = x[1:], mine[1:]
    agree(lambda _, x: x**exponent, x, mine)
    agree(lambda m, x: m.power(x, exponent), x, mine)
    if dtype != "bool" or exponent != -1:  # Neither the power nor its type is allowed then.
        agree(in_place, x, mine)


@pytest.mark.parametrize("exponent", [3, *HUGE, np.int64(2**40)], ids=repr)
@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
def test_ldexp_by_huge_exponents(dtype, exponent):
    x = np.array([0, 1, 1], dtype)
    agree(lambda m, x: m.ldexp(x, exponent), x, ra.from_array(x, chunks=2))


@pytest.mark.parametrize("number", [0.1, 1e39, 1e300, -1e300, 1e300j, 2**70], ids=repr)
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex64", "complex128"])
def test_a_number_is_not_rounded_to_a_type_that_is_not_computed_in(dtype, number):
    x = np.array([0, 1, 3, -0.5]).astype(dtype)
    mine = ra.from_array(x, chunks=3)
    agree(lambda m, x: m.float_power(x, number), x, mine)
    agree(lambda m, x: m.float_power(number, x), x, mine)


def edges(dtype):
    """Numbers of which sums and products leave the bounds and would come back."""
    limits = np.finfo(dtype)
    largest = float(limits.max)
    parts = [0.0, 1.0, -2.5, 0.5, largest, -largest, largest / 3, largest**0.5, -(largest**0.7), largest**-0.7, np.inf]
    return [*parts, -np.inf, np.nan, float(limits.tiny)]


def lines(dtype, count=300):
    """Lines of such numbers; in two of three there is nothing infinite, and no NaN."""
    rng = np.random.default_rng(7)
    real = np.dtype(dtype).type(0).real.dtype
    parts = np.array(edges(real))
    for at in range(count):
        some = parts[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]] if at % 3 else parts[:-1]
        line = rng.choice(some[at % 2 :], rng.integers(2, 14))
        found = np.empty(len(line), dtype)
        found.real = line
        if np.dtype(dtype).kind == "c":
            found.imag = np.roll(line, 1)
        yield found


def cuts(length, rng):
    return tuple(int(n) for n in np.diff([0, *sorted(rng.integers(1, length + 1, 3)), length]))


def near(found, expected, rtol, message):
    """Equal within rounding, which for sums is relative to the largest of them."""
    for one, other in ((found.real, expected.real), (found.imag, expected.imag)):
        size = np.abs(other[np.isfinite(other)]).max(initial=0)
        np.testing.assert_allclose(one, other, rtol, float(size) * rtol, err_msg=message)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
def test_running_totals_leave_the_bounds_as_if_there_were_no_blocks(name, dtype):
    rng, rtol = np.random.default_rng(1), 1e-5 if np.finfo(dtype).bits == 32 else 1e-11
    for line in lines(dtype):
        # The whole line in one block goes from element to element, as NumPy does.
        whole = getattr(ra, name)(ra.from_array(line, chunks=-1)).compute()
        if np.dtype(dtype).kind == "f" or name.endswith("sum"):
            near(whole, quietly(lambda line=line: getattr(np, name)(line)), rtol, f"{line.tolist()}")
        for chunks in (1, 2, cuts(len(line), rng)):
            mine = ra.from_array(line, chunks=chunks if isinstance(chunks, int) else (chunks,))
            near(getattr(ra, name)(mine).compute(), whole, rtol, f"{line.tolist()} {chunks}")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_totals_of_a_narrower_type(name, axis):
    x = np.array([[1e30, 1e-30, 1e20, 0.0], [1e30, 1e-30, 1e20, 1.0], [-1e-30, 1e-30, -3e38, 3.0]])
    x = np.concatenate([x, x[::-1]], axis=axis)
    for chunks in (-1, 1, 2, (3, 3)):
        mine = ra.from_array(x, chunks=chunks)
        agree(lambda m, x: getattr(m, name)(x, axis=axis, dtype="float32"), x, mine)


LARGE = [[1.0, 1.0], [1.0, 0.5], [0.4, -0.4], [0.6, 0.2, -0.3], [1.0, 0.0, np.nan], [np.inf, 1.0], [1e-19, -1e-19, 0.0]]
AVERAGES = ["mean", "std", "var", "nanmean", "nanstd", "nanvar"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(("name", "parts"), list(itertools.product(AVERAGES, LARGE)), ids=str)
def test_averages_of_huge_numbers_are_infinite_where_their_sums_are(name, parts, dtype):
    x = (np.array(parts) * float(np.finfo(dtype).max)).astype(dtype)
    for chunks in (1, 2, 3):
        agree(lambda m, x: getattr(m, name)(x), x, ra.from_array(x, chunks=chunks))


@pytest.mark.parametrize("name", ["nanstd", "nanvar", "nanmean", "std", "var", "mean"])
@pytest.mark.parametrize("shape", [(2, 3), (0,), (3, 0), ()])
@pytest.mark.parametrize("dtype", ["float64", "int64", "complex64"])
def test_of_two_errors_the_same_is_raised(name, shape, dtype):
    x = np.ones(shape, dtype)
    for axis, options in itertools.product(
        (5, (0, 5), (0, 0), True, 1.5), ({}, {"dtype": "int64"}, {"dtype": bool}, {"where": [True, False]})
    ):
        try:
            quietly(lambda axis=axis, options=options: getattr(np, name)(x, axis=axis, **options))
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            with pytest.raises((kind, NotImplementedError)):
                getattr(ra, name)(ra.from_array(x), axis=axis, **options)


@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_the_shape_of_out_counts_before_its_type(name):
    with pytest.raises(ValueError, match="shape"):
        getattr(ra, name)(ra.ones((2, 3)), out=np.zeros(2))
    with pytest.raises(TypeError, match="cast"):
        getattr(ra, name)(ra.ones((2, 3)), axis=1, out=np.zeros(2))


@pytest.mark.parametrize("bins", ["auto", "fd", 3, [0, 1, 2]], ids=str)
@pytest.mark.parametrize("shape", [(0,), (3, 0)])
@pytest.mark.parametrize("limits", [None, (0, 5)])
def test_histograms_of_no_complex_numbers(bins, shape, limits):
    for dtype in ("complex64", "complex128"):
        counts, bounds = ra.histogram(ra.zeros(shape, dtype=dtype), bins, limits)
        expected, edges = np.histogram(np.zeros(shape, dtype), bins, limits)
        check(counts, expected)
        np.testing.assert_array_equal(np.asarray(bounds), edges)
        assert np.asarray(bounds).dtype == edges.dtype
