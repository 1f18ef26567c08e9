"""Random numbers; the counterpart of ``numpy.random``.

Numbers are counted, not drawn in turn: element *i* of an array depends on the seed, on how many arrays the generator
has made before, and on *i*. So the same seed gives the same numbers whatever the chunks and however many threads there
are.
They are not the numbers that NumPy gives for that seed. Distributions that say *(by NumPy)* are drawn block by block:
for them the numbers depend on the chunks, too.
"""

from __future__ import annotations

from raskt.array.random.generator import Generator, RandomState, default_rng

__all__ = [
    "Generator",
    "RandomState",
    "default_rng",
    "beta",
    "binomial",
    "chisquare",
    "choice",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "gumbel",
    "hypergeometric",
    "integers",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "randint",
    "random",
    "random_integers",
    "random_sample",
    "rayleigh",
    "seed",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "tomaxint",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]

_shared = RandomState()

# The functions of the module are those of one generator that it keeps.
beta = _shared.beta
binomial = _shared.binomial
chisquare = _shared.chisquare
choice = _shared.choice
exponential = _shared.exponential
f = _shared.f
gamma = _shared.gamma
geometric = _shared.geometric
gumbel = _shared.gumbel
hypergeometric = _shared.hypergeometric
integers = _shared.integers
laplace = _shared.laplace
logistic = _shared.logistic
lognormal = _shared.lognormal
logseries = _shared.logseries
multinomial = _shared.multinomial
negative_binomial = _shared.negative_binomial
noncentral_chisquare = _shared.noncentral_chisquare
noncentral_f = _shared.noncentral_f
normal = _shared.normal
pareto = _shared.pareto
permutation = _shared.permutation
poisson = _shared.poisson
power = _shared.power
randint = _shared.randint
random = _shared.random
random_integers = _shared.random_integers
random_sample = _shared.random_sample
rayleigh = _shared.rayleigh
seed = _shared.seed
standard_cauchy = _shared.standard_cauchy
standard_exponential = _shared.standard_exponential
standard_gamma = _shared.standard_gamma
standard_normal = _shared.standard_normal
standard_t = _shared.standard_t
tomaxint = _shared.tomaxint
triangular = _shared.triangular
uniform = _shared.uniform
vonmises = _shared.vonmises
wald = _shared.wald
weibull = _shared.weibull
zipf = _shared.zipf
