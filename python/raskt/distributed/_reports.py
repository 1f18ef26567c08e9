"""What workers did within a while: as rows, and as one file for people to look at."""

from __future__ import annotations

import html
import os
import time
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from raskt.distributed import _arguments, _asking, _current, _spans
from raskt.distributed._durations import seconds

if TYPE_CHECKING:
    from raskt._core import ClusterClient
    from raskt.distributed._client import Client

ROWS_DRAWN = 20_000
"""Assignments that are drawn at most."""

WIDTH, ROW = 1000, 16
"""Pixels of the drawing, and of a worker's row in it."""


def _pages(client: ClusterClient, at: int) -> Iterator[dict[str, Any]]:
    """What the scheduler remembers of assignments that have ended, from a number on, a part at a time."""
    while True:
        answer = _asking.ask(client, {"Stream": {"from": at}})
        yield answer
        at = answer["next"]
        if len(answer["ended"]) < _asking.TASKS_AT_A_TIME:
            return


def upto_now(client: ClusterClient) -> int:
    """The number of the assignment that ends next: clocks don't tell it from one that has ended a moment ago."""
    # Of those from the highest number on there are none, and the next one's number comes with that.
    return int(_asking.ask(client, {"Stream": {"from": 2**64 - 1}})["next"])


def stream(client: ClusterClient, at: int = 0) -> list[dict[str, Any]]:
    """The assignments that have ended lately, as far as the scheduler remembers them, from a number on."""
    found: list[dict[str, Any]] = []
    for answer in _pages(client, at):
        now = time.time()
        names = {about["id"]: about["name"] for about in client.workers()}
        for ended in answer["ended"]:
            stop = now - ended["age_nanoseconds"] / 1e9
            found.append(
                {
                    "key": _asking.key_of(ended),
                    "worker": names.get(ended["worker"], f"worker {ended['worker']}"),
                    "startstops": ({"action": "compute", "start": stop - ended["nanoseconds"] / 1e9, "stop": stop},),
                    "tasks": ended["done"] + ended["failed"],
                    "status": "error" if ended["failed"] else "OK",
                    "nbytes": ended["bytes"],
                    "span": (told := _spans.told(ended["span"]))[0],
                    "span_id": told[1],
                }
            )
    return found


def within(rows: list[dict[str, Any]], start: Any, stop: Any, count: int | None) -> list[dict[str, Any]]:
    """Those that ended within a time: moments as of `time.time()`, or texts such as "10s" for so long ago."""
    since, until = _moment(start), _moment(stop)
    ends = [(row["startstops"][-1]["stop"], row) for row in rows]
    kept = [row for end, row in ends if (since is None or end >= since) and (until is None or end <= until)]
    return kept if count is None else kept[-count:] if count else []


def _moment(when: Any) -> float | None:
    if when is None:
        return None
    return time.time() - seconds(when) if isinstance(when, str) else float(when)


class get_task_stream:
    """What workers do within a ``with`` block.

    Attributes
    ----------
    data : list of dict
        After the block: the assignments that ended in it.

    Examples
    --------
    >>> from raskt.distributed import Client
    >>> from raskt.distributed._reports import get_task_stream
    >>> with Client(n_workers=1, threads_per_worker=1) as client, get_task_stream(client) as stream:
    ...     _ = client.submit(abs, -1).result()
    >>> sum(row["tasks"] for row in stream.data)
    1
    """

    def __init__(
        self, client: Client | None = None, plot: bool | str = False, filename: str = "task-stream.html"
    ) -> None:
        self.data: list[dict[str, Any]] = []
        self._client = client or _current.default_client()
        self._plot, self._filename = plot, filename
        self._from = 0

    def __enter__(self) -> get_task_stream:
        self._from = upto_now(self._client._raskt_cluster_client)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.data = stream(self._client._raskt_cluster_client, self._from)
        if self._plot:
            write(self._filename, drawn(self.data), {})


