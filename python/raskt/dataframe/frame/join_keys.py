"""Keys of joins: what users name, the expressions of them, and types that meet."""

from __future__ import annotations

from typing import Any

from ..base.collection import as_column, is_collection
from ..base.labels import decode, encode_label
from ..base.meta import type_of
from ..base.samples import sample_values
from ..base.whole import has_rows, sample_rows
from ..generic.levels import level_count, level_names, refuse_ambiguous

#: How the names of the types begin that meet each other natively.
NUMBERS = ("int", "uint", "float")
#: Units of times, the finest one last.
UNITS = ("s", "ms", "us", "ns")


def keys_of(
    left: Any, right: Any, how: str, on: Any, left_on: Any, right_on: Any, left_index: bool, right_index: bool
) -> Any:
    """The key expressions of both sides; None for a side that is met by its index."""
    if how == "cross":
        if on is not None or left_on is not None or right_on is not None or left_index or right_index:
            raise merge_error(
                "Can not pass on, right_on, left_on or set right_index=True or left_index=True in a cross merge"
            )
        return None, None
    if on is not None:
        if left_on is not None or right_on is not None or left_index or right_index:
            raise merge_error('Can only pass argument "on" OR "left_on" and "right_on", not a combination of both.')
        left_on = right_on = on
    elif left_on is None and right_on is None and not (left_index or right_index):
        common = [name for name in left._expr.columns if name in set(right._expr.columns)]
        if not common:
            raise merge_error(f"No common columns to perform merge on: {list(left)} and {list(right)}")
        left_on = right_on = decode(common)
    if (left_on is None) == (not left_index) or (right_on is None) == (not right_index):
        raise merge_error(
            "give left_on or left_index=True for the left side, and right_on or right_index=True for the right"
        )
    left_keys = None if left_index else [key_of(left, key) for key in key_list(left_on)]
    right_keys = None if right_index else [key_of(right, key) for key in key_list(right_on)]
    check_count(left_keys or [left._expr.index()], right_keys or [right._expr.index()])
    return left_keys, right_keys


def key_list(keys: Any) -> list[Any]:
    """Keys of a join as a list; a tuple of them is one too."""
    return list(keys) if isinstance(keys, list | tuple) else [keys]


def key_of(frame: Any, key: Any) -> Any:
    """The expression of a key: a column by its name, or a series of the same rows."""
    return as_column(key) if is_collection(key) else frame._expr.column(encode_label(key))


def check_count(left: list[Any], right: list[Any]) -> None:
    """ValueError where there are not as many keys on both sides."""
    if len(left) != len(right):
        raise merge_error(f"len(left_on) must equal len(right_on): {len(left)} keys and {len(right)}")


def merge_error(message: str) -> Exception:
    """pandas' error for impossible joins, which is a ValueError."""
    from pandas.errors import MergeError

    return MergeError(message)


def keys_of_sides(left: Any, right: Any, options: dict[str, Any]) -> list[list[Any]]:
    """The keys of each side of a merge of pandas frames; None for row labels."""
    sides = []
    for side in ("left", "right"):
        named = options[f"{side}_on"] if options["on"] is None else options["on"]
        keys = key_list(named) if named is not None else [label for label in left.columns if label in right.columns]
        sides.append([None] if options[f"{side}_index"] else keys)
    return [[], []] if options["how"] == "cross" else sides


def key_pairs(left: Any, right: Any, options: dict[str, Any]) -> list[tuple[Any, Any, Any]]:
    """The columns of the result with the keys of both sides: their names, the expressions of their values, and those of
    what these are met by."""
    by_label = [options[name] for name in ("left_index", "right_index")]
    if options["on"] is not None and any(by_label):
        return []  # an error of pandas
    frames, keys = (left, right), keys_of_sides(left, right, options)
    sides = [[(key, key_expression(frame, key)) for key in own] for frame, own in zip(frames, keys, strict=True)]
    pairs = [(a, b) for a, b in zip(*sides, strict=False) if a[1] is not None and b[1] is not None]
    pairs = [(b, a) if options["left_index"] else (a, b) for a, b in pairs]
    return [(name, one, other) for (name, one), (met, other) in pairs if any(by_label) or name == met]


def key_expression(frame: Any, key: Any) -> Any:
    """The expression of a column by its name, or of the labels for None; None for what is no name of a column."""
    if key is None:
        return frame._expr.index() if level_count(frame) == 1 else None
    if is_collection(key) or has_rows(key) or encode_label(key) not in frame._expr.columns:
        return None
    return frame._expr.column(encode_label(key))


