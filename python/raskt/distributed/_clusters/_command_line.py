"""What the command `raskt` is called with, from options as Python has them."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from raskt.distributed import _arguments
from raskt.distributed._clusters import _options, _places
from raskt.distributed._security import Security


def _name(name: str, value: Any) -> str:
    return _arguments.text(name, str(value))


def _path(name: str, value: Any) -> str:
    try:
        path = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it has to be a path") from None
    return str(Path(_arguments.text(name, path)).absolute())


def _duration(name: str, value: float | str | timedelta) -> str:
    return f"{_arguments.span(name, value)}s"


def _memory(name: str, value: Any) -> str:
    if value is None:
        return "0"
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"{name} is {value!r}; it is a number of bytes, a text such as '4 GiB', or None")
    return str(value)


def _protocol(name: str, value: str) -> str:
    return _places.protocol_of(value, None)


def _threads(name: str, value: Any) -> str:
    return str(_options.threads_of(value))


def _port(name: str, value: Any) -> str:
    return str(_arguments.port(name, value))


def _ports(name: str, value: Any) -> str:
    # Of several workers, each has one of a range.
    return _arguments.text(name, value) if isinstance(value, str) else _port(name, value)


def _amounts(name: str, value: dict[str, float]) -> str:
    return " ".join(f"{key}={amount:g}" for key, amount in _arguments.amounts(name, value).items())


_text = _arguments.text

Writers = dict[str, Callable[[str, Any], str]]

SCHEDULER: Writers = {
    "host": _text,
    "port": _port,
    "interface": _text,
    "protocol": _protocol,
    "scheduler_file": _path,
    "pid_file": _path,
    "idle_timeout": _duration,
}
"""Options of `raskt scheduler`, and how they are written."""

WORKER: Writers = {
    "nthreads": _threads,
    "name": _name,
    "memory_limit": _memory,
    "resources": _amounts,
    "local_directory": _path,
    "host": _text,
    "interface": _text,
    "protocol": _protocol,
    "worker_port": _ports,
    "listen_address": _text,
    "contact_address": _text,
    "death_timeout": _duration,
    "lifetime": _duration,
    "lifetime_stagger": _duration,
    "pid_file": _path,
}
"""Options of `raskt worker`, and how they are written."""

FLAGS = ("lifetime_restart",)


def arguments(command: str, options: dict[str, Any]) -> list[str]:
    """Options as arguments of a command; what it doesn't take is refused.

    >>> arguments("worker", {"nthreads": 2, "resources": {"GPU": 1}, "lifetime": "1 min", "preload": "numpy"})
    ['--nthreads=2', '--resources=GPU=1', '--lifetime=60.0s', '--preload=numpy']
    """
    writers = SCHEDULER if command == "scheduler" else WORKER
    written, others = [], {}
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if name == "preload":
            written += [f"{option}={module}" for module in _options.modules_of(value)]
        elif name in FLAGS:
            written += [option] if _arguments.flag(name, value) else []
        elif name not in writers:
            others[name] = value
        elif value is not None or name == "memory_limit":
            written.append(f"{option}={writers[name](name, value)}")
    _options.refuse(f"`raskt {command}`", others)
    return written


def security_arguments(security: Security) -> list[str]:
    """Where the files lie by which a process is known. What is in them isn't seen by others."""
    named = security.credentials()
    return [f"--{kind.replace('_', '-')}={path}" for kind, path in named.items() if path is not None]


def log_level(silence_logs: int | bool | None) -> str:
    """What is logged, where all up to a level of `logging` is silenced.

    >>> log_level(logging.WARN), log_level(False), log_level(logging.CRITICAL)
    ('--log-level=warn', '--log-level=info', '--log-level=error')
    """
    level = _arguments.level("silence_logs", silence_logs)
    names = {logging.DEBUG: "debug", logging.INFO: "info", logging.WARNING: "warn"}
    return f"--log-level={'info' if not level else names.get(level, 'error' if level > logging.WARNING else 'debug')}"
