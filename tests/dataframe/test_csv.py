"""Reading and writing CSV."""

import gzip

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

NASTY = {
    "plain": "a,b,c\n1,2.5,x\n3,4.5,y\n",
    "one row": "a,b\n1,x\n",
    "header only": "a,b,c\n",
    "missing values": "a,b,c\n1,,x\n,NA,\n3,nan,N/A\n",
    "all null column": "a,b\n1,\n2,\n",
    "words for nothing": "a\nNULL\nNone\n<NA>\n-NaN\n#N/A\nx\n",
    "quotes": 'a,b\n"x,y","say ""hi"""\n"",z\n',
    "line break in quotes": 'a,b\n"one\ntwo",1\nthree,2\n',
    "booleans": "a,b\nTrue,true\nFalse,FALSE\n",
    "booleans with a hole": "a,b\nTrue,1\n,2\n",
    "signs and exponents": "a,b,c\n+1,1e3,-0.0\n-2,1E-2,.5\n",
    "infinity": "a\ninf\n-inf\n1.5\n",
    "late change of type": "a\n" + "1\n" * 3000 + "x\n",
    "late float": "a\n" + "1\n" * 3000 + "0.5\n",
    "large integers": "a,b\n9223372036854775807,18446744073709551615\n1,2\n",
    "leading zeros": "a\n007\n010\n",
    "unicode": "größe,名前\nß,日本\né,語\n",
    "windows ends": "a,b\r\n1,2\r\n3,4\r\n",
    "no end of line": "a,b\n1,2",
    "blank lines": "a,b\n1,2\n\n3,4\n",
    "spaces": "a, b\n 1, x\n2,y \n",
    "dates stay text": "d\n2013-01-01\n2014-02-03\n",
    "one column": "a\n1\n\n3\n",
    "quoted numbers": 'a\n"1"\n"2"\n',
    "duplicate names": "a,a,b\n1,2,3\n",
    "unnamed": "a,,c\n1,2,3\n",
}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY.keys())
def test_types_are_those_of_pandas(tmp_path, text):
    path = tmp_path / "file.csv"
    path.write_text(text, newline="", encoding="utf-8")
    check(rd.read_csv(path), pd.read_csv(path))


OPTIONS = [
    {"sep": ";"},
    {"usecols": ["c", "a"]},
    {"dtype": {"a": "float64"}},
    {"dtype": str},
    {"names": ["x", "y", "z"], "header": 0},
    {"names": ["x", "y", "z"]},
    {"header": None},
    {"skiprows": 1},
    {"nrows": 1},
    {"na_values": ["x"]},
    {"na_values": {"c": ["y"]}},
    {"keep_default_na": False},
    {"parse_dates": ["d"]},
    {"decimal": ",", "sep": ";"},
    {"thousands": ","},
    {"comment": "#"},
    {"quotechar": "'"},
    {"true_values": ["yes"], "false_values": ["no"]},
    {"converters": {"c": str.upper}},
    {"encoding": "latin-1"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(tmp_path, options):
    path = tmp_path / "file.csv"
    if "sep" in options:
        text = "a;b;c\n1,5;2;x\n3,0;4;y\n"
    elif "parse_dates" in options:
        text = "a,d\n1,2013-01-01 05:00:00\n2,\n"
    elif "true_values" in options:
        text = "a,c\nyes,1\nno,2\n"
    elif "thousands" in options:
        text = 'a,c\n"1,000",1\n"2,000,000",2\n'
    elif "comment" in options:
        text = "a,c\n1,2 # two\n# nothing\n3,4\n"
    elif "quotechar" in options:
        text = "a,c\n'x,y',1\n"
    else:
        text = "a,b,c\n1,2,x\n3,4,y\n"
    path.write_text(text)
    check(rd.read_csv(path, **options), pd.read_csv(path, **options))


def test_latin_1(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes("name,n\nété,1\n".encode("latin-1"))
    check(rd.read_csv(path, encoding="latin-1"), pd.read_csv(path, encoding="latin-1"))


def test_a_folder_and_a_pattern(tmp_path):
    parts = [pd.DataFrame({"a": [1, 2], "s": ["x", None]}), pd.DataFrame({"a": [3], "s": ["y"]})]
    for at, part in enumerate(parts):
        part.to_csv(tmp_path / f"part-{at}.csv", index=False)
    expected = pd.concat(parts, ignore_index=True)
    for where in (tmp_path / "*.csv", str(tmp_path / "part-*.csv"), sorted(tmp_path.glob("*.csv")), tmp_path):
        check(rd.read_csv(where).reset_index(drop=True), expected)


def test_path_column(tmp_path):
    for at in range(2):
        pd.DataFrame({"a": [at]}).to_csv(tmp_path / f"{at}.csv", index=False)
    paths = rd.read_csv(tmp_path / "*.csv", include_path_column=True).compute()["path"]
    assert [str(path).rsplit("/", 1)[1] for path in paths] == ["0.csv", "1.csv"]


def test_compressed(tmp_path):
    path = tmp_path / "file.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write("a,b\n1,x\n2,y\n")
    check(rd.read_csv(path), pd.read_csv(path))


def test_blocks_of_a_large_file(tmp_path):
    path = tmp_path / "file.csv"
    pdf = pd.DataFrame({"a": np.arange(20_000), "s": [f"row {at}, quoted" for at in range(20_000)]})
    pdf.to_csv(path, index=False)
    df = rd.read_csv(path, blocksize=100_000)
    assert df.npartitions >= 1
    check(df.reset_index(drop=True), pdf)
    check(df["a"].sum(), pdf["a"].sum())


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.csv"):
        rd.read_csv(tmp_path / "nowhere.csv")
    with pytest.raises((FileNotFoundError, OSError), match=r"\*\.csv"):
        rd.read_csv(tmp_path / "*.csv")


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.csv").write_text("a,b\n1,2\nx,2\n")
    with pytest.raises(Exception, match="x|b.csv|int"):
        rd.read_csv([tmp_path / "a.csv", tmp_path / "b.csv"], dtype={"a": "int64"}).compute()


def test_unknown_options_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    with pytest.raises(TypeError, match="nonsense"):
        rd.read_csv(path, nonsense=1)


def test_to_csv(tmp_path, df, pdf, npartitions):
    names = df.to_csv(tmp_path / "out", index=False)
    assert len(names) == npartitions
    back = pd.concat([pd.read_csv(name, parse_dates=["t"], keep_default_na=True) for name in sorted(names)])
    check(back["a"].reset_index(drop=True), pdf["a"])
    check(rd.read_csv(tmp_path / "out", parse_dates=["t"])["b"].reset_index(drop=True), pdf["b"])


def test_to_csv_single_file(tmp_path, df, pdf):
    df.to_csv(tmp_path / "out.csv", single_file=True)
    pdf.to_csv(tmp_path / "expected.csv")
    assert (tmp_path / "out.csv").read_text() == (tmp_path / "expected.csv").read_text()


def test_to_csv_numbers_the_star(tmp_path, pdf):
    names = rd.from_pandas(pdf, npartitions=2).to_csv(tmp_path / "x-*.csv")
    assert [name.rsplit("/", 1)[1] for name in names] == ["x-0.csv", "x-1.csv"]
    assert (tmp_path / "x-1.csv").exists()
