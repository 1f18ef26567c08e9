"""Records, made small enough for a page."""

from __future__ import annotations

from itertools import groupby
from typing import Any

_COLOURS = [
    "#4269d0", "#d97a2b", "#3a9d6e", "#9563c9", "#c94f6d", "#2a9fb0", "#a6852f", "#6b8fd6", "#7f9a3c", "#b86fa8",
]  # fmt: skip
"""One for each name, the longest at work first; white text is readable on each."""
_OTHERS = "#7c8594"

BARS_MOST = 50_000
"""More tasks than this are drawn as bars of several."""
PARTS = 4_000
"""Neighbours become one bar that are shorter, and nearer to each other, than this part of the whole time."""
POINTS_MOST = 2_000
"""Points of a curve."""
SERIES_MOST = 12
"""Names whose results are told apart; the others are one."""


NAMES_MOST = 100
"""Names that are told apart; the others are one."""


def named(tasks: list[Any], held: list[Any]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """What the tasks did, by name, longest first, each with its colour; and the place of each name among them."""
    found: dict[str, dict[str, Any]] = {}
    for task in tasks:
        entry = found.setdefault(task.task, {"name": task.task, "count": 0, "seconds": 0.0, "longest": 0.0})
        seconds = task.end_time - task.start_time
        entry["count"] += 1
        entry["seconds"] += seconds
        entry["longest"] = max(entry["longest"], seconds)
    for result in held:
        found.setdefault(result.task, {"name": result.task, "count": 0, "seconds": 0.0, "longest": 0.0})
    names = sorted(found.values(), key=lambda entry: (-entry["seconds"], entry["name"]))
    places = {entry["name"]: min(place, NAMES_MOST) for place, entry in enumerate(names)}
    if others := names[NAMES_MOST:]:
        together = {key: sum(entry[key] for entry in others) for key in ("count", "seconds")}
        longest = max(entry["longest"] for entry in others)
        names[NAMES_MOST:] = [{"name": f"{len(others)} others", "longest": longest, **together}]
    for place, entry in enumerate(names):
        entry["colour"] = _COLOURS[place] if place < len(_COLOURS) else _OTHERS
    return names, places


def merged_bars(
    tasks: list[Any], places: dict[str, int], began: float, ended: float
) -> tuple[dict[str, list[Any]], list[str], list[str]]:
    """The bars of the task stream by column, their keys, and the names of the rows.

    Of many tasks, short neighbours on a thread that do the same become one bar.
    """
    threads = sorted({task.worker_id for task in tasks})
    rows = {thread: row for row, thread in enumerate(threads)}
    least = (ended - began) / PARTS if len(tasks) > BARS_MOST else -1.0
    columns = ("row", "name", "start", "end", "count", "busy", "failed")
    bars: dict[str, list[Any]] = {column: [] for column in columns}
    keys: list[str] = []
    ordered = sorted(tasks, key=lambda task: (task.worker_id, task.start_time))
    for thread, of_thread in groupby(ordered, key=lambda task: task.worker_id):
        last = None
        for task in of_thread:
            seconds = task.end_time - task.start_time
            joins = last == task.task and seconds < least and task.start_time - began - bars["end"][-1] < least
            if joins and bars["busy"][-1] < 8 * least:
                bars["end"][-1] = task.end_time - began
                bars["count"][-1] += 1
                bars["busy"][-1] += seconds
                bars["failed"][-1] += int(task.failed)
                keys[-1] = ""
                continue
            last = task.task
            start, end = task.start_time - began, task.end_time - began
            for column, value in zip(
                columns, (rows[thread], places[task.task], start, end, 1, seconds, int(task.failed))
            ):
                bars[column].append(value)
            keys.append(task.key)
    return bars, keys, [f"thread {row + 1}" for row in range(len(threads))]


def held_series(held: list[Any], places: dict[str, int], began: float, ended: float) -> dict[str, Any]:
    """Bytes held over time by name, as steps. Of many steps, the most that was held in each part of the time stays."""
    changes = []
    for result in held:
        changes.append((result.cache_time - began, result.task, result.metric))
        if result.free_time is not None:
            changes.append((result.free_time - began, result.task, -result.metric))
    changes.sort(key=lambda change: change[0])
    made: dict[str, int] = {}
    for result in held:
        made[result.task] = made.get(result.task, 0) + result.metric
    names = sorted(made, key=lambda name: -made[name])[:SERIES_MOST]
    now = dict.fromkeys(names, 0)
    times, steps = [0.0], [dict(now)]
    least = (ended - began) / POINTS_MOST if len(changes) > POINTS_MOST else 0.0
    for time, name, by in changes:
        if name not in now:
            continue
        now[name] += by
        if time - times[-1] > least or len(times) == 1:
            times.append(time)
            steps.append(dict(now))
        elif sum(now.values()) > sum(steps[-1].values()) or least == 0:
            steps[-1] = dict(now)
    times.append(ended - began)
    steps.append(dict(now))
    series = [{"name": places[name], "values": [step[name] for step in steps]} for name in names]
    return {"time": times, "series": series}
