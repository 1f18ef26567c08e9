"""Results written to `out` of every type: NumPy's numbers, NumPy's errors, or a refusal."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import raskt.array as ra

TYPES = ["bool", "int8", "int64", "uint8", "uint64", "float32", "float64", "complex64", "complex128"]
REDUCTIONS = [
    "sum",
    "prod",
    "mean",
    "std",
    "var",
    "min",
    "max",
    "any",
    "all",
    "ptp",
    "argmin",
    "argmax",
    "median",
    "nansum",
    "nanmean",
    "nanvar",
    "nanmin",
    "nanmax",
    "nanargmax",
]
VALUES = {
    "b": [[True, False, True], [False, False, True]],
    "u": [[100, 3, 7], [250, 1, 0]],
    "i": [[-100, 3, 7], [50, -1, 0]],
    "f": [[-2.5, 0.0, 3.75], [0.5, -np.inf, 8.0]],
    "c": [[2.5 - 1.5j, 1j, 0], [3 + 4j, -1, 2]],
}


def values(dtype):
    return np.array(VALUES[np.dtype(dtype).kind], dtype)


def same(expected, found):
    """Equal, but for rounding in the smaller precision."""
    if expected.dtype.kind not in "fc":
        return np.array_equal(expected, found)
    return np.allclose(expected, found, rtol=1e-5, atol=1e-6, equal_nan=True)


def agree(numpy_call, lazy_call, shape, out_type):
    """The same call with an `out` of NumPy's, once of NumPy arrays and once of lazy ones, and with a lazy `out`."""
    expected, found = np.zeros(shape, out_type), np.zeros(shape, out_type)
    lazy = ra.zeros(shape, dtype=out_type)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            numpy_call(expected)
            error = None
        except (TypeError, ValueError) as caught:
            error = caught
        for out in (found, lazy):
            try:
                lazy_call(out)
            except NotImplementedError:
                continue
            except (TypeError, ValueError) as caught:
                assert error is not None, f"{caught!r}, not {expected}"
                continue
            assert error is None, f"{np.asarray(out)}, not {error!r}"
            assert same(expected, np.asarray(out)), f"{np.asarray(out)}, not {expected}"


@pytest.mark.parametrize(("name", "dtype"), list(itertools.product(REDUCTIONS, TYPES)))
def test_reductions_are_taken_in_the_type_that_numpy_takes_them_in(name, dtype):
    x = values(dtype)
    lazy = ra.from_array(x, chunks=(1, 2))
    for out_type, axis in itertools.product(TYPES, (None, 1)):
        agree(
            lambda out, axis=axis: getattr(np, name)(x, axis=axis, out=out),
            lambda out, axis=axis: getattr(np, name)(lazy, axis=axis, out=out),
            () if axis is None else (2,),
            out_type,
        )


CALLS = {
    "take": ((3,), lambda x, out: np.take(x, [0, -1, 1], out=out)),
    "take clipped": ((2, 2), lambda x, out: np.take(x, [0, 9], axis=1, mode="clip", out=out)),
    "compress": ((2, 2), lambda x, out: np.compress([True, False, True], x, axis=1, out=out)),
    "round": ((2, 3), lambda x, out: np.round(x, 1, out=out)),
    "dot": ((2, 2), lambda x, out: np.dot(x, x.T, out=out)),
    "cumsum": ((6,), lambda x, out: np.cumsum(x, out=out)),
    "clip": ((2, 3), lambda x, out: np.clip(x, 0, 5, out=out)),
}


@pytest.mark.parametrize(("name", "dtype"), list(itertools.product(CALLS, TYPES)))
def test_functions_write_to_out_by_numpys_rules(name, dtype):
    shape, call = CALLS[name]
    x = values(dtype)
    if name == "cumsum" and np.dtype(dtype).kind in "fc":
        x = np.where(np.isfinite(x), x, 1).astype(dtype)
    lazy = ra.from_array(x, chunks=(1, 2))
    for out_type in TYPES:
        agree(lambda out: call(x, out), lambda out: call(lazy, out), shape, out_type)


@pytest.mark.parametrize(("name", "dtype"), list(itertools.product(("logical_or", "logical_and"), TYPES)))
def test_truths_are_reduced_with_a_mask_and_an_initial_value(name, dtype):
    x = values(dtype)
    lazy = ra.from_array(x, chunks=(1, 2))
    for initial, mask in itertools.product((0, 2, False), (True, x != 0, np.array([False, True, False]))):
        expected = getattr(np, name).reduce(x, axis=1, initial=initial, where=mask)
        found = getattr(np, name).reduce(lazy, axis=1, initial=initial, where=mask)
        assert np.array_equal(expected, found.compute())


