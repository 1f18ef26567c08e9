"""Arrays of Dask, and xarray on them."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.dask

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")


@pytest.fixture
def x():
    return da.random.default_rng(7).normal(size=(60, 45), chunks=(17, 10))


EXPRESSIONS = {
    "elementwise": lambda x: (da.sqrt(abs(x)) + 2 * x - x[::-1]) / 3,
    "reductions": lambda x: da.stack([x.sum(), x.mean(), x.std(), x.max(), x.var(), x.min()]),
    "along an axis": lambda x: x.mean(axis=0) + x.sum(axis=0),
    "arg": lambda x: x.argmax(axis=1),
    "standardise": lambda x: (x - x.mean(axis=0)) / x.std(axis=0),
    "matmul": lambda x: x @ x.T,
    "tensordot": lambda x: da.tensordot(x, x, axes=(0, 0)),
    "einsum": lambda x: da.einsum("ij,kj->ik", x, x),
    "rechunk": lambda x: x.rechunk((60, 3)).T.rechunk(8),
    "reshape": lambda x: x.reshape(10, 6, 45),
    "index": lambda x: x[[5, 3, 44], ::2][:, 1:-1],
    "mask": lambda x: x[x > 0.5],
    "where": lambda x: da.where(x > 0, x, -x),
    "overlap": lambda x: x.map_overlap(lambda block: block + np.roll(block, 1, axis=0), depth=1, boundary="reflect"),
    "map_blocks": lambda x: x.map_blocks(_by_place, dtype=float),
    "cumsum": lambda x: x.cumsum(axis=0),
    "concatenate": lambda x: da.concatenate([x, x + 1], axis=1),
    "topk": lambda x: da.topk(x, 3, axis=0),
    "histogram": lambda x: da.histogram(x, bins=10, range=(-3, 3))[0],
    "unique": lambda x: da.unique((x * 2).astype(int)),
    "percentile": lambda x: da.percentile(x.ravel(), [10, 50, 90]),
    "from memory": lambda x: da.from_array(np.arange(100), chunks=7)[3:90:2] ** 2,
    "one element": lambda x: da.ones(1, chunks=1) + 1,
    "nothing": lambda x: da.ones((0, 3), chunks=1) + 1,
    "apply_gufunc": lambda x: da.apply_gufunc(_norms, "(i)->()", x.rechunk((10, 45)), vectorize=False),
    "fft": lambda x: da.fft.fft(x.rechunk((10, 45)), axis=1),
    "setitem": lambda x: _assigned(x),
    "padded": lambda x: da.pad(x, 3, mode="edge"),
    "structured": lambda x: da.from_array(np.zeros(10, [("a", int), ("b", float)]), chunks=3)["a"] + 1,
}


def _by_place(block, block_info=None):
    return block * block_info[0]["chunk-location"][0]


def _norms(block):
    return np.linalg.norm(block, axis=-1)


def _assigned(x):
    x = x.copy()
    x[3:10, ::4] = -1
    return x


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name, x, same):
    same(EXPRESSIONS[name](x))


@pytest.mark.parametrize("name", ["elementwise", "reductions", "matmul", "overlap"])
def test_expressions_that_were_not_optimised(name, x, same):
    same(EXPRESSIONS[name](x), optimize_graph=False)


def test_factorisations(x, client):
    """Equal but for the last bits: LAPACK adds in another order with another number of threads."""
    tall = x.rechunk((20, 45))
    inverse = da.linalg.inv((tall.T @ tall).rechunk(15))
    for parts in (da.linalg.qr(tall), da.linalg.svd(tall), (inverse,)):
        ours, theirs = (dask.compute(*parts, scheduler=scheduler) for scheduler in (client, "sync"))
        for mine, reference in zip(ours, theirs, strict=True):
            assert mine.dtype == reference.dtype
            np.testing.assert_allclose(mine, reference, rtol=1e-9, atol=1e-9 * np.abs(reference).max())


def test_results_are_right_and_not_only_equal_to_those_of_dask(client):
    values = np.arange(12.0).reshape(3, 4)
    x = da.from_array(values, chunks=2)
    with dask.config.set(scheduler=client):
        np.testing.assert_array_equal((x @ x.T).compute(), values @ values.T)
        assert float(x.std()) == values.std()


@pytest.fixture
def loaded():
    """An array of forty ones in four blocks, and a list that grows by one whenever a block is made."""
    calls = []

    def load(block):
        calls.append(1)
        return block

    return da.ones(40, chunks=10).map_blocks(load, dtype=float, meta=np.empty(0)), calls


def test_arrays_that_are_computed_together_share_work(client, loaded):
    x, calls = loaded
    x_sum, x_max = dask.compute(x.sum(), x.max(), scheduler=client)
    assert (x_sum, x_max, len(calls)) == (40.0, 1.0, 4)


def test_persisted_arrays_are_computed_once(client, loaded):
    x, calls = loaded
    with dask.config.set(scheduler=client):
        persisted = x.persist()
        assert len(calls) == 4
        assert persisted.sum().compute() == (persisted * 2).max().compute() * 20 == 40.0
        first, second = dask.persist(x + 1, x + 2)
        np.testing.assert_array_equal((second - first).compute(), np.ones(40))
    # Twice: once for each of the two that were not made from the persisted one.
    assert len(calls) == 8


def test_store_writes_into_targets(x, client):
    target = np.zeros(x.shape)
    with dask.config.set(scheduler=client):
        da.store(x, target, lock=True)
        np.testing.assert_array_equal(target, x.compute())


def test_contexts_reach_the_tasks(client):
    x = da.from_array(np.array([1.0, 0.0, -1.0, 2.0]), chunks=2)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        (1 / x).compute(scheduler=client)
    with np.errstate(divide="ignore"):
        assert (1 / x).compute(scheduler=client)[1] == np.inf


def test_xarray(same, client):
    xarray = pytest.importorskip("xarray")
    rng = np.random.default_rng(0)
    dataset = xarray.Dataset(
        {"temp": (("time", "place"), rng.normal(15, 8, (365, 6))), "rain": (("time", "place"), rng.random((365, 6)))},
        {"time": np.arange("2013-01-01", "2014-01-01", dtype="datetime64[D]"), "place": list("abcdef")},
    )
    lazy = dataset.chunk({"time": 50, "place": 2})

    def work(data):
        monthly = data.groupby("time.month").mean()
        smooth = data.temp.rolling(time=7, center=True).mean()
        return xarray.merge(
            [monthly, smooth.rename("smooth"), data.rain.where(data.temp > 10).sum("time").rename("sum")]
        )

    with dask.config.set(scheduler=client):
        xarray.testing.assert_allclose(work(lazy).compute(), work(dataset))
        persisted = lazy.persist()
        xarray.testing.assert_identical((persisted + 1).load(), (dataset + 1))


def test_the_callable_is_a_scheduler_too(x):
    with dask.config.set(scheduler=raskt.dask.get):
        ours = (x + 1).sum().compute(num_workers=2)
    assert ours == (x + 1).sum().compute(scheduler="sync")
