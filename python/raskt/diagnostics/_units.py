"""Numbers with their units, as people read them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """
    >>> [duration(seconds) for seconds in (0, 2e-8, 3.45e-5, 0.012, 1.5, 75, 4000)]
    ['0 s', '20 ns', '34.5 µs', '12 ms', '1.5 s', '1 min 15 s', '1 h 6 min']
    """
    if seconds <= 0:
        return "0 s"
    for scale, unit in ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")):
        if seconds < 999.5 * scale and not (unit == "s" and seconds >= 60):
            return f"{seconds / scale:.3g} {unit}"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def size(count: float) -> str:
    """
    >>> [size(count) for count in (0, 999, 1500, 2.5e9)]
    ['0 B', '999 B', '1.5 kB', '2.5 GB']
    """
    units = ["B", "kB", "MB", "GB", "TB"]
    while count >= 999.5 and len(units) > 1:
        count /= 1000
        units.pop(0)
    return f"{count:.3g} {units[0]}"


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "task"), count(2000, "task")
    ('1 task', '2,000 tasks')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
