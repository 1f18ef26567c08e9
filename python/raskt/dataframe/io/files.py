"""Files that pandas reads, a task for each: the way of every format and option without a native form.

Each file is looked at by a task first: which types it has, and how many rows. The types of all files together are those
that one file with all the rows would have; where that cannot be said without reading them as one, the call is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.meta import empty
from ..base.registry import core, wrap
from .creation import plain_labels

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Look:
    """What was found in one file."""

    #: The frame without its rows.
    meta: Any
    rows: int
    #: Whether rows are numbered from 0.
    numbered: bool
    #: Positions of columns without any value.
    void: set[int]
    #: Positions of columns in which a value is missing.
    missing: set[int]
    #: What the values of columns of objects are.
    objects: dict[int, str]
    #: What the file was before that.
    state: Any = None


@dataclass
class Agreed:
    """How every file is to be read, so that all have one type."""

    meta: Any
    #: Labels of columns that are read as text.
    texts: list[Any] = field(default_factory=list)


class FileReader:
    """Reads one file in pandas, as `function(path, **options)`."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        options: dict[str, Any],
        *,
        path_column: str | None = None,
        as_text: bool = False,
    ) -> None:
        self.name = name
        self.function = function
        self.options = options
        self.path_column = path_column
        #: Whether a column can be asked for as text, by `dtype`.
        self.as_text = as_text
        self.paths: list[str] = []
        #: What the files were when they were looked at.
        self.states: dict[str, Any] = {}

    def check(self, path: str) -> None:
        """OSError if a file isn't what it was when it was looked at, so that its types and rows may be others."""
        known = self.states.get(path)
        if known is None:
            return
        now = state_of(path)
        if now is None:
            raise FileNotFoundError(f"the file `{path}` has been removed since it was opened")
        if now != known:
            raise OSError(f"the file `{path}` has been written since it was opened: open it again")

    def look(self, path: str) -> Look:
        """The types of a file, by all of its rows."""
        import pandas as pd

        state = state_of(path)
        frame = self.read(path, None, None)
        columns = [frame.iloc[:, at] for at in range(frame.shape[1])]
        holes = [int(column.isna().sum()) for column in columns]
        objects = {at: column for at, column in enumerate(columns) if column.dtype == object}
        return Look(
            meta=frame.iloc[:0].copy(),
            rows=len(frame),
            numbered=_is_numbered(frame.index),
            void={at for at, count in enumerate(holes) if count == len(frame)},
            missing={at for at, count in enumerate(holes) if count},
            objects={at: pd.api.types.infer_dtype(column, skipna=True) for at, column in objects.items()},
            state=state,
        )

    def read(self, path: str, agreed: Agreed | None, rows: int | None) -> Any:
        """The rows of a file, with the types that were agreed on; the file is named in errors."""
        import pandas as pd

        options = dict(self.options)
        self.check(path)
        if agreed is not None and agreed.texts:
            options["dtype"] = {**(options.get("dtype") or {}), **dict.fromkeys(agreed.texts, "str")}
        try:
            frame = self.function(path, **options)
        except (ValueError, OSError) as error:
            if hasattr(error, "add_note"):  # from Python 3.11
                error.add_note(f"while reading {path}")
            raise
        self.check(path)
        if isinstance(frame, pd.Series):
            frame = frame.to_frame()
        if self.path_column is not None:
            paths = pd.Categorical([path] * len(frame), categories=self.paths)
            frame = frame.assign(**{self.path_column: paths})
        frame = frame if rows is None else frame.iloc[:rows]
        return frame if agreed is None else _cast(frame, agreed.meta)


def state_of(path: str) -> Any:
    """What the file system tells of a local file: other content, another state; None if there is no such file."""
    try:
        about = os.stat(path.removeprefix("file://"))
    except OSError:
        return None
    return about.st_size, about.st_mtime_ns


def _is_numbered(index: pd.Index) -> bool:
    """Whether labels number the rows from 0, without a name."""
    import pandas as pd

    return isinstance(index, pd.RangeIndex) and index.name is None and index.equals(pd.RangeIndex(len(index)))


