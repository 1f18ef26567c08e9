"""What each distribution is, what its parameters mean, and an example: the documentation of all, in one table."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from raskt._documentation import compose
from raskt.array.base.documentation import PRELUDE
from raskt.array.base.parameters import PARAMETERS

__all__ = ["describe"]


class Description(NamedTuple):
    """A distribution in words: a summary, what is drawn, what its parameters mean, and the arguments of an example."""

    summary: str
    result: str
    parameters: dict[str, str]
    example: str


_FLOATS = "Of float64, of the shape `size`, in blocks as `chunks` says."
_TYPED = "Of `dtype`, of the shape `size`, in blocks as `chunks` says."
_COUNTS = "Of int64, of the shape `size`, in blocks as `chunks` says."
_LOC = "float or array_like: Where the distribution stands."
_SCALE = "float or array_like: How wide it is; not negative."
_SHAPE = "float: The shape of the distribution; positive."
_FREEDOM = "float: The degrees of freedom; positive."
_OUT = {"out": "None: Refused: lazy arrays are made anew."}
_BOUNDS = {
    "low": "int: The least number, or with one bound alone the upper one.",
    "high": "int: The upper bound.",
    "endpoint": "bool: Whether the upper bound is drawn, too.",
}

DESCRIPTIONS: dict[str, Description] = {
    "beta": Description(
        "Numbers from 0 to 1 of the beta distribution.", _FLOATS, {"a": _SHAPE, "b": _SHAPE}, "2.0, 3.0"
    ),
    "binomial": Description(
        "How many of some trials succeed.",
        _COUNTS,
        {"n": "int: How many trials there are.", "p": "float: The probability that one succeeds, from 0 to 1."},
        "10, 0.5",
    ),
    "chisquare": Description("Sums of squares of normal numbers.", _FLOATS, {"df": _FREEDOM}, "2.0"),
    "choice": Description(
        "Elements of an array, or whole numbers below a bound.",
        "Of the type of the elements, of the shape `size`.",
        {
            "a": "int or array_like: The elements, held in memory, or how many whole numbers from zero there are.",
            "replace": "bool: Whether an element can come several times; without, the draw is made in one block.",
            "p": "array_like: The probability of each element; all are as likely if not given.",
            "axis": "int: The axis along which elements are drawn; only 0 is implemented.",
            "shuffle": "bool: Whether the order is drawn, too, without replacement; it always is.",
        },
        "[10, 20, 30]",
    ),
    "exponential": Description("Waiting times between events.", _FLOATS, {"scale": "float: The mean."}, "2.0"),
    "f": Description(
        "Quotients of two chi-squared numbers over their degrees of freedom.",
        _FLOATS,
        {"dfnum": _FREEDOM, "dfden": _FREEDOM},
        "2.0, 5.0",
    ),
    "gamma": Description("Numbers of the gamma distribution.", _FLOATS, {"shape": _SHAPE, "scale": _SCALE}, "2.0"),
    "geometric": Description(
        "How many trials it takes to succeed once.",
        _COUNTS,
        {"p": "float: The probability that one succeeds, above 0 and up to 1."},
        "0.5",
    ),
    "gumbel": Description("Largest of many numbers, by Gumbel.", _FLOATS, {"loc": _LOC, "scale": _SCALE}, ""),
    "hypergeometric": Description(
        "How many of a sample without replacement are good ones.",
        _COUNTS,
        {
            "ngood": "int: How many good ones there are.",
            "nbad": "int: How many others there are.",
            "nsample": "int: How many are drawn.",
        },
        "5, 5, 3",
    ),
    "integers": Description("Whole numbers within bounds, all as likely.", _TYPED, _BOUNDS, "10"),
    "laplace": Description("Numbers of the double exponential.", _FLOATS, {"loc": _LOC, "scale": _SCALE}, ""),
    "logistic": Description("Numbers of the logistic distribution.", _FLOATS, {"loc": _LOC, "scale": _SCALE}, ""),
    "lognormal": Description(
        "Numbers whose logarithms are normal.",
        _FLOATS,
        {"mean": "float: The mean of the logarithms.", "sigma": "float: The standard deviation of the logarithms."},
        "",
    ),
    "logseries": Description(
        "Whole numbers of the logarithmic series.", _COUNTS, {"p": "float: The parameter, from 0 to before 1."}, "0.5"
    ),
    "multinomial": Description(
        "How often each outcome comes in some trials.",
        "Of int64, of the shape `size` and one axis more, with a place for each outcome.",
        {"n": "int: How many trials there are.", "pvals": "array_like: The probability of each outcome."},
        "10, [0.2, 0.8]",
    ),
    "negative_binomial": Description(
        "How many trials fail before some succeed.",
        _COUNTS,
        {"n": "float: How many successes are waited for.", "p": "float: The probability of each."},
        "3, 0.5",
    ),
    "noncentral_chisquare": Description(
        "Sums of squares of normal numbers around other means than zero.",
        _FLOATS,
        {"df": _FREEDOM, "nonc": "float: The sum of squared means; not negative."},
        "3.0, 1.0",
    ),
    "noncentral_f": Description(
        "Quotients of a noncentral and a central chi-squared number over their degrees of freedom.",
        _FLOATS,
        {"dfnum": _FREEDOM, "dfden": _FREEDOM, "nonc": "float: The sum of squared means; not negative."},
        "3.0, 4.0, 1.0",
    ),
    "normal": Description(
        "Normal numbers.",
        _FLOATS,
        {"loc": "float or array_like: The mean.", "scale": "float or array_like: The standard deviation."},
        "",
    ),
    "pareto": Description("Numbers of the second kind of Pareto (Lomax).", _FLOATS, {"a": _SHAPE}, "3.0"),
    "permutation": Description(
        "Slices of an array, or whole numbers, in random order.",
        "Of the type and the shape of `x`.",
        {
            "x": "int or array_like: The array, or how many whole numbers from zero there are.",
            "axis": "int: The axis along which slices move.",
        },
        "",
    ),
    "poisson": Description("How many events happen in a time.", _COUNTS, {"lam": "float: The mean."}, "3.0"),
    "power": Description("Numbers from 0 to 1 with the density ``a * x**(a - 1)``.", _FLOATS, {"a": _SHAPE}, "3.0"),
    "randint": Description("Whole numbers from a bound to before another, all as likely.", _TYPED, _BOUNDS, "10"),
    "random": Description("Numbers from 0 to before 1, all as likely.", _TYPED, _OUT, ""),
    "random_integers": Description(
        "Whole numbers from a bound to another, all as likely; from one, with one bound alone.", _COUNTS, _BOUNDS, "10"
    ),
    "random_sample": Description("Numbers from 0 to before 1, all as likely.", _FLOATS, {}, ""),
    "rayleigh": Description("Lengths of vectors with normal coordinates.", _FLOATS, {"scale": _SCALE}, ""),
    "seed": Description(
        "Begin anew with a seed.",
        "Nothing.",
        {"seed": "int or sequence of int: The seed; one that nobody can guess if not given."},
        "",
    ),
    "standard_cauchy": Description("Quotients of two normal numbers.", _FLOATS, {}, ""),
    "standard_exponential": Description(
        "Waiting times between events, with mean 1.",
        _TYPED,
        {**_OUT, "method": "str: NumPy's way to draw, `zig` or `inv`; there is one here."},
        "",
    ),
    "standard_gamma": Description(
        "Numbers of the gamma distribution of scale 1.", _TYPED, {**_OUT, "shape": _SHAPE}, "2.0"
    ),
    "standard_normal": Description("Normal numbers with mean 0 and standard deviation 1.", _TYPED, _OUT, ""),
    "standard_t": Description("Numbers of Student's distribution.", _FLOATS, {"df": _FREEDOM}, "5.0"),
    "tomaxint": Description("Whole numbers of all that int64 has, from zero.", _COUNTS, {}, ""),
    "triangular": Description(
        "Numbers whose density rises to a mode and falls from there.",
        _FLOATS,
        {
            "left": "float: The lower bound.",
            "mode": "float: The number of the highest density.",
            "right": "float: The upper bound.",
        },
        "0.0, 1.0, 3.0",
    ),
    "uniform": Description(
        "Numbers from a bound to before another, all as likely.",
        _FLOATS,
        {"low": "float or array_like: The lower bound.", "high": "float or array_like: The upper bound."},
        "",
    ),
    "vonmises": Description(
        "Angles from -pi to pi around a direction, by von Mises.",
        _FLOATS,
        {"mu": "float: The direction.", "kappa": "float: How closely they gather around it; not negative."},
        "0.0, 2.0",
    ),
    "wald": Description(
        "Numbers of the inverse Gaussian distribution.",
        _FLOATS,
        {"mean": "float: The mean; positive.", "scale": _SHAPE},
        "1.0, 2.0",
    ),
    "weibull": Description("Numbers of Weibull's distribution of scale 1.", _FLOATS, {"a": _SHAPE}, "2.0"),
    "zipf": Description(
        "Whole numbers of Zipf's distribution.", _COUNTS, {"a": "float: The exponent; above 1."}, "2.0"
    ),
}

_RAISES = {"ValueError": "If a parameter is out of its bounds.", "TypeError": "If `size` is no shape."}
_OTHER_NUMBERS = (
    "the numbers are others than NumPy's of that seed; they are the same whatever the chunks and the threads."
)


def describe(kind: type[Any]) -> type[Any]:
    """A class of generators whose methods have their documentation from the table."""
    for name, method in vars(kind).items():
        if name in DESCRIPTIONS:
            method.__doc__ = _documentation(name, kind.__name__, inspect.signature(method))
    return kind


def _documentation(name: str, kind: str, signature: inspect.Signature) -> str:
    found = DESCRIPTIONS[name]
    made = "ra.random.default_rng(0)" if kind == "Generator" else "ra.random.RandomState(0)"
    size = "" if "size" not in signature.parameters else "size=(2, 3), chunks=2"
    arguments = ", ".join(part for part in (found.example, size) if part)
    shape = "(2, 3, 2)" if name == "multinomial" else "(2, 3)"
    example = f">>> {made}.{name}({arguments}).shape\n{shape}"
    if name == "permutation":
        example = f">>> sorted({made}.{name}(3).compute().tolist())\n[0, 1, 2]"
    if name == "seed":
        example = f">>> rng = {made}\n>>> rng.seed(1)"
    return compose(
        f"{found.summary}\n\n{example}",
        signature,
        found.result,
        PARAMETERS,
        raises=_RAISES if size else None,
        differences=_OTHER_NUMBERS if size else None,
        kind="None" if name == "seed" else "Array",
        parameters=found.parameters,
        prelude=PRELUDE,
    )
