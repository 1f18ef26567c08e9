"""Statistics of series."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["REDUCTIONS"]

REDUCTIONS: dict[str, Entry] = {
    "autocorr": Entry(
        "Scalar",
        "Of float64.",
        """
>>> s.autocorr().compute()
np.float64(-0.9999999999999999)
""",
    ),
    "corr": Entry(
        "Scalar",
        "Of float64.",
        """
>>> s.corr(s * 2).compute()
np.float64(1.0)
""",
    ),
    "cov": Entry(
        "Scalar",
        "Of float64.",
        """
>>> s.cov(s * 2).compute()
np.float64(2.0)
""",
    ),
    "describe": Entry(
        "Series",
        "A value for each statistic.",
        """
>>> s.describe().compute()
count    3.0
mean     2.0
std      1.0
min      1.0
25%      1.5
50%      2.0
75%      2.5
max      3.0
Name: x, dtype: float64
""",
    ),
    "dot": Entry(
        "Scalar",
        "Of the type of the product.",
        """
>>> s.dot(s).compute()
np.int64(14)
""",
    ),
    "is_monotonic_decreasing": Entry(
        "Scalar",
        "Of bool.",
        """
>>> s.is_monotonic_decreasing.compute()
np.False_
""",
    ),
    "is_monotonic_increasing": Entry(
        "Scalar",
        "Of bool.",
        """
>>> s.is_monotonic_increasing.compute()
np.False_
""",
    ),
    "is_unique": Entry(
        "Scalar",
        "Of bool.",
        """
>>> s.is_unique.compute()
np.True_
""",
    ),
    "hasnans": Entry(
        "Scalar",
        "Of bool.",
        """
>>> s.hasnans.compute()
np.False_
""",
    ),
    "memory_usage": Entry(
        "Scalar",
        "Of int64.",
        """
>>> s.memory_usage(index=False).compute()
np.int64(24)
""",
    ),
    "memory_usage_per_partition": Entry(
        "Series",
        "Bytes for each partition.",
        """
>>> s.memory_usage_per_partition(index=False).compute().tolist()
[16, 8]
""",
    ),
    "nunique": Entry(
        "Scalar",
        "Of int64.",
        """
>>> s.nunique().compute()
3
""",
    ),
    "quantile": Entry(
        "Scalar or Series",
        "Of float64; a series for a list.",
        """
>>> s.quantile([0.5, 1.0]).compute()
0.5    2.0
1.0    3.0
Name: x, dtype: float64
""",
    ),
    "value_counts": Entry(
        "Series",
        "Of int64, or of float64 with `normalize`; labelled by values.",
        """
>>> s.value_counts().compute()
x
3    1
1    1
2    1
Name: count, dtype: int64
""",
    ),
    "agg": Entry(
        "Scalar or Series",
        "",
        """
>>> s.agg(["min", "max"]).compute().tolist()
[1, 3]
""",
    ),
}