def _cast(frame: pd.DataFrame, meta: pd.DataFrame) -> pd.DataFrame:
    """The frame with the types of `meta`."""
    import pandas as pd

    columns = []
    for at, dtype in enumerate(meta.dtypes):
        column = frame.iloc[:, at]
        if column.dtype != dtype:
            is_void = bool(column.isna().all())
            column = pd.Series(index=column.index, dtype=dtype) if is_void else column.astype(dtype)
        elif isinstance(dtype, pd.CategoricalDtype):
            column = column.astype(dtype)
        columns.append(column)
    if not columns:
        return frame
    return pd.concat(columns, axis=1, keys=range(len(columns))).set_axis(meta.columns, axis=1)


def read_files(reader: FileReader, files: list[str], limit: int | None = None) -> Any:
    """A lazy frame of files, a partition each, that `reader` reads; at most `limit` rows of all together."""
    import raskt

    reader.paths = list(dict.fromkeys(files))
    looks = list(raskt.compute(*[raskt.delayed(reader.look)(path) for path in files]))
    rows = _limited([look.rows for look in looks], limit)
    kept = [at for at, count in enumerate(rows) if count or looks[at].rows == 0] or [0]
    files, looks, rows = [files[at] for at in kept], [looks[at] for at in kept], [rows[at] for at in kept]
    reader.states = {path: look.state for path, look in zip(files, looks, strict=True)}
    agreed = agree(reader, looks, files)
    numbered = all(look.numbered for look in looks)
    read = raskt.delayed(reader.read)
    parts = [read(path, agreed, None if limit is None else count) for path, count in zip(files, rows, strict=True)]
    try:
        meta = plain_labels(agreed.meta)
        expression = core().frame_from_delayed(parts, meta, name=reader.name, rows=rows if numbered else None)
    except OverflowError as error:
        raise NotImplementedError(f"`{reader.name}` gives integers that no lazy column can hold: {error}") from error
    return held(wrap(expression), agreed.meta, reader.name, numbered)


def _limited(rows: list[int], limit: int | None) -> list[int]:
    if limit is None:
        return rows
    left, result = limit, []
    for count in rows:
        result.append(min(count, left))
        left -= result[-1]
    return result


def held(frame: Any, meta: Any, name: str, numbered: bool) -> Any:
    """The frame, if it has just the types and labels of `meta`; NotImplementedError otherwise."""
    found = empty(frame)
    for label, own, wanted in zip(meta.columns, found.dtypes, meta.dtypes, strict=True):
        if own != wanted and not _is_unknown_category(own, wanted):
            raise NotImplementedError(
                f"`{name}` gives column `{label}` of type {wanted}, which a lazy frame would turn into {own}: read it "
                "as another type with dtype=, or use pandas and from_pandas"
            )
    if [*found.columns] != [*meta.columns] or found.columns.names != meta.columns.names:
        raise NotImplementedError(
            f"`{name}` gives columns with the labels {[*meta.columns]} named {[*meta.columns.names]}, which a lazy "
            "frame cannot have: give them other names"
        )
    if not numbered and (found.index.names != meta.index.names or not _same_levels(found.index, meta.index)):
        raise NotImplementedError(
            f"`{name}` gives row labels of {_levels(meta.index)}, which a lazy frame cannot have: read them as columns"
        )
    return frame


def _is_unknown_category(own: Any, wanted: Any) -> bool:
    """Whether both are categories, and the frame doesn't tell which before it is computed."""
    import pandas as pd

    both = isinstance(own, pd.CategoricalDtype) and isinstance(wanted, pd.CategoricalDtype)
    return both and not len(own.categories if own.categories is not None else ()) and own.ordered == wanted.ordered


def _levels(index: pd.Index) -> list[Any]:
    return list(index.dtypes) if index.nlevels > 1 else [index.dtype]


def _same_levels(index: pd.Index, other: pd.Index) -> bool:
    return _levels(index) == _levels(other)


def agree(reader: FileReader, looks: list[Look], files: list[str]) -> Agreed:
    """How all files are read with one type for each column."""
    first = looks[0].meta
    for look, path in zip(looks[1:], files[1:], strict=True):
        if list(look.meta.columns) != list(first.columns):
            raise ValueError(
                f"the files don't have the same columns: `{path}` has {list(look.meta.columns)}, and `{files[0]}` has "
                f"{list(first.columns)}"
            )
    agreed = Agreed(first)
    dtypes = []
    for at, label in enumerate(first.columns):
        dtype = _common(at, looks)
        if dtype is None and reader.as_text and _can_be_text(label, at, looks, reader.options):
            agreed.texts.append(label)
            dtype = "str"
        if dtype is None:
            told = ", ".join(
                f"{look.meta.dtypes.iloc[at]} in `{path}`" for look, path in zip(looks, files, strict=True)
            )
            raise NotImplementedError(
                f"column `{label}` has other types in other files ({told}): give it one with dtype="
            )
        dtypes.append(dtype)
    agreed.meta = _with_types(first, dtypes)
    return agreed


