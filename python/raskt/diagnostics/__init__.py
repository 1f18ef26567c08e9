"""Looking on while computations run.

>>> import raskt
>>> from raskt.diagnostics import ProgressBar
>>> with ProgressBar(minimum=60):
...     raskt.delayed(sum)([1, 2, 3]).compute()
6
"""

from raskt.diagnostics.callback import Callback, _active
from raskt.diagnostics.progress import ProgressBar

__all__ = ["Callback", "ProgressBar", "_active"]
