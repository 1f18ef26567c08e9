"""What differs from NumPy and pandas on purpose: one table that tests hold true.

`docs/differences.md` is made of it by ``python -m raskt._differences``.

>>> from raskt._differences import DIFFERENCES
>>> all(row.what and row.why for row in DIFFERENCES)
True
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One difference: the operations it is about, by patterns, what one sees, and the reason.

    `kinds`, `types`, `arguments` and `text` say which findings of the tests it explains; `example` is the key of a case
    that shows it. Where what NumPy gives `varies` with its machine (the instructions its sort uses, its BLAS), there
    may be none that does.
    """

    names: tuple[str, ...]
    what: str
    why: str
    kinds: tuple[str, ...] = ("value",)
    types: str = "*"
    arguments: str = "*"
    text: str = "*"
    example: str = ""
    varies: bool = False


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        ("arrays.*",),
        "Functions of booleans and 8-bit integers whose result NumPy has in half precision give single precision.",
        "Arrays have no half precision, and every half is a single.",
        kinds=("dtype",),
        text="float32, not float16",
        example="arrays.operators log2 [uint8] 2d",
    ),
    Difference(
        ("frames.methods.set_index",),
        "`set_index` sorts rows by their new labels, unless it is told `sort=False`.",
        "Sorted labels have known divisions, which joins and `loc` live by; programs written for Dask count on it.",
        kinds=("order", "value", "index", "shape"),
        example="frames.methods set_index [frame numbers] frame:numbers keys='int64'",
    ),
    Difference(
        ("arrays.pairs.dot", "arrays.pairs.matmul", "arrays.pairs.tensordot", "arrays.pairs.inner"),
        "In products of matrices an element is NaN if one of its terms is: 0 times NaN, too.",
        "NumPy leaves them to BLAS, which passes over some zeros, and not the same for every shape and machine.",
        text="*nan*",
        example="arrays.pairs tensordot [complex64 int64] np 2d 0d axes=0",
        varies=True,
    ),
    Difference(
        tuple(f"arrays.pairs.{name}" for name in ("dot", "matmul", "tensordot", "inner", "vdot")),
        "Where terms of a product of matrices cancel each other, what is left is what rounding left of them.",
        "It depends on the order in which they are added; NumPy leaves that to BLAS.",
        types="*int64 *int64",
        text="*float64(*, not *float64(*",
        example="arrays.pairs tensordot [uint64 int64] ra square|plain square ",
        varies=True,
    ),
    Difference(
        ("arrays.reductions.*prod",),
        "Products of complex numbers with infinities may be NaN where NumPy's are not, and the other way round.",
        "Elements are multiplied in groups, block by block, and such products depend on the order.",
        types="complex*",
        text="*nan*",
        example="arrays.reductions nanprod [complex64] ra 2d axis=1",
    ),
    Difference(
        ("arrays.reductions.nanargm*", "arrays.functions.histogram"),
        "What is wrong whatever the elements are (`axis=()` of `nanargmin` and `nanargmax`, numbers of bins that are "
        "to be found for complex numbers) is a `TypeError`, where NumPy raises a `ValueError` if there is a NaN.",
        "It is raised at the call, before there are any elements.",
        kinds=("error kind",),
        text="TypeError: *, not ValueError: *",
        example="arrays.reductions nanargmin [float32] ra 2d axis=()",
    ),
    Difference(
        ("arrays.functions.pad",),
        "Means with which `pad` fills integers of 64 bits may differ in the digits that rounding leaves open.",
        "They are made in double precision, and added up block by block.",
        types="*int64",
        arguments="*mode='mean'*",
        example="arrays.functions pad [int64] ra 2d pad_width=1, mode='mean'",
    ),
    Difference(
        ("arrays.functions.round", "arrays.functions.around"),
        "Unsigned integers that rounding (`decimals=-1`) makes too large for their type wrap around.",
        "NumPy makes something of them that depends on where they stand in memory, and warns of it.",
        kinds=("value",),
        arguments="*decimals=-*",
        types="uint*",
        example="arrays.functions round [uint32] ra 2d decimals=-1",
        varies=True,
    ),
    Difference(
        ("arrays.functions.unique", "arrays.pairs.union1d"),
        "Of zeros of both signs the positive one is kept.",
        "NumPy keeps the one that its sort meets first, which depends on what is beside it.",
        text="*[(-]0.0), not *[(-]0.0)",
        example="arrays.pairs union1d [float32 int16] ra 2d 0d ",
        varies=True,
    ),
    Difference(
        ("arrays.functions.unique",),
        "`unique(sorted=False)` gives the elements in order, too.",
        "NumPy promises no order then; this one is the same however an array is cut.",
        kinds=("order",),
        arguments="*sorted=False*",
        example="arrays.functions unique [int8] ra 2d|plain equal_nan=True, sorted=False",
    ),
    Difference(
        ("frames.reductions.mode",),
        "The types that `mode` of a frame says before it is computed are those of the columns.",
        "Columns with fewer modes than others are filled up with missing values, which only computing can tell.",
        kinds=("promise",),
        example="frames.reductions mode [frame small] frame:small numeric_only=False",
    ),
    Difference(
        ("frames.*",),
        "Integers that may lack a value (after an outer join, say) are said to be `float64` before they are computed; "
        "computed, they have the type that pandas gives them: what a filter leaves is of integers if none of its own "
        "values is missing, also where a frame without rows lacks the column in `concat`. Functions of partitions, "
        "texts and files of text get floats if one of all rows is missing, however rows are cut, and else integers "
        "(but for functions that ask for `partition_info`, row labels in files, and `to_json(orient='table')`); "
        "Parquet files have whole numbers. What is "
        "computed of them (sums, labels of groups, `map`, arithmetic) is of `float64`, as where one is missing; so is "
        "what `dropna` leaves of them where it looks at them (a filter by `notna()` leaves integers), and so are "
        "rows that pandas picks (by lists of labels or of positions, `drop` of labels, `sort_values(key=)`, `explode`, "
        "`melt`, `groupby().head`, whatever `explain()` shows as gathered). Numbers beyond 2**53 that this would round "
        'are refused: `astype("Int64")` before rows are joined keeps every digit.',
        "pandas goes by the values whether one is missing, and types are said before there are any; rows that are "
        "moved, joined, filtered and compared natively keep every digit.",
        kinds=("promise",),
        text="said *float64*, is *int*",
        example="frames.joins merge [int8 int64] right_index how=left",
    ),
    Difference(
        ("frames.rows.*concat*",),
        "The same of a column that a frame without rows lacks in `concat`: integers stay integers.",
        "See above.",
        kinds=("dtype",),
        text="*int*, not float64",
        example="frames.rows head 0 then concat other [levels] ",
    ),
    Difference(
        ("frames.*",),
        "The same of truth values, which are said to be `object`: `numeric_only=True` and `select_dtypes` take "
        "them for objects, also where none turns out to be missing; the `first`, `last`, `min` and `max` of groups are "
        "truth values where none of those is missing, and their sums and means numbers. Where rows were left out, or "
        "values filled, what objects compute differently (`+` and `-` of truth values, `~`, `diff`, `replace` …) is "
        "refused.",
        "pandas goes by the values whether one is missing, and types are said before there are any.",
        kinds=("promise",),
        text="said *'O'*, is *bool*",
        example="frames.joins join [bool uint8] how=outer",
    ),
    Difference(
        ("frames.*",),
        "The same of intervals of integers, which are of floats where one is missing.",
        "See above.",
        kinds=("promise",),
        text="said interval[[]*int*, is interval[[]float*",
        example="frames.joins concat [int16 interval] other columns names=['n']",
    ),
    Difference(
        ("frames.groups.*", "frames.rows.*groupby*", "frames.rows.*resample*"),
        "Sums and products of groups of narrow integers, running ones as well, are of 64 bits, also where they fit the "
        "type of the column.",
        "pandas goes by the sums whether they fit, and types are settled before there are any.",
        kinds=("dtype",),
        text="*int64, not [iu]*nt[138]*",
        example="frames.groups sum [bool int8] bool int8|plain groupby(observed=False, dropna=False).series ",
    ),
    Difference(
        ("frames.groups.*",),
        "With `observed=False`, the least, greatest, first and last of integers in groups are `float64` also where "
        "each category has rows; where that would round one of them, it is refused.",
        "pandas goes by the rows whether a category has none, and types are settled before there are any.",
        kinds=("dtype",),
        arguments="*observed=False*",
        text="*float64, not *int*",
        example="frames.groups min [category of time int8] category of time int8|plain "
        "groupby(observed=False, dropna=False).frame ",
    ),
    Difference(
        ("frames.groups.*",),
        "Means and deviations of groups of float32 are float32 or float64 by what is known of the column.",
        "pandas goes by the values: whether one is missing, and whether results fit single precision.",
        kinds=("dtype",),
        types="*[Ff]loat32",
        text="*float*, not float*",
        example="frames.groups mean [str float32] str float32 groupby(dropna=False).frame skipna=False",
    ),
    Difference(
        ("frames.reductions.quantile", "frames.methods.quantile"),
        "Several quantiles of nullable integers are `Float64`, and of float32 `float64`.",
        "pandas goes by the values: whether all quantiles are whole, and whether a value is missing.",
        kinds=("dtype",),
        text="[Ff]loat64, not *",
        example="frames.reductions quantile [Int32] Int32 q=[]",
    ),
    Difference(
        ("frames.reductions.quantile", "frames.reductions.describe"),
        "Quantiles of narrow integers lie between the values next to them, however far apart these are.",
        "NumPy subtracts the two in their own type, whose bounds the difference may leave.",
        types="int*",
        example="frames.reductions describe [int16] int16 percentiles=[0.1, 0.9], include='number'",
    ),
    Difference(
        ("frames.operators.*", "frames.methods.drop_duplicates"),
        "Arrow's integers of 64 bits are compared to the last digit, also with integers of another type.",
        "pandas compares large ones as floats where a value is missing; that is not the same for each partition.",
        types="*[[]pyarrow]*",
        arguments="*64*",
        text="*is *e, not *e",
        example="frames.operators eq [int64[pyarrow]] x, uint64 np.uint64(9223372036854775809)",
    ),
    Difference(
        (
            "frames.rows.*unique",
            "frames.rows.*index isna",
            "frames.rows.*index isin",
            "frames.rows.*index duplicated",
            "frames.accessors.dt.to_pytimedelta",
            "frames.accessors.dt.to_pydatetime",
        ),
        "What pandas gives as a NumPy array in memory is a lazy series: different values, truth values of labels.",
        "A series is lazy, keeps its type, and truth values of labels choose rows of the frame.",
        kinds=("type",),
        text="Series *, not *ndarray",
        example="frames.rows index isin [text] frame:mixed",
    ),
    Difference(
        ("frames.rows.loc*",),
        "`loc` by one label gives the rows that have it, as a frame or a series, also where there is one alone.",
        "Only computing tells how many rows have the label.",
        kinds=("type",),
        text="* not *",
        example="frames.rows loc [times] '2021-03-28 06:00', [True, False, True, False]",
    ),
    Difference(
        ("frames.accessors.dt.strftime",),
        "`dt.strftime(date_format=...)` works for Arrow's times, where pandas takes the format by position alone.",
        "The parameter has this name in the documentation.",
        kinds=("no error",),
        text="*unexpected keyword argument 'date_format'",
        example="frames.accessors dt.strftime [timestamp[us][pyarrow]] timestamp[us][pyarrow] date_format='%U %V %G'",
    ),
    Difference(
        (
            *(f"frames.methods.{name}" for name in ("where", "mask", "fillna", "replace", "clip", "compare")),
            "frames.rows.*mask",
            "frames.rows.*where",
        ),
        "What a method puts in the place of values widens their type, whether it replaces any of them or not.",
        "In pandas values keep their type if none is replaced, which only computing could tell.",
        kinds=("dtype",),
        example="frames.methods fillna [str] str|plain value={'int64': 1}, limit=1",
    ),
    Difference(
        ("frames.methods.sort_values", "frames.methods.value_counts"),
        "Equal values stay in the order of their rows, whatever `kind` says.",
        "pandas' default leaves it to the processor.",
        kinds=("order",),
        example="frames.methods sort_values [int32] int32 axis='index', ascending=True",
    ),
    Difference(
        ("frames.methods.sort_values",),
        "`sort_values` of objects gives objects.",
        "pandas makes text or times of them if they are all such, which only computing tells.",
        kinds=("dtype",),
        types="object",
        example="frames.methods sort_values [object] object axis=0, inplace=True",
    ),
    Difference(
        ("frames.joins.merge", "frames.joins.join"),
        "Keys of joins that are durations of two units are of the finer one.",
        "pandas has objects of them, or the unit of the left side if all keys are equal.",
        kinds=("dtype",),
        types="timedelta64* timedelta64*",
        text="*timedelta64*, not *",
        example="frames.joins merge [timedelta64[s] timedelta64[us]] plain how=inner",
    ),
    Difference(
        ("frames.operators.*",),
        "Integers beyond 64 bits compare with truth values.",
        "pandas raises an OverflowError where the integer stands on the left.",
        kinds=("no error",),
        types="bool*",
        arguments="int *, x",
        example="frames.operators ge [bool] int 9223372036854775808, x",
    ),
    Difference(
        ("frames.methods.clip",),
        "`clip` by columns of text or durations some of which are missing leaves out those bounds.",
        "pandas puts infinities in their place, which such types have not, and raises an error.",
        kinds=("no error",),
        arguments="column*",
        example="frames.methods clip [str str] columns",
    ),
    Difference(
        ("frames.methods.combine",),
        "What `combine` gives of numbers of two types beside missing ones are plain numbers.",
        "pandas keeps the numbers of NumPy among objects.",
        text="*, not np.*",
        example="frames.methods combine [uint8 int16] column",
    ),
    Difference(
        ("frames.accessors.str.get",),
        "`str.get` of objects gives objects.",
        "pandas gives floats if no value has such an item, which only computing tells.",
        kinds=("dtype",),
        text="object, not float64",
        example="frames.accessors str.get [mixed] mixed|plain i=9",
    ),
    Difference(
        ("frames.methods.unique",),
        "`unique` of a series is a series.",
        "It is lazy, as Dask's.",
        kinds=("type",),
        example="frames.methods unique [int32] int32 ",
    ),
    Difference(
        ("frames.methods.memory_usage", "frames.methods.nbytes"),
        "`memory_usage` counts the bytes of row labels, and of Arrow's buffers, as they lie after an exchange of rows.",
        "Numbered rows and slices of buffers are stored otherwise than in a pandas object that was never cut.",
        example="frames.methods memory_usage [uint8[pyarrow]] uint8[pyarrow] index=True, deep=False",
    ),
    Difference(
        (
            "frames.operators.*",
            "frames.ufuncs.*",
            *(f"frames.methods.{name}" for name in ("between", "clip", "fillna", "nsmallest", "nlargest")),
            "frames.accessors.str.*match",
        ),
        "Where pandas raises an error, the kind may be that which the first rows raise.",
        "An operation is tried on a few rows, and computed a partition at a time.",
        kinds=("error kind", "together"),
        text="*: *, not *",
        example="frames.operators mod [string timedelta64[us]] method axis=0",
    ),
    Difference(
        ("frames.rows.*astype", "frames.rows.*resample*", "frames.methods.astype"),
        "The same where rows or columns fail in several ways: what types tell is said before what values tell.",
        "See above.",
        kinds=("error kind",),
        example="frames.rows astype [times] frame:mixed",
    ),
    Difference(
        ("frames.joins.to_datetime", "frames.joins.to_timedelta"),
        "Times made of floats are of nanoseconds, those made of text of microseconds, whatever the values are.",
        "pandas goes by all values how fine the unit is, and types are said before there are any.",
        kinds=("dtype",),
        text="*64[[]*, not *64[[]*",
        example="frames.joins to_datetime [Float32] unit='s', origin='unix'|plain",
    ),
    Difference(
        ("frames.accessors.str.*split", "frames.accessors.str.*partition"),
        "With `expand=True`, `str.split(n=k)` makes k + 1 columns, and `str.partition` three.",
        "pandas makes as many as the values need, which only computing could tell.",
        kinds=("shape",),
        example="frames.accessors str.rsplit [mixed] mixed n=1, expand=True",
    ),
    Difference(
        ("frames.joins.get_dummies",),
        "The columns that `get_dummies` makes of a series are labelled by the categories, not by their type.",
        "Labels of columns are plain values of a plan, and there is a column for each category already.",
        kinds=("columns",),
        text="labels: dtype: *, not category",
        example="frames.joins get_dummies [category] dummy_na=True, dtype=int",
    ),
)

