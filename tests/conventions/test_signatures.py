"""Every public function has the parameters, the order and the defaults of its namesake, and reads what it takes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raskt
import raskt.array
from public_names import namesakes, public

# Why a signature isn't its namesake's. Each row is needed, or the test fails; there are never more than forty.
ALLOWED: dict[str, str] = {
    "*json: lines=None, not False": "an object a line, as Dask has it, so that files can be read in parts",
    "*json: orient='records', not None": "an object a line, as Dask has it, so that files can be read in parts",
    "array.linalg.svd: full_matrices=False, not True": "as Dask: the square matrix of a tall array seldom has a place",
    "array.arange: order start stop step, not stop step": "NumPy takes `start` by name, which its signature hides",
}
EMPTY = inspect.Parameter.empty


def misses() -> Iterator[str]:
    """Everything in which a signature differs from its namesake's, a line each."""
    for title, ours, theirs in namesakes():
        for name in public(ours):
            one, other = getattr(ours, name), getattr(theirs, name, None)
            if callable(one) and callable(other) and not isinstance(one, type):
                yield from (f"{title}.{name}: {text}" for text in differences(one, other))


def differences(ours: Any, theirs: Any) -> Iterator[str]:
    """In what one signature differs from another; what it has besides, after or by name only, is fine."""
    one, other = parameters(ours), parameters(theirs)
    if one is None or other is None:
        return
    if any(p.kind is p.VAR_KEYWORD for p in one) and not any(p.kind is p.VAR_KEYWORD for p in other):
        yield "takes **kwargs"
    here = {p.name: p for p in one}
    named = [p for p in other if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    for p in named:
        if p.name not in here:
            if p.kind is not p.POSITIONAL_ONLY:
                yield f"lacks {p.name}"
        elif not same_default(here[p.name].default, p.default):
            yield f"{p.name}={text(here[p.name].default)}, not {text(p.default)}"
    by_position = [p.name for p in named if p.kind is p.POSITIONAL_OR_KEYWORD]
    theirs_alone = {p.name for p in named if p.kind is p.POSITIONAL_ONLY}
    ours_by_position = [
        p.name for p in one if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY) and p.name not in theirs_alone
    ]
    kept = [name for name in by_position if name in here]
    if ours_by_position[: len(kept)] != kept:
        yield f"order {' '.join(ours_by_position)}, not {' '.join(by_position)}"


def parameters(function: Any) -> list[inspect.Parameter] | None:
    """The parameters but for `self`; None where there is no signature."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [p for p in found if p.name not in ("self", "cls")]


def same_default(ours: Any, theirs: Any) -> bool:
    """Whether two defaults are one; a private mark for "not given" counts as None."""
    if theirs is EMPTY or ours is EMPTY:
        return ours is theirs
    return ours is theirs or text(ours) == text(theirs) or (text(theirs).startswith("<no") and ours is None)


def text(value: Any) -> str:
    shown = "<no default>" if "no_default" in repr(value) or "no value" in repr(value) else repr(value)
    return shown.split(" at 0x")[0]


def test_signatures_are_the_namesakes():
    found = sorted(set(misses()))
    unexplained = [line for line in found if not any(fnmatchcase(line, row) for row in ALLOWED)]
    stale = [row for row in ALLOWED if not any(fnmatchcase(line, row) for line in found)]
    assert not stale, f"no signature needs these rows any more: {stale}"
    assert len(ALLOWED) <= 40
    assert not unexplained, "\n".join(unexplained)


ROOT = Path(raskt.__file__).parent


def test_no_function_takes_keywords_that_it_does_not_read():
    unread = sorted(
        f"{source.relative_to(ROOT)} {function.name}"
        for source in sorted(ROOT.rglob("*.py"))
        for function in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and function.args.kwarg
        and function.args.kwarg.arg not in names_read(function)
        and not only_raises(function)
    )
    assert not unread, "\n".join(unread)


# Arguments that cannot change an answer, whatever their value: how work is split, what keys are called. A row of one
# function names it, with its class.
HINTS = {
    "split_every": "how wide a tree of partial results is never changes the answer",
    "split_out": "into how many partitions a result goes is about speed",
    "shuffle_method": "there is one way to exchange rows",
    "upsample": "there is one way to find where partitions begin",
    "partition_size": "partitions are as large as the engine makes them",
    "broadcast": "whether a small side is copied to all is about speed",
    "interleave_partitions": "partitions stay in the order of what is concatenated",
    "ignore_unknown_divisions": "nobody is warned of unknown divisions",
    "ignore_order": "the order of categories is never lost",
    "sorted_index": "divisions of renamed labels are not kept",
    "on_index": "partitions are not tied to keys",
    "force": "partitions are not tied to keys",
    "name": "keys of tasks name themselves",
    "subok": "lazy arrays have no subclasses",
    "allow_unknown_chunksizes": "blocks of unknown lengths are always taken",
    "overwrite_input": "inputs are never written to",
    "threshold": "how rechunking is planned never changes the answer",
    "fancy": "what is read is asked for slices alone",
    "hermitian": "a decomposition of any matrix is one of a Hermitian matrix",
    "optimize_graph": "blocks are optimised when they are computed",
    "inline_array": "an array in memory is a leaf of the graph in any case",
    "verify_meta": "types are compared with the meta in any case",
    "enforce_metadata": "types are compared with the meta in any case",
    "LayoutMethods.astype: copy": "expressions never change, and share what they can",
    "map_blocks: enforce_ndim": "the axes of blocks are compared with those promised in any case",
    "meshgrid: copy": "expressions never change, and share what they can",
    "reshape: limit": "how large blocks are is about speed",
    "unique: sorted": "without it any order is right, and they come in order",
}


def test_no_parameter_is_swallowed():
    """A parameter that the body never reads is an argument without effect; a body that only raises reads nothing."""
    found = []
    for folder in ("array", "dataframe"):
        for source in sorted((ROOT / folder).rglob("*.py")):
            for owner, function in functions(ast.parse(source.read_text("utf-8"))):
                if not function.name.startswith("_") and not only_raises(function):
                    read = names_read(function)
                    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
                    swallowed = [a.arg for a in arguments if a.arg not in read and not a.arg.startswith("_")]
                    swallowed = [name for name in swallowed if name not in ("self", "cls", *HINTS)]
                    lines = [f"{owner}{function.name}: {name}" for name in swallowed]
                    found += [f"{folder} {line} is never read" for line in lines if line not in HINTS]
    assert not found, "\n".join(found)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Public functions of a module and of its classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.", part) for part in node.body if isinstance(part, ast.FunctionDef))


def names_read(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return read | {argument.arg for argument in given} if "locals" in read else read


def only_raises(function: ast.FunctionDef) -> bool:
    """Whether the body has no statement but a docstring, `...`, `pass` and `raise`."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return all(isinstance(node, ast.Raise | ast.Pass) for node in body)


@pytest.mark.parametrize("name", ["add", "negative", "modf", "divmod", "ldexp"])
def test_signatures_of_ufuncs_are_the_newest_numpys_whichever_there_is(name: str) -> None:
    """NumPy before 2.4 doesn't say them, and `import raskt.array` failed with it."""
    own, namesake = inspect.signature(getattr(raskt.array, name)), inspect.signature(getattr(np, name))
    said = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in namesake.parameters.values())
    assert list(own.parameters)[-6:] == ["where", "casting", "order", "dtype", "subok", "signature"]
    assert said or own == namesake
