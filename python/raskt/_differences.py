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
    that shows it.
    """

    names: tuple[str, ...]
    what: str
    why: str
    kinds: tuple[str, ...] = ("value",)
    types: str = "*"
    arguments: str = "*"
    text: str = "*"
    example: str = ""


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        ("arrays.*",),
        "Functions of booleans and 8-bit integers whose result NumPy has in half precision give single precision.",
        "Arrays have no half precision, and every half is a single.",
        kinds=("dtype",),
        text="float32, not float16",
        example="arrays.operators log2 [uint8] 2d",
    ),
)

ROUNDING = """\
Numbers may differ in what rounding leaves open, and in nothing else. Elementwise functions that IEEE 754 doesn't
settle (exponentials, logarithms, trigonometric and hyperbolic functions, powers, and products and quotients of
complex numbers) are within 4e-15 of NumPy's, relative to their size; sums, products, and what is made of them
(means, deviations, quantiles, correlations, windows) within 1e-9, since they are added in another order. In single
precision both are within 1e-5. Everything else is equal to the bit. However an array is cut and whatever the number
of threads, the bits are the same.
"""


def page() -> str:
    """The table as a page of the documentation."""
    lines = ["# Differences from NumPy and pandas", "", ROUNDING, "Besides:", ""]
    lines += ["| operations | what differs | why |", "|---|---|---|"]
    lines += [f"| {', '.join(f'`{name}`' for name in row.names)} | {row.what} | {row.why} |" for row in DIFFERENCES]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(page(), end="")
