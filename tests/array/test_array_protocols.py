"""NumPy's protocols: NumPy's functions of raskt arrays stay lazy."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import raskt
import raskt.array as ra
from array_comparing import check

X = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def x():
    return ra.from_array(X, chunks=2)


@pytest.mark.parametrize(
    "function",
    [
        np.sqrt,
        np.sum,
        np.mean,
        np.std,
        np.max,
        np.argmax,
        np.ravel,
        np.transpose,
        np.cumsum,
        np.diff,
        np.median,
        lambda v: np.concatenate([v, v]),
        lambda v: np.stack([v, X]),
        lambda v: np.where(v > 3, v, 0),
        lambda v: np.dot(v, v.T),
        lambda v: v @ v.T,
        lambda v: np.matmul(v, np.ones(4)),
        lambda v: np.tensordot(v, v, axes=([0, 1], [0, 1])),
        lambda v: np.einsum("ij,kj->ik", v, v),
        lambda v: np.outer(v, v),
        lambda v: np.clip(v, 2, 5),
        lambda v: np.round(v, 1),
        lambda v: np.moveaxis(v, 0, 1),
        lambda v: np.broadcast_to(v[0], (2, 4)),
        lambda v: np.linalg.norm(v),
        lambda v: np.linalg.norm(v, axis=1),
        lambda v: np.zeros_like(v),
        lambda v: np.percentile(v, [10, 50], axis=0),
        lambda v: np.quantile(v, 0.3),
        lambda v: np.cov(v),
        lambda v: np.corrcoef(v),
        lambda v: np.isclose(v, X),
        lambda v: np.tril(v),
        lambda v: np.roll(v, 1),
        lambda v: np.gradient(v, axis=1),
        lambda v: np.digitize(v, [2.0, 5.0]),
        lambda v: np.add(v, 1, dtype="f4"),
        lambda v: np.nan_to_num(v),
        lambda v: np.repeat(v, 2, axis=0),
        lambda v: np.pad(v, 1),
    ],
)
def test_functions_of_numpy_stay_lazy(x, function):
    check(function(x), function(X))


def test_functions_that_promise_plain_values(x):
    assert np.shape(x) == (3, 4)
    assert np.ndim(x) == 2
    assert np.size(x) == 12
    assert np.allclose(x, X) is True
    assert np.array_equal(x, X + 1) is False


def test_factorisations_by_numpy_s_names(x):
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(((u * s) @ vt).compute(), X, atol=1e-12)
    u, s, vt = np.linalg.svd(x)
    assert (u.shape, s.shape, vt.shape) == ((3, 3), (3,), (4, 4))
    np.testing.assert_allclose(((u * s) @ vt[:3]).compute(), X, atol=1e-12)
    assert np.linalg.svd(x, compute_uv=False).shape == (3,)
    q, r = np.linalg.qr(x.T)
    np.testing.assert_allclose((q @ r).compute(), X.T, atol=1e-12)


def test_functions_that_are_not_there_say_so(x):
    with pytest.raises(TypeError, match=r"raskt\.array has no `numpy.*lexsort`"):
        np.lexsort(x)


def test_arrays_of_numpy_on_the_left(x):
    check(X + x, X + X)
    check(X[0] * x, X[0] * X)
    check(np.float64(2) * x, 2 * X)
    buffer = X.copy()
    buffer += x
    np.testing.assert_array_equal(buffer, X + X)


def test_conversion_computes(x):
    assert np.asarray(x).tolist() == X.tolist()
    assert np.asarray(x, dtype="i4").dtype == np.int32
    assert np.array(x + 1).tolist() == (X + 1).tolist()
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, copy=False)


def test_single_elements():
    assert float(ra.ones(3).sum()) == 3.0
    assert int(ra.arange(5).max()) == 4
    assert complex(ra.asarray(1 + 2j)) == 1 + 2j
    assert [10, 20, 30][ra.arange(3)[1]] == 20
    assert ra.asarray(2.5).item() == 2.5
    assert bool(ra.ones(1))
    if ra.arange(3).sum() > 2:
        passed = True
    assert passed
    with pytest.raises(ValueError, match="ambiguous"):
        bool(ra.ones(2))
    with pytest.raises(TypeError):
        float(ra.ones(2))
    with pytest.raises(TypeError):
        range(ra.asarray(1.5))


def test_results_are_the_caller_s_own(x):
    for lazy in (x, x + 1, x.T, x[::2], x.sum(axis=0), ra.ones((4, 4)), ra.from_array(X, chunks=-1), x.rechunk(-1)):
        result = lazy.compute()
        assert result.flags.writeable
        again = result.copy()
        result[...] = -1
        np.testing.assert_array_equal(lazy.compute(), again)


def test_large_results_are_not_copied():
    x = ra.ones(1_000_000, chunks=-1) * 2.0
    result = x.compute()
    assert not result.flags.owndata
    assert type(result.base).__name__ == "ChunkOwner"


def test_persist(x):
    calls = []

    def note(block):
        calls.append(1)
        return block

    y = x.map_blocks(note, dtype=float).persist()
    count = len(calls)
    check(y + 1, X + 1)
    check(y.sum(), X.sum())
    assert len(calls) == count
    assert y.chunks == x.chunks


def test_persisted_blocks_are_not_written_to_by_users(x):
    y = x.rechunk(-1).persist()
    first = y.compute()
    first[...] = -1
    check(y, X)


def test_persisting_unknown_lengths(x):
    y = x[x > 5].persist()
    assert y.shape == (6,)
    check(y, X[X > 5])


def test_copies_share_the_expression(x):
    y = copy.deepcopy(x)
    z = copy.copy(x)
    y += 1
    check(x, X)
    check(y, X + 1)
    check(z, X)


def test_arrays_are_no_keys(x):
    with pytest.raises(TypeError, match="unhashable"):
        {x: 1}


def test_the_class_is_not_called():
    with pytest.raises(TypeError, match="from_array"):
        ra.Array([1, 2, 3])


def test_names_tell_equal_arrays():
    assert (ra.ones(5) + 1).name == (ra.ones(5) + 1).name
    assert (ra.ones(5) + 1).name != (ra.ones(5) + 2).name


def test_several_at_once(x):
    a, b = ra.compute(x.sum(), x.max())
    assert (a, b) == (66.0, 11.0)


def test_delayed_blocks(x):
    import raskt

    blocks = x.to_delayed()
    assert blocks.shape == x.numblocks
    np.testing.assert_array_equal(blocks[1, 1].compute(), X[2:, 2:])
    doubled = raskt.delayed(lambda block: block * 2)(blocks[0, 0])
    check(ra.from_delayed(doubled, shape=(2, 2), dtype=float), X[:2, :2] * 2)
    unknown = ra.from_delayed(raskt.delayed(np.arange)(5), shape=(float("nan"),), dtype=int)
    check(unknown * 2, np.arange(5) * 2)
    wrong = ra.from_delayed(raskt.delayed(np.ones)(5), shape=(4,), dtype=float)
    with pytest.raises(ValueError, match="shape"):
        wrong.compute()


def test_store(x):
    target = np.zeros((3, 4))
    ra.store(x, target)
    np.testing.assert_array_equal(target, X)
    wide = np.zeros((5, 10))
    x.store(wide, regions=(slice(1, 4), slice(2, 6)))
    np.testing.assert_array_equal(wide[1:4, 2:6], X)
    with pytest.raises(ValueError, match="shape"):
        ra.store(x, np.zeros(3))


def test_store_later_is_a_delayed_object(x):
    target = np.zeros((3, 4))
    later = ra.store(x, target, compute=False)
    assert isinstance(later, raskt.Delayed) and not target.any()
    assert later.compute() is None
    np.testing.assert_array_equal(target, X)
    both = [np.zeros((3, 4)), np.zeros((3, 4))]
    raskt.compute(x.store(both[0], compute=False), ra.store(x + 1, both[1], compute=False))
    np.testing.assert_array_equal(both, [X, X + 1])
