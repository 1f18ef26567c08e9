"""Every public name says what it takes, what it gives, and shows an example, in numpydoc's form."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from public_names import namesakes, public


def misses() -> Iterator[str]:
    """Each section that a docstring lacks, a line each."""
    for title, ours, _ in namesakes():
        for name in public(ours):
            thing = inspect.getattr_static(ours, name) if inspect.isclass(ours) else getattr(ours, name)
            thing = getattr(thing, "__func__", thing)
            for section in wanted(thing):
                if not has_section(inspect.getdoc(thing) or "", section):
                    yield f"{title}.{name}: {section}"


def wanted(thing: Any) -> list[str]:
    """The sections that a docstring is to have."""
    if not callable(thing):
        return ["Examples"] if isinstance(thing, property) else []
    if inspect.isclass(thing):
        return ["Examples"]
    try:
        takes = [p for p in inspect.signature(thing).parameters if p not in ("self", "cls")]
    except (TypeError, ValueError):
        takes = []
    return (["Parameters"] if takes else []) + ["Returns", "Examples"]


def has_section(text: str, section: str) -> bool:
    heading = "(Returns|Yields)" if section == "Returns" else section
    return re.search(rf"^{heading}\n-+$", text, re.MULTILINE) is not None


def test_docstrings_are_whole():
    missing = sorted(set(misses()))
    assert not missing, "\n".join(missing)
