"""Series."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry
from raskt.dataframe.documentation.series.attributes import ATTRIBUTES
from raskt.dataframe.documentation.series.output import OUTPUT
from raskt.dataframe.documentation.series.reductions import REDUCTIONS
from raskt.dataframe.documentation.series.rows import CHOSEN
from raskt.dataframe.documentation.series.values import VALUES

__all__ = ["PRELUDE", "SERIES"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2], name="x"), npartitions=2)
""".strip()

SERIES: dict[str, Entry] = VALUES | ATTRIBUTES | OUTPUT | REDUCTIONS | CHOSEN
