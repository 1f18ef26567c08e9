"""All parts of the matrix, and how much of each CI tries."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial

from . import (
    array_chunks,
    array_creation,
    array_functions,
    array_indexing,
    array_operators,
    frame_accessors,
    frame_groups,
    frame_joins,
    frame_methods,
    frame_operators,
    frame_rows,
)
from .array_chunks import Chunkings
from .array_data import Arrays
from .case import Case, Cases, World
from .frame_data import Frames
from .run import Choice, Report, run


@dataclass(frozen=True, slots=True)
class Part:
    """Generators of cases over one world, and the share of them that CI tries."""

    world: Callable[[], World]
    generators: tuple[Callable[[], Cases], ...]
    share: float

    def cases(self) -> Iterator[Case]:
        for generator in self.generators:
            yield from generator()


frames = cache(Frames)
PARTS = {
    "arrays.operators": Part(Arrays, (array_operators.unary, array_operators.binary, array_operators.scalars), 0.06),
    "arrays.reductions": Part(Arrays, (array_functions.reductions,), 0.012),
    "arrays.functions": Part(Arrays, (array_functions.functions,), 0.03),
    "arrays.pairs": Part(Arrays, (array_functions.pairs,), 0.012),
    "arrays.indexing": Part(Arrays, (array_indexing.reading, array_indexing.writing, array_indexing.several), 0.4),
    "arrays.creation": Part(partial(Arrays, ("whole",)), (array_creation.creation,), 0.2),
    "chunks": Part(Chunkings, (array_chunks.elementwise, array_chunks.random, array_chunks.frames), 1.0),
    "frames.operators": Part(
        frames, (frame_operators.unary, frame_operators.binary, frame_operators.frames, frame_operators.scalars), 0.0015
    ),
    "frames.ufuncs": Part(frames, (frame_operators.ufuncs,), 0.01),
    "frames.reductions": Part(frames, (frame_methods.reductions,), 0.006),
    "frames.cumulative": Part(frames, (frame_methods.cumulative,), 0.0075),
    "frames.methods": Part(frames, (frame_methods.methods, frame_methods.two_columns), 0.004),
    "frames.windows": Part(frames, (frame_methods.windows,), 0.0015),
    "frames.groups": Part(
        frames, (frame_groups.values, frame_groups.keys, frame_groups.forms, frame_groups.windows), 0.002
    ),
    "frames.accessors": Part(
        frames,
        (frame_accessors.text, frame_accessors.times, frame_accessors.categories, frame_accessors.missing),
        0.0075,
    ),
    "frames.joins": Part(frames, (frame_joins.merges, frame_joins.concats, frame_joins.dates), 0.003),
} | {
    f"frames.rows {labels}": Part(
        partial(Frames, ("whole", "three", "ragged", "kept"), labels, frame_rows.KINDS),
        (frame_rows.rows(labels),),
        0.015,
    )
    for labels in frame_rows.LABELS
}


def try_part(name: str, choice: Choice) -> Report:
    """Try the chosen cases of one part."""
    part = PARTS[name]
    return run(part.world(), choice.of(part.cases()), Report())


def try_parts(names: list[str], choose: Callable[[str], Choice], jobs: int | None = None) -> Iterator[Report]:
    """Try several parts, by as many processes as there are processors; a report for each slice of the work."""
    jobs = jobs or os.cpu_count() or 1
    slices = 1 if jobs == 1 else 2 * jobs
    work = [(name, replace(choose(name), slice=(number, slices))) for name in names for number in range(slices)]
    if jobs == 1:
        yield from (try_part(name, choice) for name, choice in work)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(try_part, *zip(*work))
