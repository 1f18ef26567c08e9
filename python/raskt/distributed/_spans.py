"""Spans: what belongs together of what is computed."""

from __future__ import annotations

import ast
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from raskt._annotations import annotate, get_annotations

TOLD_BYTES = 512
"""As much is told of a span."""


@contextmanager
def span(*tags: str) -> Iterator[str]:
    """All that is submitted or computed within a ``with`` block belongs to a span; gives what that is known by.

    A block within another is a span of that one. `Client.get_task_stream` says of each row to which span it belongs
    (``"span"``: the tags from the outermost on; ``"span_id"``), and `performance_report` has a line for each.

    Parameters
    ----------
    *tags : str
        What it is called; of several, each is a span of the one before.

    Raises
    ------
    TypeError, ValueError
        If there is no tag, if one isn't a text, or if all together are longer than is told.

    Examples
    --------
    >>> from raskt.distributed import Client, span
    >>> with Client(n_workers=1, threads_per_worker=1) as client:
    ...     with span("weekly"):
    ...         with span("load"):
    ...             result = client.submit(abs, -1).result()
    ...     [row["span"] for row in client.get_task_stream()]
    [('weekly', 'load')]
    """
    if not tags:
        raise ValueError("span() is to be told what it is called: span('load')")
    for tag in tags:
        if not isinstance(tag, str) or not tag:
            kind = ValueError if isinstance(tag, str) else TypeError
            raise kind(f"span({tag!r}): a tag is a text of one letter at least")
    around = get_annotations().get("span")
    names = around["name"] if isinstance(around, dict) and "name" in around else ()
    said = {"name": (*names, *tags), "id": uuid.uuid4().hex}
    length = len(repr(said).encode("utf-8", "surrogatepass"))
    if length > TOLD_BYTES:
        raise ValueError(f"span({tags[0][:20]!r}...) takes {length} bytes with those around it, at most {TOLD_BYTES}")
    with annotate(span=said):
        yield str(said["id"])


def told(words: str) -> tuple[tuple[str, ...], str | None]:
    """The tags and the id of what a scheduler tells; somebody may have said something else by that name.

    >>> told("{'name': ('a', 'b'), 'id': '1f'}")
    (('a', 'b'), '1f')
    >>> told(""), told("'else'"), told("{[1]: 2}")
    (((), None), (('else',), None), (('{[1]: 2}',), None))
    """
    if not words:
        return (), None
    try:
        said: Any = ast.literal_eval(words)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        said = words
    if isinstance(said, dict) and isinstance(said.get("name"), tuple):
        return tuple(map(str, said["name"])), said.get("id")
    return (str(said),), None
