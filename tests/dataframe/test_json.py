"""JSON files of every layout: records a line by default, and no other one taken for them."""

import io

import pandas as pd
import pytest

import raskt.dataframe as rd

ROWS = pd.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "z"]})


@pytest.mark.parametrize("orient", ["records", "columns", "index", "values", "split", "table"])
@pytest.mark.parametrize("count", [1, 3])
def test_documents_are_not_taken_for_lines(tmp_path, orient, count):
    path = str(tmp_path / "file.json")
    rows = ROWS.iloc[:count]
    rows.to_json(path, orient=orient)
    with pytest.raises(ValueError, match="lines=False"):
        rd.read_json(path)
    with pytest.raises(ValueError, match="lines=False"):
        rd.read_json(io.BytesIO((tmp_path / "file.json").read_bytes()))
    found = rd.read_json(path, orient=orient, lines=False).compute()
    pd.testing.assert_frame_equal(found, pd.read_json(path, orient=orient))


@pytest.mark.parametrize("count", [1, 3])
def test_records_a_line(tmp_path, count):
    path = str(tmp_path / "file.json")
    ROWS.iloc[:count].to_json(path, orient="records", lines=True)
    pd.testing.assert_frame_equal(rd.read_json(path).compute(), ROWS.iloc[:count])


def test_one_nested_record_is_read_if_it_is_said_to_be_one(tmp_path):
    path = tmp_path / "file.json"
    path.write_text('{"a": {"x": 1}}\n')
    assert rd.read_json(str(path), lines=True).compute()["a"].tolist() == [{"x": 1}]


@pytest.mark.parametrize("options", [{}, {"orient": "records"}, {"orient": "records", "lines": True}])
def test_objects_of_several_lines_are_no_lines(tmp_path, options):
    lazy = rd.from_pandas(pd.DataFrame({"a": [1, 2]}), npartitions=1)
    with pytest.raises(ValueError, match="lines=False"):
        lazy.to_json(tmp_path / "*.json", indent=2, **options)
    assert not list(tmp_path.iterdir())
    (path,) = lazy.to_json(str(tmp_path / "*.json"), indent=2, **{**options, "lines": False})
    assert pd.read_json(path).to_dict("list") == {"a": [1, 2]}
