"""Arrays with blocks of length zero."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

X = np.arange(1.0, 25.0).reshape(6, 4) ** 1.5
CUTS = [((0, 6), (4,)), ((6, 0), (4, 0)), ((2, 0, 4), (0, 4)), ((0, 0, 3, 0, 3, 0), (1, 0, 3)), ((6,), (4,))]

FUNCTIONS = {
    "add": lambda m, x: x + x,
    "self with other cuts": lambda m, x: x + (x.rechunk((4, 3)) if m is ra else x),
    "rows": lambda m, x: x[1:5],
    "backwards": lambda m, x: x[::-2, ::-1],
    "list": lambda m, x: x[[5, 0, 3]],
    "transpose": lambda m, x: x.T,
    "reshape": lambda m, x: x.reshape(3, 8),
    "ravel": lambda m, x: x.ravel(),
    "sum": lambda m, x: x.sum(),
    "sum 0": lambda m, x: x.sum(axis=0),
    "mean 1": lambda m, x: x.mean(axis=1),
    "max": lambda m, x: x.max(axis=0),
    "argmax": lambda m, x: x.argmax(axis=0),
    "std": lambda m, x: x.std(),
    "cumsum": lambda m, x: x.cumsum(axis=0),
    "cumprod flat": lambda m, x: m.cumprod(x[:2] / 4),
    "concatenate": lambda m, x: m.concatenate([x, x, x[:0]]),
    "stack": lambda m, x: m.stack([x, x]),
    "matmul": lambda m, x: x @ x.T,
    "tensordot": lambda m, x: m.tensordot(x, x, 2),
    "einsum": lambda m, x: m.einsum("ij,kj->ik", x, x),
    "median": lambda m, x: m.median(x, axis=0),
    "diff": lambda m, x: m.diff(x, axis=0),
    "roll": lambda m, x: m.roll(x, 2, axis=0),
    "pad": lambda m, x: m.pad(x, 1, mode="reflect"),
    "take": lambda m, x: m.take(x, [3, 1], axis=1),
    "where": lambda m, x: m.where(x > 3, x, 0),
    "mask": lambda m, x: x[x > 9],
    "unique": lambda m, x: m.unique(x % 3),
    "histogram": lambda m, x: m.histogram(x, bins=4, range=(0, 100))[0],
    "r of qr": lambda m, x: abs(m.linalg.qr(x)[1]),
    "singular values": lambda m, x: m.linalg.svd(x)[1] if m is ra else np.linalg.svd(x)[1],
    "broadcast": lambda m, x: m.broadcast_to(x, (2, 6, 4)),
    "repeat": lambda m, x: m.repeat(x, 2, axis=0),
    "flip": lambda m, x: m.flip(x, 0),
    "diagonal": lambda m, x: m.diagonal(x),
    "isin": lambda m, x: m.isin(x, x[0]),
    "cov": lambda m, x: m.cov(x),
    "quantile": lambda m, x: m.quantile(x, [0.25, 0.5], axis=0),
    "topk": lambda m, x: m.topk(x, 2, axis=0) if m is ra else np.sort(x, axis=0)[::-1][:2],
    "squeeze": lambda m, x: m.squeeze(x[:1]),
    "digitize": lambda m, x: m.digitize(x, [3.0, 9.0]),
}


@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, cut):
    function = FUNCTIONS[name]
    check(function(ra, ra.from_array(X, chunks=cut)), function(np, X), rtol=1e-9)


@pytest.mark.parametrize("source", CUTS, ids=str)
@pytest.mark.parametrize("target", CUTS, ids=str)
def test_rechunk(source, target):
    x = (ra.from_array(X, chunks=source) + 0).rechunk(target)
    assert x.chunks == target
    check(x, X)


def test_a_tall_matrix_with_an_empty_block_of_rows():
    q, r = ra.linalg.qr(ra.ones((4, 3), chunks=((2, 0, 2), (3,))))
    check(q @ r, np.ones((4, 3)), rtol=1e-9)


QUANTILES = ["quantile", "nanquantile", "percentile", "nanpercentile"]


@pytest.mark.parametrize("name", QUANTILES)
@pytest.mark.parametrize("q", [0.3, [0.1, 0.9], [[0.0, 0.5], [0.25, 1.0]]])
@pytest.mark.parametrize("method", ["linear", "lower", "nearest", "inverted_cdf", "closest_observation"])
@pytest.mark.parametrize("dtype", ["float64", "int64", "float32"])
def test_quantiles_of_rows_where_blocks_have_none(name, q, method, dtype):
    x = np.arange(8).reshape(4, 2).astype(dtype)
    lazy = ra.from_array(x, chunks=(2, 2))
    filtered = lazy[lazy[:, 0] > 3]
    for rows in (filtered, filtered.compute_chunk_sizes(), ra.from_array(x[2:], chunks=((0, 1, 0, 1), 1))):
        for keepdims in (False, True):
            expected = getattr(np, name)(x[2:], q, axis=1, method=method, keepdims=keepdims)
            found = getattr(ra, name)(rows, q, axis=1, method=method, keepdims=keepdims).compute()
            assert found.dtype == expected.dtype
            assert np.allclose(found, expected)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.parametrize("axis", [1, ()])
def test_medians_of_rows_where_blocks_have_none(name, axis):
    x = np.arange(8.0).reshape(4, 2)
    rows = ra.from_array(x, chunks=((0, 3, 0, 1), 2))
    assert np.array_equal(getattr(ra, name)(rows, axis=axis).compute(), getattr(np, name)(x, axis=axis))


MEETING = {
    "gcd": lambda n, x, y: n.gcd(x, y),
    "lcm": lambda n, x, y: n.lcm(y, x),
    "ldexp": lambda n, x, y: n.ldexp(x, y),
    "choose": lambda n, x, y: n.choose(y - 2, [x, x]),
    "frompyfunc": lambda n, x, y: n.frompyfunc(lambda a, b: a * b, 2, 1)(x, y),
}


@pytest.mark.parametrize("name", MEETING)
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_one_element_that_a_filter_left_is_broadcast(name, shape):
    x = np.arange(6).reshape(2, 3)[: shape[0] if len(shape) > 1 else 1].reshape(shape)
    numbers = ra.from_array(np.array([1, 2, 3, 4]), chunks=1)
    one = numbers[numbers == 2].compute_chunk_sizes()
    assert one.chunks == ((0, 1, 0, 0),)
    found = MEETING[name](ra, ra.from_array(x, chunks=2), one).compute()
    assert np.array_equal(found, MEETING[name](np, x, np.array([2])).astype(found.dtype))


def test_one_element_that_a_filter_left_meets_blocks():
    x = ra.from_array(np.array([3, 6, 9]), chunks=2)
    one = ra.from_array(np.array([2]), chunks=((0, 1, 0),))
    assert ra.map_blocks(np.multiply, x, one, dtype=int).compute().tolist() == [6, 12, 18]
    # Beside none of another length its blocks stay as they are.
    assert ra.map_blocks(np.multiply, one, one, dtype=int).numblocks == (3,)
