"""Random arrays: seeds, chunks, and the moments of each distribution."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

COUNT = 200_000

#: Name, parameters, mean, standard deviation.
DISTRIBUTIONS = [
    ("random", (), 0.5, 12**-0.5),
    ("uniform", (-1, 3), 1, 4 * 12**-0.5),
    ("normal", (2, 3), 2, 3),
    ("standard_normal", (), 0, 1),
    ("exponential", (2,), 2, 2),
    ("standard_exponential", (), 1, 1),
    ("gamma", (3, 2), 6, 12**0.5),
    ("gamma", (0.5,), 0.5, 0.5**0.5),
    ("standard_gamma", (2,), 2, 2**0.5),
    ("beta", (2, 3), 0.4, 0.2),
    ("chisquare", (4,), 4, 8**0.5),
    ("lognormal", (0, 0.5), np.exp(0.125), np.sqrt((np.exp(0.25) - 1) * np.exp(0.25))),
    ("laplace", (1, 2), 1, 8**0.5),
    ("logistic", (1, 2), 1, 2 * np.pi / 3**0.5),
    ("gumbel", (1, 2), 1 + 2 * np.euler_gamma, 2 * np.pi / 6**0.5),
    ("rayleigh", (2,), 2 * (np.pi / 2) ** 0.5, 2 * (2 - np.pi / 2) ** 0.5),
    ("weibull", (2,), np.pi**0.5 / 2, (1 - np.pi / 4) ** 0.5),
    ("power", (3,), 0.75, (3 / 80) ** 0.5),
    ("pareto", (8,), 1 / 7, (8 / 49 / 6) ** 0.5),
    ("triangular", (0, 1, 5), 2, (21 / 18) ** 0.5),
    ("standard_t", (8,), 0, (8 / 6) ** 0.5),
    ("f", (6, 20), 20 / 18, (2 * 400 * 24 / (6 * 324 * 16)) ** 0.5),
    ("poisson", (4,), 4, 2),
    ("poisson", (200,), 200, 200**0.5),
    ("binomial", (10, 0.3), 3, 2.1**0.5),
    ("binomial", (1000, 0.4), 400, 240**0.5),
    ("negative_binomial", (5, 0.5), 5, 10**0.5),
    ("geometric", (0.25,), 4, 12**0.5),
    ("integers", (0, 10), 4.5, (99 / 12) ** 0.5),
    ("wald", (1, 2), 1, 0.5**0.5),
    ("hypergeometric", (10, 10, 5), 2.5, (25 / 20 * 15 / 19) ** 0.5),
    ("noncentral_chisquare", (3, 2), 5, 14**0.5),
    ("logseries", (0.5,), None, None),
    ("zipf", (6,), None, None),
    ("vonmises", (0, 4), 0, None),
    ("noncentral_f", (6, 20, 1), None, None),
]
BY_NUMPY = {"wald", "hypergeometric", "noncentral_chisquare", "logseries", "zipf", "vonmises", "noncentral_f"}


@pytest.mark.parametrize(("name", "parameters", "mean", "deviation"), DISTRIBUTIONS)
def test_moments(name, parameters, mean, deviation):
    method = getattr(ra.random.default_rng(5), name)
    x = method(*parameters, size=COUNT, chunks=30_000)
    assert x.dtype == getattr(np.random.default_rng(0), name)(*parameters, size=2).dtype
    values = x.compute()
    if mean is not None and deviation is not None:
        # Five standard errors; the fourth moments of these are not far from a normal's.
        assert abs(values.mean() - mean) < 5 * deviation / COUNT**0.5
        assert abs(values.std() / deviation - 1) < 0.05


@pytest.mark.parametrize("name", sorted({row[0] for row in DISTRIBUTIONS} - BY_NUMPY))
def test_numbers_do_not_depend_on_chunks(name):
    parameters = next(row[1] for row in DISTRIBUTIONS if row[0] == name)
    arrays = [
        getattr(ra.random.default_rng(3), name)(*parameters, size=(50, 40), chunks=chunks).compute()
        for chunks in (-1, (7, 11), (50, 1), ((20, 30), (39, 1)))
    ]
    for array in arrays[1:]:
        np.testing.assert_array_equal(array, arrays[0])


def test_the_distribution_itself():
    stats = pytest.importorskip("scipy.stats")
    rng = ra.random.default_rng(11)
    for values, reference in [
        (rng.random(COUNT), stats.uniform),
        (rng.standard_normal(COUNT), stats.norm),
        (rng.standard_exponential(COUNT), stats.expon),
        (rng.standard_gamma(2.5, COUNT), stats.gamma(2.5)),
        (rng.standard_gamma(0.3, COUNT), stats.gamma(0.3)),
        (rng.beta(0.5, 2, COUNT), stats.beta(0.5, 2)),
        (rng.standard_t(3, COUNT), stats.t(3)),
    ]:
        assert stats.kstest(values.compute(), reference.cdf).pvalue > 1e-4


def test_seeds():
    def draw(seed):
        return ra.random.default_rng(seed).random(100).compute()

    np.testing.assert_array_equal(draw(1), draw(1))
    assert not np.array_equal(draw(1), draw(2))
    assert not np.array_equal(draw(None), draw(None))
    np.testing.assert_array_equal(draw([1, 2, 3]), draw([1, 2, 3]))
    np.testing.assert_array_equal(draw(np.random.SeedSequence(7)), draw(np.random.SeedSequence(7)))
    np.testing.assert_array_equal(draw(2**100), draw(2**100))
    with pytest.raises(ValueError):
        ra.random.default_rng(-1)
    generator = ra.random.default_rng(4)
    assert ra.random.default_rng(generator) is generator


def test_each_array_has_numbers_of_its_own():
    rng = ra.random.default_rng(0)
    x, y = rng.random(1000), rng.random(1000)
    assert not np.array_equal(x.compute(), y.compute())
    np.testing.assert_array_equal(x.compute(), x.compute())


def test_arrays_used_twice_are_the_same():
    x = ra.random.default_rng(0).random(1000, chunks=100)
    check(x - x, np.zeros(1000))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_types_of_floats(dtype):
    x = ra.random.default_rng(0).random(1000, dtype=dtype)
    assert x.dtype == dtype
    values = x.compute()
    assert values.dtype == dtype
    assert (values >= 0).all() and (values < 1).all()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_whole_numbers_of_every_type(dtype):
    limits = np.iinfo(dtype)
    rng = ra.random.default_rng(0)
    values = rng.integers(limits.min, limits.max, size=50_000, dtype=dtype, endpoint=True, chunks=999).compute()
    assert values.dtype == dtype
    assert values.min() < limits.min + (limits.max - limits.min) / 100
    assert values.max() > limits.max - (limits.max - limits.min) / 100
    assert set(rng.integers(3, 6, size=1000).compute().tolist()) == {3, 4, 5}
    assert rng.integers(5, size=10).compute().max() < 5


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("normal", (0, -1)),
        ("exponential", (-1,)),
        ("poisson", (-1,)),
        ("binomial", (5, 1.5)),
        ("binomial", (-1, 0.5)),
        ("gamma", (-1,)),
        ("beta", (0, 1)),
        ("integers", (5, 5)),
        ("integers", (5, 2)),
        ("geometric", (0,)),
        ("triangular", (3, 2, 1)),
        ("chisquare", (0,)),
    ],
)
def test_parameters_that_make_no_sense(name, args):
    with pytest.raises(ValueError):
        getattr(np.random.default_rng(0), name)(*args, size=3)
    with pytest.raises(ValueError):
        getattr(ra.random.default_rng(0), name)(*args, size=3)


def test_parameters_that_are_arrays():
    loc = ra.arange(4, chunks=2) * 1000.0
    values = ra.random.default_rng(0).normal(loc, 0.1, size=(1000, 4)).mean(axis=0).compute()
    np.testing.assert_allclose(values, [0, 1000, 2000, 3000], atol=0.1)
    with pytest.raises(NotImplementedError, match="arrays for parameters"):
        ra.random.default_rng(0).poisson([1, 2])


def test_choice():
    rng = ra.random.default_rng(0)
    assert set(rng.choice(3, size=100).compute().tolist()) == {0, 1, 2}
    assert set(rng.choice([5.0, 7.0], size=100, chunks=10).compute().tolist()) == {5.0, 7.0}
    weighted = rng.choice(2, size=10_000, p=[0.1, 0.9]).mean().compute()
    assert abs(weighted - 0.9) < 0.02
    assert sorted(rng.choice(10, size=10, replace=False).compute().tolist()) == list(range(10))
    with pytest.raises(ValueError):
        rng.choice(3, size=5, replace=False)
    with pytest.raises(ValueError):
        rng.choice(2, size=3, p=[0.5, 0.6])


def test_permutation():
    rng = ra.random.default_rng(0)
    assert sorted(rng.permutation(20).compute().tolist()) == list(range(20))
    x = ra.arange(20, chunks=6).reshape(10, 2)
    assert sorted(map(tuple, rng.permutation(x).compute().tolist())) == [(2 * at, 2 * at + 1) for at in range(10)]


def test_multinomial():
    counts = ra.random.default_rng(0).multinomial(10, [0.2, 0.3, 0.5], size=100, chunks=30)
    assert counts.shape == (100, 3)
    assert (counts.sum(axis=1) == 10).all().compute()


def test_functions_of_the_module_and_the_older_interface():
    state = ra.random.RandomState(5)
    first = state.random_sample(10).compute()
    state.seed(5)
    np.testing.assert_array_equal(state.random_sample(10).compute(), first)
    assert state.randint(0, 5, size=100).compute().max() == 4
    assert set(state.random_integers(1, 2, size=50).compute().tolist()) == {1, 2}
    ra.random.seed(3)
    a = ra.random.normal(size=(10, 10), chunks=5).compute()
    ra.random.seed(3)
    np.testing.assert_array_equal(ra.random.normal(size=(10, 10), chunks=3).compute(), a)
    assert ra.random.random((3, 0)).compute().shape == (3, 0)
    assert isinstance(ra.random.random().compute(), float)


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize(
    "p",
    [
        [np.nan, 1.0],
        [[0.5], [0.5]],
        [0.5, 0.5 + 0j],
        ["a", "b"],
        [0.3, 0.3],
        [-0.5, 1.5],
        [0.5, 0.5, 0],
        [np.inf, 0.0],
        [np.inf, -np.inf],
        0.5,
        [],
    ],
)
def test_choice_refuses_what_are_no_probabilities(p, replace):
    for generator in (np.random.default_rng(0), ra.random.default_rng(0)):
        with pytest.raises((TypeError, ValueError)):
            generator.choice(2, 1, p=p, replace=replace)


@pytest.mark.parametrize("a", [3.7, np.float64(3), "abc", np.array(3.0), None])
def test_choice_refuses_what_is_no_pool(a):
    for generator in (np.random.default_rng(0), ra.random.default_rng(0)):
        with pytest.raises((TypeError, ValueError)):
            generator.choice(a, 2)


def test_choice_takes_probabilities_of_little_precision():
    shares = np.full(3, 1 / 3, np.float32)
    found = ra.random.default_rng(0).choice(3, 3000, p=shares).compute()
    assert np.bincount(found).min() > 900


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("normal", (0, -0.0)),
        ("normal", (0, np.array([1.0, -0.0]))),
        ("lognormal", (0, -0.0)),
        ("gamma", (1, -0.0)),
        ("gamma", (-0.0, 1)),
        ("standard_gamma", (-0.0,)),
        ("exponential", (-0.0,)),
        ("exponential", (np.array([-0.0]),)),
        ("laplace", (0, -0.0)),
        ("logistic", (0, -0.0)),
        ("gumbel", (0, -0.0)),
        ("rayleigh", (-0.0,)),
        ("weibull", (-0.0,)),
        ("vonmises", (0, -0.0)),
        ("noncentral_chisquare", (1, -0.0)),
        ("noncentral_f", (1, 1, -0.0)),
    ],
)
def test_negative_zero_is_below_zero_as_in_numpy(name, arguments):
    for generator in (np.random.default_rng(0), ra.random.default_rng(0)):
        with pytest.raises(ValueError):
            np.asarray(getattr(generator, name)(*arguments))


@pytest.mark.parametrize(("n", "pvals"), [([5, 6], [0.5, 0.5]), (5, [[0.5, 0.5], [0.1, 0.9]])])
def test_multinomial_refuses_arrays_of_parameters(n, pvals):
    with pytest.raises(NotImplementedError):
        ra.random.default_rng(0).multinomial(n, pvals)


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937", "RandomState", "SeedSequence"])
def test_generators_begin_with_those_of_numpy(kind: str) -> None:
    make = getattr(np.random, kind)
    first, same, other = (ra.random.default_rng(make(seed)).random(4).compute() for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert (first != other).all()


def test_generators_are_spawned() -> None:
    def draw(seed: int) -> list[float]:
        parent = ra.random.default_rng(seed)
        children = [*parent.spawn(2), *parent.spawn(1), parent, *parent.spawn(1)[0].spawn(2)]
        return [float(child.random(1)[0]) for child in children]

    assert draw(1) == draw(1)
    assert len({*draw(1), *draw(2)}) == 12
    assert ra.random.default_rng(0).spawn(0) == []
    with pytest.raises(ValueError, match="non-negative"):
        ra.random.default_rng(0).spawn(-1)
    with pytest.raises(TypeError):
        ra.random.default_rng(0).spawn(1.5)


@pytest.mark.parametrize("replace", [True, False])
def test_a_choice_of_many_takes_no_memory(replace: bool) -> None:
    found = ra.random.default_rng(0).choice(10**15, 3, replace=replace).compute()
    assert found.dtype == np.int64 and len(set(found.tolist())) == 3 and (found < 10**15).all()


def test_a_permutation_beyond_memory_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="memory"):
        ra.random.default_rng(0).permutation(10**15)


@pytest.mark.parametrize("pool", [0, [], np.array([], "int8"), np.int16(0), range(0)])
@pytest.mark.parametrize("size", [0, (0,), (2, 0), (0, 3), None, 1, (2, 3)])
@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("p", [None, []])
def test_choice_of_nothing(pool, size, replace, p):
    try:
        expected = np.random.default_rng(0).choice(pool, size=size, replace=replace, p=p)
    except ValueError:
        with pytest.raises(ValueError):
            ra.random.default_rng(0).choice(pool, size=size, replace=replace, p=p)
        return
    found = ra.random.default_rng(0).choice(pool, size=size, replace=replace, p=p)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found.compute(), expected)
