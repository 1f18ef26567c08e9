"""What `dask.annotate` says of tasks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from raskt._annotations import annotation_set
from raskt._core import AnnotationSet

MEANT = ("priority", "retries")
"""What has a meaning on one machine. The rest speaks of a cluster's workers; Dask's own threads don't listen to it."""


def by_key(annotations: Mapping[str, Mapping[Hashable, Any]]) -> dict[Hashable, AnnotationSet]:
    """What is said of each key, from what Dask says by the name of the annotation. Equal ones are the same object.

    >>> said = by_key({"retries": {"x": 2, "y": 2}, "workers": {"z": ["a"]}})
    >>> list(said), said["x"] is said["y"]
    (['x', 'y'], True)
    """
    said: dict[Hashable, dict[str, Any]] = {}
    for name in MEANT:
        for key, value in annotations.get(name, {}).items():
            if value is not None:
                said.setdefault(key, {})[name] = value
    sets: dict[Hashable, AnnotationSet] = {}
    known: dict[tuple[tuple[str, Any], ...], AnnotationSet] = {}
    for key, values in said.items():
        kind = tuple(sorted(values.items()))
        if kind not in known:
            known[kind] = annotation_set(**values)
        sets[key] = known[kind]
    return sets
