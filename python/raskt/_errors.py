"""Errors of more than one kind."""

from __future__ import annotations


class Unsupported(NotImplementedError, TypeError):
    """What raskt refuses and NumPy takes: a data type that arrays don't have, a function without a lazy form.

    It is a ``NotImplementedError``, as everything that is refused, and a ``TypeError``, as NumPy's protocols ask for.

    Examples
    --------
    >>> import numpy as np, raskt.array as ra
    >>> ra.asarray(np.array(["a"]))
    Traceback (most recent call last):
        ...
    raskt._errors.Unsupported: raskt arrays hold booleans, integers, floats and complex numbers of NumPy's ...
    """


class TooLarge(NotImplementedError, OverflowError):
    """A Python integer beyond the data type that it meets, where NumPy may go over to another one.

    Examples
    --------
    >>> import raskt.array as ra
    >>> ra.ones(2, dtype=int) * 2**70
    Traceback (most recent call last):
        ...
    raskt._errors.TooLarge: the integer 1180591620717411303424 does not fit 64 bits
    """


class UnknownLengths(NotImplementedError, ValueError):
    """An operation on an array of unknown block lengths, which needs them.

    Examples
    --------
    >>> import raskt.array as ra
    >>> x = ra.ones((4, 2))
    >>> x[x[:, 0] > 1][:1]
    Traceback (most recent call last):
        ...
    raskt._errors.UnknownLengths: slicing needs block lengths that are not known yet: call `compute_chunk_sizes()` first
    """


class CopyNeeded(NotImplementedError, ValueError):
    """`copy=False` where elements have no memory of their own before they are computed.

    Examples
    --------
    >>> import numpy as np, raskt.array as ra
    >>> np.asarray(ra.ones(2), copy=False)
    Traceback (most recent call last):
        ...
    raskt._errors.CopyNeeded: `copy=False` asks for memory that a lazy array has not got: call `compute()`
    """
