"""The page: whole in itself, right in its numbers, safe with any key."""

from __future__ import annotations

import json
import re

import pytest

import raskt
from raskt.diagnostics import CacheData, CacheProfiler, Profiler, ResourceProfiler, TaskData, visualize
from raskt.diagnostics._series import held_series, merged_bars, named


def inc(x):
    return x + 1


@pytest.fixture(scope="module")
def recorded():
    with Profiler() as tasks, ResourceProfiler(dt=0.01) as resources, CacheProfiler() as held:
        raskt.delayed(sum)([raskt.delayed(inc)(i) for i in range(30)]).compute()
        with pytest.raises(ZeroDivisionError):
            raskt.delayed(lambda: 1 / 0)().compute()
    return tasks, resources, held


def data_of(page):
    return json.loads(re.search(r'type="application/json">(.*?)</script>', page.html, re.DOTALL)[1])


def test_the_page_holds_what_was_recorded(recorded, tmp_path):
    page = visualize(list(recorded), filename=tmp_path / "page.html")
    assert page.path.read_text() == page.html
    data = data_of(page)
    assert sum(data["tasks"]["count"]) == 32
    assert {name["name"]: name["count"] for name in data["names"]} == {"inc": 30, "sum": 1, "<lambda>": 1}
    assert sum(data["tasks"]["failed"]) == 1
    assert all(0 <= start <= end <= data["seconds"] for start, end in zip(data["tasks"]["start"], data["tasks"]["end"]))
    assert len(data["resources"]["time"]) == len(recorded[1].results)
    assert "<dt>Failed</dt><dd>1</dd>" in page.html
    assert "&lt;lambda&gt;" in page.html
    for name in ("tasks", "cpu", "memory", "held"):
        assert f'<canvas id="{name}">' in page.html


def test_the_page_needs_nothing_else(recorded):
    html = visualize(list(recorded), save=False).html
    assert not re.search(r"(src|href)\s*=|@import|url\(|https?://|fetch\(|XMLHttpRequest|import\(", html)


def test_a_single_profiler_gets_its_own_panels(recorded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tasks, resources, held = recorded
    assert '<canvas id="cpu">' not in tasks.visualize(save=False).html
    assert '<canvas id="tasks">' not in resources.visualize(save=False).html
    page = held.visualize()
    assert page.path.name == "profile.html" and (tmp_path / "profile.html").exists()
    assert '<canvas id="held">' in page.html and '<canvas id="tasks">' not in page.html


def test_a_key_cannot_end_the_script():
    with Profiler() as profiler:
        raskt.delayed(inc)(1, raskt_key_name="</script><script>alert(1)</script>").compute()
    page = visualize(profiler, save=False, title="<b>{{data}}</b>")
    assert page.html.count("</script>") == 2
    assert "<title>&lt;b&gt;{{data}}&lt;/b&gt;</title>" in page.html
    assert data_of(page)["keys"] == ["</script><script>alert(1)</script>"]


def test_a_notebook_shows_the_page(recorded):
    page = visualize(recorded[0], save=False)
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE')
    assert repr(page) == f"<Page: {len(page.html)} characters>"


def test_a_browser_opens_what_was_written(recorded, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    visualize(recorded[0], filename=tmp_path / "x.html", show=True, save=False)
    assert opened == [(tmp_path / "x.html").as_uri()]


def test_nothing_recorded_and_nothing_known():
    with pytest.raises(ValueError, match="nothing was recorded"):
        visualize(Profiler(), save=False)
    with pytest.raises(TypeError, match="str object is no profiler"):
        visualize("profile", save=False)


def task(name, start, end, thread=0, failed=False, number=0):
    return TaskData(f"{name}-{number}", name, start, end, thread, 8, failed)


def test_few_tasks_stay_as_they_are():
    tasks = [task("a", 0, 1), task("a", 1, 2, number=1), task("b", 0, 2, thread=7)]
    _, names = named(tasks, [])
    bars, keys, threads = merged_bars(tasks, names, 0, 2)
    assert (bars["count"], keys, threads) == ([1, 1, 1], ["a-0", "a-1", "b-0"], ["thread 1", "thread 2"])
    assert bars["row"] == [0, 0, 1]


def test_many_short_tasks_become_fewer_bars_that_say_the_same():
    count = 200_000
    tasks = [task("a" if i % 1000 else "b", i, i + 0.5, thread=i % 2, failed=i == 4001) for i in range(count)]
    _, names = named(tasks, [])
    bars, keys, _ = merged_bars(tasks, names, 0, count)
    assert len(keys) == len(bars["start"]) < 20_000
    assert sum(bars["count"]) == count and sum(bars["failed"]) == 1
    assert sum(bars["busy"]) == pytest.approx(count / 2)
    assert sum(n for n, name in zip(bars["count"], bars["name"]) if name == names["b"]) == count / 1000


def test_held_bytes_over_time():
    held = [
        CacheData("a-0", "a", 100, 0.0, 2.0),
        CacheData("b-0", "b", 10, 1.0, None),
        CacheData("a-1", "a", 5, 3.0, 3.0),
    ]
    series = held_series(held, {"a": 0, "b": 1}, 0.0, 4.0)
    a, b = (next(s["values"] for s in series["series"] if s["name"] == name) for name in (0, 1))
    steps = list(zip(series["time"], a, b))
    assert steps[-1] == (4.0, 0, 10)
    assert (1.0, 100, 10) in steps and (2.0, 0, 10) in steps


def test_held_bytes_of_very_many_results_keep_their_peak():
    held = [CacheData(f"a-{i}", "a", 1, i * 1e-3, i * 1e-3 + 0.5) for i in range(50_000)]
    held.append(CacheData("peak-0", "a", 1_000_000, 20.00001, 20.00002))
    series = held_series(held, {"a": 0}, 0.0, 51.0)
    assert len(series["time"]) < 5000
    assert max(series["series"][0]["values"]) >= 1_000_000
    assert series["series"][0]["values"][-1] == 0


def test_very_many_names_are_told_apart_up_to_a_number():
    tasks = [task(f"t{i}", i, i + 1 + 1e-3 * i) for i in range(500)]
    names, places = named(tasks, [])
    assert len(names) == 101 and names[-1]["name"] == "400 others"
    assert sum(name["count"] for name in names) == 500
    assert places["t499"] == 0 and places["t0"] == places["t399"] == 100