class performance_report:
    """Writes a file that shows what workers did within a ``with`` block.

    Parameters
    ----------
    filename : str
        The file, of HTML that needs nothing else.
    stacklevel : int
        Of no effect: the code of the block isn't shown.

    Examples
    --------
    >>> import os, tempfile
    >>> from raskt.distributed import Client, performance_report
    >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> with Client(n_workers=1, threads_per_worker=1) as client, performance_report(path):
    ...     _ = client.submit(abs, -1).result()
    >>> os.path.exists(path)
    True
    """

    def __init__(
        self,
        filename: str | os.PathLike[str] = "raskt-report.html",
        stacklevel: int = 1,
        mode: str | None = None,
        storage_options: dict[str, Any] | None = None,
    ) -> None:
        if storage_options:
            raise NotImplementedError("storage_options= is for file systems elsewhere; the report is a local file")
        if mode is not None:
            raise NotImplementedError(f"mode={mode!r} is one of bokeh; the report needs no library")
        self._filename = _arguments.file("filename", filename)
        self._from, self._start = 0, 0.0

    def __enter__(self) -> performance_report:
        self._client = _current.default_client()
        self._from, self._start = upto_now(self._client._raskt_cluster_client), time.time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        native = self._client._raskt_cluster_client
        rows = stream(native, self._from)
        loads = _asking.workers(native)
        names = {about["id"]: about for about in native.workers()}
        took = sum(row["startstops"][0]["stop"] - row["startstops"][0]["start"] for row in rows)
        about = {
            "Seconds": f"{time.time() - self._start:.3f}",
            "Tasks": str(sum(row["tasks"] for row in rows)),
            "Assignments with failures": str(sum(row["status"] != "OK" for row in rows)),
            "Seconds of all threads at work": f"{took:.3f}",
            "Bytes of results": f"{sum(row['nbytes'] for row in rows):,}",
        }
        for tags, seconds_of, count in _by_span(rows):
            about[f"Span {' / '.join(tags)}"] = f"{count:,} tasks, {seconds_of:.3f} s of threads at work"
        for number, known in names.items():
            load = loads.get(number, {"bytes": 0, "results": 0})
            about[f"Held by {known['name']}"] = (
                f"{load['results']:,} results of {load['bytes']:,} bytes; {known['nthreads']} threads"
            )
        write(self._filename, drawn(rows), about)


def _by_span(rows: list[dict[str, Any]]) -> list[tuple[tuple[str, ...], float, int]]:
    """What each span took, those within it included: the seconds of threads, and the tasks."""
    sums: dict[tuple[str, ...], tuple[float, int]] = {}
    for row in rows:
        for depth in range(1, len(row["span"]) + 1):
            took, count = sums.get(row["span"][:depth], (0.0, 0))
            step = row["startstops"][0]
            sums[row["span"][:depth]] = (took + step["stop"] - step["start"], count + row["tasks"])
    return [(tags, *sum_of) for tags, sum_of in sorted(sums.items())]


def drawn(rows: list[dict[str, Any]]) -> str:
    """A drawing of assignments: time to the right, a row for as many of a worker as go on at a time."""
    rows = sorted(rows, key=lambda row: row["startstops"][0]["start"])[-ROWS_DRAWN:]
    if not rows:
        return "<p>Nothing was run.</p>"
    first = min(row["startstops"][0]["start"] for row in rows)
    last = max(row["startstops"][0]["stop"] for row in rows)
    scale = WIDTH / max(last - first, 1e-9)
    lanes: dict[str, list[float]] = {}
    placed: list[tuple[str, int, dict[str, Any]]] = []
    for row in rows:
        span, ends = row["startstops"][0], lanes.setdefault(row["worker"], [])
        lane = next((at for at, end in enumerate(ends) if end <= span["start"]), len(ends))
        ends[lane : lane + 1] = [span["stop"]]
        placed.append((row["worker"], lane, row))
    tops, top, parts = {}, 0, []
    for worker, ends in sorted(lanes.items()):
        tops[worker] = top + ROW
        parts.append(f'<text x="0" y="{top + ROW - 4}">{html.escape(worker)}</text>')
        top += ROW * (len(ends) + 1)
    for worker, lane, row in placed:
        span = row["startstops"][0]
        name = row["key"].split("[")[0]
        colour = "#c0392b" if row["status"] != "OK" else f"hsl({hash_of(name) % 360} 55% 55%)"
        left, width = (span["start"] - first) * scale, max(0.5, (span["stop"] - span["start"]) * scale)
        words = html.escape(f"{row['key']}: {row['tasks']} tasks, {span['stop'] - span['start']:.6f} s")
        parts.append(
            f'<rect x="{left:.2f}" y="{tops[worker] + lane * ROW}" width="{width:.2f}" height="{ROW - 2}" '
            f'fill="{colour}"><title>{words}</title></rect>'
        )
    return f'<svg width="{WIDTH}" height="{top}" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'


def hash_of(text: str) -> int:
    """A number that is the same in every process."""
    number = 5381
    for character in text:
        number = (number * 33 + ord(character)) % 2**32
    return number


def write(path: str | os.PathLike[str], drawing: str, about: dict[str, str]) -> None:
    """Writes the file."""
    lines = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in about.items()
    )
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>raskt: what workers did</title>'
        "<style>body{font:14px sans-serif;margin:2em}th{text-align:left;padding-right:2em}"
        "text{font:11px sans-serif}</style>"
        f"<h1>What workers did</h1><table>{lines}</table><h2>Tasks over time</h2>{drawing}</html>\n"
    )
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
