"""Generators of random arrays."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from raskt._core import array_from_function, array_random
from raskt.array.base.conversion import asarray, from_array
from raskt.array.base.layout import Layout
from raskt.array.base.registry import wrap
from raskt.array.base.settings import block_bytes
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.creation.constructors import arange
from raskt.array.manipulation.axes import take

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["Generator", "RandomState", "default_rng"]


def default_rng(seed: Any = None) -> Generator:
    """A generator of random arrays.

    ``seed`` is a whole number, a sequence of them, a ``numpy.random.SeedSequence``, a generator (which is given back),
    or ``None`` for one that nobody can guess.

    >>> import raskt.array as ra
    >>> x = ra.random.default_rng(7).normal(size=1000, chunks=100)
    >>> y = ra.random.default_rng(7).normal(size=1000, chunks=300)
    >>> bool((x == y).all())
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


def _seed_bits(seed: Any) -> int:
    if seed is None:
        return secrets.randbits(64)
    if isinstance(seed, (int, np.integer)) and 0 <= int(seed) < 2**64:
        return int(seed)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**64, dtype=np.uint64))
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return int(sequence.generate_state(1, np.uint64)[0])


class Generator:
    """Makes random arrays. ``size`` is their shape, ``chunks`` is as for :func:`raskt.array.from_array`."""

    def __init__(self, seed: Any = None) -> None:
        self._seed = _seed_bits(seed)
        #: How many arrays were made: each has a sequence of numbers of its own.
        self._stream = 0

    def __repr__(self) -> str:
        return f"raskt.array.random.Generator(seed={self._seed}, arrays made={self._stream})"

    def _next_stream(self) -> int:
        self._stream += 1
        return self._stream - 1

    def _make(
        self, name: str, parameters: Sequence[Any], size: Any, chunks: Any, dtype: DTypeLike = np.float64
    ) -> Array:
        for parameter in parameters:
            if np.ndim(parameter):
                raise NotImplementedError(f"`{name}` with arrays for parameters is not implemented: pass numbers")
        shape = _shape(size)
        stream = self._next_stream()
        return wrap(
            array_random(name, tuple(parameters), self._seed, stream, shape, np.dtype(dtype), chunks, block_bytes())
        )

    def _by_numpy(
        self, name: str, parameters: Sequence[Any], size: Any, chunks: Any, tail: tuple[int, ...] = (), **options: Any
    ) -> Array:
        """A distribution that NumPy draws for each block, from a counter that belongs to the block."""
        stream, seed = self._next_stream(), self._seed
        made: list[Layout] = []
        sample = getattr(np.random.Generator(np.random.Philox(0)), name)(*parameters)

        def draw(index: int) -> Any:
            array = made[0]
            place = np.unravel_index(index, array.numblocks) if array.ndim else ()
            shape = tuple(lengths[at] for lengths, at in zip(array.chunks, place, strict=True))
            bits = np.random.Philox(key=seed, counter=[0, 0, index, stream])
            return getattr(np.random.Generator(bits), name)(
                *parameters, size=shape[: len(shape) - len(tail)], **options
            )

        shape = [*_shape(size), *tail]
        if tail:
            chunks = (*_one_for_each(chunks, len(shape) - len(tail)), *((length,) for length in tail))
        expr = array_from_function(
            draw, f"numpy.random.{name}", shape, np.asarray(sample).dtype, chunks, block_bytes(), None
        )
        result = wrap(expr)
        made.append(Layout(result))
        return result

    def _scaled(self, name: str, loc: Any, scale: Any, size: Any, chunks: Any) -> Array:
        """A family of distributions that differ by place and size; these may be arrays."""
        if np.ndim(loc) == 0 and np.ndim(scale) == 0:
            return self._make(name, (loc, scale), size, chunks)

        places, sizes = asarray(loc), asarray(scale)
        shape = np.broadcast_shapes(places.shape, sizes.shape) if size is None else _shape(size)
        return places + sizes * self._make(name, (0.0, 1.0), shape, chunks)

    # Uniform

    def random(self, size: Any = None, dtype: DTypeLike = np.float64, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Uniform numbers of ``[0, 1)``.

        >>> import raskt.array as ra
        >>> ra.random.default_rng(0).random((2, 3), chunks=1).shape
        (2, 3)
        """
        return self._make("uniform", (0.0, 1.0), size, chunks, dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Uniform numbers of ``[low, high)``."""
        if np.ndim(low) or np.ndim(high):
            return self._scaled("uniform", low, high - low, size, chunks)
        return self._make("uniform", (low, high), size, chunks)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
        chunks: Any = "auto",
        **kwargs: Any,
    ) -> Array:
        """Whole numbers from ``low`` to before ``high`` (or to it, if ``endpoint``); with one argument from zero."""
        if np.ndim(low) or np.ndim(high):
            raise NotImplementedError("`integers` with arrays for bounds is not implemented: pass numbers")
        low, high = (0, low) if high is None else (low, high)
        dtype = np.dtype(dtype)
        limits = (0, 1) if dtype == bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        low, last = int(low), int(high) if endpoint else int(high) - 1
        if low > last:
            raise ValueError(f"low >= high: there are no whole numbers from {low} to before {last + 1}")
        if not limits[0] <= low <= last <= limits[1]:
            raise ValueError(f"whole numbers from {low} to {last} do not fit {dtype}")
        return self._make("integers", (low, (last - low + 1) % 2**64), size, chunks, dtype)

    def triangular(
        self, left: Any, mode: Any, right: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Numbers from ``left`` to ``right`` of which those near ``mode`` are most likely."""
        return self._make("triangular", (left, mode, right), size, chunks)

    # Normal and its kin

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Normal numbers with mean ``loc`` and standard deviation ``scale``, which may be arrays."""
        return self._scaled("normal", loc, scale, size, chunks)

    def standard_normal(
        self, size: Any = None, dtype: DTypeLike = np.float64, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Normal numbers with mean 0 and standard deviation 1."""
        return self._make("normal", (0.0, 1.0), size, chunks, dtype)

    def lognormal(
        self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Numbers whose logarithms are normal."""
        return self._make("lognormal", (mean, sigma), size, chunks)

    def chisquare(self, df: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Sums of ``df`` squares of normal numbers."""
        return self._make("chisquare", (df,), size, chunks)

    def f(self, dfnum: Any, dfden: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Fisher's F."""
        return self._make("f", (dfnum, dfden), size, chunks)

    def standard_t(self, df: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Student's t."""
        return self._make("standard_t", (df,), size, chunks)

    def standard_cauchy(self, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Cauchy's distribution."""
        return self._make("standard_cauchy", (), size, chunks)

    # Positive numbers

    def exponential(self, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Exponential numbers with mean ``scale``, which may be an array."""
        if np.ndim(scale):
            sizes = asarray(scale)
            return sizes * self._make("exponential", (1.0,), sizes.shape if size is None else size, chunks)
        return self._make("exponential", (scale,), size, chunks)

    def standard_exponential(
        self, size: Any = None, dtype: DTypeLike = np.float64, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Exponential numbers with mean 1."""
        return self._make("exponential", (1.0,), size, chunks, dtype)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Gamma numbers."""
        return self._make("gamma", (shape, scale), size, chunks)

    def standard_gamma(self, shape: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Gamma numbers of scale 1."""
        return self._make("gamma", (shape, 1.0), size, chunks)

    def beta(self, a: Any, b: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Beta numbers, of ``[0, 1]``."""
        return self._make("beta", (a, b), size, chunks)

    def pareto(self, a: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Pareto II (Lomax) numbers."""
        return self._make("pareto", (a,), size, chunks)

    def power(self, a: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Numbers of ``[0, 1]`` with density ``a * x**(a - 1)``."""
        return self._make("power", (a,), size, chunks)

    def rayleigh(self, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Rayleigh numbers."""
        return self._make("rayleigh", (scale,), size, chunks)

    def weibull(self, a: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Weibull numbers of scale 1."""
        return self._make("weibull", (a,), size, chunks)

    def wald(self, mean: Any, scale: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Wald (inverse Gaussian) numbers (by NumPy)."""
        return self._by_numpy("wald", (mean, scale), size, chunks)

    # Numbers of both signs

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Laplace numbers."""
        return self._scaled("laplace", loc, scale, size, chunks)

    def logistic(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Logistic numbers."""
        return self._scaled("logistic", loc, scale, size, chunks)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Gumbel numbers."""
        return self._scaled("gumbel", loc, scale, size, chunks)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Angles of von Mises (by NumPy)."""
        return self._by_numpy("vonmises", (mu, kappa), size, chunks)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Noncentral chi squared numbers (by NumPy)."""
        return self._by_numpy("noncentral_chisquare", (df, nonc), size, chunks)

    def noncentral_f(
        self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Noncentral F numbers (by NumPy)."""
        return self._by_numpy("noncentral_f", (dfnum, dfden, nonc), size, chunks)

    # Counts

    def poisson(self, lam: Any = 1.0, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Poisson counts with mean ``lam``."""
        return self._make("poisson", (lam,), size, chunks, np.int64)

    def binomial(self, n: Any, p: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Successes among ``n`` trials."""
        return self._make("binomial", (n, p), size, chunks, np.int64)

    def negative_binomial(self, n: Any, p: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Failures before the ``n``-th success."""
        return self._make("negative_binomial", (n, p), size, chunks, np.int64)

    def geometric(self, p: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Trials up to the first success."""
        return self._make("geometric", (p,), size, chunks, np.int64)

    def hypergeometric(
        self, ngood: Any, nbad: Any, nsample: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Good ones in a sample (by NumPy)."""
        return self._by_numpy("hypergeometric", (ngood, nbad, nsample), size, chunks)

    def logseries(self, p: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Numbers of the logarithmic series (by NumPy)."""
        return self._by_numpy("logseries", (p,), size, chunks)

    def zipf(self, a: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Zipf's numbers (by NumPy)."""
        return self._by_numpy("zipf", (a,), size, chunks)

    def multinomial(self, n: int, pvals: Any, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """How often each outcome came in ``n`` trials, along a new last axis (by NumPy)."""
        return self._by_numpy("multinomial", (n, pvals), size, chunks, tail=(len(pvals),))

    # Elements of arrays

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
        chunks: Any = "auto",
    ) -> Array:
        """Elements of ``a`` (or whole numbers before it), which is held in memory, as likely as ``p`` says.

        Without ``replace`` each is taken once at most, and the result is one block (by NumPy).
        """
        if axis != 0 or np.ndim(a) > 1:
            raise NotImplementedError("choice takes elements of one axis")
        pool = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        if not len(pool) and np.prod(_shape(size), dtype=int):
            raise ValueError("choice takes no elements from an empty array")
        if p is not None and (len(p) != len(pool) or abs(float(np.sum(p)) - 1) > 1e-8):
            raise ValueError("`p` must have a probability for each element, and they must sum to 1")
        if not replace:
            if np.prod(_shape(size), dtype=int) > len(pool):
                raise ValueError(f"{size} elements cannot be taken from {len(pool)} without replacement")
            return (
                self._by_numpy("choice", (pool,), size, -1, replace=False)
                if p is None
                else self._weighted_sample(pool, size, p)
            )

        if p is None:
            places = self.integers(len(pool), size=size, chunks=chunks)
            return places if np.ndim(a) == 0 else elementwise(pool.__getitem__, places, name="choice", dtype=pool.dtype)
        bounds = np.cumsum(p) / np.sum(p)

        def pick(block: Any) -> Any:
            return pool[np.searchsorted(bounds, block, side="right")]

        return elementwise(pick, self.random(size, chunks=chunks), name="choice", dtype=pool.dtype)

    def _weighted_sample(self, pool: Any, size: Any, p: Any) -> Array:
        bits = np.random.Philox(key=self._seed, counter=[0, 0, 0, self._next_stream()])
        return from_array(np.random.Generator(bits).choice(pool, size, replace=False, p=p))

    def permutation(self, x: Any) -> Array:
        """The slices of an array along its first axis (or the whole numbers before one) in random order."""

        array = arange(x, chunks="auto") if isinstance(x, (int, np.integer)) else asarray(x)
        bits = np.random.Philox(key=self._seed, counter=[0, 0, 0, self._next_stream()])
        return take(array, np.random.Generator(bits).permutation(len(array)), axis=0)


class RandomState(Generator):
    """A generator with the names of NumPy's older interface."""

    def seed(self, seed: Any = None) -> None:
        """Begin anew with a seed."""
        self._seed, self._stream = _seed_bits(seed), 0

    def random_sample(self, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Uniform numbers of ``[0, 1)``."""
        return self.random(size, chunks=chunks)

    def randint(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        chunks: Any = "auto",
        dtype: DTypeLike = np.int64,
        **kwargs: Any,
    ) -> Array:
        """Whole numbers from ``low`` to before ``high``; with one argument from zero."""
        return self.integers(low, high, size, dtype, chunks=chunks)

    def random_integers(
        self, low: int, high: int | None = None, size: Any = None, chunks: Any = "auto", **kwargs: Any
    ) -> Array:
        """Whole numbers from ``low`` to ``high``; with one argument from one."""
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, endpoint=True, chunks=chunks)

    def tomaxint(self, size: Any = None, chunks: Any = "auto", **kwargs: Any) -> Array:
        """Whole numbers of all that ``int64`` has, from zero."""
        return self.integers(0, np.iinfo(np.int64).max, size, endpoint=True, chunks=chunks)


def _shape(size: Any) -> list[int]:
    lengths = [] if size is None else [int(size)] if np.ndim(size) == 0 else [int(length) for length in size]
    if any(length < 0 for length in lengths):
        raise ValueError(f"an array cannot have the negative length in {tuple(lengths)}")
    return lengths


def _one_for_each(chunks: Any, count: int) -> tuple[Any, ...]:
    return tuple(chunks) if isinstance(chunks, (tuple, list)) else (chunks,) * count
