"""Pictures of graphs: DOT text always, images where Graphviz is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from raskt._core import graph_dot

__all__ = ["visualize"]

_IMAGES = ("svg", "png", "pdf", "jpg", "jpeg")


def visualize(
    *args: Any,
    filename: str | Path | None = "raskt",
    format: str | None = None,
    optimize_graph: bool = True,
    traverse: bool = True,
) -> Any:
    """Draws the graph of collections and delayed objects.

    Parameters
    ----------
    *args
        Collections, delayed objects, and containers of them.
    filename
        Where to write, with or without an ending. None writes nothing.
    format
        "dot", "svg", "png", "pdf" or "jpg"; by default the ending of `filename`, else "svg" if Graphviz is installed
        and "dot" if not.
    optimize_graph
        Graphs are always drawn as they run, optimised.
    traverse
        Whether to look into containers.

    Returns
    -------
    Path or str
        The path that was written; the DOT text if `filename` is None.

    Raises
    ------
    RuntimeError
        If an image is asked for and Graphviz' command `dot` isn't installed.
    ValueError
        If the format isn't known.

    Examples
    --------
    >>> import raskt
    >>> text = raskt.visualize(raskt.delayed(abs)(-1), filename=None)
    >>> text.splitlines()[0]
    'digraph raskt {'
    """
    dot = graph_dot(*args, traverse=traverse)
    if filename is None:
        return dot
    path = Path(filename)
    ending = path.suffix.lstrip(".").lower()
    if ending in (*_IMAGES, "dot"):
        path = path.with_suffix("")
    else:
        ending = ""
    kind = format or ending or ("svg" if shutil.which("dot") else "dot")
    target = path.with_name(f"{path.name}.{kind}")
    if kind == "dot":
        target.write_text(dot)
        return target
    if kind not in _IMAGES:
        raise ValueError(f"unknown format {kind!r}; known are dot, {', '.join(_IMAGES)}")
    return _render(dot, kind, target)


def _render(dot: str, kind: str, target: Path) -> Path:
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(
            f"to draw {kind} the command `dot` of Graphviz is needed, and it isn't installed (on Debian: "
            "apt install graphviz); "
            'format="dot" needs nothing'
        )
    done = subprocess.run([program, f"-T{kind}"], input=dot.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"Graphviz failed on the graph: {done.stderr.decode().strip()}")
    target.write_bytes(done.stdout)
    return target
