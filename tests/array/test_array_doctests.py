"""The examples in docstrings, run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import raskt.array

MODULES = ["raskt.array", *(f"raskt.array.{module.name}" for module in pkgutil.walk_packages(raskt.array.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0


def test_public_names_have_docstrings():
    missing = []
    for name in dir(raskt.array):
        thing = getattr(raskt.array, name)
        if not name.startswith("_") and callable(thing) and not isinstance(thing, type):
            if not (getattr(thing, "__doc__", "") or "").strip():
                missing.append(name)
    assert missing == []


def test_public_methods_have_docstrings():
    kind = raskt.array.Array
    names = [name for name in dir(kind) if not name.startswith("_")]
    assert [name for name in names if not (getattr(kind, name).__doc__ or "").strip()] == []
