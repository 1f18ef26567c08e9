"""Arguments that NumPy's functions have: each is honoured as NumPy does, or refused."""

import numpy as np
import pytest

import raskt.array as ra

X = np.arange(6.0).reshape(2, 3)


@pytest.fixture
def x():
    return ra.from_array(X, chunks=2)


def test_flags_of_methods(x):
    for name in ("any", "all", "argmax", "argmin"):
        found = getattr(x, name)(axis=1, keepdims=True)
        np.testing.assert_array_equal(found.compute(), getattr(X, name)(axis=1, keepdims=True))
    assert x.all(where=X > 0).compute() == X.all(where=X > 0)
    assert not x.any(where=X > 9).compute()


def test_dot_takes_its_operand_by_position(x):
    np.testing.assert_array_equal(x.dot(X.T).compute(), X.dot(X.T))
    out = np.empty((2, 2))
    x.dot(X.T, out)
    np.testing.assert_array_equal(out, X.dot(X.T))
    with pytest.raises(TypeError):
        x.dot(b=X.T)


def test_ranges_need_an_end():
    with pytest.raises(TypeError, match="requires stop"):
        ra.arange()
    assert ra.arange(stop=3).compute().tolist() == np.arange(stop=3).tolist()
    assert ra.arange(start=1, stop=3).compute().tolist() == np.arange(start=1, stop=3).tolist()


@pytest.mark.parametrize("name", ["average", "nanmedian", "nanquantile", "nanpercentile"])
def test_reduced_axes_stay_only_if_it_is_said(x, name):
    args = () if name in ("average", "nanmedian") else (0.5,)
    for options in ({}, {"keepdims": True}, {"keepdims": False}):
        mine, theirs = getattr(ra, name)(x, *args, axis=0, **options), getattr(np, name)(X, *args, axis=0, **options)
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine.compute(), theirs)


def test_reshaping_without_a_copy(x):
    assert ra.reshape(x, (3, 2), copy=False).compute().tolist() == X.reshape(3, 2).tolist()
    for reshape in (ra.reshape, lambda a, *args, **options: a.reshape(*args, **options)):
        with pytest.raises(ValueError, match="Unable to avoid"):
            reshape(x, (3, 2), order="F", copy=False)
    with pytest.raises(TypeError, match="shape"):
        ra.reshape(x)
    with pytest.raises(TypeError, match="shape"):
        ra.fromfunction(lambda i: i)


def test_an_example_of_a_block_is_numpy_s(x):
    for call in (
        lambda meta: ra.from_array(X, meta=meta),
        lambda meta: ra.broadcast_to(x, (2, 2, 3), meta=meta),
        lambda meta: ra.blockwise(np.negative, "ij", x, "ij", meta=meta),
    ):
        assert call(np.empty((0, 0))).dtype == float
        with pytest.raises(NotImplementedError, match="meta"):
            call([1.0])
    with pytest.raises(ValueError, match="astype"):
        ra.broadcast_to(x, (2, 2, 3), meta=np.empty(0, "int8"))
    assert ra.blockwise(np.negative, "ij", x, "ij", meta=np.empty((0, 0), "float32")).dtype == "float32"


def test_copies_by_numpy_s_name(x):
    assert np.copy(x).compute().tolist() == X.tolist()
    with pytest.raises(NotImplementedError, match="order"):
        np.copy(x, order="F")
