"""Arguments and edges of functions of arrays, against NumPy."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check, sample

X = sample(float, (6, 5), seed=3)
LINE = np.arange(10)


def both(function, *arrays, chunks=2, rtol=None):
    """The same call of NumPy's function and of ours, which give the same or raise the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = function(np, *arrays)
        except Exception as error:
            with pytest.raises(type(error)):
                found = function(ra, *(ra.from_array(array, chunks=chunks) for array in arrays))
                for part in found if isinstance(found, (tuple, list)) else [found]:
                    part.compute()
            return
        found = function(ra, *(ra.from_array(array, chunks=chunks) for array in arrays))
        if isinstance(expected, (tuple, list)):
            assert type(found) is type(expected)
            for mine, theirs in zip(found, expected, strict=True):
                check(mine, theirs, rtol)
        else:
            check(found, expected, rtol)


SCALARS = [
    3,
    13,
    -4,
    2.5,
    np.uint8(3),
    np.uint8(13),
    np.int8(-3),
    np.float32(2.5),
    np.float64(7),
    np.uint64(5),
    np.int32(9),
    True,
]


@pytest.mark.parametrize("start", SCALARS, ids=lambda value: f"{type(value).__name__} {value}")
def test_ranges_of_any_scalars(start):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(ra.arange(start), np.arange(start))
        for stop, step in itertools.product(SCALARS, [*SCALARS, -1, -2.5, None]):
            try:
                expected = np.arange(start, stop, step)
            except Exception as error:
                with pytest.raises(type(error)):
                    ra.arange(start, stop, step)
                continue
            found = ra.arange(start, stop, step, chunks=4)
            assert found.shape == expected.shape, (stop, step)
            assert found.dtype == expected.dtype, (stop, step)
            assert (found.compute() == expected).all(), (stop, step)


@pytest.mark.parametrize(
    "bounds",
    [
        (6, 0, -2), (6, -1, -2), (0, 1, 0.1), (-72057594037927945, -72057594037927938, 1.0), (0, 10, 3), (10, 0, -3),
        (0.1, 1, 0.1), (5, 5), (5, 0), (1, 2, 1e-1), (0, -1, -0.3), (1j, 3, 1), (0, 3 + 3j, 1 + 1j),
        (2**62, 2**63 - 1, 2**60),
        (1e10, 1e10 + 1, 0.1), (0, 5, 0),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("dtype", [None, "int8", "int64", "uint16", "float32", "float64", "complex64"])
@pytest.mark.filterwarnings("ignore")
def test_ranges(bounds, dtype):
    try:
        expected = np.arange(*bounds, dtype=dtype)
    except Exception as error:
        with pytest.raises(type(error)):
            ra.arange(*bounds, dtype=dtype)
        return
    found = ra.arange(*bounds, dtype=dtype, chunks=3)
    assert found.dtype == expected.dtype
    assert found.compute().tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64", "complex128"])
@pytest.mark.parametrize(("start", "stop", "num"), [(0, 1, 7), (2, -3, 5), (0, 10, 1), (0, 10, 0), (1e-3, 1e2, 9)])
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(start, stop, num, endpoint, dtype):
    expected = np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)
    check(ra.linspace(start, stop, num, endpoint=endpoint, dtype=dtype, chunks=2), expected, rtol=1e-15)


METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
    "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]  # fmt: skip


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles(name, method):
    scale = 100 if "percentile" in name else 1
    holes = np.where(np.abs(X) > 1.5, np.nan, X)
    for data in (X, X.astype("float32"), holes, (X * 10).astype(int), X[0]):
        for q, axis, keepdims in [
            (0.3, None, False),
            ([0.25, 0.5], 0, True),
            ([[0.0, 1.0]], -1, False),
            (np.float32(0.5), 0, False),
        ]:
            if axis == -1 and data.ndim == 1:
                continue
            fraction = np.multiply(q, scale) if np.ndim(q) else q * scale
            both(lambda m, x, fraction=fraction, axis=axis, keepdims=keepdims: getattr(m, name)(
                x, fraction, axis=axis, method=method, keepdims=keepdims), data)  # fmt: skip
    weights = np.arange(1.0, 31).reshape(6, 5)
    for w, axis in [
        (weights, None),
        (weights, 0),
        (weights[:, 0], 0),
        (weights[0], 1),
        (weights[0], 0),
        (weights[:2], None),
    ]:
        if "nan" in name and axis is not None:
            continue  # NumPy's own loop over lines fails with an IndexError here.
        both(lambda m, x, w=w, axis=axis: getattr(m, name)(x, 0.3 * scale, axis=axis, method=method, weights=w), X)


@pytest.mark.parametrize("q", [-0.1, 1.1, [0.5, 2]])
def test_quantiles_that_there_are_not(q):
    with pytest.raises(ValueError):
        ra.quantile(ra.from_array(X), q)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), 2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool", "complex64"])
