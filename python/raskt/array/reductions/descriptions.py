"""What docstrings of reductions have in common: what comes out, and what is raised."""

from __future__ import annotations

__all__ = [
    "AXIS",
    "BOOL",
    "EMPTY",
    "FLOAT",
    "NONE",
    "ONE_AXIS",
    "PLACE",
    "REAL",
    "RUN",
    "SAME",
    "WIDE",
]

_SHAPE = "Without the reduced axes, whose blocks are combined; the others keep their chunks."
WIDE = f"Of int64 or uint64 for smaller integers and booleans, else of the array's type, or `dtype`. {_SHAPE}"
SAME = f"Of the array's type. {_SHAPE}"
BOOL = f"Of bool. {_SHAPE}"
FLOAT = f"Of float64 for integers and booleans, else of the array's type, or `dtype`. {_SHAPE}"
REAL = f"Of the array's type (its real part), of float64 for integers and booleans, or of `dtype`. {_SHAPE}"
PLACE = f"Of int64. {_SHAPE}"
_RUNNING = "Of int64 or uint64 for smaller integers and booleans, else of the array's type, or `dtype`."
RUN = f"{_RUNNING} It has the shape and the chunks of `a`, or one axis of all elements if no axis is given."
EMPTY = {"ValueError": "If there is no element, and no `initial`; if `where` is given without `initial`."}
NONE = {"ValueError": "If there is no element."}
AXIS = {"ValueError": "If an axis is named that the array has not got (``numpy.exceptions.AxisError``)."}
ONE_AXIS = "int: The axis along which it works; all elements in C order if not given."