def values_of_key(rows: Any, key: Any) -> Any:
    """The values of a column of a pandas frame, or of its labels, for None or their name; None for other keys."""
    if key is None or (not has_rows(key) and not is_collection(key) and names_labels(rows, key)):
        return None if rows.index.nlevels > 1 else rows.index
    return rows[key] if not has_rows(key) and not is_collection(key) and key in rows.columns else None


def names_labels(rows: Any, key: Any) -> bool:
    """Whether a key is the name of the only level of row labels, and of no column."""
    return rows.index.nlevels == 1 and key not in rows.columns and key == rows.index.name


def with_key_values(rows: Any, key: Any, values: list[Any], dtype: Any) -> Any:
    """A pandas frame with other values in a column, or as labels for None; as it is if they aren't of its type."""
    import pandas as pd

    try:
        found = pd.Series(values, dtype=dtype)
    except (TypeError, ValueError, NotImplementedError, ArithmeticError):
        return rows
    if found.isna().any():
        return rows
    if key is None or names_labels(rows, key):
        return rows.set_axis(pd.Index(found, dtype=dtype, name=rows.index.name), axis=0)
    rows = rows.copy()
    rows[key] = found.set_axis(rows.index)
    return rows


def with_like_keys(left: Any, right: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Samples of two frames to be joined, whose keys meet where their types allow that.

    Where the result has keys of both sides, one of categories and one of values differ: what they make depends on it.
    Objects of a key are of the kind of the other's values: pandas joins them with values of any type that they are of,
    which only the rows tell.
    """
    import pandas as pd

    both = options["how"] in ("right", "outer")
    few = [sample_rows(left), sample_rows(right)]
    for keys in zip(*keys_of_sides(*few, options), strict=False):
        values = [values_of_key(rows, key) for rows, key in zip(few, keys, strict=True)]
        if any(one is None for one in values) or values[0].dtype == values[1].dtype:
            continue
        own, other = values
        categories = any(isinstance(one.dtype, pd.CategoricalDtype) for one in values)
        if own.dtype == object:
            like = sample_values(other.dtype, 1) if categories and both else other
            few[0] = with_key_values(few[0], keys[0], list(like), object)
        elif other.dtype == object or not both:
            like = sample_values(own.dtype, 1) if categories and both else own
            few[1] = with_key_values(few[1], keys[1], list(like), other.dtype)
        elif categories:
            few[0] = with_key_values(few[0], keys[0], [*list(other)[:1], *list(own)[1:]], own.dtype)
    return few[0], few[1]


def with_keys_of_one_unit(left: Any, right: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Two pandas frames whose keys that are times are of one unit: the finer one, where they make one column.

    pandas has the unit of the left side instead if all keys are equal, which only the rows tell.
    """
    for keys in zip(*keys_of_sides(left, right, options), strict=False):
        if any(key is None for key in keys) or (not has_rows(keys[0]) and keys[0] == keys[1]):
            left, right = with_one_unit(left, right, keys)
    return left, right


def with_one_unit(left: Any, right: Any, keys: tuple[Any, Any]) -> tuple[Any, Any]:
    """Two pandas frames whose keys, None for labels, are of the finer unit of both, if they are times of two units."""
    frames = [left, right]
    values = [values_of_key(rows, key) for rows, key in zip(frames, keys, strict=True)]
    if any(one is None for one in values) or not differ_in_unit(*(one.dtype for one in values)):
        return left, right
    unit = finer(*values)
    for at, (rows, key, one) in enumerate(zip(frames, keys, values, strict=True)):
        frames[at] = rows.copy(deep=False)
        if key is None or names_labels(rows, key):
            frames[at].index = one.as_unit(unit)
        else:
            frames[at][key] = one.dt.as_unit(unit)
    return frames[0], frames[1]


def series_of_one_unit(one: Any, other: Any) -> tuple[Any, Any]:
    """Two keys of a join that are series of times, in the finer of their units; others as they are."""
    if not (has_rows(one) and has_rows(other)) or not differ_in_unit(one.dtype, other.dtype):
        return one, other
    unit = finer(one, other)
    return one.dt.as_unit(unit), other.dt.as_unit(unit)


def finer(*values: Any) -> str:
    """The finest unit of several times."""
    return max((str(unit_of(one.dtype)) for one in values), key=UNITS.index)


def differ_in_unit(one: Any, other: Any) -> bool:
    """Whether two types are of times, or of durations, that differ in their unit alone."""
    units = unit_of(one), unit_of(other)
    if None in units or units[0] == units[1] or type(one) is not type(other):
        return False
    return str(one.tz) == str(other.tz) if hasattr(one, "tz") else bool(one.kind == other.kind)


def unit_of(dtype: Any) -> str | None:
    """The unit of a type of times or durations of pandas."""
    import numpy as np
    import pandas as pd

    if isinstance(dtype, pd.DatetimeTZDtype):
        return dtype.unit
    is_time = isinstance(dtype, np.dtype) and dtype.kind in "mM"
    return np.datetime_data(dtype)[0] if is_time else None


def shared_keys(*sides: Any) -> set[Any]:
    """The names of keys that both sides of a join have at one place: they make one column."""
    pairs = zip(*map(key_list, sides), strict=False)
    named = lambda key: key is not None and not is_collection(key) and not has_rows(key)
    return {one for one, other in pairs if named(one) and named(other) and one == other}


def labels_of_sides(left: Any, right: Any, shared: set[Any], suffixes: tuple[str, str]) -> tuple[set[Any], set[Any]]:
    """The labels of columns that are those of the left side alone in a join, and of the right side alone.

    A label of both sides has a suffix, unless it is that of a key that they share.
    """
    own, other = set(left) - shared, set(right) - shared
    ours, theirs = (
        {f"{label}{suffix}" if label in own & other and suffix else label for label in labels}
        for labels, suffix in zip((own, other), suffixes, strict=True)
    )
    return ours - theirs, theirs - ours


def has_series_keys(options: dict[str, Any]) -> bool:
    """Whether a key is a lazy series, and not a name."""
    return any(is_collection(key) for side in ("left_on", "right_on") for key in key_list(options[side]))


def names_of_keys(keys: list[Any]) -> set[Any]:
    """What columns of keys can be called that are made of series."""
    return {f"key_{at}" for at in range(len(keys))} | {key.name for key in keys}


def is_level(frame: Any, key: Any) -> bool:
    """Whether a key is the name of a level of the row labels, and of no column."""
    if is_collection(key) or has_rows(key):
        return has_rows(key)
    return key in level_names(frame) and encode_label(key) not in frame._expr.columns


def alike(one: Any, other: Any, how: str) -> bool:
    """Whether keys of two columns meet natively as they do in pandas, and the result has the same types."""
    if one.codec is not None or other.codec is not None or one.dtype == other.dtype:
        return bool(one.codec == other.codec)
    import numpy as np

    if how in ("right", "outer") or not all(key.dtype.startswith(NUMBERS) for key in (one, other)):
        return False
    kinds = {np.dtype(key.dtype).kind for key in (one, other)}
    return np.result_type(one.dtype, other.dtype).kind in kinds


def is_sorted_alike(key: Any) -> bool:
    """Whether the rows of an outer join by such a key are natively in the order that pandas puts them in.

    It has missing times and missing categories before all others, and other missing values behind them.
    """
    return not key.dtype.startswith(("datetime", "timedelta", "category"))


def is_whole_interval(dtype: Any) -> bool:
    """Whether a type is of intervals of integers."""
    import pandas as pd

    return isinstance(dtype, pd.IntervalDtype) and dtype.subtype is not None and dtype.subtype.kind in "iu"


def refuse_ambiguous_keys(frame: Any, given: list[Any]) -> None:
    """ValueError for a key that is the name of a column and of a level of the row labels."""
    for key in (
        key for keys in given if not has_rows(keys) or isinstance(keys, list | tuple) for key in key_list(keys)
    ):
        if not is_collection(key) and not has_rows(key):
            refuse_ambiguous(frame, key)


def refuse_mixed(left: Any, right: Any, options: dict[str, Any]) -> None:
    """NotImplementedError where a column of keys takes those of the other side, and its type depends on the rows."""
    by_label, how = [options[name] for name in ("left_index", "right_index")], options["how"]
    if all(by_label) or how in ("inner", "cross") or level_count(left) > 1 or level_count(right) > 1:
        return
    takes = how in ("outer", "left" if by_label[0] else "right")
    for name, one, other in key_pairs(left, right, options) if takes else ():
        kinds = [type_of(one), type_of(other)]
        if any(map(is_whole_interval, kinds)) and all("interval" in str(kind) for kind in kinds):
            raise NotImplementedError(
                f"merge(how={how!r}) of {name!r}, which is {kinds[0]}: intervals of integers become those of floats "
                "where a key is on the other side alone; convert them with astype to intervals of floats first"
            )
        differ = (one.dtype, one.codec, one.categories) != (other.dtype, other.codec, other.categories)
        if any(by_label) and differ and not differ_in_unit(*kinds):
            kind = "of other categories" if one.dtype == other.dtype else f"of {other.dtype}"
            raise NotImplementedError(
                f"merge(how={how!r}) of {name!r}, which is {one.dtype}, and labels {kind}: the type of the result "
                "depends on the rows; bring both to one type with astype first"
            )
