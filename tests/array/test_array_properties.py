"""Random expressions over random chunks, against NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import raskt.array as ra

COMMON = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LENGTHS = st.integers(0, 7)
NUMBERS = st.integers(-4, 4).map(float)


@st.composite
def cuts(draw, length):
    """Block lengths that sum to a length."""
    lengths = []
    while sum(lengths) < length:
        lengths.append(draw(st.integers(1, length - sum(lengths))))
    return tuple(lengths) or (0,)


@st.composite
def arrays(draw, shape=None):
    """The same array by NumPy and by raskt."""
    if shape is None:
        shape = tuple(draw(st.lists(LENGTHS, min_size=1, max_size=3)))
    dtype = draw(st.sampled_from(["float64", "float32", "int64", "int16"]))
    seed = draw(st.integers(0, 1000))
    values = np.random.default_rng(seed).integers(-9, 9, shape).astype(dtype)
    chunks = tuple(draw(cuts(length)) for length in shape)
    return values, ra.from_array(values, chunks=chunks)


@st.composite
def expressions(draw):
    """A chain of operations, applied to both, and how far apart the two may be.

    NumPy adds up single-precision numbers in single precision and raskt in double: where either rounds, they differ by
    what a number of that size has for a last bit, however small what is left in the end.
    """
    x, y = draw(arrays())
    largest, precision = largest_of(x), precision_of(x)
    for _ in range(draw(st.integers(0, 6))):
        x, y = draw(st.sampled_from(STEPS))(draw, x, y)
        largest, precision = max(largest, largest_of(x)), max(precision, precision_of(x))
    return x, y, largest * precision


def largest_of(x):
    return float(np.abs(x).max(initial=1))


def precision_of(x):
    return 1e-3 if x.dtype == np.float32 else 1e-8


def scale(draw, x, y):
    number = draw(NUMBERS)
    return x * number, y * number


def shift(draw, x, y):
    return x + x.dtype.type(3), y + x.dtype.type(3)


def compare(draw, x, y):
    # No sum of few integers, and no mean of them, is near this number: rounding doesn't decide.
    return (x > 0.0371) * 2.0, (y > 0.0371) * 2.0


def wave(draw, x, y):
    return np.sin(x.astype(float)), ra.sin(y.astype(float))


def choose(draw, x, y):
    return np.where(x > 1.0371, x, -1), ra.where(y > 1.0371, y, -1)


def add_another(draw, x, y):
    shape = tuple(length if draw(st.booleans()) else 1 for length in x.shape)
    other, mine = draw(arrays(shape))
    return x + other, y + mine


def add_itself_turned(draw, x, y):
    return x + x[::-1], y + y[::-1]


def transpose(draw, x, y):
    axes = draw(st.permutations(range(x.ndim)))
    return x.transpose(axes), y.transpose(axes)


def cut(draw, x, y):
    key = []
    for length in x.shape:
        bounds = st.none() | st.integers(-length - 2, length + 2)
        step = draw(st.sampled_from([None, 1, 2, -1, -3]))
        key.append(slice(draw(bounds), draw(bounds), step))
    return x[tuple(key)], y[tuple(key)]


def pick(draw, x, y):
    axis = draw(st.integers(0, x.ndim - 1))
    if not x.shape[axis]:
        return x, y
    places = draw(st.lists(st.integers(-x.shape[axis], x.shape[axis] - 1), max_size=5))
    return np.take(x, np.array(places, int), axis), ra.take(y, np.array(places, int), axis)


def reshape(draw, x, y):
    shape = draw(st.sampled_from([(-1,), (1, -1), (-1, 1)]))
    if not x.size:
        shape = (x.size,)
    return x.reshape(shape), y.reshape(shape)


def join(draw, x, y):
    axis = draw(st.integers(0, x.ndim - 1))
    return np.concatenate([x, x], axis), ra.concatenate([y, y], axis)


def new_axis(draw, x, y):
    return (x[None], y[None]) if x.ndim < 4 else (x, y)


def rechunk(draw, x, y):
    return x, y.rechunk(tuple(draw(cuts(length)) for length in x.shape))


def centre(draw, x, y):
    axis = draw(st.integers(0, x.ndim - 1))
    if not x.shape[axis]:
        return x, y
    return x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)


def accumulate(draw, x, y):
    axis = draw(st.integers(0, x.ndim - 1))
    return x.cumsum(axis=axis), y.cumsum(axis=axis)


STEPS = [
    scale, shift, compare, wave, choose, add_another, add_itself_turned, transpose, cut, pick, reshape, join, new_axis,
    rechunk, centre, accumulate,
]  # fmt: skip


def same(mine, theirs, apart=0.0):
    result = np.asarray(mine.compute())
    assert mine.dtype == theirs.dtype == result.dtype
    assert mine.shape == theirs.shape == result.shape
    assert tuple(map(sum, mine.chunks)) == mine.shape
    rtol = precision_of(theirs)
    np.testing.assert_allclose(result, theirs, rtol=rtol, atol=max(apart, rtol * largest_of(theirs)))


@COMMON
@given(expressions())
def test_chains_of_operations(expression):
    theirs, mine, apart = expression
    same(mine, theirs, apart)


@COMMON
@given(expressions(), st.sampled_from(["sum", "mean", "var", "any", "all"]), st.booleans(), st.data())
def test_reductions_of_chains(expression, name, keepdims, data):
    theirs, mine, apart = expression
    axes = data.draw(st.none() | st.lists(st.integers(0, theirs.ndim - 1), unique=True, max_size=3).map(tuple))
    picked = range(theirs.ndim) if axes is None else axes
    if name in ("mean", "var") and any(not theirs.shape[axis] for axis in picked):
        return
    options = {"axis": axes, "keepdims": keepdims}
    if name in ("any", "all"):
        theirs, mine = compare(data.draw, theirs, mine)
    if name == "sum" and theirs.dtype == np.float32:
        theirs = theirs.astype(float)
        mine = mine.astype(float)
    # As many as are added up may be apart; squares are apart by as much as they are large.
    apart *= max(1, theirs.size) * (2 * largest_of(theirs) if name == "var" else 1)
    same(getattr(mine, name)(**options), np.asarray(getattr(theirs, name)(**options)), apart)


@COMMON
@given(arrays(), st.sampled_from(["min", "max", "argmin", "argmax"]), st.data())
def test_extremes(pair, name, data):
    theirs, mine = pair
    axis = data.draw(st.integers(0, theirs.ndim - 1))
    if not theirs.shape[axis]:
        return
    same(getattr(mine, name)(axis=axis), getattr(theirs, name)(axis=axis))


@COMMON
@given(arrays(), st.data())
def test_masks(pair, data):
    theirs, mine = pair
    bound = data.draw(st.integers(-9, 9))
    found = mine[mine > bound]
    np.testing.assert_array_equal(found.compute(), theirs[theirs > bound])
    total = (found * 2).sum()
    assert total.compute() == (theirs[theirs > bound] * 2).sum()


@COMMON
@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.data())
def test_products(rows, inner, columns, data):
    x, mine_x = data.draw(arrays((rows, inner)))
    y, mine_y = data.draw(arrays((inner, columns)))
    same(mine_x @ mine_y, x @ y)


@COMMON
@given(st.lists(arrays(), min_size=1, max_size=1), st.data())
def test_shapes_in_c_order(pairs, data):
    theirs, mine = pairs[0]
    divisors = [n for n in range(1, theirs.size + 1) if theirs.size % n == 0] or [0]
    first = data.draw(st.sampled_from(divisors))
    shape = (first, theirs.size // first if first else 3)
    same(mine.reshape(shape), theirs.reshape(shape))
