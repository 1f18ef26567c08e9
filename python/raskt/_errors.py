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
    >>> ra.ones(2) * 2**70
    Traceback (most recent call last):
        ...
    raskt._errors.TooLarge: the integer 1180591620717411303424 does not fit 64 bits
    """
