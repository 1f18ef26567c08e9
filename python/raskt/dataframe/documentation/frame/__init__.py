"""Frames."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry
from raskt.dataframe.documentation.frame.columns import COLUMNS
from raskt.dataframe.documentation.frame.output import OUTPUT
from raskt.dataframe.documentation.frame.reductions import REDUCTIONS
from raskt.dataframe.documentation.frame.rows import CHOSEN
from raskt.dataframe.documentation.frame.values import VALUES

__all__ = ["FRAME", "PRELUDE"]

PRELUDE = """\
>>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3], "y": [0.5, None, -2.5]}), npartitions=2)
""".strip()

FRAME: dict[str, Entry] = VALUES | COLUMNS | OUTPUT | REDUCTIONS | CHOSEN
