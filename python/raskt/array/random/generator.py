"""Generators of random arrays."""

from __future__ import annotations

import operator
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from raskt._core import array_from_function, array_random
from raskt.array.base.arguments import refuse
from raskt.array.base.conversion import asarray
from raskt.array.base.documentation import documented
from raskt.array.base.layout import Layout, block_slices
from raskt.array.base.plain import held_copy
from raskt.array.base.registry import is_array, wrap
from raskt.array.base.settings import block_bytes
from raskt.array.blocks.map_blocks import elementwise
from raskt.array.creation.constructors import arange, empty
from raskt.array.manipulation.axes import take
from raskt.array.random.descriptions import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from raskt.array._array import Array

__all__ = ["Generator", "RandomState", "default_rng"]


#: The parameters, by their places, whose sign NumPy looks at, be they zero.
_SIGNED = {
    "normal": (1,),
    "lognormal": (1,),
    "gamma": (0, 1),
    "exponential": (0,),
    "laplace": (1,),
    "logistic": (1,),
    "gumbel": (1,),
    "rayleigh": (0,),
    "vonmises": (1,),
    "noncentral_chisquare": (1,),
    "noncentral_f": (2,),
}


@documented(
    "Makes random arrays: the same numbers for the same seed, whatever the chunks.",
    kind="Generator",
    seed=(
        "int, sequence of int, SeedSequence, BitGenerator, RandomState or Generator: What the numbers follow from; "
        "nobody can guess them if not given. A generator of this module is given back."
    ),
    differences="the numbers are others than NumPy's of that seed.",
)
def default_rng(seed: Any = None) -> Generator:
    """A generator of random arrays.

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
    if isinstance(seed, (np.random.BitGenerator, np.random.RandomState)):
        seed = np.random.Generator(seed if isinstance(seed, np.random.BitGenerator) else seed._bit_generator)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**64, dtype=np.uint64))
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return int(sequence.generate_state(1, np.uint64)[0])


@describe
class Generator:
    """Makes random arrays. The methods draw from distributions; ``size`` is the shape, and ``chunks`` says the blocks.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, BitGenerator, RandomState or Generator, optional
        What the numbers follow from; nobody can guess them if not given.

    Examples
    --------
    >>> import raskt.array as ra
    >>> ra.random.Generator(0).normal(size=(4, 2), chunks=2).shape
    (4, 2)
    """

    def __init__(self, seed: Any = None) -> None:
        self._seed = _seed_bits(seed)
        #: How many arrays were made: each has a sequence of numbers of its own.
        self._stream = 0
        self._spawned = 0

    def __repr__(self) -> str:
        return f"raskt.array.random.Generator(seed={self._seed}, arrays made={self._stream})"

    def spawn(self, n_children: int) -> list[Generator]:
        """Generators of numbers that have nothing to do with those of this one, nor with each other's.

        Parameters
        ----------
        n_children : int
            How many there are.

        Returns
        -------
        list of Generator
            Others at each call.

        Raises
        ------
        ValueError
            If `n_children` is negative.

        Examples
        --------
        >>> import raskt.array as ra
        >>> first, second = ra.random.default_rng(0).spawn(2)
        >>> bool((first.random(3) == second.random(3)).any())
        False
        """
        number = operator.index(n_children)
        if number < 0:
            raise ValueError("n_children must be non-negative")
        begin, self._spawned = self._spawned, self._spawned + number
        keys = range(begin, begin + number)
        return [Generator(np.random.SeedSequence(self._seed, spawn_key=(key,))) for key in keys]

    def _next_stream(self) -> int:
        self._stream += 1
        return self._stream - 1

    def _make(
        self, name: str, parameters: Sequence[Any], size: Any, chunks: Any, dtype: DTypeLike = np.float64
    ) -> Array:
        for parameter in parameters:
            if np.ndim(parameter):
                raise NotImplementedError(f"`{name}` with arrays for parameters is not implemented: pass numbers")
        for at in _SIGNED.get(name, ()):
            if not isinstance(parameters[at], complex) and parameters[at] == 0 and np.signbit(parameters[at]):
                raise ValueError(f"a parameter of `{name}` is -0.0, which NumPy takes for less than 0")
        shape = _shape(size)
        stream = self._next_stream()
        return wrap(
            array_random(name, tuple(parameters), self._seed, stream, shape, np.dtype(dtype), chunks, block_bytes())
        )

    def _by_rows(self, name: str, parameters: Sequence[Any], size: Any, chunks: Any, length: int) -> Array:
        """Rows of whole numbers that NumPy draws one by one, each from a counter that belongs to the row."""
        stream, seed = self._next_stream(), self._seed
        made: list[Layout] = []
        shape = _shape(size)
        # Wrong parameters are told of here.
        getattr(np.random.Generator(np.random.Philox(0)), name)(*parameters)

        def draw(index: int) -> Any:
            part = block_slices(made[0], index)[:-1]
            grid = np.meshgrid(*(np.arange(axis.start, axis.stop) for axis in part), indexing="ij", sparse=True)
            numbers = sum((at * int(np.prod(shape[axis + 1 :])) for axis, at in enumerate(grid)), np.zeros((), int))
            numbers = np.broadcast_to(numbers, [axis.stop - axis.start for axis in part])
            rows = np.empty((*numbers.shape, length), np.int64)
            for place in np.ndindex(*numbers.shape):
                bits = np.random.Philox(key=seed, counter=[0, 0, int(numbers[place]), stream])
                rows[place] = getattr(np.random.Generator(bits), name)(*parameters)
            return rows

        chunks = (*_one_for_each(chunks, len(shape)), (length,))
        word = f"numpy.random.{name}"
        result = wrap(array_from_function(draw, word, [*shape, length], np.dtype(int), chunks, block_bytes(), None))
        made.append(Layout(result))
        return result

    def _at_once(self, name: str, parameters: Sequence[Any], size: Any, chunks: Any, **options: Any) -> Array:
        """What NumPy draws in one block, of which the elements depend on one another; cut afterwards."""
        stream, seed, shape = self._next_stream(), self._seed, _shape(size)
        sample = getattr(np.random.Generator(np.random.Philox(0)), name)(*parameters, size=0, **options)

        def draw(index: int) -> Any:
            bits = np.random.Philox(key=seed, counter=[0, 0, 0, stream])
            return getattr(np.random.Generator(bits), name)(*parameters, size=shape, **options)

        word = f"numpy.random.{name}"
        expr = array_from_function(draw, word, shape, sample.dtype, -1, block_bytes(), None)
        return wrap(expr).rechunk(chunks)

    def _scaled(self, name: str, loc: Any, scale: Any, size: Any, chunks: Any) -> Array:
        """A family of distributions that differ by place and size; these may be arrays."""
        if np.ndim(loc) == 0 and np.ndim(scale) == 0:
            return self._make(name, (loc, scale), size, chunks)
        places, sizes = asarray(loc), _not_negative(asarray(scale), "scale") if name != "uniform" else asarray(scale)
        shape = _shape_of(size, places.shape, sizes.shape)
        return places + sizes * self._make(name, (0.0, 1.0), shape, chunks)

    # Uniform

    def random(
        self, size: Any = None, dtype: DTypeLike = np.float64, out: None = None, *, chunks: Any = "auto"
    ) -> Array:
        """Uniform numbers of ``[0, 1)``.

        >>> import raskt.array as ra
        >>> ra.random.default_rng(0).random((2, 3), chunks=1).shape
        (2, 3)
        """
        _check_out("random", out)
        return self._make("uniform", (0.0, 1.0), size, chunks, _float(dtype, "random"))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Uniform numbers of ``[low, high)``."""
        if not is_array(low) and not is_array(high):
            np.random.Generator(np.random.Philox(0)).uniform(
                low, high, np.broadcast_shapes(np.shape(low), np.shape(high))
            )
        if np.ndim(low) or np.ndim(high):
            width = _not_negative(asarray(high) - asarray(low), "high - low")
            return self._scaled("uniform", low, width, size, chunks)
        return self._make("uniform", (low, high), size, chunks)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
        *,
        chunks: Any = "auto",
    ) -> Array:
        """Whole numbers from ``low`` to before ``high`` (or to it, if ``endpoint``); with one argument from zero."""
        if np.ndim(low) or np.ndim(high):
            raise NotImplementedError("`integers` with arrays for bounds is not implemented: pass numbers")
        low, high = (0, low) if high is None else (low, high)
        dtype = np.dtype(dtype)
        if dtype.kind not in "iub":
            raise TypeError(f"Unsupported dtype {dtype!r} for integers")
        limits = (0, 1) if dtype == bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        low, last = int(low), int(high) if endpoint else int(high) - 1
        if low > last:
            raise ValueError(f"low >= high: there are no whole numbers from {low} to before {last + 1}")
        if not limits[0] <= low <= last <= limits[1]:
            raise ValueError(f"whole numbers from {low} to {last} do not fit {dtype}")
        return self._make("integers", (low, (last - low + 1) % 2**64), size, chunks, dtype)

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Numbers from ``left`` to ``right`` of which those near ``mode`` are most likely."""
        return self._make("triangular", (left, mode, right), size, chunks)

    # Normal and its kin

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Normal numbers with mean ``loc`` and standard deviation ``scale``, which may be arrays."""
        return self._scaled("normal", loc, scale, size, chunks)

    def standard_normal(
        self, size: Any = None, dtype: DTypeLike = np.float64, out: None = None, *, chunks: Any = "auto"
    ) -> Array:
        """Normal numbers with mean 0 and standard deviation 1."""
        _check_out("standard_normal", out)
        return self._make("normal", (0.0, 1.0), size, chunks, _float(dtype, "standard_normal"))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Numbers whose logarithms are normal."""
        return self._make("lognormal", (mean, sigma), size, chunks)

    def chisquare(self, df: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Sums of ``df`` squares of normal numbers."""
        return self._make("chisquare", (df,), size, chunks)

    def f(self, dfnum: Any, dfden: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Fisher's F."""
        return self._make("f", (dfnum, dfden), size, chunks)

    def standard_t(self, df: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Student's t."""
        return self._make("standard_t", (df,), size, chunks)

    def standard_cauchy(self, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Cauchy's distribution."""
        return self._make("standard_cauchy", (), size, chunks)

    # Positive numbers

    def exponential(self, scale: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Exponential numbers with mean ``scale``, which may be an array."""
        if np.ndim(scale):
            sizes = _not_negative(asarray(scale), "scale")
            return sizes * self._make("exponential", (1.0,), _shape_of(size, sizes.shape), chunks)
        return self._make("exponential", (scale,), size, chunks)

    def standard_exponential(
        self,
        size: Any = None,
        dtype: DTypeLike = np.float64,
        method: str = "zig",
        out: None = None,
        *,
        chunks: Any = "auto",
    ) -> Array:
        """Exponential numbers with mean 1."""
        if method not in ("zig", "inv"):
            raise ValueError(f"`method` must be `zig` or `inv`, not {method!r}")
        _check_out("standard_exponential", out)
        return self._make("exponential", (1.0,), size, chunks, _float(dtype, "standard_exponential"))

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Gamma numbers."""
        return self._make("gamma", (shape, scale), size, chunks)

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: DTypeLike = np.float64, out: None = None, *, chunks: Any = "auto"
    ) -> Array:
        """Gamma numbers of scale 1."""
        _check_out("standard_gamma", out)
        return self._make("gamma", (shape, 1.0), size, chunks, _float(dtype, "standard_gamma"))

    def beta(self, a: Any, b: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Beta numbers, of ``[0, 1]``."""
        return self._make("beta", (a, b), size, chunks)

    def pareto(self, a: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Pareto II (Lomax) numbers."""
        return self._make("pareto", (a,), size, chunks)

    def power(self, a: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Numbers of ``[0, 1]`` with density ``a * x**(a - 1)``."""
        return self._make("power", (a,), size, chunks)

    def rayleigh(self, scale: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Rayleigh numbers."""
        return self._make("rayleigh", (scale,), size, chunks)

    def weibull(self, a: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Weibull numbers of scale 1."""
        return self._make("weibull", (a,), size, chunks)

    def wald(self, mean: Any, scale: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Wald (inverse Gaussian) numbers."""
        return self._make("wald", (mean, scale), size, chunks)

    # Numbers of both signs

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Laplace numbers."""
        return self._scaled("laplace", loc, scale, size, chunks)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Logistic numbers."""
        return self._scaled("logistic", loc, scale, size, chunks)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Gumbel numbers."""
        return self._scaled("gumbel", loc, scale, size, chunks)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Angles of von Mises."""
        return self._make("vonmises", (mu, kappa), size, chunks)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Noncentral chi squared numbers."""
        return self._make("noncentral_chisquare", (df, nonc), size, chunks)

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Noncentral F numbers."""
        return self._make("noncentral_f", (dfnum, dfden, nonc), size, chunks)

    # Counts

    def poisson(self, lam: Any = 1.0, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Poisson counts with mean ``lam``."""
        return self._make("poisson", (lam,), size, chunks, np.int64)

    def binomial(self, n: Any, p: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Successes among ``n`` trials."""
        return self._make("binomial", (n, p), size, chunks, np.int64)

    def negative_binomial(self, n: Any, p: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Failures before the ``n``-th success."""
        return self._make("negative_binomial", (n, p), size, chunks, np.int64)

    def geometric(self, p: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Trials up to the first success."""
        return self._make("geometric", (p,), size, chunks, np.int64)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Good ones in a sample."""
        return self._make("hypergeometric", (ngood, nbad, nsample), size, chunks, np.int64)

    def logseries(self, p: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Numbers of the logarithmic series."""
        return self._make("logseries", (p,), size, chunks, np.int64)

    def zipf(self, a: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Zipf's numbers."""
        return self._make("zipf", (a,), size, chunks, np.int64)

    def multinomial(self, n: int, pvals: Any, size: Any = None, *, chunks: Any = "auto") -> Array:
        """How often each outcome came in ``n`` trials, along a new last axis (by NumPy)."""
        if np.ndim(n) or np.ndim(pvals) != 1:
            raise NotImplementedError("`multinomial` with arrays of trials or of rows of chances is not implemented")
        return self._by_rows("multinomial", (n, held_copy(pvals)), size, chunks, len(pvals))

    # Elements of arrays

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
        *,
        chunks: Any = "auto",
    ) -> Array:
        """Elements of ``a`` (or whole numbers before it), which is held in memory, as likely as ``p`` says.

        Without ``replace`` each is taken once at most, and all are drawn in one block (by NumPy).
        """
        if axis != 0 or np.ndim(a) > 1:
            raise NotImplementedError("choice takes elements of one axis")
        pool = _whole(a) if np.ndim(a) == 0 else held_copy(a)
        number = max(pool, 0) if isinstance(pool, int) else len(pool)
        if not number and np.prod(_shape(size), dtype=int):
            raise ValueError("choice takes no elements from an empty array")
        p = None if p is None else _probabilities(p, number)
        if not number:
            return empty(_shape(size), np.int64 if isinstance(pool, int) else pool.dtype, chunks=chunks)
        if not replace:
            if np.prod(_shape(size), dtype=int) > number:
                raise ValueError(f"{size} elements cannot be taken from {number} without replacement")
            weights = {} if p is None else {"p": p}
            return self._at_once("choice", (pool,), size, chunks, replace=False, shuffle=shuffle, **weights)
        if p is None:
            return _picked(pool, self.integers(number, size=size, chunks=chunks))
        bounds = np.cumsum(p)
        bounds /= bounds[-1]

        def place(block: Any) -> Any:
            return np.searchsorted(bounds, block, side="right")

        return _picked(pool, elementwise(place, self.random(size, chunks=chunks), name="choice", dtype=np.int64))

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """The slices of an array along its first axis (or the whole numbers before one) in random order."""

        array = arange(x, chunks="auto") if isinstance(x, (int, np.integer)) else asarray(x)
        at = normalize_axis_index(axis, array.ndim)
        bits = np.random.Philox(key=self._seed, counter=[0, 0, 0, self._next_stream()])
        length = operator.index(array.shape[at])
        try:
            places = np.random.Generator(bits).permutation(length)
        except MemoryError:
            raise NotImplementedError(
                f"a permutation holds all places in memory, and there is not enough for {length}"
            ) from None
        return take(array, places, axis=at)


@describe
class RandomState(Generator):
    """A generator with the names of NumPy's older interface.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, BitGenerator, RandomState or Generator, optional
        What the numbers follow from; nobody can guess them if not given.

    Examples
    --------
    >>> import raskt.array as ra
    >>> ra.random.RandomState(0).randint(10, size=4).shape
    (4,)
    """

    def seed(self, seed: Any = None) -> None:
        """Begin anew with a seed."""
        self._seed, self._stream, self._spawned = _seed_bits(seed), 0, 0

    def random_sample(self, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Uniform numbers of ``[0, 1)``."""
        return self.random(size, chunks=chunks)

    def randint(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: DTypeLike = int,
        *,
        chunks: Any = "auto",
    ) -> Array:
        """Whole numbers from ``low`` to before ``high``; with one argument from zero."""
        return self.integers(low, high, size, dtype, chunks=chunks)

    def random_integers(self, low: int, high: int | None = None, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Whole numbers from ``low`` to ``high``; with one argument from one."""
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, endpoint=True, chunks=chunks)

    def tomaxint(self, size: Any = None, *, chunks: Any = "auto") -> Array:
        """Whole numbers of all that ``int64`` has, from zero."""
        return self.integers(0, np.iinfo(np.int64).max, size, endpoint=True, chunks=chunks)


def _picked(pool: Any, places: Array) -> Array:
    """Elements of a pool at places; whole numbers are their own places."""
    return places if isinstance(pool, int) else elementwise(pool.__getitem__, places, name="choice", dtype=pool.dtype)


def _check_out(name: str, out: Any) -> None:
    if out is not None:
        refuse(f"Generator.{name}", "out", type(out).__name__, "lazy arrays are made anew, so leave `out` away")


def _shape(size: Any) -> list[int]:
    if isinstance(size, (bool, np.bool_)):
        raise TypeError(f"expected a sequence of integers or a single integer, got '{size}'")
    lengths = (
        []
        if size is None
        else [operator.index(size)]
        if np.ndim(size) == 0
        else [operator.index(length) for length in size]
    )
    if any(length < 0 for length in lengths):
        raise ValueError(f"an array cannot have the negative length in {tuple(lengths)}")
    return lengths


def _shape_of(size: Any, *shapes: Any) -> list[int]:
    """The shape that is asked for, into which arrays of parameters must broadcast; theirs if there is none."""
    common = np.broadcast_shapes(*shapes)
    wanted = list(common) if size is None else _shape(size)
    if np.broadcast_shapes(common, tuple(wanted)) != tuple(wanted):
        raise ValueError(f"parameters of shape {common} do not broadcast to size {tuple(wanted)}")
    return wanted


def _not_negative(x: Array, name: str) -> Array:
    """The array, whose elements are looked at when they are computed."""

    def check(block: Any) -> Any:
        if (block < 0).any() or np.isnan(block).any() or (name == "scale" and np.signbit(block).any()):
            raise ValueError(f"{name} < 0")
        return block

    return elementwise(check, x, name=f"{name} of at least 0", dtype=x.dtype)


def _whole(a: Any) -> int:
    """How many whole numbers `choice` takes from."""
    try:
        return operator.index(a)
    except TypeError:
        raise ValueError(f"a must be a sequence or an integer, not {type(a)}") from None


def _probabilities(p: Any, count: int) -> Any:
    """Probabilities as NumPy's `choice` takes them."""
    given = held_copy(p)
    if given.dtype.kind not in "biuf":
        raise TypeError(f"`p` must hold real numbers, not {given.dtype}")
    # NumPy asks less of numbers that are less precise than its own.
    slack = max(1e-8, float(np.sqrt(np.finfo(given.dtype).eps)) if given.dtype.kind == "f" else 0.0)
    found = given.astype(np.float64)
    if found.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if len(found) != count:
        raise ValueError("a and p must have same size: there must be a probability for each element")
    if np.isnan(found).any():
        raise ValueError("Probabilities contain NaN")
    if (found < 0).any():
        raise ValueError("Probabilities are not non-negative: `p` has one below 0")
    if not abs(found.sum() - 1) <= slack:
        raise ValueError("Probabilities do not sum to 1: make `p` sum to 1")
    return found


def _float(dtype: Any, name: str) -> np.dtype[Any]:
    """A data type that floating random numbers have."""
    found = np.dtype(dtype)
    if found not in (np.float32, np.float64):
        raise TypeError(f"Unsupported dtype {found!r} for {name}")
    return found


def _one_for_each(chunks: Any, count: int) -> tuple[Any, ...]:
    return tuple(chunks) if isinstance(chunks, (tuple, list)) else (chunks,) * count
