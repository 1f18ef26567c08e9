"""raskt.config and dask.config: the same of nested dictionaries, function by function."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raskt import config

dask_config = pytest.importorskip("dask.config")

NAMES = st.sampled_from(["a", "b", "a-b", "a_b", "a-b-c", "a_b_c", "size"])
VALUES = st.one_of(st.none(), st.integers(0, 3), st.text("xyz$", max_size=3), st.lists(st.integers(0, 3), max_size=2))
NESTED = st.recursive(
    st.dictionaries(NAMES, VALUES, max_size=4),
    lambda inner: st.dictionaries(NAMES, st.one_of(VALUES, inner), max_size=4),
    max_leaves=8,
)
KEYS = st.lists(NAMES, min_size=1, max_size=3).map(".".join)
MISSING = object()


def outcome(function, *arguments, **keywords):
    """What a function gives, or the kind of error that it raises."""
    try:
        return function(*arguments, **keywords)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        return type(error)


def both(name, *arguments, **keywords):
    """What both give, with what they have made of their arguments."""
    results = []
    for module in (config, dask_config):
        own = copy.deepcopy(arguments)
        result = outcome(getattr(module, name), *own, **keywords)
        results.append((result, own))
    return results


def without_groups_over_values(old, new):
    """`new` without groups where `old` has a value other than None: there the old value stays, and Dask's doesn't."""
    kept = {}
    for name, value in new.items():
        own = old.get(config.canonical_name(name, old)) if isinstance(old, dict) else None
        if isinstance(value, dict):
            if own is not None and not isinstance(own, dict):
                continue
            value = without_groups_over_values(own or {}, value)
        kept[name] = value
    return kept


@given(KEYS.map(lambda key: key.split(".")[0]), NESTED)
def test_canonical_name(name, nested):
    ours, theirs = both("canonical_name", name, nested)
    assert ours == theirs


@given(NESTED, NESTED)
def test_update(old, new):
    ours, theirs = both("update", old, new)
    assert ours == theirs
    assert list(ours[0]) == list(theirs[0])


@given(NESTED, NESTED)
def test_update_where_the_old_stays(old, new):
    new = without_groups_over_values(old, new)
    if not is_spelled_twice(new):
        ours, theirs = both("update", old, new, priority="old")
        assert ours == theirs


@given(NESTED, NESTED, NESTED)
def test_update_of_defaults(old, new, defaults):
    old = config.merge(defaults, old)
    ours, theirs = both("update", old, new, priority="new-defaults", defaults=defaults)
    # Dask looks for members in a default that isn't a group.
    assert ours == theirs or theirs[0] is TypeError


def is_spelled_twice(nested):
    """Whether a group has a name with hyphens and with underscores."""
    return any(len({name.replace("_", "-") for name in group}) < len(group) for group in groups(nested))


def groups(nested):
    yield nested
    for value in nested.values():
        if isinstance(value, dict):
            yield from groups(value)


def test_a_value_that_has_priority_stays_where_the_new_one_is_a_group():
    assert config.update({"a": 1}, {"a": {"b": 2}}, priority="old") == {"a": 1}
    assert config.update({"a": None}, {"a": {"b": 2}}, priority="old") == {"a": {"b": 2}}


@given(st.lists(NESTED, max_size=4))
def test_merge(dicts):
    ours, theirs = both("merge", *dicts)
    assert ours == theirs


@given(KEYS, NESTED, st.booleans(), st.sampled_from([None, 0, 5]))
def test_get(key, nested, has_default, override):
    default = {"default": 7} if has_default else {}
    results = [
        outcome(module.get, key, config=nested, override_with=override, **default) for module in (config, dask_config)
    ]
    assert results[0] == results[1]


@given(KEYS, NESTED, st.booleans())
def test_pop(key, nested, has_default):
    default = {"default": 7} if has_default else {}
    results = []
    for module in (config, dask_config):
        own = copy.deepcopy(nested)
        results.append((outcome(module.pop, key, config=own, **default), own))
    if results[1][0] is AttributeError:
        # A member of a value that isn't a group: to us it isn't there.
        assert results[0] == (7 if has_default else KeyError, nested)
    else:
        assert results[0] == results[1]


@given(NESTED, st.dictionaries(KEYS, VALUES, max_size=4), st.dictionaries(st.sampled_from(["a__b", "size"]), VALUES))
def test_set_and_what_is_there_afterwards(nested, given_values, keywords):
    inside, after = [], []
    for module in (config, dask_config):
        own = copy.deepcopy(nested)
        try:
            with module.set(given_values, config=own, **keywords) as entered:
                assert entered is own
                inside.append(copy.deepcopy(own))
        except (KeyError, TypeError) as error:
            inside.append(type(error))
        after.append(own)
    assert inside[0] == inside[1]
    # Nothing is set where something can't be.
    assert after[0] == nested


@given(NESTED, NESTED, NESTED)
def test_update_defaults(first, second, mine):
    results = []
    for module in (config, dask_config):
        defaults, own = [], copy.deepcopy(mine)
        for new in (first, second):
            result = outcome(module.update_defaults, copy.deepcopy(new), config=own, defaults=defaults)
        results.append((own, defaults, result))
    assert results[0] == results[1] or results[1][2] is TypeError


@given(st.recursive(VALUES, lambda inner: st.one_of(st.lists(inner), st.dictionaries(NAMES, inner), st.tuples(inner))))
def test_expand_environment_variables(value):
    ours, theirs = both("expand_environment_variables", value)
    assert ours == theirs and type(ours[0]) is type(theirs[0])


@given(st.one_of(st.text(), st.sampled_from(["None", "TRUE", "null", "1e3", "[1, 'a']", "{'x': 1}", "1 GiB"])))
def test_interpret_value(text):
    ours, theirs = both("interpret_value", text)
    assert repr(ours) == repr(theirs)


@given(NESTED)
def test_serialize_and_deserialize(nested):
    assert config.serialize(nested) == dask_config.serialize(nested)
    assert config.deserialize(dask_config.serialize(nested)) == nested


@given(st.dictionaries(KEYS, VALUES.map(repr), max_size=4), st.none() | NESTED)
def test_collect_env(values, handed_on):
    results = []
    for module, prefix in ((config, "RASKT_"), (dask_config, "DASK_")):
        env = {prefix + key.upper().replace(".", "__").replace("-", "_"): value for key, value in values.items()}
        if handed_on is not None:
            env[f"{prefix}INTERNAL_INHERIT_CONFIG"] = json_word(handed_on)
        env["HOME"] = "/nowhere"
        results.append(outcome(module.collect_env, env))
    if handed_on is not None and isinstance(results[1], dict):
        # Dask has the variable itself among the settings.
        results[1].pop("internal-inherit-config", results[1].pop("internal_inherit_config", None))
    assert results[0] == results[1]


def json_word(value):
    return dask_config.serialize(json.loads(json.dumps(value)))


@given(NESTED, st.dictionaries(KEYS, st.none() | KEYS, max_size=3))
def test_rename(nested, deprecations):
    ours, theirs = [], []
    for module, result in ((config, ours), (dask_config, theirs)):
        own = copy.deepcopy(nested)
        result.extend([outcome(module.rename, deprecations, own), own])
    # Dask takes out a name that the dictionary spells otherwise, and forgets its value.
    is_spelled_so = all(config.canonical_name(key, nested) == key for key in deprecations)
    if is_spelled_so and not is_spelled_twice(nested) and theirs[0] is not AttributeError:
        assert ours == theirs


@pytest.mark.parametrize("key", ["old-name", "old_name", "other"])
def test_check_deprecations(key):
    results = []
    for module in (config, dask_config):
        if key == "other":
            results.append(module.check_deprecations(key, {"old-name": "new"}))
        else:
            with pytest.warns(FutureWarning, match="new"):
                results.append(module.check_deprecations(key, {"old-name": "new"}))
            with pytest.raises(ValueError, match="removed"):
                module.check_deprecations(key, {"old-name": None})
    assert results[0] == results[1]


def test_collect_yaml(tmp_path):
    (tmp_path / "a.yaml").write_text("x: 1\nflag: yes\n")
    (tmp_path / "b.json").write_text('{"y": [1, 2]}')
    (tmp_path / "c.YML").write_text("")
    (tmp_path / "d.txt").write_text("z: 1")
    paths = [str(tmp_path), str(tmp_path / "d.txt"), str(tmp_path / "gone.yaml")]
    assert list(config.collect_yaml(paths)) == list(dask_config.collect_yaml(paths))
    with_paths = list(config.collect_yaml(paths, return_paths=True))
    assert with_paths == list(dask_config.collect_yaml(paths, return_paths=True))
    assert list(config.paths_containing_key("y", paths)) == list(dask_config.paths_containing_key("y", paths))
    for text in ("[1", "- 1"):
        (tmp_path / "a.yaml").write_text(text)
        for module in (config, dask_config):
            with pytest.raises(ValueError, match=r"a\.yaml"):
                list(module.collect_yaml(paths))


@pytest.mark.parametrize("comment", [True, False])
def test_ensure_file(tmp_path, comment):
    source = tmp_path / "mine.yaml"
    source.write_text("a:\n  b: 1\n\n# said\nc: 2")
    written = []
    for name, module in (("ours", config), ("theirs", dask_config)):
        folder = tmp_path / name
        module.ensure_file(source=str(source), destination=str(folder), comment=comment)
        written.append((folder / "mine.yaml").read_text())
        (folder / "mine.yaml").write_text("kept")
        module.ensure_file(source=str(source), destination=str(folder), comment=comment)
        assert [path.name for path in folder.iterdir()] == ["mine.yaml"]
        assert (folder / "mine.yaml").read_text() == "kept"
    assert written[0] == written[1]


def test_every_name_of_dasks_is_there():
    names = [
        "PATH canonical_name check_deprecations collect collect_env collect_yaml config config_lock defaults",
        "deprecations deserialize ensure_file expand_environment_variables get global_config interpret_value merge",
        "paths paths_containing_key pop refresh rename serialize set update update_defaults",
    ]
    for name in " ".join(names).split():
        assert hasattr(dask_config, name) and name in config.__all__
