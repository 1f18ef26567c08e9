"""How collections look at the prompt and in a notebook: their structure, without computing anything."""

from __future__ import annotations

from html import escape
from typing import Any

from ..base.labels import decode_label

#: Columns that a text or a table shows before it says how many more there are.
SHOWN_COLUMNS = 30


def label_text(name: str | None) -> str:
    """A column label as people read it."""
    return "" if name is None else str(decode_label(name))


def header(kind: str, collection: Any) -> str:
    """The first line: `DataFrame, 6 columns, npartitions=4, index 0 … 11`."""
    known = collection._plan.divisions
    span = f", index {known[0]} … {known[-1]}" if known else ""
    return f"{kind} npartitions={collection.npartitions}{span}"


def columns_of(collection: Any) -> list[tuple[str, str]]:
    """Pairs of label and type, shortened."""
    pairs = [
        (label_text(name), dtype) for name, dtype in zip(collection._plan.columns, collection._plan.dtypes, strict=True)
    ]
    if len(pairs) > SHOWN_COLUMNS:
        more = len(pairs) - SHOWN_COLUMNS
        pairs = [*pairs[:SHOWN_COLUMNS], (f"… {more} more", "")]
    return pairs


def frame_text(frame: Any) -> str:
    """The structure of a frame as text."""
    pairs = columns_of(frame)
    width = max((len(label) for label, _ in pairs), default=0)
    lines = [f"    {label.ljust(width)}  {dtype}" for label, dtype in pairs]
    title = header(f"raskt DataFrame, {len(frame._plan.columns)} columns,", frame)
    return "\n".join([title, *lines])


def series_text(series: Any) -> str:
    """The structure of a series as text."""
    kind = type(series).__name__
    named = f" {label_text(series._plan.name)!r}," if series._plan.name is not None else ""
    return header(f"raskt {kind}{named} dtype={series._plan.dtype},", series)


def frame_html(frame: Any) -> str:
    """The structure of a frame as an HTML table."""
    rows = "".join(f"<tr><th>{escape(label)}</th><td>{escape(dtype)}</td></tr>" for label, dtype in columns_of(frame))
    title = escape(header(f"raskt DataFrame, {len(frame._plan.columns)} columns,", frame))
    head = "<thead><tr><th>column</th><th>dtype</th></tr></thead>"
    return f"<div><p>{title}</p><table>{head}<tbody>{rows}</tbody></table></div>"


def series_html(series: Any) -> str:
    """The structure of a series as HTML."""
    return f"<div><p>{escape(series_text(series))}</p></div>"


def frame_info(frame: Any) -> str:
    """What `info()` prints."""
    pairs = [(label_text(name), dtype) for name, dtype in zip(frame._plan.columns, frame._plan.dtypes, strict=True)]
    width = max((len(label) for label, _ in [*pairs, ("column", "")]))
    rows = [f" {at:<3} {label.ljust(width)}  {dtype}" for at, (label, dtype) in enumerate(pairs)]
    title = f"<class 'raskt.dataframe.DataFrame'>\nColumns: {len(pairs)}, partitions: {frame.npartitions}"
    return "\n".join([title, f" #   {'column'.ljust(width)}  dtype", *rows])
