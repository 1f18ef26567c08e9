"""How arrays look in a notebook: a table of facts and a drawing of the chunk grid. Nothing is computed for it."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from raskt.array._array import Array


__all__ = ["describe_html", "draw"]

#: More lines than this along an axis are drawn as a sample: they would be a grey box.
LINES_MAX = 40
#: How far the third axis goes to the right and down, for each pixel of its length.
SLANT = 0.35


def describe_html(array: Array) -> str:
    """A table of bytes, shapes and chunks, with the drawing beside it."""
    tasks, layers, size, block = array.__raskt_expr__.describe()
    rows = [
        ("Bytes", readable_bytes(size), readable_bytes(block)),
        ("Shape", str(array.shape), str(array.chunksize)),
        ("Count", f"{array.npartitions} chunks", f"{tasks} tasks in {layers} layers"),
        ("Data type", f"{array.dtype}", "numpy.ndarray"),
    ]
    body = "".join(
        f'<tr><th style="text-align:left">{name}</th><td>{whole}</td><td>{part}</td></tr>' for name, whole, part in rows
    )
    table = f"<table><thead><tr><td></td><th>Array</th><th>Chunk</th></tr></thead><tbody>{body}</tbody></table>"
    drawing = draw(array.chunks) if array.ndim and array.__raskt_expr__.is_known else ""
    return f'<div style="display:flex;align-items:center;gap:2em">{table}{drawing}</div>'


def readable_bytes(size: int | None) -> str:
    """`1572864` as `1.50 MiB`."""
    if size is None:
        return "unknown"
    for unit, step in (("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("kiB", 10)):
        if size >= 2**step * 0.9:
            return f"{size / 2**step:.2f} {unit}"
    return f"{size} B"


def draw(chunks: Sequence[Sequence[int]], size: int = 200) -> str:
    """The chunk grid as SVG: a bar, a rectangle, or a cuboid of the last three axes."""
    if not chunks:
        raise ValueError("an array without axes has no chunk grid to draw")
    if any(length != length for axis in chunks for length in axis):
        raise ValueError("blocks of unknown length cannot be drawn: call `compute_chunk_sizes()` first")
    axes = list(chunks[-3:])
    lengths = [sum(axis) for axis in axes]
    sides = _sides(lengths, size)
    places = [_places(axis, side) for axis, side in zip(axes, sides, strict=True)]
    if len(axes) == 1:
        return _svg(_face((0, 0), places[0], [0, 0.2 * size]), sides[0], 0.2 * size, [(lengths[0], "below")])
    if len(axes) == 2:
        return _svg(
            _face((0, 0), places[1], places[0]), sides[1], sides[0], [(lengths[1], "below"), (lengths[0], "beside")]
        )
    return _cuboid(places, sides, lengths)


def _sides(lengths: Sequence[int], size: int) -> list[float]:
    """Pixels of each axis: the longest has `size`, and none is too thin to be seen."""
    longest = max([*lengths, 1])
    return [size * max(0.1, 1 / (1 + 0.3 * log2(longest / max(length, 1)))) for length in lengths]


def _places(axis: Sequence[int], side: float) -> list[float]:
    """Where the lines between blocks stand."""
    total, at, places = max(sum(axis), 1), 0, [0.0]
    for length in axis:
        at += length
        places.append(side * at / total)
    step = -(-len(places) // LINES_MAX)
    return [*places[:-1:step], side]


def _face(corner: tuple[float, float], xs: Sequence[float], ys: Sequence[float]) -> str:
    """A rectangle with its lines."""
    left, top = corner
    width, height = xs[-1], ys[-1]
    upright = [_line(left + x, top, left + x, top + height) for x in xs]
    level = [_line(left, top + y, left + width, top + y) for y in ys]
    size = f'width="{width:.1f}" height="{height:.1f}"'
    box = f'<rect x="{left:.1f}" y="{top:.1f}" {size} style="fill:#9bb8d3a0;stroke:none"/>'
    return box + "".join(upright + level)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _cuboid(places: Sequence[Sequence[float]], sides: Sequence[float], lengths: Sequence[int]) -> str:
    """The front face, with lines that go back to the third axis along the top and the left side."""
    deep, tall, wide = sides
    shift = deep * SLANT
    front = _face((shift, shift), places[2], places[1])
    outline = [(0, 0), (wide, 0), (wide + shift, shift), (shift, shift), (shift, shift + tall), (0, tall)]
    corner = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
    back = f'<polygon points="{corner}" style="fill:#6f93b5a0;stroke:none"/>'
    lines = []
    for z in places[0]:
        offset = z * SLANT
        lines.append(_line(offset, offset, offset + wide, offset))
        lines.append(_line(offset, offset, offset, offset + tall))
    lines += [_line(x, 0, x + shift, shift) for x in places[2]]
    lines += [_line(0, y, shift, y + shift) for y in places[1]]
    labels = [(lengths[2], "below"), (lengths[1], "beside"), (lengths[0], "corner")]
    return _svg(back + "".join(lines) + front, wide + shift, tall + shift, labels)


def _svg(content: str, width: float, height: float, labels: Sequence[tuple[Any, str]]) -> str:
    where = {
        "below": f'x="{width / 2:.1f}" y="{height + 15:.1f}"',
        "beside": f'x="{width + 8:.1f}" y="{height / 2:.1f}"',
        "corner": f'x="0" y="{height + 15:.1f}"',
    }
    text = "".join(f'<text {where[place]} style="font-size:11px;stroke:none">{label}</text>' for label, place in labels)
    return (
        f'<svg width="{width + 60:.0f}" height="{height + 25:.0f}" xmlns="http://www.w3.org/2000/svg" '
        f'style="stroke:#2b4a66;stroke-width:0.7;overflow:visible">{content}{text}</svg>'
    )
