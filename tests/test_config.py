"""raskt.config: order of sources, layers of `set`, errors that name their source."""

from __future__ import annotations

import gc
import threading

import pytest

import raskt
from raskt import config


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """No files, no variables, nothing set."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name in [name for name in __import__("os").environ if name.startswith("RASKT_")]:
        monkeypatch.delenv(name)
    config.refresh()
    yield
    monkeypatch.undo()
    config.refresh()


def test_defaults_are_documented():
    flat = [
        f"{group}.{name}" if isinstance(value, dict) else group
        for group, value in config.collect(paths=[], env={}).items()
        for name in (value if isinstance(value, dict) else [""])
    ]
    for key in flat:
        assert key in config.__doc__


def test_files_then_variables_then_code(monkeypatch, tmp_path):
    folder = tmp_path / ".config" / "raskt"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text("num-workers: 2\narray:\n  chunk_size: 1 MiB\nscheduler: sync\n")
    monkeypatch.setenv("RASKT_NUM_WORKERS", "3")
    config.refresh()
    assert config.get("scheduler") == "sync"
    assert config.get("array.chunk-size") == 2**20
    assert config.get("num_workers") == 3
    with config.set(num_workers=4):
        assert config.get("num-workers") == 4
    assert config.get("num-workers") == 3


def test_a_file_named_by_the_environment(monkeypatch, tmp_path):
    (tmp_path / "mine.yaml").write_text("myproject:\n  some_name: {a: [1, x]}\n")
    monkeypatch.setenv("RASKT_CONFIG", str(tmp_path / "mine.yaml"))
    config.refresh()
    assert config.get("myproject") == {"some_name": {"a": [1, "x"]}}
    assert config.get("myproject.some-name.a") == [1, "x"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (["1GiB", 2], '["1GiB", 2]'),
        (("1GiB",), '["1GiB"]'),
        (b"1GiB", "b'1GiB', which is of type `bytes`"),
        (1j, "1j, which is of type `complex`"),
    ],
    ids=["list", "tuple", "bytes", "complex"],
)
def test_errors_show_a_value_as_what_it_is(value, shown):
    with pytest.raises(ValueError) as error:
        config.set({"memory.limit": value})
    assert str(error.value).startswith(f"`memory.limit` is {shown}; allowed is a number of bytes from")


def test_paths_may_be_objects_and_nothing_else_is_taken_for_one(tmp_path):
    with config.set({"memory.spill-path": tmp_path}):
        assert config.get("memory.spill-path") == str(tmp_path)
    for value in (b"/tmp", object()):
        with pytest.raises(ValueError, match=f"`memory.spill-path` is .*of type `{type(value).__name__}`; allowed is"):
            config.set({"memory.spill-path": value})


def test_collect_reads_what_it_is_given(tmp_path):
    (tmp_path / "a.yaml").write_text("progress: {width: 5}")
    collected = config.collect(paths=[tmp_path], env={"RASKT_PROGRESS__MINIMUM": "2"})
    assert collected["progress"] == {"interval": 0.1, "minimum": 2.0, "width": 5}
    assert config.get("progress.width") == 40


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("array:\n  chunk-size: -5\n", r"a.yaml, line 2: `array.chunk-size` is -5; allowed is a number of bytes"),
        ("schedular: sync\n", r"a.yaml, line 1: there is no setting `schedular`; did you mean `scheduler`\?"),
        ("array: [1\n", r"a.yaml: not a YAML mapping of settings"),
        ("5", r"a.yaml: not a YAML mapping of settings: it holds 5"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, text, message):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ValueError, match=message):
        config.collect(paths=[tmp_path / "a.yaml"], env={})


@pytest.mark.parametrize("wrong", [None, 3, ["scheduler"]])
def test_names_are_texts(wrong):
    with pytest.raises(TypeError, match="the name of a setting is a text"):
        raskt.config.get(wrong)


def test_a_bad_variable_is_named():
    with pytest.raises(
        ValueError, match="variable RASKT_NUM_WORKERS: `num.workers` is 0; allowed is a whole number from 1"
    ):
        config.collect(paths=[], env={"RASKT_NUM_WORKERS": "0"})


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="gone.yaml: can't be read"):
        config.collect(paths=[tmp_path / "gone.yaml"], env={})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num-workers", 0),
        ("num-workers", True),
        ("num-workers", 2.5),
        ("num-workers", object()),
        ("array.chunk-size", "many"),
        ("array.chunk-size", None),
        ("scheduler", "fibres"),
        ("progress.width", 10**30),
        ("progress", 3),
        ("array.colour", 3),
        ("workers", 3),
    ],
)
def test_bad_values_and_names_are_refused_and_change_nothing(key, value):
    before = config.collect()
    with pytest.raises(ValueError, match=key.split(".")[-1]):
        config.set({"scheduler": "sync", key: value})
    assert config.get("scheduler") == "threads"
    assert config.collect() == before


def test_values_are_held_in_one_form():
    numpy = pytest.importorskip("numpy")
    with config.set({"array": {"chunk-size": "2 MiB"}, "scheduler": "single-threaded", "num_workers": numpy.int64(2)}):
        assert config.get("array") == {"chunk-size": 2**21}
        assert config.get("scheduler") == "sync"
        assert config.get("num-workers") == 2


def test_other_programs_may_keep_any_object():
    thing = object()
    mine = {"thing": thing, "empty": {}, "by_number": {5: 6}}
    with config.set({"myproject": mine}):
        assert config.get("myproject") == mine
    with config.set({"myproject.thing": thing}):
        assert config.get("myproject.thing") is thing
    assert config.get("myproject.thing", None) is None
    with pytest.raises(KeyError):
        config.get("myproject.thing")


def test_a_name_is_a_value_or_a_group():
    with config.set({"mine.a": 1}):
        with config.set({"mine.a.b": 2}):
            assert config.get("mine") == {"a": {"b": 2}}
        assert config.get("mine") == {"a": 1}


def test_names_of_raskt_keep_their_hyphens(monkeypatch):
    monkeypatch.setenv("RASKT_NUM_WORKERS", "3")
    config.refresh()
    with config.set(array__chunk_size="1 MiB") as everything:
        assert everything["num-workers"] == 3
        assert config.get("array") == {"chunk-size": 2**20}


def test_set_as_a_function_stays():
    config.set(num_workers=2)
    with config.set(num_workers=3):
        assert config.get("num-workers") == 3
    assert config.get("num-workers") == 2
    config.refresh()
    assert config.get("num-workers") is None


def test_layers_leave_in_any_order():
    first, second = config.set(num_workers=1), config.set(num_workers=2)
    first.__enter__()
    second.__enter__()
    first.__exit__()
    assert config.get("num-workers") == 2
    second.__exit__()
    assert config.get("num-workers") is None


def test_set_in_a_loop_takes_no_more_memory():
    for count in range(1, 100):
        config.set({"num-workers": count, "mine.count": count})
        gc.collect(0)
    assert len(config._state._layers) <= 3
    assert config.get("num-workers") == 99
    assert config.get("mine.count") == 99


def test_threads_that_set_and_leave_do_not_disturb_each_other():
    barrier = threading.Barrier(4)
    failures = []

    def work(name):
        barrier.wait()
        for i in range(200):
            with config.set({f"mine.{name}": i}):
                if config.get(f"mine.{name}") != i:
                    failures.append((name, i))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert config.get("mine", None) is None


def test_an_exception_in_the_block_leaves_the_settings_as_they_were():
    with pytest.raises(RuntimeError), config.set(scheduler="sync"):
        raise RuntimeError
    assert config.get("scheduler") == "threads"


def test_update_merges_and_keeps_spelling():
    old = {"a": {"x-y": 1}, "b": 2}
    assert config.update(old, {"a": {"x_y": 5}, "b": {"c": 3}}, priority="old") == {"a": {"x-y": 1}, "b": 2}
    assert config.update(old, {"b": {"c": 3}}) == {"a": {"x-y": 1}, "b": {"c": 3}}


def test_it_is_part_of_the_package():
    assert raskt.config is config
