"""What the command `raskt` is called with, from options as Python has them."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from raskt.distributed._clusters import _options
from raskt.distributed._durations import seconds
from raskt.distributed._security import Security


def _text(value: Any) -> str:
    return str(value)


def _path(value: Any) -> str:
    return str(Path(os.fspath(value)).absolute())


def _duration(value: float | str | timedelta) -> str:
    return f"{seconds(value)}s"


def _memory(value: Any) -> str:
    return "0" if value is None else str(value)


def _protocol(value: str) -> str:
    return value.removesuffix("://")


def _amounts(value: dict[str, float]) -> str:
    return " ".join(f"{name}={amount}" for name, amount in value.items())


Writers = dict[str, Callable[[Any], str]]

SCHEDULER: Writers = {
    "host": _text,
    "port": _text,
    "interface": _text,
    "protocol": _protocol,
    "scheduler_file": _path,
    "pid_file": _path,
    "idle_timeout": _duration,
}
"""Options of `raskt scheduler`, and how they are written."""

WORKER: Writers = {
    "nthreads": _text,
    "name": _text,
    "memory_limit": _memory,
    "resources": _amounts,
    "local_directory": _path,
    "host": _text,
    "interface": _text,
    "protocol": _protocol,
    "worker_port": _text,
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
            written += [option] if value else []
        elif name not in writers:
            others[name] = value
        elif value is not None or name == "memory_limit":
            written.append(f"{option}={writers[name](value)}")
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
    level = int(silence_logs or 0)
    names = {logging.DEBUG: "debug", logging.INFO: "info", logging.WARNING: "warn"}
    return f"--log-level={'info' if not level else names.get(level, 'error' if level > logging.WARNING else 'debug')}"