def _with_types(meta: pd.DataFrame, dtypes: Sequence[Any]) -> pd.DataFrame:
    import pandas as pd

    columns = {at: pd.Series([], dtype=dtype, index=meta.index) for at, dtype in enumerate(dtypes)}
    return pd.DataFrame(columns, index=meta.index).set_axis(meta.columns, axis=1)


def _can_be_text(label: Any, at: int, looks: list[Look], options: dict[str, Any]) -> bool:
    """Whether pandas read the column as text in a file, and as numbers or truth values in the others."""
    import pandas as pd

    given = options.get("dtype") or {}
    if (
        "dtype_backend" in options
        or not hasattr(given, "keys")
        or label in given
        or label in options.get("converters", {})
    ):
        return False
    kinds = [look.meta.dtypes.iloc[at] for look in looks if at not in look.void]
    plain = all(
        isinstance(kind, pd.StringDtype) or pd.api.types.is_numeric_dtype(kind) or kind == object for kind in kinds
    )
    return plain and any(isinstance(kind, pd.StringDtype) for kind in kinds)


def _common(at: int, looks: list[Look]) -> Any:
    """The type that one file with all the rows would have; None where the types don't tell."""
    full = [look for look in looks if at not in look.void]
    dtypes: list[Any] = []
    for look in full or [look for look in looks if look.rows] or looks:
        dtype = look.meta.dtypes.iloc[at]
        if not any(dtype == other and _categories(dtype) == _categories(other) for other in dtypes):
            dtypes.append(dtype)
    if filled := [dtype for dtype in dtypes if _categories(dtype)]:
        # A file whose rows no filter passes may have none of its categories, and says nothing of their order.
        dtypes = [dtype for dtype in dtypes if _categories(dtype) != [] or dtype.ordered != filled[0].ordered]
    has_holes = any(at in look.missing for look in looks)
    if len(dtypes) == 1:
        return _with_holes(dtypes[0]) if has_holes else dtypes[0]
    # Integers of a file without holes beside those of one that has some.
    if len(dtypes) == 2 and re.fullmatch(r"float64 u?int\d+", " ".join(sorted(map(str, dtypes)))):
        return "float64"
    kinds = {look.objects.get(at, str(look.meta.dtypes.iloc[at])) for look in full}
    if kinds == {"bool", "boolean"}:
        return object
    return _finest(dtypes) or _union(dtypes)


def _categories(dtype: Any) -> Any:
    categories = getattr(dtype, "categories", None)
    return None if categories is None else list(categories)


def _with_holes(dtype: Any) -> Any:
    """The type of values of `dtype` among which some are missing."""
    import numpy as np

    if not isinstance(dtype, np.dtype):
        return dtype
    return {"b": object, "u": "float64", "i": "float64"}.get(dtype.kind, dtype)


def _finest(dtypes: list[Any]) -> Any:
    """Of points in time of one zone, the type with the finest unit."""
    import pandas as pd

    if not all(pd.api.types.is_datetime64_any_dtype(dtype) for dtype in dtypes):
        return None
    units = ["s", "ms", "us", "ns"]
    if len({str(getattr(dtype, "tz", None)) for dtype in dtypes}) > 1:
        return None
    return max(dtypes, key=lambda dtype: units.index(getattr(dtype, "unit", None) or str(dtype)[11:-1]))


def _union(dtypes: list[Any]) -> Any:
    """Categories of one type, all together and in order."""
    import pandas as pd

    if not all(isinstance(dtype, pd.CategoricalDtype) and not dtype.ordered for dtype in dtypes):
        return None
    filled = [dtype for dtype in dtypes if len(dtype.categories)]
    if len({str(dtype.categories.dtype) for dtype in filled}) > 1:
        return None
    together = filled[0].categories
    for dtype in filled[1:]:
        together = together.append(dtype.categories)
    return pd.CategoricalDtype(together.unique().sort_values())
