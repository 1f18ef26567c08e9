"""Edges that a stranger with NumPy's documentation tried, as classes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import raskt.array as ra

LISTS = [[300], [-1], [1.7], [2**63], [True, 2], [[1, 2], [3, 4]], 300, 2.5, -1, [1j], [], ["1"], (1, 2)]
TYPES = ["bool", "int8", "int64", "uint8", "uint64", "float32", "float64", "complex128"]


def outcome(call):
    """The dtype and the values, or the kind of the error."""
    try:
        found = call()
    except (TypeError, ValueError, OverflowError) as error:
        return type(error).__mro__[-4:]
    found = found.compute() if isinstance(found, ra.Array) else found
    values = np.asarray(found)
    return values.dtype, (values.round(12) if values.dtype.kind in "fc" else values).tolist()


@pytest.mark.parametrize(("value", "dtype"), list(itertools.product(LISTS, TYPES)))
@pytest.mark.filterwarnings("ignore")
def test_numbers_of_python_that_do_not_fit_a_type_are_errors_as_in_numpy(value, dtype):
    for name in ("asarray", "array", "asanyarray"):
        assert outcome(lambda name=name: getattr(ra, name)(value, dtype=dtype)) == outcome(
            lambda: np.asarray(value, dtype=dtype)
        )


@pytest.mark.parametrize("value", [[np.nan], [np.inf, 1], -np.inf])
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
def test_what_is_no_number_is_no_integer(value, dtype):
    with pytest.raises((ValueError, OverflowError)):
        np.asarray(value, dtype)
    with pytest.raises((ValueError, OverflowError)):
        ra.asarray(value, dtype)


MASKED = np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[True, False, False, False])


class Sliced:
    """What can be sliced and gives masked arrays, as netCDF's variables do."""

    shape, dtype, ndim = (4,), np.dtype(float), 1

    def __getitem__(self, part):
        return MASKED[part]


MASKED_CALLS = {
    "operator": lambda x: x + MASKED,
    "in place": lambda x: x.__iadd__(MASKED),
    "gradient": lambda x: ra.gradient(x, MASKED),
    "linspace": lambda x: ra.linspace(np.ma.array(0.0, mask=True), 1, 3),
    "digitize": lambda x: ra.digitize(x, MASKED),
    "histogram": lambda x: ra.histogram(x, bins=MASKED),
    "quantile": lambda x: ra.quantile(x, MASKED / 10),
    "choice": lambda x: ra.random.default_rng(0).choice(MASKED, 3),
    "sliceable": lambda x: ra.from_array(Sliced(), chunks=2).compute(),
    "getitem": lambda x: ra.from_array(np.arange(4.0), chunks=2, getitem=lambda array, part: MASKED[part]).compute(),
}


@pytest.mark.parametrize("name", MASKED_CALLS)
def test_masks_are_never_forgotten(name):
    with pytest.raises(NotImplementedError, match="masked"):
        MASKED_CALLS[name](ra.arange(4.0, chunks=2))


def same_bits(expected, found):
    return np.array_equal(expected, found, equal_nan=True) and np.array_equal(np.signbit(expected), np.signbit(found))


@pytest.mark.parametrize("exponent", [0.5, np.float32(0.5), np.float64(0.5), np.array(0.5), np.array(0.5, "f4")])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.filterwarnings("ignore")
def test_a_power_of_one_half_is_a_root_whatever_its_type(exponent, dtype):
    x = np.array([-np.inf, -0.0, 0.0, 4.0, -4.0, np.nan, np.inf], dtype)
    lazy = ra.from_array(x, chunks=3)
    for expected, found in ((x**exponent, lazy**exponent), (np.power(x, exponent), np.power(lazy, exponent))):
        assert found.dtype == expected.dtype
        assert same_bits(expected, found.compute())
    x **= exponent
    lazy **= exponent
    assert same_bits(x, lazy.compute())


