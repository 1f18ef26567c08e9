"""One page that shows what was recorded: the task stream, processor and memory over time, and the results held."""

from __future__ import annotations

import html
import json
import webbrowser
from importlib.resources import files
from pathlib import Path
from typing import Any

from raskt.diagnostics import _units
from raskt.diagnostics._series import held_series, merged_bars, named

__all__ = ["Page", "visualize"]


class Page:
    """A page as `visualize` makes it; a notebook shows it."""

    def __init__(self, text: str, path: Path | None) -> None:
        self.html = text
        """The page itself. It needs no network and no other file."""
        self.path = path
        """Where it was written, if it was."""

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{source}" style="width:100%;height:640px;border:0" title="raskt"></iframe>'

    def __repr__(self) -> str:
        return f"<Page: {self.path}>" if self.path else f"<Page: {len(self.html)} characters>"


def visualize(
    profilers: Any,
    filename: str | Path | None = "profile.html",
    show: bool = False,
    save: bool = True,
    title: str = "raskt profile",
) -> Page:
    """Draw what profilers have recorded, on one HTML page that needs no network and no other file.

    Parameters
    ----------
    profilers : Profiler, ResourceProfiler, CacheProfiler, or a list of them
        Whose records are shown; they share one axis of time.
    filename : path-like, optional
        Where to write the page.
    show : bool
        Whether to open it in a browser.
    save : bool
        Whether to write it. What is shown in a browser is written.
    title : str
        What stands at its top.

    Returns
    -------
    Page
        A notebook shows it.

    Raises
    ------
    ValueError
        If nothing was recorded.

    Examples
    --------
    >>> import raskt
    >>> from raskt.diagnostics import CacheProfiler, Profiler, visualize
    >>> with Profiler() as profiler, CacheProfiler() as cache:
    ...     raskt.delayed(sum)([1, 2, 3]).compute()
    6
    >>> page = visualize([profiler, cache], save=False)
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    given = list(profilers) if isinstance(profilers, (list, tuple)) else [profilers]
    text = _page(given, title)
    path = Path(filename) if filename is not None and (save or show) else None
    if path is not None:
        path.write_text(text, encoding="utf-8")
        if show:
            webbrowser.open(path.resolve().as_uri())
    return Page(text, path)


def _page(profilers: list[Any], title: str) -> str:
    tasks, held, resources = _records(profilers)
    moments = [task.start_time for task in tasks] + [task.end_time for task in tasks]
    moments += [sample.time for sample in resources] + [result.cache_time for result in held]
    moments += [result.free_time for result in held if result.free_time is not None]
    if not moments:
        raise ValueError("nothing was recorded: compute something within the profiler's `with` block")
    began, ended = min(moments), max(moments)
    names, places = named(tasks, held)
    bars, keys, threads = merged_bars(tasks, places, began, ended)
    data = {
        "seconds": ended - began,
        "threads": threads,
        "names": names,
        "tasks": bars,
        "keys": keys,
        "resources": {
            "time": [sample.time - began for sample in resources],
            "mem": [sample.mem * 1e6 for sample in resources],
            "cpu": [sample.cpu for sample in resources],
        },
        "held": held_series(held, places, began, ended),
    }
    parts = {
        "title": html.escape(title),
        "style": _file("page.css"),
        "script": _file("page.js"),
        "about": html.escape(_about(tasks, threads)),
        "figures": _figures(tasks, held, resources, ended - began, len(threads)),
        "panels": _panels(tasks, held, resources, names),
        # "</script>" in a key must not end the element.
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    page = _file("page.html")
    pieces = []
    for piece in page.split("{{"):
        name, found, rest = piece.partition("}}")
        pieces += [parts[name], rest] if found else [piece]
    return "".join(pieces)


def _records(profilers: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    from raskt.diagnostics.profile import CacheProfiler, Profiler, ResourceProfiler

    tasks: list[Any] = []
    held: list[Any] = []
    resources: list[Any] = []
    for profiler in profilers:
        if isinstance(profiler, Profiler):
            tasks += profiler.results
        elif isinstance(profiler, CacheProfiler):
            held += profiler.results
        elif isinstance(profiler, ResourceProfiler):
            resources += profiler.results
        else:
            raise TypeError(f"a {type(profiler).__name__} object is no profiler of raskt's; there are three kinds")
    return tasks, held, sorted(resources)


def _about(tasks: list[Any], threads: list[str]) -> str:
    if not tasks:
        return "No task was recorded."
    return f"{_units.count(len(tasks), 'task')} on {_units.count(len(threads), 'thread')}"


def _figures(tasks: list[Any], held: list[Any], resources: list[Any], seconds: float, threads: int) -> str:
    figures = {"Duration": _units.duration(seconds)}
    if tasks:
        busy = sum(task.end_time - task.start_time for task in tasks)
        figures["Tasks"] = f"{len(tasks):,}"
        figures["At work"] = _units.duration(busy)
        figures["Threads busy"] = f"{100 * busy / max(seconds * threads, 1e-12):.0f} %"
        failed = sum(task.failed for task in tasks)
        if failed:
            figures["Failed"] = f"{failed:,}"
    if resources:
        figures["Memory, most"] = _units.size(max(sample.mem for sample in resources) * 1e6)
        figures["Processor, most"] = f"{max(sample.cpu for sample in resources):.0f} %"
    if held:
        figures["Results made"] = _units.size(sum(result.metric for result in held))
    return "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures.items())


def _panels(tasks: list[Any], held: list[Any], resources: list[Any], names: list[dict[str, Any]]) -> str:
    panels = []
    if tasks:
        panels.append(_panel("tasks", "Tasks", "what each thread did"))
    if resources:
        panels.append(_panel("cpu", "Processor", "100 % is one processor"))
        panels.append(_panel("memory", "Memory", "resident, with child processes"))
    if held:
        panels.append(_panel("held", "Results held", "by the engine, by what made them"))
    if tasks:
        panels.append(_table(names))
    return "\n".join(panels)


def _panel(name: str, title: str, about: str) -> str:
    return f'<section><h2>{title}<small>{about}</small></h2><canvas id="{name}"></canvas></section>'


def _table(names: list[dict[str, Any]]) -> str:
    total = sum(name["seconds"] for name in names) or 1.0
    rows = []
    for place, name in enumerate(names):
        if not name["count"]:
            continue
        share = name["seconds"] / total
        shown, colour = html.escape(name["name"]), name["colour"]
        cells = [
            f'<i class="mark" style="background:{colour}"></i>{shown}',
            f"{name['count']:,}",
            _units.duration(name["seconds"]),
            _units.duration(name["seconds"] / name["count"]),
            _units.duration(name["longest"]),
            f'<i class="share" style="width:{max(90 * share, 1):.0f}px;background:{colour}"></i>{100 * share:.1f} %',
        ]
        rows.append(f'<tr data-name="{place}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    heads = "".join(f"<th>{head}</th>" for head in ("Task", "Count", "Time", "Mean", "Longest", "Share"))
    body = "".join(rows)
    about = "<small>point at a row to see where it ran</small>"
    return (
        f"<section><h2>By name{about}</h2>"
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div></section>'
    )


def _file(name: str) -> str:
    return files("raskt.diagnostics").joinpath(name).read_text(encoding="utf-8")
