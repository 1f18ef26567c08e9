"""Which work comes after which, and work that is done again: `checkpoint`, `wait_on`, `bind`, `clone`."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any, Literal

from raskt._core import Delayed, delayed_after, delayed_copies
from raskt._tokens import tokenize

__all__ = ["bind", "checkpoint", "clone", "wait_on"]

_SPLIT = 8


def checkpoint(*collections: Any, split_every: int | Literal[False] | None = None) -> Delayed:
    """A delayed None that comes when everything in the collections has been computed.

    Parameters
    ----------
    *collections
        Collections and delayed objects, and containers of them.
    split_every
        How many tasks one waits for, 8 unless you say; False for any number. Results are let go as soon as it has seen
        them.

    >>> import raskt
    >>> from raskt.graph_manipulation import checkpoint
    >>> print(checkpoint(raskt.delayed(abs)(-1), [raskt.delayed(abs)(-2)]).compute())
    None
    """
    split = _SPLIT if split_every is None else split_every
    if split is not False and (isinstance(split, bool) or not isinstance(split, int) or split < 2):
        raise ValueError(f"split_every is {split_every!r}; it has to be a whole number of 2 or more, or False")
    parts = [part for collection in collections for part in _parts(collection)]
    return _joined(parts, split or max(2, len(parts)))


def wait_on(*collections: Any, split_every: int | Literal[False] | None = None) -> Any:
    """The same collections, of which no block can be had before all blocks of all of them are computed.

    One collection comes back by itself, several as a tuple.

    >>> import raskt
    >>> from raskt.graph_manipulation import wait_on
    >>> one, other = wait_on(raskt.delayed(abs)(-1), raskt.delayed(abs)(-2))
    >>> one.compute()
    1
    """
    gate = checkpoint(*collections, split_every=split_every)

    def wait(parts: list[Delayed]) -> list[Delayed]:
        return [delayed_after(part, [gate]) for part in parts]

    return _one_or_all([_rebuilt(collection, wait) for collection in collections])


def bind(
    children: Any,
    parents: Any,
    *,
    omit: Any = None,
    seed: Any = None,
    assume_layers: bool = True,
    split_every: int | Literal[False] | None = None,
) -> Any:
    """Copies of `children` that don't begin before `parents` are computed.

    Parameters
    ----------
    children
        A collection or a delayed object, or a container of them. Delayed calls that read no other begin after the
        parents, and so do blocks and partitions that are made of nothing else.
    parents
        What has to be done before; None for nothing.
    omit
        Collections and delayed objects that are not copied: the copies read them as they are.
    seed
        With equal seeds, copies are the same tasks; without one they are unlike any others.
    assume_layers
        Of no effect: copies are always made call by call.
    split_every
        See `checkpoint`.

    >>> import raskt
    >>> from raskt.graph_manipulation import bind
    >>> log = []
    >>> first, then = raskt.delayed(log.append)("first"), raskt.delayed(log.append)("then")
    >>> bind(then, first).compute()
    >>> log
    ['first', 'then']
    """
    gate = [] if parents is None else [checkpoint(parents, split_every=split_every)]
    return _copied(children, gate, omit, seed)


def clone(*collections: Any, omit: Any = None, seed: Any = None, assume_layers: bool = True) -> Any:
    """Copies of collections that are computed by themselves, whatever the originals share.

    See `bind` for the parameters.

    >>> import raskt
    >>> from raskt.graph_manipulation import clone
    >>> calls = []
    >>> call = raskt.delayed(calls.append)(1)
    >>> _ = raskt.compute(call, clone(call))
    >>> calls
    [1, 1]
    """
    return _one_or_all([_copied(collection, [], omit, seed) for collection in collections])


def _copied(collection: Any, gate: list[Delayed], omit: Any, seed: Any) -> Any:
    kept = [] if omit is None else _leaves(omit)
    kept_calls = [leaf for leaf in kept if isinstance(leaf, Delayed)]
    kept_collections = [leaf for leaf in kept if not isinstance(leaf, Delayed)]
    words = None if seed is None else bytes.fromhex(tokenize(seed, ensure_deterministic=True))
    found: list[Delayed] = []

    def note(part: Any) -> Any:
        found.extend(_parts_of(part))
        return part

    _mapped(collection, note)
    copies = iter(delayed_copies(found, kept_calls, gate, words, kept_collections))
    return _rebuilt(collection, lambda parts: [next(copies) for _ in parts])


def _joined(parts: list[Delayed], split: int) -> Delayed:
    """A delayed None after all parts. Each is waited for alone at first, so that its result is let go."""
    parts = [delayed_after(None, [part]) for part in parts]
    while len(parts) > split:
        parts = [delayed_after(None, parts[at : at + split]) for at in range(0, len(parts), split)]
    return parts[0] if len(parts) == 1 else delayed_after(None, parts)


def _parts(collection: Any) -> list[Delayed]:
    """The delayed objects that collections in `collection` consist of."""
    return [part for leaf in _leaves(collection) for part in _parts_of(leaf)]


def _parts_of(leaf: Any) -> list[Delayed]:
    if isinstance(leaf, Delayed):
        return [leaf]
    found = leaf.to_delayed()
    return list(found.ravel()) if hasattr(found, "ravel") else list(found)


def _rebuilt(collection: Any, change: Callable[[list[Delayed]], list[Delayed]]) -> Any:
    def replace(leaf: Any) -> Any:
        parts = change(_parts_of(leaf))
        return parts[0] if isinstance(leaf, Delayed) else _from_parts(leaf, parts)

    return _mapped(collection, replace)


def _from_parts(like: Any, parts: list[Delayed]) -> Any:
    """A collection of the form of `like` whose blocks or partitions are `parts`."""
    if hasattr(like, "chunks"):
        return _array_from_parts(like, parts)
    import raskt.dataframe as rd
    from raskt.dataframe.base.meta import empty

    return rd.from_delayed(parts, meta=empty(like))


def _array_from_parts(like: Any, parts: list[Delayed]) -> Any:
    import numpy as np

    import raskt.array as ra

    blocks = np.empty(like.numblocks, dtype=object)
    for at, place in enumerate(np.ndindex(blocks.shape)):
        shape = [lengths[position] for lengths, position in zip(like.chunks, place)]
        blocks[place] = ra.from_delayed(parts[at], shape, dtype=like.dtype)
    # Joined axis by axis: blocks of unknown length can't be checked against each other.
    for axis in reversed(range(blocks.ndim)):
        joined = np.empty(blocks.shape[:-1], dtype=object)
        for place in np.ndindex(joined.shape):
            row = list(blocks[place])
            joined[place] = row[0] if len(row) == 1 else ra.concatenate(row, axis=axis)
        blocks = joined
    return blocks[()]


def _leaves(collection: Any) -> list[Any]:
    found: list[Any] = []

    def note(leaf: Any) -> Any:
        found.append(leaf)
        return leaf

    _mapped(collection, note)
    return found


def _mapped(collection: Any, change: Callable[[Any], Any]) -> Any:
    """The same container with `change` of each collection in its place; what is none stays."""
    from raskt import is_raskt_collection

    if is_raskt_collection(collection):
        return change(collection)
    if type(collection) in (list, tuple, set):
        return type(collection)([_mapped(item, change) for item in collection])
    if type(collection) is dict:
        return {key: _mapped(item, change) for key, item in collection.items()}
    if isinstance(collection, tuple) and hasattr(collection, "_fields"):
        return type(collection)(*[_mapped(item, change) for item in collection])
    if dataclasses.is_dataclass(collection) and not isinstance(collection, type):
        return _dataclass_mapped(collection, change)
    return collection


def _dataclass_mapped(instance: Any, change: Callable[[Any], Any]) -> Any:
    """The same dataclass with `change` of each collection in its fields; itself if there is none."""
    names = [field.name for field in dataclasses.fields(instance) if hasattr(instance, field.name)]
    values = {name: getattr(instance, name) for name in names}
    changed = {name: _mapped(value, change) for name, value in values.items()}
    if all(changed[name] is values[name] for name in names):
        return instance
    copied = copy.copy(instance)
    for name, value in changed.items():
        # A frozen one refuses to be changed, and this one is new.
        object.__setattr__(copied, name, value)
    return copied


def _one_or_all(results: list[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)