def test_medians(name, axis, dtype):
    both(lambda m, x: getattr(m, name)(x, axis=axis), sample(dtype, (6, 5)))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (1, 0), 2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool", "complex64"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_averages(axis, dtype, keepdims):
    x = sample(dtype, (6, 5))
    rng = np.random.default_rng(0)
    for shape in [None, (6, 5), (6,), (5,), (5, 6), ()]:
        for kind in (float, np.float32, int):
            w = None if shape is None else (rng.random(shape) * 10 + 1).astype(kind)
            both(lambda m, a, w=w: m.average(a, axis=axis, weights=w, keepdims=keepdims), x, rtol=1e-5)


def test_weights_without_weight():
    with pytest.raises(ZeroDivisionError):
        ra.average(ra.ones(3), weights=[1.0, 0, -1]).compute()


@pytest.mark.parametrize("options", [
    {}, {"bias": True}, {"ddof": 0}, {"ddof": 10}, {"ddof": 1.5}, {"rowvar": False}, {"fweights": [1, 2, 0, 1, 3]},
    {"aweights": [1.5, 2, 0.5, 1, 3]}, {"fweights": [1, 2, 0, 1, 3], "aweights": [1.5, 2, 0.5, 1, 3]},
    {"fweights": [1.5, 2, 0, 1, 3]}, {"fweights": [1, 2]}, {"aweights": [-1, 1, 1, 1, 1]},
    {"fweights": [1, 2, 0, 1, 3], "ddof": 0},
    {"dtype": "float32"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize(
    "data", [X, X[0], X[:1], X.astype("complex128") * (1 + 2j), (X * 9).astype(int), X[:0]], ids=lambda x: str(x.shape)
)
def test_covariances(data, options):
    if data.dtype.kind == "c" and options == {"ddof": 10}:
        pytest.skip("an infinite factor makes NaN of zeros, which rounding moves")
    both(lambda m, x: m.cov(x, **options), data, rtol=1e-6 if "dtype" in options else 1e-9)


@pytest.mark.parametrize("rowvar", [True, False])
@pytest.mark.parametrize("data", [X, X[0], X[:1], X * (1 + 2j), np.array([[1, 2]])], ids=lambda x: str(x.shape))
def test_correlations(data, rowvar):
    both(lambda m, x: m.corrcoef(x, rowvar=rowvar), data, rtol=1e-9)
    both(lambda m, x: m.corrcoef(x, x + 1, rowvar=rowvar), data, rtol=1e-9)
    both(lambda m, x: m.cov(x, x * 2, rowvar=rowvar), data, rtol=1e-9)


@pytest.mark.parametrize("n", [0, 1, 2, 7, -1])
@pytest.mark.parametrize(
    "ends", [{}, {"prepend": 0}, {"append": 2.5}, {"prepend": np.ones((6, 2)), "append": 7}], ids=str
)
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "uint16"])
def test_differences(n, ends, dtype):
    for axis in (-1, 1, 2):
        both(lambda m, x, axis=axis: m.diff(x, n, axis=axis, **ends), sample(dtype, (6, 5)))


@pytest.mark.parametrize(
    "ends", [{}, {"to_end": 9}, {"to_begin": [1, 2], "to_end": [3]}, {"to_end": 1.5}, {"to_end": 1j}], ids=str
)
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_differences_of_a_line(ends, dtype):
    both(lambda m, x: m.ediff1d(x, **ends), sample(dtype, 7))


@pytest.mark.parametrize("edge_order", [1, 2, 3])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex128"])
def test_gradients(edge_order, axis, dtype):
    uneven = np.array([0.0, 1, 3, 4, 8, 9])
    for steps in [
        (),
        (2.0,),
        (2, 3),
        (uneven, 0.5),
        (uneven,),
        (uneven, uneven[:5]),
        (np.arange(6.0), 1.0),
        (uneven, uneven),
    ]:
        both(
            lambda m, x, steps=steps: m.gradient(x, *steps, axis=axis, edge_order=edge_order),
            sample(dtype, (6, 5)),
            rtol=1e-5,
        )


@pytest.mark.parametrize(
    "mode", ["constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean", "minimum"]
)
@pytest.mark.parametrize(
    "width", [0, 2, (1, 2), ((0, 1), (3, 0)), ((7, 6), (1, 9)), -1, 1.5, {1: 2}, {-1: (0, 3)}], ids=str
)
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_padding(mode, width, dtype):
    both(lambda m, x: m.pad(x, width, mode=mode), sample(dtype, (4, 5)))


@pytest.mark.parametrize(("mode", "options"), [
    ("constant", {"constant_values": 7}), ("constant", {"constant_values": ((1, 2), (3, 4))}),
    ("linear_ramp", {"end_values": 4}), ("linear_ramp", {"end_values": ((1, -2), (3, 50))}),
    ("mean", {"stat_length": 2}), ("maximum", {"stat_length": ((1, 2), (3, 9))}), ("minimum", {"stat_length": 0}),
    ("edge", {"stat_length": 2}), ("nonsense", {}), ("reflect", {"reflect_type": "even"}),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("dtype", ["int16", "float64"])
def test_padding_by_options(mode, options, dtype):
    both(lambda m, x: m.pad(x, ((2, 1), (3, 4)), mode=mode, **options), sample(dtype, (4, 5)))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, 5])
@pytest.mark.parametrize(
    "obj",
    [0, 2, -1, [1, 3], [2], [1, 1, 0], slice(0, 4, 2), np.array([True, False, True, False, False, False]), 99, []],
    ids=str,
)
@pytest.mark.parametrize("values", [7, 2.5, [1, 2], [[1], [2]], np.arange(5), np.arange(6)], ids=str)
def test_inserting(obj, values, axis):
    both(lambda m, x: m.insert(x, obj, values, axis=axis), np.arange(30).reshape(6, 5))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, 9])
