"""What callers say of clusters, looked at as they say it: an error names the argument, its value, and what would do."""

from __future__ import annotations

import logging
import math
import operator
import os
import tempfile
from collections.abc import Mapping
from datetime import timedelta
from numbers import Real
from typing import Any

import numpy as np

from raskt.distributed import _sizes
from raskt.distributed._durations import seconds

WORKERS_MAX = 10_000
"""Workers of a cluster, at most."""

THREADS_MAX = 10_000
"""Threads of a worker, at most."""

PORT_MAX = 65535

COUNT_MAX = 2**63 - 1
"""What is counted without another bound is at most so many."""


def count(name: str, value: Any, least: int = 0, most: int = WORKERS_MAX) -> int:
    """A whole number.

    >>> count("n", 3)
    3
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; it has to be a whole number")
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; it has to be from {least} to {most}")
    return number


def port(name: str, value: Any) -> int:
    """A port; 0 for any that is free."""
    return count(name, value, 0, PORT_MAX)


def text(name: str, value: Any) -> str:
    """A text of which something is seen."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; it has to be a text")
    if not value.strip() or "\0" in value:
        raise ValueError(f"{name} is {value!r}; it has to be a text of which something is seen")
    return value


def mapping(name: str, value: Any) -> dict[str, Any]:
    """Options by their names; None for none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"{name} is {value!r}; it has to be a dictionary whose keys are texts")
    return dict(value)


def flag(name: str, value: Any) -> bool:
    """Yes or no, also as NumPy has it."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; it has to be True or False")
    return bool(value)


def span(name: str, value: float | str | timedelta) -> float:
    """Seconds of a duration."""
    try:
        found = seconds(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None
    if found < 0:
        raise ValueError(f"{name} is {value!r}; it has to be a duration of 0 s or more, such as '10 s'")
    return found


def memory(name: str, value: Any) -> int:
    """Bytes, of a number or a text."""
    try:
        return _sizes.bytes_of(value)
    except ValueError:
        raise ValueError(f"{name} is {value!r}; it has to be a number of bytes, or a text such as '4 GiB'") from None


def level(name: str, value: Any) -> int:
    """A level of `logging`; 0 for none."""
    if value is None or isinstance(value, bool):
        return int(value or 0)
    if isinstance(value, str) and value.isidentifier():
        value = logging.getLevelName(value.upper())
    return count(name, value, 0, 10**6)


def folder(name: str, value: Any) -> str:
    """A folder that files can be written to; it is made if it isn't there."""
    try:
        path = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it has to be the path of a folder") from None
    try:
        os.makedirs(text(name, path), exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise ValueError(
            f"{name} is {path!r}, where no files can be written ({error.strerror}); name a folder where they can be"
        ) from None


def file(name: str, value: Any) -> str:
    """The path of a file that is to be written, in a folder that is there."""
    try:
        path = text(name, os.fsdecode(value))
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it has to be the path of a file") from None
    within = os.path.dirname(path) or "."
    if os.path.isdir(path) or not os.path.isdir(within):
        what = "is a folder" if os.path.isdir(path) else f"would be in {within!r}, which is no folder"
        raise ValueError(f"{name} is {path!r}, which {what}: name a file that can be written")
    return path


def finite(name: str, value: Any) -> float:
    """A number that is one."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise TypeError(f"{name} is {value!r}; it has to be a number")
    return float(value)


def amounts(name: str, value: Any) -> dict[str, float]:
    """How much there is of what, by names."""
    found = {
        text(f"a name in {name}", key): finite(f"{name}[{key!r}]", each) for key, each in mapping(name, value).items()
    }
    if wrong := {key: each for key, each in found.items() if each < 0}:
        raise ValueError(f"{name} has {wrong}; there is 0 or more of each")
    return found
