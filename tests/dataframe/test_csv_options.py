"""Every option of `read_csv` on every kind of file, against pandas: the same frame, or an error of the same kind."""

import csv
import itertools
import warnings

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

HEAD = "a,b,c\n"
FILES = {
    "empty": "",
    "header only": HEAD,
    "one row": HEAD + "1,2.5,x\n",
    "plain": HEAD + "1,2.5,x\n-3,1e3,y\n+7,.5,z\n",
    "holes": HEAD + "1,,x\n,2,\n3,NA,null\n",
    "quotes": HEAD + '"1","x,y","say ""hi"""\n2,"",z\n',
    "line breaks in quotes": HEAD + '1,"one\ntwo",x\n2,"a\r\nb",y\n',
    "quotes inside": HEAD + '1,x"y,z\n2,"x"y,z\n',
    "an open quote": HEAD + '1,"x,z\n2,y,z\n',
    "unicode": "a,größe,名前\n1,ß,日本\n2,é,語\n",
    "byte order mark": "\ufeff" + HEAD + "1,2,x\n",
    "windows": "a,b,c\r\n1,2,x\r\n3,,y\r\n",
    "old mac": "a,b,c\r1,2,x\r3,4,y\r",
    "short rows": HEAD + "1,2,x\n3\n4,5\n",
    "long row": HEAD + "1,2,x\n3,4,y,5\n",
    "more fields than names": HEAD + "1,2,x,9\n3,4,y,8\n",
    "trailing separators": HEAD + "1,2,x,\n3,4,y,\n",
    "late text": HEAD + "1,2,x\n" * 400 + "one,2,x\n",
    "late float": HEAD + "1,2,x\n" * 400 + "1.5,2,x\n",
    "20 digits": HEAD + "12345678901234567890,99999999999999999999,1\n1,2,18446744073709551615\n",
    "20 digits and signs": HEAD + "12345678901234567890,-12345678901234567890,+12345678901234567890\n-1,2,3\n",
    "20 digits and holes": HEAD + "12345678901234567890,99999999999999999999,1.5\n,,12345678901234567890\n",
    "dates": HEAD + "2013-01-01,2013-01-01 05:00:00,x\n2014-02-03,,y\n",
    "odd dates": HEAD + "2013-01-01,1/2/2013,x\n2014-02-30,13/1/2013,y\n",
    "booleans": HEAD + "True,true,x\nFalse,FALSE,y\n",
    "booleans and holes": HEAD + "True,1,x\n,0,y\n",
    "yes and no": HEAD + "yes,no,1\nno,yes,2\n",
    "blank lines": HEAD + "1,2,x\n\n  \n3,4,y\n",
    "spaces": HEAD + " 1,2 , x\n3,\t4,y \n",
    "comments": "# first\n" + HEAD + "1,2,x # two\n# nothing\n3,4,y\n",
    "thousands": HEAD + '"1,000","2,000,000",x\n3,4,y\n',
    "decimals": "a;b;c\n1,5;2;x\n3,0;4;y\n",
    "repeated names": "a,a,a.1\n1,2,3\n",
    "unnamed": "a,,c\n1,2,3\n",
    "no end": HEAD + "1,2,x",
    "a zero byte": HEAD + "1,\0,x\n",
    "infinite": HEAD + "inf,-inf,Infinity\n1e400,1e-400,2\n",
    "words": HEAD + "NULL,None,<NA>\n-NaN,#N/A,n/a\nx,1,2\n",
    "tilde": "a,b,c~1,2,x~3,4,y~",
    "one column": "a\n1\n2\n",
    "footer": HEAD + "1,2,x\n3,4,y\ntotal,6,\n",
    "escapes": HEAD + '1,"x\\"y",z\n2,a\\,b,c\n',
    "two headers": "a,a,b\nx,y,z\n1,2,3\n",
}
OPTIONS = [
    {},
    {"sep": ";"},
    {"sep": r"\s*,\s*", "engine": "python"},
    {"sep": None, "engine": "python"},
    {"delimiter": ","},
    {"header": None},
    {"header": 1},
    {"header": [0, 1]},
    {"names": ["x", "y", "z"]},
    {"names": ["x", "y", "z"], "header": 0},
    {"names": ["x", "y"]},
    {"index_col": 0},
    {"index_col": "a"},
    {"index_col": False},
    {"usecols": ["c", "a"]},
    {"usecols": [0, 2]},
    {"usecols": lambda name: name != "b"},
    {"usecols": ["nowhere"]},
    {"dtype": str},
    {"dtype": object},
    {"dtype": "category"},
    {"dtype": {"a": "float64"}},
    {"dtype": {"a": "float32"}},
    {"dtype": {"a": "int8"}},
    {"dtype": {"b": "uint16"}},
    {"dtype": {"a": "bool"}},
    {"dtype": {"a": "Int64"}},
    {"dtype": {"c": "string"}},
    {"dtype": {"c": "category", "nowhere": "int8"}},
    {"dtype": {"a": pd.CategoricalDtype(["1", "3", "7"])}},
    {"engine": "python"},
    {"converters": {"c": str.upper}},
    {"true_values": ["yes"], "false_values": ["no"]},
    {"skipinitialspace": True},
    {"skiprows": 1},
    {"skiprows": [1]},
    {"skiprows": lambda row: row == 2},
    {"skipfooter": 1, "engine": "python"},
    {"nrows": 1},
    {"nrows": 0},
    {"na_values": ["x"]},
    {"na_values": "y"},
    {"na_values": [1]},
    {"na_values": {"c": ["y"], "a": ["3"]}},
    {"keep_default_na": False},
    {"keep_default_na": False, "na_values": ["x"]},
    {"na_filter": False},
    {"skip_blank_lines": False},
    {"parse_dates": ["a"]},
    {"parse_dates": ["a", "b"]},
    {"parse_dates": [0]},
    {"parse_dates": True, "index_col": 0},
    {"parse_dates": ["b"], "dayfirst": True},
    {"parse_dates": ["a"], "date_format": "%Y-%m-%d"},
    {"cache_dates": False},
    {"thousands": ","},
    {"decimal": ",", "sep": ";"},
    {"lineterminator": "~"},
    {"quotechar": "'"},
    {"quoting": csv.QUOTE_NONE},
    {"doublequote": False},
    {"escapechar": "\\"},
    {"comment": "#"},
    {"encoding": "utf-8"},
    {"encoding": "latin-1"},
    {"encoding_errors": "replace"},
    {"on_bad_lines": "skip"},
    {"on_bad_lines": lambda fields: fields[:3], "engine": "python"},
    {"low_memory": False},
    {"memory_map": True},
    {"float_precision": "round_trip"},
    {"dialect": "excel-tab"},
    {"dtype_backend": "numpy_nullable"},
    {"dtype_backend": "pyarrow"},
    {"nonsense": 1},
]