@pytest.mark.parametrize(
    "obj", [0, -1, [1, 3], slice(0, 4, 2), [True, False, True, False, False], 99, [-99], []], ids=str
)
def test_deleting(obj, axis):
    both(lambda m, x: m.delete(x, obj, axis=axis), np.arange(30).reshape(6, 5))


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), (0, 0), 5])
@pytest.mark.parametrize("shift", [0, 2, -7, (1, 2), (1, 2, 3)], ids=str)
def test_rolling(shift, axis):
    both(lambda m, x: m.roll(x, shift, axis=axis), np.arange(30).reshape(6, 5))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, 5])
@pytest.mark.parametrize("repeats", [0, 2, [2], [1, 0, 2, 0, 1, 3], [1, 2, 0, 1, 1], -1, 2.5], ids=str)
def test_repeating(repeats, axis):
    both(lambda m, x: m.repeat(x, repeats, axis=axis), np.arange(30).reshape(6, 5))


@pytest.mark.parametrize("axis", [None, 0, -1, 3])
@pytest.mark.parametrize("indices", [0, -1, [1, 3], [[0, 1], [2, 3]], [], [99], np.array([True, False])], ids=str)
def test_taking(indices, axis):
    both(lambda m, x: m.take(x, indices, axis=axis), np.arange(30).reshape(6, 5))
    both(lambda m, x: np.take(x, indices, axis=axis), np.arange(30).reshape(6, 5))


