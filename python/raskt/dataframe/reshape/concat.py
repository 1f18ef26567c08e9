"""Frames one under another, and columns side by side."""

from __future__ import annotations

from typing import Any

from ..base.checks import check_boolean, deprecated_copy, no_default, refuse_given
from ..base.collection import as_column, is_collection, is_frame, root_frame
from ..base.labels import encode_label, levels_of
from ..base.meta import empty
from ..base.partitionwise import over_all, over_partitions
from ..base.registry import core, wrap
from ..base.whole import is_foreign, over_whole
from ..io.creation import from_pandas


def concat(
    objs: Any,
    *,
    axis: Any = 0,
    join: str = "outer",
    ignore_index: bool = False,
    keys: Any = None,
    levels: Any = None,
    names: Any = None,
    verify_integrity: bool = False,
    sort: Any = no_default,
    copy: Any = no_default,
    union_categories: bool = False,
    interleave_partitions: bool = False,
    ignore_unknown_divisions: bool = False,
    ignore_order: bool = False,
) -> Any:
    """Frames (or series) one under another; with `axis=1`, columns of the same rows side by side.

    Parameters
    ----------
    objs : list or dict of frames and series
        Lazy or pandas'; the keys of a dictionary are `keys`.
    axis : {0, 1}
        Rows or columns.
    join : {"outer", "inner"}
        Whether columns that a frame lacks are missing in its rows, or left out of all.
    ignore_index : bool, default False
        Whether the labels along the axis are numbered anew.
    keys : list, optional
        A label for each of `objs`, which becomes the outermost level.
    levels : list, optional
        All that the keys can be (rows are gathered).
    names : list of str, optional
        Names of the levels, if there are `keys`.
    verify_integrity : bool, default False
        ValueError at `compute` if labels come twice (rows are gathered).
    sort : bool, default False
        Whether columns are put in order where they differ.
    copy : object, optional
        Without effect but pandas' warning that it is deprecated.
    union_categories : bool, default False
        Not supported.
    interleave_partitions, ignore_unknown_divisions, ignore_order : bool
        Dask's, which change nothing here: partitions stay in the order of `objs`.

    Returns
    -------
    DataFrame or Series
        With the partitions of all.

    Examples
    --------
    >>> import pandas as pd, raskt.dataframe as rd
    >>> df = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=1)
    >>> rd.concat([df, df]).compute()["x"].tolist()
    [1, 2, 1, 2]
    """
    deprecated_copy(copy)
    refuse_given("concat", {"union_categories": (union_categories, False)}, "give all the same categories first")
    if hasattr(objs, "items") and not is_collection(objs):
        keys = list(objs) if keys is None else list(keys)
        objs = [objs[key] for key in keys]
    if ignore_index and keys is not None:
        raise ValueError("Cannot set ignore_index=True and specify keys. Either should be used.")
    if is_collection(objs) or isinstance(objs, str):
        raise TypeError(f"first argument must be an iterable of pandas objects, not {type(objs).__name__}")
    items, keys = present(list(objs), None if keys is None else list(keys))
    if join not in ("inner", "outer"):
        raise ValueError("Only can inner (intersect) or outer (union) join the other axis")
    lazy = [item if is_collection(item) else from_pandas(item, npartitions=1, sort=False) for item in items]
    ordered = check_boolean("sort", False if sort is no_default else sort)
    options = {"axis": axis, "join": join, "ignore_index": ignore_index, "keys": keys, "levels": levels, "names": names}
    options = {**options, "verify_integrity": verify_integrity, "sort": ordered}
    if axis in (1, "columns"):
        # pandas puts labels that are times in order unless it is told otherwise.
        told = {name: value for name, value in options.items() if name != "sort" or sort is not no_default}
        return beside(lazy, keys, ignore_index) if can_stand_beside(lazy, options) else gathered(lazy, told)
    if axis not in (0, "index", "rows"):
        raise ValueError(f"No axis named {axis!r} for object type DataFrame")
    if not can_stand_under(lazy, options):
        # Labels are looked at when they are there: those of the samples by which types are found come twice.
        result = gathered(lazy, {**options, "verify_integrity": False})
    else:
        if keys is not None:
            lazy = [with_key(item, key, keys, names) for item, key in zip(with_common_names(lazy), keys, strict=True)]
        result = under(lazy, join, ignore_index)
    if verify_integrity and not ignore_index:
        return over_all(DifferentLabels(), result, name="verify_integrity", meta=empty(result))
    return result


