"""Settings in force: raskt's own, which have types, beside those of other libraries."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import warnings

import pytest

from raskt import config


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """No files, no variables, no defaults of others, nothing set."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name in [name for name in __import__("os").environ if name.startswith("RASKT_")]:
        monkeypatch.delenv(name)
    config.refresh()
    yield
    config.defaults.clear()
    config.deprecations.clear()
    monkeypatch.undo()
    config.refresh()


def test_an_unknown_name_of_raskts_is_refused_with_the_nearest_and_names_of_others_are_free():
    with pytest.raises(ValueError, match=r"no setting `array.chunk-sise`; did you mean `array.chunk-size`\?"):
        config.set({"array.chunk-sise": "1 MiB"})
    with pytest.raises(ValueError, match="did you mean `scheduler`"):
        config.config["schedular"] = "sync"
    with config.set({"distributed.worker.memory.target": 0.6, "jobqueue": {"slurm": {"cores": 8}}}):
        assert config.get("distributed.worker.memory") == {"target": 0.6}
        assert config.get("jobqueue.slurm.cores") == 8
    assert config.get("jobqueue", None) is None


def test_the_settings_in_force_are_a_mapping_that_changes_with_them():
    everything = config.config
    assert everything is config.global_config
    assert everything["num_workers"] is None and "scheduler" in everything
    assert everything["progress"] == {"interval": 0.1, "minimum": 0.0, "width": 40}
    with config.set(num_workers=3) as entered:
        assert entered is everything and everything["num-workers"] == 3
        assert dict(everything)["num-workers"] == 3 and len(everything) == len(list(everything))
    assert everything["num-workers"] is None
    everything["array"]["chunk_size"] = "2 MiB"
    assert config.get("array.chunk-size") == 2**21
    with pytest.raises(ValueError, match="allowed is"):
        everything["num-workers"] = 0
    everything["mine"] = {"a": {"b": 1}}
    assert everything["mine"]["a"]["b"] == 1 and repr(everything["mine"]) == "{'a': {'b': 1}}"
    del everything["mine"]["a"]
    assert "mine" not in everything
    with pytest.raises(KeyError):
        del everything["mine"]
    assert config.deserialize(config.serialize(everything)) == everything


def test_what_is_popped_is_gone_and_raskts_own_have_their_defaults_again():
    config.set({"mine.a": 1, "mine.b": 2, "num-workers": 3})
    assert config.pop("mine.a") == 1
    assert config.get("mine") == {"b": 2}
    assert config.pop("mine") == {"b": 2} and config.pop("mine", 5) == 5
    with pytest.raises(KeyError):
        config.pop("mine")
    assert config.pop("num_workers") == 3
    assert config.get("num-workers") is None
    config.set({"mine.a": 7})
    assert config.get("mine") == {"a": 7}


def test_defaults_of_libraries_are_under_everything_else(monkeypatch):
    monkeypatch.setenv("RASKT_MINE__B", "5")
    config.refresh()
    config.update_defaults({"mine": {"a": 1, "b": 2}, "array": {"chunk_size": "1 MiB"}})
    assert config.get("mine") == {"a": 1, "b": 5}
    assert config.get("array.chunk-size") == 2**20
    config.set({"mine.a": 3})
    config.update_defaults({"mine": {"a": 10, "c": 4}})
    assert config.get("mine") == {"a": 3, "b": 5, "c": 4}
    config.refresh()
    assert config.get("mine") == {"a": 10, "b": 5, "c": 4}
    assert config.pop("mine.c") == 4 and config.get("mine.c", None) is None
    config.update_defaults({"mine.c": 6})
    assert config.get("mine.c") == 6
    before = list(config.defaults)
    with pytest.raises(ValueError, match="array.colour"):
        config.update_defaults({"array": {"colour": 1}})
    assert config.defaults == before


def test_update_and_rename_work_on_what_is_in_force():
    assert config.update(config.config, {"mine": {"a": 1}, "progress": {"width": 5}}) is config.config
    assert config.get("mine") == {"a": 1} and config.get("progress.width") == 5
    config.update(config.config, {"mine": {"a": 2, "b": 3}}, priority="old")
    assert config.get("mine") == {"a": 1, "b": 3}
    assert config.rename({"mine.a": "mine.c", "mine.b": None, "mine.q": "x"}) == {"mine.a": "mine.c", "mine.b": None}
    assert config.get("mine") == {"c": 1}


