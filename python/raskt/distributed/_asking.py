"""Questions to the scheduler, and its answers, as plain objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from raskt._core import ClusterClient, ClusterFuture

PATIENCE_SECONDS = 60.0
"""How long a scheduler has to answer a question."""

TASKS_AT_A_TIME = 4096
"""Tasks that one question names at most, and entries that one answer has."""

BEGINNING = [0, {"layer": 0, "index": 0}]
"""The first place of all where results may be."""

Place = tuple[int, int, int]
"""A task: the number of its run, its layer, and its number there."""


def ask(client: ClusterClient, question: Any, timeout: float | None = PATIENCE_SECONDS) -> Any:
    """The answer to a question: the fields of the kind of the same name."""
    answer = json.loads(client.ask(json.dumps(question), timeout))
    if not isinstance(answer, dict) or len(answer) != 1:
        raise RuntimeError(f"the scheduler answered {answer!r} to {question!r}")
    return next(iter(answer.values()))


def order(client: ClusterClient, what: Any, timeout: float | None = None) -> list[int]:
    """Has something done with the cluster, and waits for it; gives the workers that it was about."""
    done: list[int] = ask(client, {"Order": what}, timeout)
    return done


def facts(client: ClusterClient) -> dict[str, Any]:
    """What the scheduler is about."""
    answer: dict[str, Any] = ask(client, "Scheduler")
    return answer


def there(client: ClusterClient) -> list[dict[str, Any]]:
    """The workers that are there, with ``id``, ``name``, ``identity``, ``addresses``, ``nthreads``, ``memory_limit``.

    A scheduler that has begun anew answers when the workers of before are back. A client that looks by itself before
    that sees none of them.
    """
    facts(client)
    return client.workers()


def workers(client: ClusterClient) -> dict[int, dict[str, Any]]:
    """What each worker has to do, and holds, by its number."""
    found: dict[int, dict[str, Any]] = {}
    while True:
        page = ask(client, {"Workers": {"from": max(found, default=-1) + 1}})
        found.update((about["worker"], about) for about in page)
        if len(page) < TASKS_AT_A_TIME:
            return found


def results(client: ClusterClient) -> Iterator[dict[str, Any]]:
    """All results that are in memory and that somebody needs."""
    at: Any = BEGINNING
    while at is not None:
        answer = ask(client, {"Results": {"from": at}})
        yield from answer["results"]
        at = answer["next"]


def processing(client: ClusterClient, worker: int) -> list[dict[str, Any]]:
    """What a worker was handed out and hasn't ended."""
    answer: list[dict[str, Any]] = ask(client, {"Processing": {"worker": worker}})
    return answer


def who_has(client: ClusterClient, places: Iterable[Place]) -> dict[Place, dict[str, Any]]:
    """Of those of these results that are in memory: who holds them, and their bytes."""
    found: dict[Place, dict[str, Any]] = {}
    for page in _pages(places):
        tasks = [[run, {"layer": layer, "start": index, "end": index + 1}] for run, layer, index in page]
        found.update((_place(about), about) for about in ask(client, {"WhoHas": {"tasks": tasks}}))
    return found


def stories(client: ClusterClient, places: Iterable[Place]) -> list[dict[str, Any]]:
    """What is known of tasks."""
    found: list[dict[str, Any]] = []
    for page in _pages(places):
        tasks = [[run, {"layer": layer, "index": index}] for run, layer, index in page]
        found += ask(client, {"Stories": {"tasks": tasks}})
    return found


def runs(client: ClusterClient) -> list[dict[str, Any]]:
    """The runs that are known."""
    found: list[dict[str, Any]] = []
    while True:
        page = ask(client, {"Runs": {"from": found[-1]["run"] + 1 if found else 0}})
        found += page
        if len(page) < TASKS_AT_A_TIME:
            return found


def log(client: ClusterClient) -> list[dict[str, Any]]:
    """What the scheduler has noted down."""
    answer: list[dict[str, Any]] = ask(client, "Log")
    return answer


def places_of(client: ClusterClient, futures: Iterable[ClusterFuture]) -> dict[str, Place]:
    """Where futures stand, by their keys; those that let go of their result stand nowhere.

    Raises
    ------
    ValueError
        If one is of another cluster than that of `client`.
    """
    places = {future.key: future._place(client) for future in futures}
    return {key: place for key, place in places.items() if place is not None}


def key_of(about: dict[str, Any]) -> str:
    """What a task is called that others have submitted: its key, and the number of its run."""
    return f"{about['key']}-{about['run']:x}"


def _place(about: dict[str, Any]) -> Place:
    return about["run"], about["task"]["layer"], about["task"]["index"]


def _pages(places: Iterable[Place]) -> Iterator[list[Place]]:
    every = list(places)
    for start in range(0, len(every), TASKS_AT_A_TIME):
        yield every[start : start + TASKS_AT_A_TIME]