def present(items: list[Any], keys: list[Any] | None) -> tuple[list[Any], list[Any] | None]:
    """The objects that are there, with their keys; ValueError if there are none, or not as many keys."""
    if not items:
        raise ValueError("No objects to concatenate")
    if keys is not None and len(keys) != len(items):
        raise ValueError(f"The length of the keys ({len(keys)}) must match the length of the objects ({len(items)})")
    kept = [at for at, item in enumerate(items) if item is not None]
    if not kept:
        raise ValueError("All objects passed were None")
    return [items[at] for at in kept], None if keys is None else [keys[at] for at in kept]


class WithKey:
    """A partition with a key as the outermost level of its labels; it can be sent to a worker process."""

    def __init__(self, key: Any, keys: list[Any], names: Any) -> None:
        self.key, self.keys, self.names = key, keys, names

    def __call__(self, part: Any) -> Any:
        """The partition with the labels of two levels."""
        import pandas as pd

        of_all = pd.Index(self.keys)
        level = of_all[self.keys.index(self.key) : self.keys.index(self.key) + 1]
        outer = level.repeat(len(part))
        inner = levels_of(part.index)
        given = list(self.names) if self.names is not None else [None]
        all_names = [*given, *part.index.names][: 1 + len(inner)] if len(given) <= 1 else given
        return part.set_axis(pd.MultiIndex.from_arrays([outer, *inner], names=all_names))


def with_key(item: Any, key: Any, keys: list[Any], names: Any) -> Any:
    """The rows with a key as the outermost level of their labels."""
    return over_partitions(WithKey(key, keys, names), (item,), {}, name="concat keys")


def with_common_names(items: list[Any]) -> list[Any]:
    """The objects, whose levels of row labels have a name only if it is the same for all, as in pandas."""
    each = [list(empty(item).index.names) for item in items]
    common = [names[0] if all(name == names[0] for name in names) else None for names in zip(*each, strict=True)]
    one = common[0] if len(common) == 1 else common
    return [item if names == common else item.rename_axis(one) for item, names in zip(items, each, strict=True)]


class DifferentLabels:
    """The rows as they are; ValueError if a label comes twice."""

    def __call__(self, rows: Any) -> Any:
        """The rows."""
        if not rows.index.is_unique:
            twice = rows.index[rows.index.duplicated()].unique()
            raise ValueError(f"Indexes have overlapping values: {twice}")
        return rows