def test_old_names_are_told(monkeypatch):
    config.deprecations.update({"mine.old": "mine.new", "mine.gone": None})
    with pytest.warns(FutureWarning, match="'mine.old' is called 'mine.new' now"):
        config.set({"mine.old": 1})
    assert config.get("mine") == {"new": 1}
    with pytest.raises(ValueError, match="'mine.gone' has been removed"):
        config.set({"mine.gone": 1})
    monkeypatch.setenv("RASKT_MINE__OLD", "2")
    monkeypatch.setenv("RASKT_MINE__GONE", "3")
    with pytest.warns(FutureWarning):
        config.refresh()
    assert config.get("mine") == {"new": 2}
    monkeypatch.setenv("RASKT_MINE__NEW", "4")
    monkeypatch.delenv("RASKT_MINE__GONE")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.refresh()
    assert config.get("mine") == {"new": 4}


def test_a_parent_process_hands_on_what_wins_over_files_and_not_over_variables(tmp_path):
    (tmp_path / "a.yaml").write_text("num-workers: 1\nscheduler: sync\nmine: {a: 1}\n")
    word = config.serialize({"num-workers": 2, "mine": {"b": 2}, "array": {"chunk-size": "1 MiB"}})
    env = {"RASKT_INTERNAL_INHERIT_CONFIG": word, "RASKT_ARRAY__CHUNK_SIZE": "3 MiB", "RASKT_MINE__C": "3"}
    collected = config.collect([tmp_path], env)
    assert (collected["num-workers"], collected["scheduler"]) == (2, "sync")
    assert (collected["array"]["chunk-size"], collected["mine"]) == (3 * 2**20, {"a": 1, "b": 2, "c": 3})
    with pytest.raises(ValueError, match="num-workers"):
        config.collect([], {"RASKT_INTERNAL_INHERIT_CONFIG": config.serialize({"num-workers": 0})})
    with pytest.raises(ValueError, match="holds list"):
        config.collect([], {"RASKT_INTERNAL_INHERIT_CONFIG": config.serialize([1])})


def test_paths_may_be_added(tmp_path):
    (tmp_path / "mine.yaml").write_text("num-workers: 7\n")
    config.paths.append(str(tmp_path))
    try:
        config.refresh()
        assert config.get("num-workers") == 7
    finally:
        config.paths.remove(str(tmp_path))
    config.refresh()
    assert config.get("num-workers") is None
    own = {}
    config.refresh(own, defaults=[{"x": 1, "num-workers": 2}], paths=[tmp_path], env={})
    assert (own["x"], own["num-workers"]) == (1, 7)
    assert config.get("num-workers") is None


def test_a_lock_of_the_callers_is_held():
    class Lock:
        held = 0

        def __enter__(self):
            Lock.held += 1

        def __exit__(self, *error):
            pass

    config.set({"mine.a": 1}, lock=Lock())
    assert Lock.held == 1
    assert isinstance(config.config_lock, type(threading.Lock()))


def test_what_is_within_a_value_that_is_a_mapping_is_found():
    with config.set({"mine": {"by_name": {5: {"x": 1}, "y": {"z": 2}}}}):
        assert config.get("mine.by-name.y.z") == 2
        assert config.get("mine.by_name.q", None) is None


def test_yaml_is_read_without_pyyaml_and_files_as_they_are_say_that_they_need_it(tmp_path):
    (tmp_path / "a.yaml").write_text("num-workers: 2\n")
    (tmp_path / "b.json").write_text(json.dumps({"x": 1}))
    program = f"""
import sys
sys.modules["yaml"] = None
from raskt import config
assert config.collect([{str(tmp_path / "a.yaml")!r}], {{}})["num-workers"] == 2
assert list(config.collect_yaml([{str(tmp_path / "b.json")!r}])) == [{{"x": 1}}]
try:
    list(config.collect_yaml([{str(tmp_path)!r}]))
except ImportError as error:
    assert "PyYAML" in str(error) and "a.yaml" in str(error)
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", program], check=True)
