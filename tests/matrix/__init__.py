"""Generated differential tests: what raskt answers, and what NumPy and pandas answer, over whole tables of cases.

A *combination* is one operation with its arguments, data types, data and partitioning. Each has one of three outcomes: the
answers are equal (value bits, data type, name, index, order, or the kind of error); the call is refused by
`NotImplementedError`, which is counted by name; or they differ, which fails unless the difference is documented in
`raskt/_differences.py` or stands in `known.toml`, the list of what is still to be mended.

    python -m tests.matrix                      a sample of every part
    python -m tests.matrix --all                everything
    python -m tests.matrix frames.binary --grep add
"""
