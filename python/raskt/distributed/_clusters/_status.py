"""What has become of a cluster or a process of it."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """How far a scheduler, a worker or a cluster has come.

    Examples
    --------
    >>> from raskt.distributed import Status
    >>> Status.running.name
    'running'
    """

    undefined = None
    created = "created"
    init = "init"
    starting = "starting"
    running = "running"
    paused = "paused"
    stopping = "stopping"
    stopped = "stopped"
    closing = "closing"
    closing_gracefully = "closing_gracefully"
    closed = "closed"
    failed = "failed"
    dont_reply = "dont_reply"
