"""Operators as methods."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import SIDES, Entry

__all__ = ["OPERATORS", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2], name="x"), npartitions=2)
""".strip()

OPERATORS: dict[str, Entry] = {
    "add": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.add(2).compute().tolist()
[5, 3, 4]
""",
        raises={"TypeError": "For types between which `+` has no meaning."},
    ),
    "radd": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.radd(2).compute().tolist()
[5, 3, 4]
""",
        raises={"TypeError": "For types between which `+` has no meaning."},
    ),
    "sub": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.sub(2).compute().tolist()
[1, -1, 0]
""",
        raises={"TypeError": "For types between which `-` has no meaning."},
    ),
    "rsub": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.rsub(2).compute().tolist()
[-1, 1, 0]
""",
        raises={"TypeError": "For types between which `-` has no meaning."},
    ),
    "mul": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.mul(2).compute().tolist()
[6, 2, 4]
""",
        raises={"TypeError": "For types between which `*` has no meaning."},
    ),
    "rmul": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.rmul(2).compute().tolist()
[6, 2, 4]
""",
        raises={"TypeError": "For types between which `*` has no meaning."},
    ),
    "div": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.div(2).compute().tolist()
[1.5, 0.5, 1.0]
""",
        raises={"TypeError": "For types between which `/` has no meaning."},
    ),
    "rdiv": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.rdiv(2).compute().tolist()
[0.6666666666666666, 2.0, 1.0]
""",
        raises={"TypeError": "For types between which `/` has no meaning."},
    ),
    "truediv": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.truediv(2).compute().tolist()
[1.5, 0.5, 1.0]
""",
        raises={"TypeError": "For types between which `/` has no meaning."},
    ),
    "rtruediv": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.rtruediv(2).compute().tolist()
[0.6666666666666666, 2.0, 1.0]
""",
        raises={"TypeError": "For types between which `/` has no meaning."},
    ),
    "floordiv": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.floordiv(2).compute().tolist()
[1, 0, 1]
""",
        raises={"TypeError": "For types between which `//` has no meaning."},
    ),
    "rfloordiv": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.rfloordiv(2).compute().tolist()
[0, 2, 1]
""",
        raises={"TypeError": "For types between which `//` has no meaning."},
    ),
    "mod": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.mod(2).compute().tolist()
[1, 1, 0]
""",
        raises={"TypeError": "For types between which `%` has no meaning."},
    ),
    "rmod": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.rmod(2).compute().tolist()
[2, 0, 0]
""",
        raises={"TypeError": "For types between which `%` has no meaning."},
    ),
    "pow": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.pow(2).compute().tolist()
[9, 1, 4]
""",
        raises={"TypeError": "For types between which `**` has no meaning."},
    ),
    "rpow": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.rpow(2).compute().tolist()
[8, 2, 4]
""",
        raises={"TypeError": "For types between which `**` has no meaning."},
    ),
    "subtract": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.subtract(2).compute().tolist()
[1, -1, 0]
""",
        raises={"TypeError": "For types between which `-` has no meaning."},
    ),
    "multiply": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.multiply(2).compute().tolist()
[6, 2, 4]
""",
        raises={"TypeError": "For types between which `*` has no meaning."},
    ),
    "divide": Entry(
        "DataFrame or Series",
        f"{SIDES} Of the type that pandas gives the two.",
        """
>>> s.divide(2).compute().tolist()
[1.5, 0.5, 1.0]
""",
        raises={"TypeError": "For types between which `/` has no meaning."},
    ),
    "eq": Entry(
        "DataFrame or Series",
        "The rows of both sides, met by their labels. Of bool.",
        """
>>> s.eq(2).compute().tolist()
[False, False, True]
""",
        raises={"TypeError": "For types between which `==` has no meaning."},
    ),
    "ne": Entry(
        "DataFrame or Series",
        "The rows of both sides, met by their labels. Of bool.",
        """
>>> s.ne(2).compute().tolist()
[True, True, False]
""",
        raises={"TypeError": "For types between which `!=` has no meaning."},
    ),
    "lt": Entry(
        "DataFrame or Series",
        "The rows of both sides, met by their labels. Of bool.",
        """
>>> s.lt(2).compute().tolist()
[False, True, False]
""",
        raises={"TypeError": "For types between which `<` has no meaning."},
    ),
    "le": Entry(
        "DataFrame or Series",
        "The rows of both sides, met by their labels. Of bool.",
        """
>>> s.le(2).compute().tolist()
[False, True, True]
""",
        raises={"TypeError": "For types between which `<=` has no meaning."},
    ),
    "gt": Entry(
        "DataFrame or Series",
        "The rows of both sides, met by their labels. Of bool.",
        """
>>> s.gt(2).compute().tolist()
[True, False, False]
""",
        raises={"TypeError": "For types between which `>` has no meaning."},
    ),
    "ge": Entry(
        "DataFrame or Series",
        "The rows of both sides, met by their labels. Of bool.",
        """
>>> s.ge(2).compute().tolist()
[True, False, True]
""",
        raises={"TypeError": "For types between which `>=` has no meaning."},
    ),
}
