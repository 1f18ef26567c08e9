"""Graphs as pictures."""

from __future__ import annotations

import shutil

import pytest

import raskt
from raskt import delayed


def total():
    return delayed(sum)([delayed(abs)(-i) for i in range(3)])


def test_dot_needs_no_graphviz(tmp_path):
    path = total().visualize(filename=tmp_path / "graph.dot")
    text = path.read_text()
    assert text.count('label="abs"') == 3
    assert text.count("->") == 3
    assert path.name == "graph.dot"


def test_without_a_file_the_text_comes_back():
    assert raskt.visualize(total(), total(), filename=None).count('label="sum"') == 2


def test_a_large_graph_is_drawn_by_layers():
    text = raskt.visualize([delayed(abs)(i) for i in range(5000)], filename=None)
    assert "5000 tasks" in text
    assert len(text.splitlines()) < 10


def test_unknown_formats_are_refused(tmp_path):
    with pytest.raises(ValueError, match="unknown format 'docx'"):
        total().visualize(filename=tmp_path / "graph", format="docx")


def test_an_image_without_graphviz_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="Graphviz"):
        total().visualize(filename=tmp_path / "graph.svg")
    assert total().visualize(filename=tmp_path / "graph").suffix == ".dot"


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_svg_where_graphviz_is_installed(tmp_path):
    path = total().visualize(filename=tmp_path / "graph.svg")
    assert path.read_text().count("<ellipse") + path.read_text().count("<polygon") >= 4
