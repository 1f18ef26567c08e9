"""Reductions."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import NO_MEANING, REDUCED, WIDE, Entry

__all__ = ["REDUCTIONS", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2, 6], name="x"), npartitions=2)
""".strip()

REDUCTIONS: dict[str, Entry] = {
    "all": Entry(
        "Scalar or Series",
        f"{REDUCED} Of bool.",
        """
>>> s.all().compute()
np.True_
""",
    ),
    "any": Entry(
        "Scalar or Series",
        f"{REDUCED} Of bool.",
        """
>>> s.any().compute()
np.True_
""",
    ),
    "count": Entry(
        "Scalar or Series",
        f"{REDUCED} Of int64.",
        """
>>> s.count().compute()
np.int64(4)
""",
    ),
    "max": Entry(
        "Scalar or Series",
        f"{REDUCED} Of the column's type.",
        """
>>> s.max().compute()
np.int64(6)
""",
    ),
    "min": Entry(
        "Scalar or Series",
        f"{REDUCED} Of the column's type.",
        """
>>> s.min().compute()
np.int64(1)
""",
    ),
    "mean": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64; of times for times.",
        """
>>> s.mean().compute()
np.float64(3.0)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "median": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64; of times for times.",
        """
>>> s.median().compute()
np.float64(2.5)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "prod": Entry(
        "Scalar or Series",
        f"{REDUCED} {WIDE}",
        """
>>> s.prod().compute()
np.int64(36)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "product": Entry(
        "Scalar or Series",
        f"{REDUCED} {WIDE}",
        """
>>> s.product().compute()
np.int64(36)
""",
    ),
    "sem": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64.",
        """
>>> s.sem().compute()
np.float64(1.0801234497346435)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "skew": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64.",
        """
>>> s.skew().compute()
np.float64(1.1903401282789947)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "kurt": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64.",
        """
>>> s.kurt().compute()
np.float64(1.5)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "kurtosis": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64.",
        """
>>> s.kurtosis().compute()
np.float64(1.5)
""",
    ),
    "std": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64.",
        """
>>> s.std().compute()
np.float64(2.160246899469287)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "var": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64.",
        """
>>> s.var().compute()
np.float64(4.666666666666667)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "sum": Entry(
        "Scalar or Series",
        f"{REDUCED} {WIDE}",
        """
>>> s.sum().compute()
np.int64(12)
""",
        raises={"TypeError": NO_MEANING},
    ),
    "idxmax": Entry(
        "Scalar or Series",
        f"{REDUCED} Of the type of the row labels.",
        """
>>> s.idxmax().compute()
np.int64(3)
""",
        raises={"ValueError": "At `compute`, if there is no value."},
    ),
    "idxmin": Entry(
        "Scalar or Series",
        f"{REDUCED} Of the type of the row labels.",
        """
>>> s.idxmin().compute()
np.int64(1)
""",
        raises={"ValueError": "At `compute`, if there is no value."},
    ),
    "median_approximate": Entry(
        "Scalar or Series",
        f"{REDUCED} Of float64.",
        """
>>> s.median_approximate().compute()
np.float64(2.5)
""",
    ),
    "nunique_approx": Entry(
        "Scalar or Series",
        f"{REDUCED} Of int64.",
        """
>>> s.nunique_approx().compute()
4
""",
    ),
    "mode": Entry(
        "DataFrame or Series",
        "The values that come most often, with new row labels; several if equally often. Frames are filled up.",
        """
>>> s.mode().compute()
0    1
1    2
2    3
3    6
Name: x, dtype: int64
""",
    ),
}
