"""Objects that nobody can change, which many calls may have at once; and copies of those that somebody can."""

from __future__ import annotations

import copy
import datetime
import decimal
import fractions
import pickle
import sys
import uuid
from typing import Any

OWN_BYTES = 64 << 20
"""A larger array isn't copied for each call that has it: it can't be written to there."""

DEPTH = 20
"""Tuples in tuples are looked into this far."""

PLAIN = frozenset(
    (
        str,
        bytes,
        int,
        float,
        complex,
        bool,
        type(None),
        type(...),
        range,
        datetime.date,
        datetime.time,
        datetime.timedelta,
        decimal.Decimal,
        fractions.Fraction,
        uuid.UUID,
    )
)


def is_unchangeable(thing: Any, depth: int = 0) -> bool:
    """Whether nobody can change a thing, nor what is in it.

    >>> is_unchangeable((1, ("a", frozenset([None])))), is_unchangeable((1, []))
    (True, False)
    """
    kind = type(thing)
    if kind in PLAIN:
        return True
    if kind in (tuple, frozenset):
        return depth < DEPTH and all(is_unchangeable(item, depth + 1) for item in thing)
    # Whoever has never imported NumPy has none of its arrays.
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return False
    if kind is numpy.ndarray:
        from raskt._moving.arrays import _is_fixed

        return not thing.dtype.hasobject and _is_fixed(thing)
    return isinstance(thing, (numpy.number, numpy.bool_))


def own(thing: Any) -> Any:
    """The thing for one call of several that have it."""
    if is_unchangeable(thing):
        return thing
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(thing) is numpy.ndarray and not thing.dtype.hasobject:
        if thing.nbytes <= OWN_BYTES:
            return _copied(thing)
        shown = thing.view()
        shown.flags.writeable = False
        return shown
    try:
        return pickle.loads(pickle.dumps(thing, protocol=5))
    except (pickle.PicklingError, AttributeError, TypeError):
        # Of a class that can't be found by its name here: it came by value.
        return copy.deepcopy(thing)


def _copied(array: Any) -> Any:
    copy = array.copy(order="K")
    copy.flags.writeable = array.flags.writeable
    return copy
