"""Generated differential tests: what raskt answers, and what NumPy and pandas answer, over whole tables of cases.

A *combination* is one operation with its arguments, data types, data and partitioning. Its outcome is one of three: the
answers are equal (value bits, data type, name, index, order, or the kind of error); the call is refused by
`NotImplementedError`, which is counted by name; or they differ, which fails unless the difference is documented in
`raskt/_differences.py` or stands in `known.toml`, the list of what is still to be mended.

    python -m tests.matrix                              what CI tries
    python -m tests.matrix --times 20                   twenty times as much
    python -m tests.matrix frames.joins --grep concat   some of it
"""
