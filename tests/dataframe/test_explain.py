"""What runs natively and what in pandas is said."""

import subprocess
import sys

import pandas as pd

from frame_comparing import check


def test_native_work_is_marked(df):
    plan = df[df["a"] > 1].groupby("a")["b"].sum().explain()
    assert "native" in plan
    assert "pandas" not in plan


def test_python_work_is_marked(df):
    plan = df.map_partitions(lambda part: part)["a"].explain()
    assert "pandas" in plan


def test_accessors_are_marked(df):
    assert "pandas" not in df["s"].str.upper().explain()
    assert "pandas" in df["s"].str.wrap(3).explain()
    assert "pandas" not in df["t"].dt.hour.explain()


def test_gathering_is_visible(df):
    plan = df.groupby("a")["b"].apply(lambda group: group.sum()).explain()
    assert "pandas" in plan
    assert "gather" in plan.lower() or "1 partition" in plan or "exchange" in plan.lower()


def test_importing_leaves_pandas_alone():
    code = "import raskt.dataframe, sys; assert not {'pandas', 'numpy', 'pyarrow'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_repr_shows_the_structure_without_computing(df):
    def never(part):
        raise AssertionError("computed")

    lazy = df.map_partitions(never, meta=df)
    for text in (repr(lazy), lazy._repr_html_()):
        assert "größe" in text
        assert "float64" in text
        assert f"npartitions={df.npartitions}" in text
    assert "Series" in repr(lazy["a"])
    assert "int64" in repr(lazy["a"])


def test_repr_escapes_html():
    import raskt.dataframe as rd

    html = rd.from_pandas(pd.DataFrame({"<b>": [1]}), npartitions=1)._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


def test_to_string_shows_rows(df, pdf):
    assert df.to_string(max_rows=5) == pdf.to_string(max_rows=5)


def test_info(df, capsys):
    df.info()
    text = capsys.readouterr().out
    assert "größe" in text
    assert "raskt" in text


def test_visualize(df, tmp_path):
    df["a"].sum().visualize(str(tmp_path / "graph.dot"))
    assert (tmp_path / "graph.dot").exists()


def test_compute_many_at_once(df, pdf):
    import raskt

    total, frame = raskt.compute(df["a"].sum(), df[["a"]])
    assert total == pdf["a"].sum()
    check(frame, pdf[["a"]])
