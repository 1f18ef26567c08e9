"""Durations as users write them."""

from __future__ import annotations

import re
from datetime import timedelta
from numbers import Real

_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_FORM = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def seconds(duration: object) -> float:
    """Seconds of a number, a `timedelta` or a text such as ``"10s"``, ``"500 ms"``, ``"2 min"``.

    >>> seconds("500 ms"), seconds(3), seconds(timedelta(minutes=1))
    (0.5, 3.0, 60.0)
    """
    if isinstance(duration, timedelta):
        return duration.total_seconds()
    if isinstance(duration, Real) and not isinstance(duration, bool):
        if duration != duration:
            raise ValueError("a duration is NaN; it has to be a number of seconds")
        # What is longer is for ever.
        return min(float(duration), 1e9) if duration < 1e9 else 1e9
    if isinstance(duration, str):
        found = _FORM.fullmatch(duration)
        unit = found and _UNITS.get(found[2].lower() or "s")
        if found and unit:
            return float(found[1]) * unit
        raise ValueError(f"{duration!r} is no duration; examples are '10s', '500 ms' and '2 min'")
    raise TypeError(f"{duration!r} is no duration; seconds, a timedelta or a text such as '10s' are")


def told(duration: object) -> str:
    """The same for messages.

    >>> told("500 ms"), told(3), told(None)
    ('0.5 s', '3 s', 'any time')
    """
    return "any time" if duration is None else f"{seconds(duration):g} s"