ROUNDING = """\
Numbers may differ in what rounding leaves open, and in nothing else. Elementwise functions that IEEE 754 doesn't settle
(exponentials, logarithms, trigonometric and hyperbolic functions, powers, and products and quotients of complex
numbers) are within 4e-15 of NumPy's, relative to their size; sums, products, and what is made of them (means,
deviations, quantiles, correlations, windows) within 1e-9, since they are added in another order. In single precision
both are within 1e-5. Of zeros, which are equal whatever their sign, `min` and `max` may give another than NumPy, and
arrays are in the order of bytes of the machine. Rows of `r` of a QR factorisation, and singular vectors, may have
other signs, which nothing settles. A quantile beside an infinity in a column is that infinity, the number on the other
side, or NaN, and may be another of them than pandas', whose NaN comes of its interpolation.
Everything else is equal to the bit.

However an array is cut, functions of its elements, random numbers, sums of integers and whatever picks and moves
elements are the same to the bit. Sums of floating numbers, and what is made of them, may differ in what rounding
leaves open between an array that is cut one way and one that is cut another, since additions follow the blocks; for
one cut they are the same to the bit on every run and with any number of threads. Those that leave the bounds of their
type on the way depend on the order in more than rounding: `1e200 * 1e200 * 1e-300` may be an infinity for one cut and
1e100 for another, and where an infinity then meets another one or a zero, NaN; NumPy's own order is one among them.
So much of arrays: floating sums, products, means and variances of groups of rows are added up as threads meet groups,
and may differ in what rounding leaves open from one run to the next.

Arrays have no views: what is indexed out of an array is another array, which holds the elements as they were then.
What is written to one of them, be it by `x[0] = 5` or by `out=x`, changes no other, so that `out=x[0]` or `x[0][0] = 5`
leaves `x` as it is: write `x[0] = ...` or `x[0, 0] = 5`.

`to_json` writes `orient="records"`, an object a line and a file for each partition, unless it is told otherwise, as
Dask does. `sort_index` keeps equal labels in the order of their rows, whatever `kind` says.

Partitions hold the rows that their source put there, or those between two divisions, through everything that gives rows
of its own. Where neither the lengths of partitions nor divisions are known, a filter or a column that looks at other
rows (a running sum, a mean beside a column) makes them equal parts of all rows: functions of partitions see those, and
partitions of several frames are not put side by side then.

Categories that no type says before rows are computed (of `astype("category")`, of files, of functions without `meta`)
are the values that occur in all rows where they are made, in their order; functions that give them in an order of their
own are refused. Row labels of such categories have those that occur in the rows that are left.

Frames know the labels of their columns as plain values: the axis of columns has no name, and labels that are a
`CategoricalIndex` are the same labels without their type, so that `melt` of a pivot table calls its column
`variable`. Objects that become row labels stay objects, where pandas looks whether all of them are text or times
(those that rows are grouped by are text, or refused); narrow whole numbers that become row labels stay narrow, where
pandas makes a range of 64 bits of those in even steps. Labels that `map` finds none of are of the type of those that
it could have found. What text methods tell of objects (`str.isdigit`, `str.len`) is NaN where it is missing, and a
float beside that, also where pandas keeps a None or an NA among objects. Labels that are times have their frequency
while it is known without computing: not where rows were chosen by their values, joined, put one after another, or
grouped by these labels, nor where labels are computed (`index + step`; `index.shift` keeps it). What is computed with
the least or the greatest of no rows, and statistics of float32 of no rows, have the type that they have where there
are some. Zeros of both signs among Arrow's floats are one value to `unique`. Means of groups and spans of float32,
and quantiles of frames of them, are float32 or float64 by what is known of the columns, where pandas goes by whether
a value is missing.

Where pandas finds the type of a result by all values, it is the same here however rows are cut: times and durations
of floats are of nanoseconds, where pandas has microseconds if all are whole; items of lists
(`s.str.split("_").str[1]`) are objects, where pandas has float64 if no list has such an item. Of no rows, what is
melted, split or grouped by among objects is text, and a join has the labels that it has of some. Arithmetic of
nullable integers and integers of other rows is of nullable integers, where pandas has floats if a label is missing.
`value_counts` of a frame by one column has labels of one level, which are no MultiIndex. `to_numeric` of text gives
floats, where pandas has integers if all numbers are whole. Keys of joins that are times of two units are of the finer
one, where pandas keeps that of the left side if all keys are equal. `join` of several frames at once keeps the
integers of rows that are all met, where pandas may have floats, since it goes through an outer join.

A frame that turns out to have no rows keeps none where a series is assigned to it, whose rows pandas would take. Labels
of several levels, one of which is missing, are sorted as `na_position` says, also where pandas counts what is missing
among groups' labels as the greatest. Names of levels that are numbers are names before they are positions everywhere;
in pandas, `isin(level=)` and `reset_index(level=)` take them for one and then for the other. Rows that are joined by
their numbers, to labels of another name, keep the name of the numbers, which pandas does only if both sides have equal
labels.
"""


def page() -> str:
    """The table as a page of the documentation."""
    lines = ["# Differences from NumPy and pandas", "", ROUNDING, "Besides:", ""]
    lines += ["| operations | what differs | why |", "|---|---|---|"]
    lines += [f"| {', '.join(f'`{name}`' for name in row.names)} | {row.what} | {row.why} |" for row in DIFFERENCES]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(page(), end="")
