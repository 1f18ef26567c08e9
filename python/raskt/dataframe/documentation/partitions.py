"""Partitions, and what goes over them."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import FADING, Entry

__all__ = ["PARTITIONS", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2], name="x"), npartitions=2)
""".strip()

PARTITIONS: dict[str, Entry] = {
    "align": Entry(
        "tuple",
        "The two, with the rows of both.",
        """
>>> [part.compute().tolist() for part in s.align(s + 1)]
[[3, 1, 2], [4, 2, 3]]
""",
    ),
    "clear_divisions": Entry(
        "DataFrame or Series",
        "The same rows, with divisions that aren't known.",
        """
>>> s.clear_divisions().known_divisions
False
""",
    ),
    "divisions": Entry(
        "tuple",
        "One label more than there are partitions.",
        """
>>> s.divisions
(0, 2, 2)
""",
    ),
    "empty": Entry(
        "bool",
        "Computed.",
        """
>>> s.empty
False
""",
    ),
    "get_partition": Entry(
        "DataFrame or Series",
        "In one partition.",
        """
>>> s.get_partition(1).compute()
2    2
Name: x, dtype: int64
""",
        raises={"IndexError": "If there is no such partition."},
    ),
    "head": Entry(
        "pandas object or DataFrame or Series",
        "The rows, computed, or lazy with `compute=False`.",
        """
>>> s.head(2)
0    3
1    1
Name: x, dtype: int64
""",
    ),
    "tail": Entry(
        "pandas object or DataFrame or Series",
        "The rows, computed, or lazy with `compute=False`.",
        """
>>> s.tail(2)
1    1
2    2
Name: x, dtype: int64
""",
    ),
    "known_divisions": Entry(
        "bool",
        "Known without computing.",
        """
>>> s.known_divisions
True
""",
    ),
    "npartitions": Entry(
        "int",
        "Known without computing.",
        """
>>> s.npartitions
2
""",
    ),
    "optimize": Entry(
        "DataFrame or Series",
        "The same.",
        """
>>> s.optimize().compute().tolist()
[3, 1, 2]
""",
    ),
    "partitions": Entry(
        "Partitions",
        "To be indexed by a number, a slice or a list.",
        """
>>> s.partitions[1].compute()
2    2
Name: x, dtype: int64
""",
    ),
    "map_partitions": Entry(
        "DataFrame or Series or Scalar",
        "What `meta`, or a trial, says that the function gives.",
        """
>>> s.map_partitions(lambda part: part + 1).compute()
0    4
1    2
2    3
Name: x, dtype: int64
""",
    ),
    "map_overlap": Entry(
        "DataFrame or Series",
        "What `meta`, or a trial, says that the function gives.",
        """
>>> s.map_overlap(lambda part: part.rolling(2).sum(), 1, 0).compute()
0    NaN
1    4.0
2    3.0
Name: x, dtype: float64
""",
    ),
    "pipe": Entry(
        "object",
        "What the function gives.",
        """
>>> s.pipe(lambda it, n: it + n, 10).compute().tolist()
[13, 11, 12]
""",
    ),
    "random_split": Entry(
        "list",
        "Lazy objects of the same columns, in the partitions of the rows.",
        """
>>> [len(part) for part in s.random_split([0.5, 0.5], random_state=0)]
[2, 1]
""",
    ),
    "reduction": Entry(
        "DataFrame, Series or Scalar",
        "What `meta`, or a trial, says that the last function gives.",
        """
>>> int(s.reduction(lambda part: part.sum(), aggregate=lambda sums: sums.sum()).compute())
6
""",
    ),
    "repartition": Entry(
        "DataFrame or Series",
        "The same rows in other partitions.",
        """
>>> s.repartition(npartitions=1).npartitions
1
""",
    ),
    "sample": Entry(
        "DataFrame or Series",
        "Rows of the same columns.",
        """
>>> len(s.sample(frac=0.5, random_state=0))
2
""",
    ),
    "to_delayed": Entry(
        "list of Delayed",
        "One for each partition; each computes to a pandas object.",
        """
>>> [part.compute().tolist() for part in s.to_delayed()]
[[3, 1], [2]]
""",
    ),
    "resample": Entry(
        "Resampler",
        "Lazy groups.",
        """
>>> t = pd.date_range('2020-01-01', periods=3, freq='12h')
>>> rd.from_pandas(pd.Series([1, 2, 3], index=t), npartitions=1).resample('1D').sum().compute()
2020-01-01    3
2020-01-02    3
Freq: D, dtype: int64
""",
    ),
    "rolling": Entry(
        "Rolling",
        "Lazy windows.",
        """
>>> s.rolling(2).sum().compute()
0    NaN
1    4.0
2    3.0
Name: x, dtype: float64
""",
    ),
    "copy": Entry(
        "DataFrame, Series or Index",
        "Of the same plan.",
        """
>>> s.copy().compute().tolist()
[3, 1, 2]
""",
    ),
    "explain": Entry(
        "str",
        "A line for each node.",
        """
>>> print(s.head(2, compute=False).explain())
native  series [x: x]
native    slice: from 0, 2 rows
native      in_memory: 3 rows
one stage, 1 partitions
""",
    ),
    "pprint": Entry(
        "None",
        "Nothing; the plan is printed.",
        """
>>> s.abs().pprint()
native  series [x: absolute(x)]
native    in_memory: 3 rows
one stage, 2 partitions
""",
    ),
    "expanding": Entry(
        "Expanding",
        "Lazy windows.",
        """
>>> s.expanding().sum().compute().tolist()
[3.0, 4.0, 6.0]
""",
        parameters={"method": 'str: `"single"` for windows of each column, `"table"` for those of all together.'},
    ),
    "ewm": Entry(
        "ExponentialMovingWindow",
        "Lazy windows.",
        """
>>> s.ewm(alpha=0.5).mean().compute().round(3).tolist()
[3.0, 1.667, 1.857]
""",
        raises={
            "ValueError": "Unless one of `com`, `span`, `halflife` and `alpha` is given.",
            "NotImplementedError": "For `times`.",
        },
        parameters=FADING,
    ),
}
