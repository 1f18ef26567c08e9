"""Random programs over frames of all column types."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

import raskt.dataframe as rd

from .case import attempt
from .frame_data import CUTS, ROWS, TYPES, plain, values
from .programs import Twin, check, take_step

OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.ge,
    operator.and_,
    operator.mod,
]
HOWS = ["inner", "left", "right", "outer"]
WORD_METHODS = ["upper", "len", "strip", "title", "isdigit"]
TIME_PARTS = ["day", "hour", "dayofweek", "quarter", "is_month_end"]


def is_looked_at(dtype: Any) -> bool:
    """Whether pandas goes by the values which type they have as labels."""
    return dtype == object or (isinstance(dtype, np.dtype) and dtype.kind in "iu" and dtype.itemsize < 8)


def labelled(x: Any, name: str) -> Any:
    """A frame with a column for its labels, its rows in the order that they have."""
    return x.set_index(name) if isinstance(x, pd.DataFrame) else x.set_index(name, sort=False)


# A step gets the library, the frame, two names of columns, a value of the first column, and a number.
STEPS: dict[str, Callable[[Any, Any, Any, Any, Any, int], Any]] = {
    "combine": lambda lib, x, a, b, v, n: x.assign(new=OPERATORS[n % len(OPERATORS)](x[a], x[b])),
    "with value": lambda lib, x, a, b, v, n: x.assign(new=OPERATORS[n % len(OPERATORS)](x[a], v)),
    "with number": lambda lib, x, a, b, v, n: x.assign(new=OPERATORS[n % len(OPERATORS)](x[a], n % 300 - 100)),
    "missing": lambda lib, x, a, b, v, n: x[x[a].isna()],
    "present": lambda lib, x, a, b, v, n: x[x[a].notna()],
    "equal to": lambda lib, x, a, b, v, n: x[x[a] == v],
    "above": lambda lib, x, a, b, v, n: x[x[a] > v],
    "unlike": lambda lib, x, a, b, v, n: x[x[a] != x[b]],
    "head": lambda lib, x, a, b, v, n: x.head(n % 8),
    "tail": lambda lib, x, a, b, v, n: x.tail(n % 8),
    "sort": lambda lib, x, a, b, v, n: x.sort_values([a, b] if a != b else a, ascending=bool(n & 1), kind="stable"),
    "drop": lambda lib, x, a, b, v, n: x.drop(columns=a) if len(x.columns) > 2 else x,
    "rename": lambda lib, x, a, b, v, n: x.rename(columns={a: f"{a}_"}),
    "choose": lambda lib, x, a, b, v, n: x[[a, b]] if a != b else x,
    "fillna": lambda lib, x, a, b, v, n: x.assign(**{a: x[a].fillna(v)}),
    "ffill": lambda lib, x, a, b, v, n: x.ffill(),
    "unique rows": lambda lib, x, a, b, v, n: x.drop_duplicates(subset=[a]),
    "renumber": lambda lib, x, a, b, v, n: x.reset_index(drop=True),
    "shift": lambda lib, x, a, b, v, n: x.assign(**{a: x[a].shift(n % 3 - 1)}),
    "cumulative": lambda lib, x, a, b, v, n: x.assign(new=getattr(x[a], ["cummax", "cummin"][n % 2])()),
    "where": lambda lib, x, a, b, v, n: x.assign(new=x[a].where(x[b].notna())),
    "where other": lambda lib, x, a, b, v, n: x.assign(new=x[a].where(x[b].notna(), v)),
    "isin": lambda lib, x, a, b, v, n: x.assign(new=x[a].isin([v])),
    "concat": lambda lib, x, a, b, v, n: lib.concat([x, x]) if len(x.columns) < 9 else x,
    "merge": lambda lib, x, a, b, v, n: x.merge(x[[a]].drop_duplicates(), on=a, how=HOWS[n % 2]),
    # pandas looks at objects that become labels, and may find text or times among them.
    "group": lambda lib, x, a, b, v, n: (
        x if x[a].dtype == object else x.groupby(a)[[b]].agg(["count", "first", "max", "nunique"][n % 4]).reset_index()
    ),
    "count in group": lambda lib, x, a, b, v, n: x.groupby(a)[b].transform("count").to_frame(),
    "number in group": lambda lib, x, a, b, v, n: x.assign(new=x.groupby(a).cumcount()),
    # Where a truth value is missing pandas keeps a None among objects; raskt has NaN (see the differences).
    "text": lambda lib, x, a, b, v, n: x.assign(
        new=getattr(x[a].str, WORD_METHODS[n % (4 + (x[a].dtype != object))])()
    ),
    "time": lambda lib, x, a, b, v, n: x.assign(new=getattr(x[a].dt, TIME_PARTS[n % 5])),
    "dropna": lambda lib, x, a, b, v, n: x.dropna(subset=[a]),
    # Here raskt leaves them objects. The same of narrow whole numbers, of which pandas may make a wide range.
    "label and back": lambda lib, x, a, b, v, n: (
        x if is_looked_at(x[a].dtype) else labelled(x, a).sort_index(kind="stable").reset_index()
    ),
    "largest": lambda lib, x, a, b, v, n: x.nlargest(n % 5, a),
    "isna": lambda lib, x, a, b, v, n: x.assign(new=x[a].isna()),
    "between": lambda lib, x, a, b, v, n: x.assign(new=x[a].between(v, v)),
    "cast": lambda lib, x, a, b, v, n: x.assign(
        **{a: x[a].astype(["str", "object", pd.CategoricalDtype([v]), "float64", "Int64"][n % 5])}
    ),
    "replace": lambda lib, x, a, b, v, n: x.assign(**{a: x[a].replace({v: v})}),
    "negate": lambda lib, x, a, b, v, n: x.assign(new=-x[a]),
    "invert": lambda lib, x, a, b, v, n: x.assign(new=~x[a]),
    "copy": lambda lib, x, a, b, v, n: x.copy(),
    "positions": lambda lib, x, a, b, v, n: x.iloc[:, [0, n % len(x.columns)]] if n % len(x.columns) else x,
    "map": lambda lib, x, a, b, v, n: x.assign(new=x[a].map({v: n})),
    "counts": lambda lib, x, a, b, v, n: x[a].value_counts().to_frame(),
    "rolling": lambda lib, x, a, b, v, n: x.assign(new=x[a].rolling(2).count()),
}
NAMES = list(STEPS)
OPERATIONS = ("combine", "with value", "with number", "equal to", "above", "unlike")


def play(first: int, program: list[tuple[int, int, int, int]]) -> None:
    """Run a program: each step picks an operation, two columns, and a number."""
    twin, story, twins = start(first), [f"start {first}"], []
    for operation, left, right, number in program:
        concrete, lazy = twin.concrete, twin.lazy
        name, columns = NAMES[operation % len(NAMES)], list(concrete.columns)
        a, b = columns[left % len(columns)], columns[right % len(columns)]
        value = _value(concrete[a], number)
        step = STEPS[name]
        story.append(f"{name}({a}: {concrete[a].dtype}, {b}: {concrete[b].dtype}, {value!r}, {number})")
        next_one = take_step(
            story,
            partial(step, pd, concrete, a, b, value, number),
            partial(step, rd, lazy, a, b, value, number),
            any_kind=name in OPERATIONS and _raises_by_rows(concrete[a], concrete[b]),
        )
        if next_one:
            twin, unsettled = settled(widened(name, twin.concrete[a], value, next_one))
            twins += unsettled
        if not (len(twin.concrete) and twin.concrete.columns.is_unique):  # of no values pandas asks nothing
            break
    check(story, [(one, 0.0) for one in (twin, *twins)])


# What a method puts in the place of all values, whose type is promised whether it replaces any (see the differences).
REPLACED: dict[str, Callable[[pd.Series, Any], pd.Series]] = {
    "where": lambda column, v: column.where(column.isna() & column.notna()),
    "where other": lambda column, v: column.where(column.isna() & column.notna(), v),
}


def widened(name: str, column: pd.Series, value: Any, twin: Twin) -> Twin:
    """The result of a step with the type that values have when all are replaced, if raskt says that it is the type."""
    if name not in REPLACED or isinstance(twin.lazy, pd.DataFrame):
        return twin
    replaced = attempt(REPLACED[name], column, value)
    dtype = twin.lazy["new"].dtype
    if replaced.error or replaced.value.dtype != dtype or twin.concrete["new"].dtype.kind in "biuf":  # see `settled`
        return twin
    return Twin(twin.concrete.astype({"new": dtype}), twin.lazy)


def settled(twin: Twin) -> tuple[Twin, list[Twin]]:
    """Both with the types that raskt says: `float64` for integers, and `object` for truth values, that may be missing.

    pandas goes by the values whether any is. What is said is made so for both, so that it can't be told later; those
    columns as they were before, which are to be the same, too, when they are computed, come beside.
    """
    if isinstance(twin.lazy, pd.DataFrame):
        return twin, []
    said = {name: str(dtype) for name, dtype in twin.lazy.dtypes.items() if str(dtype) in ("float64", "object")}
    wanted = {name: kind for name, kind in said.items() if _may_lack_values(twin.concrete[name])}
    columns = [name for name, kind in wanted.items() if str(twin.concrete[name].dtype) != kind]
    unsettled = [Twin(twin.concrete[columns], twin.lazy[columns])] if columns else []
    return Twin(twin.concrete.astype(wanted), twin.lazy.astype(wanted)), unsettled


def _raises_by_rows(*columns: pd.Series) -> bool:
    """Whether the kind of error that operators raise depends on the rows that they see first (see the differences)."""
    dtypes = [column.dtype for column in columns]
    if any(isinstance(dtype, pd.ArrowDtype) or dtype.kind == "m" for dtype in dtypes):
        return True
    return any(isinstance(dtype, pd.StringDtype) for dtype in dtypes) and object in dtypes


def _may_lack_values(column: pd.Series) -> bool:
    """Whether a column is of numbers, or of truth values, some of which may be missing."""
    return column.dtype.kind in "biuf" or (column.dtype == object and column.dropna().map(type).eq(bool).all())


def _value(column: pd.Series, number: int) -> Any:
    present = column.dropna()
    return present.iloc[number % len(present)] if len(present) else 0


@lru_cache(maxsize=4096)
def start(seed: int) -> Twin:
    """A frame of four columns in a few partitions, some of them empty."""
    columns = {}
    for at in range(4):
        kind = TYPES[(seed // (at * 11 + 1) + at * 7) % len(TYPES)]
        series = (values if (seed >> at) & 1 else plain)(kind)
        columns[f"c{at}"] = pd.concat([series.iloc[at:], series.iloc[:at]], ignore_index=True)
    table = pd.DataFrame(columns)
    if seed % 3:
        return Twin(table, rd.from_pandas(table, npartitions=1 + seed % 3, sort=False))
    parts = list(zip(CUTS, CUTS[1:]))
    assert CUTS[-1] == ROWS
    return Twin(table, rd.from_map(lambda part: table.iloc[slice(*part)], parts, meta=table.iloc[:0]))
