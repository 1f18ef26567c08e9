"""Every public name of arrays says what it takes, gives and raises, and shows it by an example that runs."""

from __future__ import annotations

import doctest
import inspect
from typing import Any

import numpy as np
import pytest

import raskt
import raskt.array as ra

#: Names whose examples would write files or open pictures, and what takes no arguments.
NO_EXAMPLE_NEEDED: set[str] = set()


def public() -> dict[str, Any]:
    """The documented things by their whole names: functions, methods, properties, ufuncs."""
    found = {f"ra.{name}": thing for name, thing in vars(ra).items() if not name.startswith("_") and is_ours(thing)}
    kinds = {
        "ra.Array": ra.Array,
        "ra.random.Generator": ra.random.Generator,
        "ra.random.RandomState": ra.random.RandomState,
    }
    for whole, kind in kinds.items():
        found |= {f"{whole}.{name}": getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
    for module in (ra.linalg, ra.random):
        found |= {
            f"{module.__name__.replace('raskt.array', 'ra')}.{name}": getattr(module, name) for name in module.__all__
        }
    return found


def is_ours(thing: Any) -> bool:
    return callable(thing) and not (isinstance(thing, type) and thing.__module__.startswith("numpy"))


PUBLIC = public()


def parameters(thing: Any) -> list[str]:
    if not callable(thing):
        return []
    try:
        found = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return []
    return [name for name in found if name != "self"]


@pytest.mark.parametrize("name", PUBLIC)
def test_sections_are_complete(name):
    thing = PUBLIC[name]
    text = inspect.getdoc(thing) or ""
    assert text.split("\n\n")[0].strip().endswith("."), "the summary is a sentence"
    missing = [title for title in sections(thing) if f"\n{title}\n{'-' * len(title)}\n" not in text]
    assert missing == []
    described = [word.split(" : ")[0].strip("*") for word in text.splitlines() if " : " in word and word[0] != " "]
    told = [part.strip(" *") for word in described for part in word.split(",")]
    assert [parameter for parameter in parameters(thing) if parameter not in told] == []


def sections(thing: Any) -> list[str]:
    wanted = [] if isinstance(thing, type) else ["Returns"]
    return [*wanted, "Examples", *(["Parameters"] if parameters(thing) else [])]


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    test = doctest.DocTestParser().get_doctest(text, {"np": np, "raskt": raskt}, name, None, None)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0
