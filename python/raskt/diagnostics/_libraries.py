"""Which numerical libraries compute."""

from __future__ import annotations

from dataclasses import dataclass

from raskt import _core


@dataclass(frozen=True)
class Library:
    """A numerical library that this process has loaded, with threads of its own."""

    name: str
    """ "OpenBLAS", "MKL", "BLIS" or "OpenMP"."""
    text: str | None
    """What it says of itself: its version, and what it was built for."""
    path: str
    """Its file."""
    threads: int
    """Threads that a call of it may use now: one while several Python tasks run."""
    integers: int | None
    """Bits of the lengths that its products of matrices take; None if it has none, or isn't used for them."""


@dataclass(frozen=True)
class Libraries:
    """What computes with matrices in this process."""

    products: str
    """What multiplies matrices of floats and complex numbers: the name of a library, or "faer", which is built in."""
    factorisations: str
    """What factorises them and solves equations."""
    loaded: list[Library]
    """The libraries that the process has loaded, the one that multiplies first."""


def libraries() -> Libraries:
    """Which numerical libraries this process has loaded, and which one multiplies matrices.

    That is one that NumPy or SciPy bring, MKL, or one of the machine; it is found when the first product is computed,
    or by this call, and stays the same. Where there is none the products are those of `faer`, which is built in. Other
    processes, such as workers of a cluster, have their own: ``client.run(raskt.diagnostics.libraries)``.

    Examples
    --------
    >>> import raskt.array, raskt.diagnostics
    >>> raskt.diagnostics.libraries().factorisations
    'faer'
    """
    best, loaded = _core.libraries()
    found = [Library(**about) for about in loaded]
    found.sort(key=lambda library: library.path != best)
    name = found[0].name if best is not None else "faer"
    return Libraries(products=name, factorisations="faer", loaded=found)