class Concat:
    """pandas' `concat` as a function of the objects."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def __call__(self, *parts: Any) -> Any:
        """The objects put together."""
        import pandas as pd

        return pd.concat(parts, **self.options)


def gathered(items: list[Any], options: dict[str, Any]) -> Any:
    """All rows of all objects, put together by pandas."""
    gaps = lambda meta: columns_with_gaps(meta, items, options)
    return over_whole(Concat(options), *items, name="concat", may_miss=gaps)


def columns_with_gaps(meta: Any, items: list[Any], options: dict[str, Any]) -> list[bool]:
    """In which columns there can be cells that no object has a value for: those that one of them lacks."""
    outer = options["join"] == "outer"
    if meta.ndim == 1 or not outer or options["axis"] in (1, "columns"):
        return [outer and meta.ndim == 2] * (meta.shape[1] if meta.ndim == 2 else 1)
    labels = [set(item.columns) if is_frame(item) else {item.name} for item in items]
    return [not all(label in own for own in labels) for label in meta.columns]


def can_stand_under(items: list[Any], options: dict[str, Any]) -> bool:
    """Whether rows go one under another natively: all are of one kind, and types are the same or numbers."""
    if options["levels"] is not None or any(isinstance(key, tuple) for key in options["keys"] or ()):
        return False
    frames = [item for item in items if is_frame(item)]
    if frames and len(frames) < len(items):
        return False
    labels = [item._as_frame().index_dtypes for item in items]
    if len({len(types) for types in labels}) > 1 or not all(go_together(types) for types in zip(*labels, strict=True)):
        return False
    if options["keys"] is not None and any(len(set(types)) > 1 for types in zip(*labels, strict=True)):
        return False  # a level has the type of all labels, which none of the objects has alone
    if any("object" in types for types in labels):
        return False  # pandas finds a type for labels that are objects
    if not frames:
        return go_together([item._expr.dtype for item in items])
    if options["sort"]:
        return False  # columns in the order of their labels, also where all have the same
    found: dict[str, list[str]] = {}
    for item in items:
        for name, dtype in zip(item._plan.columns, item._expr.dtypes, strict=True):
            found.setdefault(name, []).append(dtype)
    return all(go_together(types) for types in found.values())


def go_together(dtypes: Any) -> bool:
    """Whether values of several types have the type that pandas gives them also natively."""
    different = set(dtypes)
    if len(different) == 1:
        return "category" not in different
    return different <= {"int8", "int16", "int32", "int64", "float64"}


def can_stand_beside(items: list[Any], options: dict[str, Any]) -> bool:
    """Whether columns are of the same rows."""
    checked = (
        options["verify_integrity"] or options["sort"] or options["levels"] is not None or options["names"] is not None
    )
    if len({tuple(item._as_frame().index_names) for item in items}) > 1:
        return False  # pandas forgets names of labels that aren't the same for all
    return not checked and not any(is_foreign(items[0], item) for item in items[1:])


def under(items: list[Any], join: str, ignore_index: bool) -> Any:
    """The rows of frames or of series one under another."""
    if any(is_frame(item) for item in items):
        return wrap(core().frame_concat([item._expr for item in items], join=join, ignore_index=ignore_index))
    names = {item._plan.name for item in items}
    frames = [as_column(item).to_frame("0") for item in items]
    joined = core().frame_concat(frames, join=join, ignore_index=ignore_index).column("0")
    return wrap(joined.rename(names.pop() if len(names) == 1 else None))


def beside(items: list[Any], keys: list[Any] | None = None, ignore_index: bool = False) -> Any:
    """Columns of the same rows side by side; NotImplementedError for other rows and for a name met twice."""
    columns: list[tuple[Any, Any]] = []
    unnamed, mixed = 0, any(map(is_frame, items))
    for at, item in enumerate(items):
        if is_frame(item):
            labels = list(item.columns)
            columns += [
                (label if keys is None else joint(keys[at], label), item._expr.column_at(k))
                for k, label in enumerate(labels)
            ]
            continue
        label = item.name
        if label is None:
            label, unnamed = unnamed, unnamed + 1
        joined = label if keys is None else joint(keys[at], label) if mixed else keys[at]
        columns.append((joined, as_column(item)))
    names = [encode_label(at if ignore_index else label) for at, (label, _) in enumerate(columns)]
    if len(set(names)) != len(names):
        raise NotImplementedError(f"two columns cannot have one name yet: {[label for label, _ in columns]}")
    return wrap(root_frame(items[0]).select([(name, column) for name, (_, column) in zip(names, columns, strict=True)]))


def joint(key: Any, label: Any) -> tuple[Any, ...]:
    """A label of several levels."""
    return (key, *label) if isinstance(label, tuple) else (key, label)