@pytest.mark.parametrize("key", [(Ellipsis, 1, 2), (1, Ellipsis, 2), (1, 2, Ellipsis), (1, 2)])
@pytest.mark.parametrize("value", [[5.0], [[5.0]], 5.0, np.array([5.0]), [5.0, 6.0]])
def test_an_element_is_written_to_with_an_ellipsis(key, value):
    def written(array):
        array[key] = value
        return array

    expected = outcome(lambda: written(np.arange(12).reshape(3, 4)))
    assert outcome(lambda: written(ra.arange(12, chunks=5).reshape(3, 4))) == expected


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (3,), (2, 3)])
@pytest.mark.parametrize("order", [None, "fro", np.inf, 1, 2, 0, -1])
def test_norms_of_nothing_and_of_numbers(shape, order):
    x = np.ones(shape)
    if len(shape) == 2 and 0 in shape and order in (2, -1):
        pytest.skip("singular values of nothing")
    assert outcome(lambda: ra.linalg.norm(ra.from_array(x, chunks=2), order)) == outcome(
        lambda: np.linalg.norm(x, order)
    )


@pytest.mark.parametrize("function", [lambda i, j: i == j, lambda i, j: i + j, lambda i, j: i / 2, lambda i, j: i * 1j])
@pytest.mark.parametrize("dtype", [float, int, "float32", "uint8"])
def test_functions_of_coordinates_have_the_type_that_they_give(function, dtype):
    expected = np.fromfunction(function, (3, 4), dtype=dtype)
    found = ra.fromfunction(function, (3, 4), dtype=dtype, chunks=2)
    assert found.dtype == expected.dtype
    assert np.array_equal(found.compute(), expected)


@pytest.mark.parametrize("bins", [4, [0, 2, 5, 9]])
def test_weights_of_a_histogram_may_be_cut_otherwise(bins):
    x, weights = np.arange(10) % 7, np.arange(10.0)
    expected, _ = np.histogram(x, bins, weights=weights)
    for own, other in itertools.product((3, 1, -1), (4, 10, 1)):
        found, _ = ra.histogram(ra.from_array(x, chunks=own), bins, weights=ra.from_array(weights, chunks=other))
        assert np.allclose(found.compute(), expected)


@pytest.mark.parametrize("q", [25, 25.0, np.float32(25), np.float64(25), np.array(25.0), [25], np.array([25], "f4")])
@pytest.mark.parametrize("method", ["linear", "hazen", "weibull", "lower", "inverted_cdf"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
def test_quantiles_have_the_type_that_their_arguments_give(q, method, dtype):
    x = np.array([3, 1, 4, 1, 5, 9], dtype)
    for name in ("percentile", "nanpercentile"):
        expected = getattr(np, name)(x, q, method=method)
        found = getattr(ra, name)(ra.from_array(x, chunks=4), q, method=method)
        assert found.dtype == expected.dtype
        assert np.array_equal(found.compute(), expected)


@pytest.mark.parametrize(
    "start", [-7, np.int8(-7), -7.5, np.float32(-7.5), 3, np.int16(300), 300, 0.5, np.float64(-0.5)]
)
@pytest.mark.parametrize("step", [1, -1, 2.5, np.int8(-3), np.float32(1.5)])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64", "uint64"])
def test_ranges_that_begin_outside_of_their_type_are_errors_as_in_numpy(start, step, dtype):
    stop = float(start) + 5 * float(step)
    expected = outcome(lambda: np.arange(start, stop, step, dtype=dtype))
    assert outcome(lambda: ra.arange(start, stop, step, dtype=dtype, chunks=2)) == expected


@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin", "argmax", "nanargmin", "ptp", "sum", "all"])
@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3), (0, 3, 0), (3, 0)])
def test_extremes_of_nothing_are_errors_also_where_nothing_is_left(name, shape):
    x = np.zeros(shape)
    for axis in (*range(len(shape)), None):
        expected = outcome(lambda axis=axis: getattr(np, name)(x, axis=axis))
        assert outcome(lambda axis=axis: getattr(ra, name)(ra.from_array(x, chunks=2), axis=axis)) == expected