@pytest.mark.parametrize("name", ["remainder", "subtract", "fmax", "hypot", "add", "maximum"])
@pytest.mark.parametrize("axis", [0, -1, None, ()])
def test_a_single_number_is_reduced_along_the_axis_that_numpy_lends_it(name, axis):
    expected = getattr(np, name).reduce(np.array(2.5), axis=axis)
    assert getattr(np, name).reduce(ra.asarray(2.5), axis=axis).compute() == expected


SUMS = ["cumsum", "cumprod", "sum", "prod", "trace"]


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "uint32", "int64", "float32", "float64"])
def test_sums_are_taken_in_the_type_that_elements_and_out_are_promoted_to(name, dtype):
    kind = np.dtype(dtype)
    largest = kind.type(70000.5) if kind.kind == "f" else True if kind.kind == "b" else np.iinfo(kind).max // 2 + 1
    x = np.array([largest, largest, 0, 2]).astype(kind)
    x = np.diag(x) if name == "trace" else x
    lazy = ra.from_array(x, chunks=2)
    for out_type in ("bool", "int8", "uint16", "int64", "float32", "float64", "complex64"):
        if kind.kind == "f" and np.dtype(out_type).kind in "iu":
            continue  # Numbers that integers don't hold: NumPy says nothing of what comes out.
        shape = x.shape if name.startswith("cum") else ()
        agree(
            lambda out: getattr(np, name)(x, out=out),
            lambda out: getattr(ra, name)(lazy, out=out),
            shape,
            out_type,
        )


@pytest.mark.parametrize("name", ["mean", "nanmean"])
@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "int64", "float32", "float64", "complex64"])
def test_means_in_a_type_are_divided_in_that_of_out(name, dtype):
    for kind, out_type, axis in itertools.product(("int8", "int64", "uint16", "float32"), TYPES, (None, 1)):
        x = np.array([[1, 2, 2], [7, 0, 4]], kind)
        lazy = ra.from_array(x, chunks=(1, 2))
        agree(
            lambda out, x=x, axis=axis: getattr(np, name)(x, axis=axis, dtype=dtype, out=out),
            lambda out, lazy=lazy, axis=axis: getattr(ra, name)(lazy, axis=axis, dtype=dtype, out=out),
            () if axis is None else (2,),
            out_type,
        )


def test_a_mean_of_integers_keeps_the_decimals_that_out_holds():
    x = np.array([1, 2])
    lazy = ra.from_array(x, chunks=1)
    assert ra.mean(lazy, dtype="i8", out=ra.asarray(0.0)).compute() == 1.5
    assert lazy.mean(dtype="i4", out=ra.asarray(0.0)).compute() == 1.5
    assert ra.nanmean(lazy, dtype="i8", out=ra.asarray(0.0)).compute() == 1.5


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("decimals", [-2, -1, 0, 1])
def test_numbers_are_rounded_in_the_type_of_out(dtype, decimals):
    kind = np.dtype(dtype)
    least, most = (
        (0, 1)
        if kind.kind == "b"
        else (np.iinfo(kind).min, np.iinfo(kind).max)
        if kind.kind in "iu"
        else (
            -1234.5678,
            2555.555,
        )
    )
    x = np.array([least, most, 15, 14], kind)
    lazy = ra.from_array(x, chunks=3)
    for out_type in TYPES:
        if kind.kind in "iu" and out_type == dtype:
            continue  # What comes out beyond the bounds of a type depends on the place in the array.
        agree(
            lambda out: np.round(x, decimals, out=out),
            lambda out: ra.round(lazy, decimals, out=out),
            x.shape,
            out_type,
        )


