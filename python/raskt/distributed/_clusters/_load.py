"""What a scheduler is asked so that a cluster can adapt."""

from __future__ import annotations

import json
from typing import Any, Protocol

from raskt.distributed._clusters._decision import Load, WorkerLoad

ANSWER_SECONDS = 10.0
"""How long the scheduler has to answer."""

NANOSECONDS = 1e9


class Asks(Protocol):
    """What of a native client that is."""

    def workers(self) -> list[dict[str, Any]]:
        """The workers that are there: ``id``, ``name``, ``nthreads``, ``memory_limit``."""

    def ask(self, question: str, timeout: Any = None) -> str:
        """What the scheduler answers; both are JSON."""


def load_of(asks: Asks) -> Load:
    """What there is to be done, by the names of workers."""
    total = _answer(asks, "Scheduler", "Scheduler")
    facts = {each["worker"]: each for each in _workers(asks)}
    known = [about for about in asks.workers() if about["id"] in facts]
    loads = tuple(
        WorkerLoad(
            about["name"],
            about["nthreads"],
            facts[about["id"]]["assignments"],
            # What has no size that is known is something all the same.
            max(facts[about["id"]]["bytes"], facts[about["id"]]["results"]),
            about["memory_limit"] or None,
            facts[about["id"]]["is_preparing"],
        )
        for about in known
    )
    running = sum(each["assignments"] for each in facts.values())
    seconds = sum(each["nanoseconds"] for each in facts.values()) / NANOSECONDS
    waiting = max(0, total["tasks"] - total["done"] - total["failed"] - running)
    return Load(loads, waiting, seconds / running if running and seconds else None, can_move=True)


def _workers(asks: Asks) -> list[dict[str, Any]]:
    """What each worker has to do, and holds; as many answers as it takes."""
    found: list[dict[str, Any]] = []
    first = 0
    while more := _answer(asks, {"Workers": {"from": first}}, "Workers"):
        found += more
        first = more[-1]["worker"] + 1
    return found


def _answer(asks: Asks, question: Any, kind: str) -> Any:
    answer = json.loads(asks.ask(json.dumps(question), ANSWER_SECONDS))
    if kind not in answer:
        raise RuntimeError(f"the scheduler answers {question!r} by {answer!r}")
    return answer[kind]