def test_numpy_functions_have_numpy_defaults():
    a = np.arange(12).reshape(3, 4)
    x = ra.from_array(a, chunks=2)
    check(np.take(x, [1, 5]), np.take(a, [1, 5]))
    check(np.insert(x, 1, 99), np.insert(a, 1, 99))
    check(np.delete(x, 1), np.delete(a, 1))
    check(np.roll(x, 1), np.roll(a, 1))
    check(np.repeat(x, 2), np.repeat(a, 2))
    check(np.cov(x), np.cov(a))
    check(np.quantile(x, 0.5), np.quantile(a, 0.5))


@pytest.mark.parametrize("shape", [(6,), (4, 5), (2, 3, 2), ()])
def test_unique_with_more(shape):
    a = np.random.default_rng(0).integers(0, 4, shape)
    both(lambda m, x: m.unique(x, return_index=True, return_inverse=True, return_counts=True), a)
    both(lambda m, x: m.unique(x, return_inverse=True), a)


@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique_of_nan(equal_nan):
    a = np.array([np.nan, 1, np.nan, 0, 1, np.nan])
    both(lambda m, x: m.unique(x, equal_nan=equal_nan), a)
    both(lambda m, x: m.unique(x, return_counts=True, equal_nan=equal_nan), a)


def test_members_of_lazy_arrays():
    a = np.arange(12).reshape(3, 4)
    x = ra.from_array(a, chunks=2)
    check(ra.isin(x, ra.arange(0, 20, 3, chunks=2)), np.isin(a, np.arange(0, 20, 3)))
    check(ra.isin(x, x[x > 7]), np.isin(a, a[a > 7]))
    check(ra.isin(x, [1, 2], invert=True), np.isin(a, [1, 2], invert=True))
    check(ra.isin(x, []), np.isin(a, []))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("numbers", [[0, 1, 2, 0], [0, 3, 1, 1], [-1, 0, 0, 0]], ids=str)
def test_choosing(numbers, mode):
    choices = [np.arange(4), np.arange(4) * 10.0, 7]
    both(lambda m, x: m.choose(x, choices, mode=mode), np.array(numbers))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("positions", [[0, 5, 11], [[0, 1], [2, 3]], [12], [-1]], ids=str)