A, LINE = np.arange(10.0).reshape(5, 2), np.arange(2.0)
OF_ONE_SHAPE = {
    "sum": lambda n, x, y, out: n.sum(x, axis=0, out=out),
    "sum of all": lambda n, x, y, out: n.sum(x, out=out),
    "prod": lambda n, x, y, out: n.prod(x, axis=0, out=out),
    "mean": lambda n, x, y, out: n.mean(x, axis=0, out=out),
    "mean as": lambda n, x, y, out: n.mean(x, axis=0, dtype="f4", out=out),
    "std": lambda n, x, y, out: n.std(x, axis=0, out=out),
    "nanvar": lambda n, x, y, out: n.nanvar(x, axis=0, out=out),
    "median": lambda n, x, y, out: n.median(x, axis=0, out=out),
    "nanmedian": lambda n, x, y, out: n.nanmedian(x, axis=0, out=out),
    "quantile": lambda n, x, y, out: n.quantile(x, 0.3, axis=0, out=out),
    "lower quantile": lambda n, x, y, out: n.quantile(x, 0.3, axis=0, out=out, method="lower"),
    "nanquantile": lambda n, x, y, out: n.nanquantile(x, 0.3, axis=0, out=out, method="lower"),
    "min": lambda n, x, y, out: n.min(x, axis=0, out=out),
    "nanmax": lambda n, x, y, out: n.nanmax(x, axis=0, out=out),
    "any": lambda n, x, y, out: n.any(x, axis=0, out=out),
    "ptp": lambda n, x, y, out: n.ptp(x, axis=0, out=out),
    "argmax": lambda n, x, y, out: n.argmax(x, axis=0, out=out),
    "argmin of all": lambda n, x, y, out: n.argmin(x, out=out),
    "take": lambda n, x, y, out: n.take(x, 0, axis=0, out=out),
    "compress": lambda n, x, y, out: n.compress([True, False], x, axis=0, out=out),
    "choose": lambda n, x, y, out: n.choose([0, 1], [y, y], out=out),
    "dot": lambda n, x, y, out: n.dot(y, np.eye(2), out=out),
    "matmul": lambda n, x, y, out: n.matmul(y, np.eye(2), out=out),
    "matmul of matrices": lambda n, x, y, out: n.matmul(x, np.eye(2), out=out),
    "outer": lambda n, x, y, out: n.outer(y, y, out=out),
    "trace": lambda n, x, y, out: n.trace(n.stack([x, x]), out=out),
    "einsum": lambda n, x, y, out: n.einsum("i->i", y, out=out),
    "concatenate": lambda n, x, y, out: n.concatenate([y[:1], y[1:]], out=out),
    "stack": lambda n, x, y, out: n.stack([y[0], y[1]], out=out),
    "round": lambda n, x, y, out: n.round(y, 1, out=out),
    "clip": lambda n, x, y, out: n.clip(y, 0, 1, out=out),
    "fix": lambda n, x, y, out: n.fix(y, out=out),
    "isposinf": lambda n, x, y, out: n.isposinf(y, out=out),
    "add": lambda n, x, y, out: n.add(y, 1, out=out),
    "add.reduce": lambda n, x, y, out: n.add.reduce(x, axis=0, out=out),
    "hypot.reduce": lambda n, x, y, out: n.hypot.reduce(x, axis=0, out=out),
}
SHAPES = [(), (1,), (2,), (1, 2), (2, 1), (2, 2), (3, 2), (3, 1, 2), (5, 2), (3, 5, 2)]


@pytest.mark.parametrize("name", OF_ONE_SHAPE)
@pytest.mark.parametrize("dtype", [float, np.int64, bool])
def test_out_has_the_shapes_that_numpy_takes(name, dtype):
    call = OF_ONE_SHAPE[name]
    x, y = ra.from_array(A, chunks=2), ra.from_array(LINE, chunks=1)
    for shape in SHAPES:
        try:
            call(np, A, LINE, expected := np.zeros(shape, dtype))
        except (TypeError, ValueError):
            for out in (ra.zeros(shape, dtype=dtype), np.zeros(shape, dtype)):
                with pytest.raises((TypeError, ValueError, NotImplementedError)):
                    call(ra, x, y, out)
            continue
        for out in (ra.zeros(shape, dtype=dtype), np.zeros(shape, dtype)):
            try:
                call(ra, x, y, out)
            except NotImplementedError:
                continue
            assert np.allclose(np.asarray(out), expected), (shape, type(out))


@pytest.mark.parametrize("name", ["cumsum", "nancumprod"])
def test_running_sums_have_an_out_of_their_shape(name):
    # NumPy itself falls over here.
    for shape in [(), (1,), (1, 2), (3, 2)]:
        with pytest.raises(ValueError, match="shape"):
            getattr(ra, name)(ra.from_array(LINE, chunks=1), out=ra.zeros(shape))


@pytest.mark.parametrize("place", [0, 1])
def test_results_beside_one_with_an_out_have_its_shape(place):
    x = np.array([1.5, 2.25])
    expected, found = np.zeros((3, 2)), ra.zeros((3, 2), chunks=1)
    outs = [(None, None), (None, None)]
    for at, out in enumerate((expected, found)):
        outs[at] = (out, None) if place == 0 else (None, out)
    for one, other in zip(np.modf(x, out=outs[0]), ra.modf(ra.from_array(x, chunks=1), out=outs[1]), strict=True):
        assert one.shape == other.shape
        assert np.array_equal(one, other.compute())
