"""What is written to an argument after a call changes no result."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra

LINE = np.array([1.0, 2.0, 3.0, 4.0])
SHARES = np.array([0.1, 0.2, 0.3, 0.4])


def rng():
    return ra.random.default_rng(0)


CALLS = {
    "digitize": (LINE, lambda x, v: ra.digitize(x, v)),
    "histogram": (LINE, lambda x, v: ra.histogram(x, bins=v)[0]),
    "histogram weights": (LINE, lambda x, v: ra.histogram(x[0], bins=3, range=(0, 5), weights=v)[0]),
    "quantile": (SHARES, lambda x, v: ra.quantile(x, v)),
    "nanpercentile": (LINE, lambda x, v: ra.nanpercentile(x, v, axis=0)),
    "interp": (LINE, lambda x, v: ra.interp(x, v, v * 2)),
    "searchsorted": (LINE, lambda x, v: ra.searchsorted(v, x)),
    "isin": (LINE, lambda x, v: ra.isin(x, v)),
    "gradient": (LINE, lambda x, v: ra.gradient(x, v, axis=1)),
    "linspace": (LINE, lambda x, v: ra.linspace(v, 9, 3)),
    "choice": (LINE, lambda x, v: rng().choice(v, 20)),
    "choice by shares": (SHARES, lambda x, v: rng().choice(4, 20, p=v)),
    "choice of different": (LINE, lambda x, v: rng().choice(v, 3, replace=False)),
    "choice of different by shares": (SHARES, lambda x, v: rng().choice(4, 3, replace=False, p=v)),
    "permutation": (LINE, lambda x, v: rng().permutation(v)),
    "multinomial": (SHARES, lambda x, v: rng().multinomial(9, v, size=5)),
    "normal": (LINE, lambda x, v: rng().normal(v, 1)),
    "apply_along_axis": (LINE, lambda x, v: ra.apply_along_axis(lambda line, w: line @ w, 1, x, v)),
    "apply_along_axis by name": (LINE, lambda x, v: ra.apply_along_axis(lambda line, w: line @ w, 1, x, w=v)),
    "add": (LINE, lambda x, v: x + v),
    "where": (LINE, lambda x, v: ra.where(x > 2, x, v)),
    "average": (LINE, lambda x, v: ra.average(x, axis=1, weights=v)),
    "index": (np.array([2, 0, 1]), lambda x, v: x[v]),
    "insert": (LINE, lambda x, v: ra.insert(x, 1, v, axis=0)),
    "pad": (LINE[:2], lambda x, v: ra.pad(x, 1, constant_values=v)),
    "select": (LINE, lambda x, v: ra.select([x > 2], [v], x)),
    "cov": (LINE, lambda x, v: ra.cov(x, aweights=v)),
    "nan_to_num": (LINE, lambda x, v: ra.nan_to_num(x / 0, nan=v)),
    "nan_to_num of complex": (LINE, lambda x, v: ra.nan_to_num(x * 1j / 0, nan=v, posinf=v)),
    "map_blocks": (LINE, lambda x, v: x.map_blocks(lambda b, w: b + w[1], v)),
    "map_blocks by name": (LINE, lambda x, v: x.map_blocks(lambda b, w: b + w[1], w=v)),
    "map_blocks, in a list": (LINE, lambda x, v: x.map_blocks(lambda b, w: b + w[0]["a"][1], [{"a": v}])),
    "map_blocks without lazy arrays": (
        LINE,
        lambda x, v: ra.map_blocks(lambda w, block_id: w, v, chunks=((4,),), dtype=float),
    ),
    "blockwise": (LINE, lambda x, v: ra.blockwise(lambda b, w: b + w[1], "ij", x, "ij", v, None, dtype=float)),
    "blockwise by name": (LINE, lambda x, v: ra.blockwise(lambda b, w: b + w[1], "ij", x, "ij", w=v, dtype=float)),
    "fromfunction": (LINE, lambda x, v: ra.fromfunction(lambda i, w: i + w[1], (4,), w=v, chunks=2)),
    "partition": (np.array([2, 1]), lambda x, v: ra.partition(x, v)),
    "argpartition": (np.array([2, 1]), lambda x, v: ra.argpartition(x, v)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("chunks", [2, -1])
def test_later_writes_change_nothing(name, chunks):
    given, call = CALLS[name]
    x = ra.from_array(np.arange(12.0).reshape(3, 4) % 5, chunks=chunks)
    expected = call(x, given.copy()).compute()
    argument = given.copy()
    result = call(x, argument)
    argument[:] = 0
    assert np.array_equal(result.compute(), expected)


@pytest.mark.parametrize("bins", [[1.0, 2.0, 3.0], np.array([3.0, 2.0, 1.0])])
def test_later_writes_to_bins_change_nothing(bins):
    x = ra.arange(5.0, chunks=2)
    expected = np.digitize(np.arange(5.0), bins)
    result = ra.digitize(x, bins)
    bins[:] = [9.0] * 3
    assert np.array_equal(result.compute(), expected)


LISTS = {
    "histogram": ([0.0, 2.0], [0.0, 4.0], lambda x, v: ra.histogram(x, 2, range=v)[0]),
    "partition": ([0], [3], lambda x, v: ra.partition(x, v)),
    "apply_along_axis": ([1.0], [2.0], lambda x, v: ra.apply_along_axis(lambda line, w: line + w[0], 0, x, v)),
    "map_blocks": ([1.0], [2.0], lambda x, v: x.map_blocks(lambda block, w: block + w[0], v)),
    "fromfunction": ([1.0], [2.0], lambda x, v: ra.fromfunction(lambda i, w: i + w[0], (4,), w=v)),
}


@pytest.mark.parametrize("name", LISTS)
def test_later_writes_to_lists_change_nothing(name):
    before, after, call = LISTS[name]
    x = ra.from_array(np.array([3.0, 1.0, 2.0, 0.0]), chunks=2)
    expected, argument = call(x, list(before)).compute(), list(before)
    result = call(x, argument)
    argument[:] = after
    assert np.array_equal(result.compute(), expected)
    assert not np.array_equal(call(x, after).compute(), expected) or name == "partition"
