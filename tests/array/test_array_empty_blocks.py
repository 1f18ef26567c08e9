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