def read(function, *args, **options):
    """What a call gives, or its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(*args, **options)
            return found.compute() if hasattr(found, "compute") else found
        except Exception as error:
            return error


def agrees(actual, expected, what):
    """Equal frames, or errors of one kind; a refusal has to name what would work."""
    if isinstance(actual, NotImplementedError):
        assert len(str(actual)) > 20, what
        return False
    if isinstance(expected, Exception):
        assert isinstance(actual, type(expected)) or isinstance(expected, type(actual)), f"{what}: {actual!r}"
        return True
    assert not isinstance(actual, Exception), f"{what}: {type(actual).__name__}: {actual}"
    if isinstance(expected, pd.DataFrame) and not len(expected.columns):
        # Columns that are not there have another type of labels in other versions of pandas.
        actual, expected = actual.index, expected.index
    try:
        check(actual, expected)
    except AssertionError as error:
        raise AssertionError(f"{what}:\n{actual}\n{expected}\n{error}") from None
    return True


def _named(options):
    """The same in every process: functions by what they are called."""
    return str({name: getattr(value, "__name__", value) for name, value in options.items()})


@pytest.mark.parametrize("options", OPTIONS, ids=_named)
def test_options(tmp_path, options):
    refused = []
    for name, text in FILES.items():
        path = tmp_path / f"{name}.csv"
        path.write_text(text, newline="", encoding="utf-8")
        # Columns have the types that all their rows give, but where none is read.
        whole = {} if "engine" in options or options.get("nrows") == 0 else {"low_memory": False}
        expected = read(pd.read_csv, path, **{**whole, **options})
        if not agrees(read(rd.read_csv, path, **options), expected, f"{name} {options}"):
            refused.append(name)
    assert len(refused) < len(FILES), "every file is refused"


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz", "zip", "zst", "tar"])
def test_packed_files(tmp_path, packing):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    path = tmp_path / f"file.csv.{packing}"
    expected = read(lambda: frame.to_csv(path, index=False))
    if isinstance(expected, ImportError):
        pytest.skip(str(expected))
    check(rd.read_csv(path), pd.read_csv(path))
    other = tmp_path / "file.csv"
    path.rename(other)
    method = {"gz": "gzip", "zst": "zstd"}.get(packing, packing)
    check(rd.read_csv(other, compression=method), pd.read_csv(other, compression=method))


#: Pieces of one column that stand in three files, and read as the column of one file.
PIECES = [
    *itertools.permutations(["1\n2\n", "1.5\n", "x\n"]),
    *itertools.permutations(["1\n2\n", "NA\n", "3\n"]),
    *itertools.permutations(["True\n", "NA\n", "False\n"]),
    *itertools.permutations(["True\n", "1\n", "x\n"]),
    *itertools.permutations(["12345678901234567890\n", "1\n", "2\n"]),
    *itertools.permutations(["99999999999999999999\n", "1\n", "2\n"]),
    *itertools.permutations(["12345678901234567890\n", "-1\n", "2.5\n"]),
    *itertools.permutations(["NA\n", "x\n", "NULL\n"]),
    ("2013-01-01\n", "2013-01-02\n", "NA\n"),
    ("2013-01-01\n", "x\n", "2013-01-02 05:00\n"),
    ("", "1\n", ""),
    ("", "", ""),
    ("a\n", "b\n", "a\n"),
    ("3\n", "1\n", "2\n"),
]


@pytest.mark.parametrize(
    "options",
    [{}, {"dtype": str}, {"dtype": "category"}, {"parse_dates": ["a"]}, {"engine": "python"}, {"thousands": "_"},
     {"nrows": 2}, {"dtype_backend": "numpy_nullable"}, {"keep_default_na": False}],
    ids=str,
)  # fmt: skip
def test_three_files_have_the_types_of_one(tmp_path, options):
    for at, pieces in enumerate(PIECES):
        folder = tmp_path / str(at)
        folder.mkdir()
        for number, piece in enumerate(pieces):
            (folder / f"{number}.csv").write_text("a,k\n" + piece.replace("\n", ",0\n"))
        whole = tmp_path / f"{at}.csv"
        whole.write_text("a,k\n" + "".join(pieces).replace("\n", ",0\n"))
        expected = read(pd.read_csv, whole, **options)
        agrees(read(rd.read_csv, folder, **options), expected, f"{pieces} {options}")


def test_a_number_may_be_text_after_any_number_of_bytes(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a,b\n" + "1234567,x\n" * 2_000_000 + "late,y\n")
    found = rd.read_csv(path)
    assert str(found.dtypes["a"]) == "str"
    assert found["a"].tail(1).tolist() == ["late"]
    path.write_text("a,b\n" + "1234567,x\n" * 2_000_000)
    assert str(rd.read_csv(path).dtypes["a"]) == "int64"


def test_blocks(tmp_path):
    path = tmp_path / "file.csv"
    frame = pd.DataFrame({"a": range(20_000)})
    frame.to_csv(path, index=False)
    for size, count in ((50_000, -(-path.stat().st_size // 50_000)), ("1MB", 1), (None, 1), ("10 KiB", None)):
        found = rd.read_csv(path, blocksize=size)
        assert count is None or found.npartitions == count
        check(found, frame)
    for size in (0, "many", -1, True):
        with pytest.raises(ValueError, match="blocksize"):
            rd.read_csv(path, blocksize=size)


def test_assume_missing(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a,b,c\n1,2,x\n")
    check(rd.read_csv(path, assume_missing=True), pd.read_csv(path).astype({"a": "float64", "b": "float64"}))
    check(rd.read_csv(path, assume_missing=True, dtype={"a": "int64"}), pd.read_csv(path).astype({"b": "float64"}))


@pytest.mark.parametrize("name", [True, "where"])
def test_the_path_is_a_category(tmp_path, name):
    for at in range(3):
        (tmp_path / f"{at}.csv").write_text(f"a\n{at}\n")
    found = rd.read_csv(tmp_path, include_path_column=name).compute()
    paths = [str(tmp_path / f"{at}.csv") for at in range(3)]
    column = "path" if name is True else name
    check(found, pd.DataFrame({"a": [0, 1, 2], column: pd.Categorical(paths, categories=paths)}))


def test_what_cannot_be_lazy_is_refused(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a\n1\n")
    for option in ({"iterator": True}, {"chunksize": 2}):
        with pytest.raises(NotImplementedError, match="lazy and partitioned"):
            rd.read_csv(path, **option)


def test_an_open_file_is_read(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a\n1\n")
    with path.open() as file:
        check(rd.read_csv(file), pd.DataFrame({"a": [1]}))


def test_who_reads_is_visible(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a\n1\n")
    assert "native" in rd.read_csv(path).explain()
    assert "pandas" in rd.read_csv(path, thousands=",").explain()


@pytest.mark.parametrize(
    "options",
    [
        {"skipfooter": 1},
        {"sep": None},
        {"sep": ", *"},
        {"delimiter": ", *", "skipfooter": 1},
        {"sep": r"\s*,"},
        {"quotechar": "§"},
    ],
    ids=str,
)
def test_what_the_other_engine_of_pandas_reads(tmp_path, options):
    path = tmp_path / "file.csv"
    path.write_text("a,b\n1,x\n2,y\n3,z\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(rd.read_csv(path, **options), pd.read_csv(path, **options))


def test_dates_are_among_the_columns_that_are_read(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("a,b\n1,2020-01-01\n")
    with pytest.raises(ValueError, match="Missing column provided to 'parse_dates': 'b'"):
        rd.read_csv(path, usecols=["a"], parse_dates=["b"])
    assert rd.read_csv(path, usecols=["b"], parse_dates=["b"]).compute()["b"].tolist() == [pd.Timestamp("2020-01-01")]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"parse_dates": ["c"]},
        {"index_col": "a"},
        {"index_col": ["a", "b"]},
        {"index_col": "c", "parse_dates": ["c"]},
        {"dtype": {"b": "float32"}},
        {"usecols": ["b"]},
        {"header": None},
        {"names": ["x", "y", "z"]},
        {"converters": {"a": len}},
        {"dtype_backend": "numpy_nullable"},
        {"engine": "python"},
        {"skipfooter": 1, "engine": "python"},
    ],
    ids=str,
)
@pytest.mark.parametrize("files", [1, 2])
def test_no_row_has_the_types_that_pandas_gives_none(tmp_path, options, files):
    paths = [str(tmp_path / f"{at}.csv") for at in range(files)]
    for path in paths:
        with open(path, "w") as file:
            file.write("a,b,c\nx,1.5,2024-01-01\ny,2.5,2024-01-02\n")
    for blocksize in (None, 10):
        lazy = rd.read_csv(paths, nrows=0, blocksize=blocksize, **options)
        expected = pd.read_csv(paths[0], nrows=0, **options)
        assert list(lazy.dtypes) == list(expected.dtypes)
        check(lazy, expected)
