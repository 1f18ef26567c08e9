"""Reductions and running totals against NumPy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import DTYPES, check, sample

NAMES = ["sum", "prod", "mean", "std", "var", "min", "max", "any", "all", "argmin", "argmax"]
NAN_NAMES = ["nansum", "nanprod", "nanmean", "nanstd", "nanvar", "nanmin", "nanmax", "nanargmin", "nanargmax"]


def agree(name, x, mine, rtol=None, **options):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = getattr(np, name)(x, **options)
        except (ValueError, TypeError) as error:
            with pytest.raises(type(error)):
                getattr(ra, name)(mine, **options).compute()
            return
    check(getattr(ra, name)(mine, **options), expected, rtol)
    check(getattr(np, name)(mine, **options), expected, rtol)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_reductions_of_every_data_type(name, dtype, axis):
    x = sample(dtype, (5, 7))
    agree(name, x, ra.from_array(x, chunks=(2, 3)), axis=axis)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("arg")])
@pytest.mark.parametrize("axis", [(0, 1), (0, -1), (), (2, 0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_several_axes(name, axis, keepdims):
    x = sample(float, (4, 5, 3))
    mine = ra.from_array(x, chunks=(3, 2, 2))
    agree(name, x, mine, axis=axis, keepdims=keepdims)
    check(getattr(mine, name)(axis=axis, keepdims=keepdims), getattr(x, name)(axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", NAMES + NAN_NAMES)
@pytest.mark.parametrize("x", [np.array([np.nan, 1.0, -2.0, 3.0, np.nan]), np.array([np.inf, 1.0, -np.inf, 2.0])])
@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_nan_and_infinity(name, x, chunks):
    agree(name, x, ra.from_array(x, chunks=chunks))


@pytest.mark.parametrize("name", NAN_NAMES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_without_nan(name, dtype, axis):
    x = sample(dtype, (4, 6))
    if dtype != "int16":
        x[x > 0.5] = np.nan
    agree(name, x, ra.from_array(x, chunks=(3, 2)), axis=axis)


@pytest.mark.parametrize("name", NAMES + NAN_NAMES)
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (1,), (1, 1), ()])
@pytest.mark.parametrize("axis", [None, 0])
def test_shapes_without_much(name, shape, axis):
    if shape == () and axis == 0 and name in ("mean", "std", "var"):
        with pytest.raises(ValueError, match="axis"):
            getattr(ra, name)(ra.zeros(()), axis=0)
        return
    x = sample(float, shape)
    agree(name, x, ra.from_array(x, chunks=2), axis=axis)


@pytest.mark.parametrize("ddof", [0, 1, 2.5, 40])
def test_degrees_of_freedom(ddof):
    x = sample(float, (6, 6))
    mine = ra.from_array(x, chunks=4)
    agree("var", x, mine, ddof=ddof)
    agree("std", x, mine, ddof=ddof, axis=1)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "c16"])
def test_the_type_of_the_result(dtype):
    x = sample("int16", (5, 4))
    mine = ra.from_array(x, chunks=2)
    for name in ("sum", "prod", "mean"):
        agree(name, x, mine, dtype=dtype, rtol=1e-5)


def test_variance_keeps_its_digits_far_from_zero():
    x = np.random.default_rng(0).normal(size=10_000) + 1e9
    check(ra.from_array(x, chunks=999).var(), x.var(), rtol=1e-6)


def test_sums_of_float32_are_as_good_as_in_float64():
    x = np.full(1_000_000, 0.1, "f4")
    exact = np.float32(np.sum(x, dtype="f8"))
    assert ra.from_array(x, chunks=1000).sum().compute() == exact


def test_the_same_bits_on_every_run():
    x = ra.from_array(sample(float, 100_000), chunks=1000)
    assert len({x.sum().compute().tobytes() for _ in range(5)}) == 1


@pytest.mark.parametrize("split_every", [2, 3, 100])
def test_split_every(split_every):
    x = sample(float, (20, 20))
    mine = ra.from_array(x, chunks=3)
    for name in ("sum", "mean", "var", "max", "argmax"):
        check(getattr(mine, name)(split_every=split_every), getattr(x, name)())


def test_ties_go_to_the_first():
    x = np.array([1, 3, 3, 1, 3, 1])
    for chunks in (1, 2, 4, 6):
        mine = ra.from_array(x, chunks=chunks)
        check(mine.argmax(), np.asarray(1))
        check(mine.argmin(), np.asarray(0))
    table = sample("int8", (6, 5)) % 3
    agree("argmax", table, ra.from_array(table, chunks=(2, 2)))
    agree("argmin", table, ra.from_array(table, chunks=(2, 2)), axis=0, keepdims=True)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "float32"])
def test_running_totals(name, axis, dtype):
    x = sample(dtype, (5, 6))
    if dtype == "float64":
        x[1, 2] = np.nan
    mine = ra.from_array(x, chunks=(2, 4))
    agree(name, x, mine, axis=axis, rtol=1e-5)


def test_running_totals_of_a_type():
    x = sample("int8", 9)
    check(ra.from_array(x, chunks=4).cumsum(dtype="f4"), x.cumsum(dtype="f4"))


@pytest.mark.parametrize("axis", [2, -3, (0, 5)])
def test_axes_that_are_not_there(axis):
    with pytest.raises(np.exceptions.AxisError):
        ra.zeros((2, 2)).sum(axis=axis)


def test_axes_given_twice():
    with pytest.raises(ValueError, match="axis"):
        ra.zeros((2, 2)).sum(axis=(0, 0))


def test_out_of_a_reduction():
    target = np.zeros(3)
    assert ra.ones((2, 3)).sum(axis=0, out=target) is target
    assert target.tolist() == [2, 2, 2]
    lazy = ra.zeros(3)
    assert np.sum(ra.ones((2, 3)), axis=0, out=lazy) is lazy
    check(lazy, np.full(3, 2.0))


def test_others_made_of_them():
    x = sample(float, (5, 6))
    mine = ra.from_array(x, chunks=(2, 4))
    check(ra.ptp(mine, axis=0), np.ptp(x, axis=0))
    check(ra.count_nonzero(mine > 0), np.asarray(np.count_nonzero(x > 0)))
    check(mine.moment(3), ((x - x.mean()) ** 3).mean())
    check(ra.average(mine, axis=1, weights=np.arange(6.0)), np.average(x, axis=1, weights=np.arange(6.0)))
    check(ra.average(mine, weights=x**2), np.average(x, weights=x**2))
    check(np.average(mine, axis=0), np.average(x, axis=0))


@pytest.mark.parametrize("name", ["sum", "prod", "nansum", "nanprod", "min", "max", "nanmin", "nanmax"])
@pytest.mark.parametrize("shape", [(0,), (3,), (0, 2), (2, 0), (2, 3), ()])
@pytest.mark.parametrize("axis", [None, 0, 1, ()])
def test_without_an_initial_value_there_has_to_be_an_element(name, shape, axis):
    if axis == 1 and len(shape) < 2:
        pytest.skip("there is no such axis")
    x = np.ones(shape)
    try:
        expected = getattr(np, name)(x, axis=axis, initial=None)
    except ValueError:
        with pytest.raises(ValueError):
            getattr(ra, name)(ra.asarray(x), axis=axis, initial=None)
    else:
        np.testing.assert_array_equal(getattr(ra, name)(ra.asarray(x), axis=axis, initial=None), expected)


@pytest.mark.parametrize("ddof", ["1", b"1", None, [1, 1]])
@pytest.mark.parametrize("name", ["std", "var", "nanstd", "nanvar"])
def test_degrees_of_freedom_are_a_number(name, ddof):
    with pytest.raises(TypeError):
        getattr(ra, name)(ra.ones(3), ddof=ddof)


@pytest.mark.parametrize("split_every", [{0: -3}, {0: 0}, {5: 2}, {0: 2.5}])
def test_numbers_of_blocks_per_axis_make_sense(split_every):
    with pytest.raises((TypeError, ValueError)):
        ra.sum(ra.ones((4, 4), chunks=1), split_every=split_every)