def test_positions_and_coordinates(positions, order):
    both(lambda m, x: m.unravel_index(x, (3, 4), order=order), np.array(positions))
    for mode in ("raise", "wrap", "clip"):
        both(
            lambda m, x, mode=mode: m.ravel_multi_index((x // 4, x % 4), (3, 4), mode=mode, order=order),
            np.array(positions),
        )


@pytest.mark.parametrize("bins", [5, [0, 1, 2.5, 4], np.array([3, 1, 0])], ids=str)
@pytest.mark.parametrize("right", [True, False])
def test_bins(bins, right):
    if np.ndim(bins):
        both(lambda m, x: m.digitize(x, bins, right=right), np.linspace(-1, 5, 13))


@pytest.mark.parametrize(
    "weights", [None, np.arange(13), np.arange(13) / 3, (np.arange(13) / 3).astype("float32")], ids=str
)
@pytest.mark.parametrize("density", [True, False])
def test_histograms(weights, density):
    data = np.linspace(-1, 5, 13)
    for bins, limits in [(4, (0, 4)), ([0, 1, 2.5, 4], None), (3, (2, 2))]:
        expected = np.histogram(data, bins, range=limits, weights=weights, density=density)
        found = ra.histogram(ra.from_array(data, chunks=4), bins, range=limits, weights=weights, density=density)
        single = getattr(weights, "dtype", None) == np.float32
        check(found[0], expected[0], rtol=1e-6 if single else None)
        np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("indexing", ["xy", "ij", "zz"])
@pytest.mark.parametrize("sparse", [True, False])
def test_grids(indexing, sparse):
    both(lambda m, x, y: m.meshgrid(x, y, indexing=indexing, sparse=sparse), np.arange(3), np.arange(4.0))
    both(lambda m, x: m.meshgrid(x, indexing=indexing, sparse=sparse), np.arange(3))


def test_single_precision_stays():
    x = ra.from_array(X.astype("float32"), chunks=3)
    for part in (*ra.linalg.svd_compressed(x, 2, seed=0), ra.quantile(x, 0.5), ra.linalg.norm(x), ra.linalg.inv(x[:5])):
        assert part.dtype == part.compute().dtype == np.float32


DRAWS = {
    "random": (), "uniform": (-1, 3), "normal": (2, 3), "standard_normal": (), "exponential": (2,), "gamma": (3, 2),
    "standard_gamma": (0.5,), "beta": (2, 3), "chisquare": (4,), "lognormal": (0, 0.5), "laplace": (1, 2),
    "logistic": (1, 2),
    "gumbel": (1, 2), "rayleigh": (2,), "weibull": (2,), "power": (3,), "pareto": (8,), "triangular": (0, 1, 5),
    "standard_t": (8,), "standard_cauchy": (), "standard_exponential": (), "f": (6, 20), "poisson": (4,),
    "binomial": (10, 0.3),
    "negative_binomial": (5, 0.5), "geometric": (0.25,), "integers": (0, 10), "wald": (1, 2),
    "hypergeometric": (30, 20, 25),
    "noncentral_chisquare": (3, 2), "logseries": (0.5,), "zipf": (2,), "vonmises": (0, 4), "noncentral_f": (6, 20, 1),
    "multinomial": (5, [0.2, 0.3, 0.5]), "choice": (50,),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_the_same_in_all_chunks(name):
    def draw(chunks):
        return getattr(ra.random.default_rng(11), name)(*DRAWS[name], size=(37, 9), chunks=chunks).compute()

    whole = draw(-1)
    for chunks in (1, 4, (5, 9), (37, 2)):
        if chunks == 1 and name == "multinomial":
            continue
        assert draw(chunks).tobytes() == whole.tobytes(), chunks
    assert np.unique(whole).size > 2


@pytest.mark.parametrize(
    "options", [{"replace": False}, {"p": np.arange(50) / 1225}, {"replace": False, "p": np.arange(50) / 1225}], ids=str
)
def test_choices_are_the_same_in_all_chunks(options):
    found = [ra.random.default_rng(3).choice(50, 20, chunks=chunks, **options) for chunks in (-1, 3, 7)]
    assert found[1].chunks == ((3,) * 6 + (2,),)
    for other in found[1:]:
        assert (other.compute() == found[0].compute()).all()


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_types_of_draws(name):
    parameters = DRAWS[name]
    draw = getattr(ra.random.default_rng(0), name)
    for dtype in ("float32", "float64"):
        x = draw(*parameters, size=100, dtype=dtype)
        assert x.dtype == x.compute().dtype == dtype
    for dtype in (int, bool, complex, "float16"):
        with pytest.raises(TypeError, match="Unsupported dtype"):
            draw(*parameters, size=3, dtype=dtype)


def test_arguments_that_nobody_knows_are_refused():
    for name, parameters in DRAWS.items():
        with pytest.raises(TypeError):
            getattr(ra.random.default_rng(0), name)(*parameters, size=3, nonsense=1)


def test_parameters_of_other_shapes_are_refused():
    rng = ra.random.default_rng(0)
    with pytest.raises(ValueError):
        rng.normal(np.zeros((2, 3)), 1.0, size=(3,))
    with pytest.raises(ValueError):
        rng.normal(0, np.array([1.0, -1.0])).compute()
    assert rng.normal(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)
