"""The accessor `.str`."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry, alike

__all__ = ["STRINGS", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series(["a b", None, "Été 1"]), npartitions=2)
""".strip()

STRINGS: dict[str, Entry] = {
    **alike(
        "Series",
        f"{ROWS} Of bool. False where a value is missing.",
        "s.str.{}('a').compute().tolist()",
        {
            "contains": "[True, False, False]",
            "match": "[True, False, False]",
            "startswith": "[True, False, False]",
        },
    ),
    **alike(
        "Series",
        f"{ROWS} Of str.",
        "s.str.{}().compute().tolist()",
        {
            "casefold": "['a b', nan, 'été 1']",
            "capitalize": "['A b', nan, 'Été 1']",
            "lower": "['a b', nan, 'été 1']",
            "upper": "['A B', nan, 'ÉTÉ 1']",
            "swapcase": "['A B', nan, 'éTÉ 1']",
            "title": "['A B', nan, 'Été 1']",
        },
    ),
    **alike(
        "Series",
        f"{ROWS} Of bool. False where a value is missing.",
        "s.str.{}().compute().tolist()",
        {
            "isalnum": "[False, False, False]",
            "isalpha": "[False, False, False]",
            "isascii": "[True, False, False]",
            "isdecimal": "[False, False, False]",
            "isdigit": "[False, False, False]",
            "islower": "[True, False, False]",
            "isnumeric": "[False, False, False]",
            "isspace": "[False, False, False]",
            "istitle": "[False, False, True]",
            "isupper": "[False, False, False]",
        },
    ),
    "cat": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.cat(s, sep='-').compute().tolist()
['a b-a b', nan, 'Été 1-Été 1']
""",
    ),
    "center": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.center(7, '*').compute().tolist()
['**a b**', nan, '*Été 1*']
""",
    ),
    "count": Entry(
        "Series",
        f"{ROWS} Of int64, or of float64 where values are missing.",
        """
>>> s.str.count('[a-z]').compute().tolist()
[2.0, nan, 1.0]
""",
    ),
    "encode": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of object: bytes.",
        """
>>> s.str.encode('utf-8').compute().tolist()
[b'a b', nan, b'\\xc3\\x89t\\xc3\\xa9 1']
""",
    ),
    "decode": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.encode('utf-8').str.decode('utf-8').compute().tolist()
['a b', nan, 'Été 1']
""",
    ),
    "endswith": Entry(
        "Series",
        f"{ROWS} Of bool. False where a value is missing.",
        """
>>> s.str.endswith('1').compute().tolist()
[False, False, True]
""",
    ),
    "find": Entry(
        "Series",
        f"{ROWS} Of int64, or of float64 where values are missing.",
        """
>>> s.str.find('b').compute().tolist()
[2.0, nan, -1.0]
""",
    ),
    "rfind": Entry(
        "Series",
        f"{ROWS} Of int64, or of float64 where values are missing.",
        """
>>> s.str.rfind('b').compute().tolist()
[2.0, nan, -1.0]
""",
    ),
    "findall": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of object: lists.",
        """
>>> s.str.findall('[a-z]').compute().tolist()
[['a', 'b'], nan, ['t']]
""",
    ),
    "fullmatch": Entry(
        "Series",
        f"{ROWS} Of bool. False where a value is missing.",
        """
>>> s.str.fullmatch('. .').compute().tolist()
[True, False, False]
""",
    ),
    "get": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.get(0).compute().tolist()
['a', nan, 'É']
""",
    ),
    "index": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of int64.",
        """
>>> s.dropna().str.index(' ').compute().tolist()
[1, 3]
""",
    ),
    "rindex": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of int64.",
        """
>>> s.dropna().str.rindex(' ').compute().tolist()
[1, 3]
""",
    ),
    "join": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.join('.').compute().tolist()
['a. .b', nan, 'É.t.é. .1']
""",
    ),
    "ljust": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.ljust(6, '*').compute().tolist()
['a b***', nan, 'Été 1*']
""",
    ),
    "rjust": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.rjust(6, '*').compute().tolist()
['***a b', nan, '*Été 1']
""",
    ),
    "lstrip": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.lstrip('a').compute().tolist()
[' b', nan, 'Été 1']
""",
    ),
    "rstrip": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.rstrip('1').compute().tolist()
['a b', nan, 'Été ']
""",
    ),
    "strip": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.strip('a1').compute().tolist()
[' b', nan, 'Été ']
""",
    ),
    "pad": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.pad(6, side='both', fillchar='*').compute().tolist()
['*a b**', nan, 'Été 1*']
""",
    ),
    "removeprefix": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.removeprefix('a ').compute().tolist()
['b', nan, 'Été 1']
""",
    ),
    "removesuffix": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.removesuffix(' 1').compute().tolist()
['a b', nan, 'Été']
""",
    ),
    "repeat": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.repeat(2).compute().tolist()
['a ba b', nan, 'Été 1Été 1']
""",
    ),
    "replace": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.replace('a', 'c').compute().tolist()
['c b', nan, 'Été 1']
""",
    ),
    "slice": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.slice(0, 1).compute().tolist()
['a', nan, 'É']
""",
    ),
    "slice_replace": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.slice_replace(0, 1, '_').compute().tolist()
['_ b', nan, '_té 1']
""",
    ),
    "split": Entry(
        "Series",
        f"{ROWS} Of object: lists; with `expand`, a frame of str.",
        """
>>> s.str.split(' ').compute().tolist()
[['a', 'b'], nan, ['Été', '1']]
""",
    ),
    "rsplit": Entry(
        "Series",
        f"{ROWS} Of object: lists; with `expand`, a frame of str.",
        """
>>> s.str.rsplit(' ', n=1).compute().tolist()
[['a', 'b'], nan, ['Été', '1']]
""",
    ),
    "zfill": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.zfill(6).compute().tolist()
['000a b', nan, '0Été 1']
""",
    ),
    "translate": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.translate({ord('a'): 'c'}).compute().tolist()
['c b', nan, 'Été 1']
""",
    ),
    "wrap": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.wrap(3).compute().tolist()
['a b', nan, 'Été\\n1']
""",
    ),
    "normalize": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> s.str.normalize('NFC').compute().tolist()
['a b', nan, 'Été 1']
""",
    ),
    "len": Entry(
        "Series",
        f"{ROWS} Of int64, or of float64 where values are missing.",
        """
>>> s.str.len().compute().tolist()
[3.0, nan, 5.0]
""",
    ),
    "extract": Entry(
        "DataFrame",
        f"{ROWS} A column of str for each group.",
        """
>>> s.str.extract('([a-z]) ([a-z])').compute()
     0    1
0    a    b
1  NaN  NaN
2  NaN  NaN
""",
    ),
    "extractall": Entry(
        "DataFrame",
        "A row for each match, labelled by row and number of the match; a column for each group.",
        """
>>> s.str.extractall('([a-z])').compute()
         0
  match
0 0      a
  1      b
2 0      t
""",
    ),
    "partition": Entry(
        "DataFrame",
        "Of the same rows, labels and partitions. Three columns.",
        """
>>> s.str.partition(' ').compute()
     0    1    2
0    a         b
1  NaN  NaN  NaN
2  Été         1
""",
    ),
    "rpartition": Entry(
        "DataFrame",
        "Of the same rows, labels and partitions. Three columns.",
        """
>>> s.str.rpartition(' ').compute()
     0    1    2
0    a         b
1  NaN  NaN  NaN
2  Été         1
""",
    ),
    "get_dummies": Entry(
        "DataFrame",
        f"{ROWS} A column for each text.",
    ),
}
