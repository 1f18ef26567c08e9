"""Loops in a user's program make plans of hundreds of nodes one under another."""

import threading

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"v": [1, 2, 3, 4]})


def test_a_concatenation_that_grows():
    rows = rd.from_pandas(FRAME, npartitions=1)
    for _ in range(500):
        rows = rd.concat([rows, rd.from_pandas(FRAME, npartitions=1)])
    assert rows.v.sum().compute() == 501 * 10


def test_filters_after_filters():
    rows = rd.from_pandas(FRAME, npartitions=2)
    for least in range(1000):
        rows = rows[rows.v > -least]
    assert len(rows.compute()) == 4


#: Written out, a column that is used twice at each of so many steps would have 2**60 nodes.
DOUBLED = 60


def both_ways(steps, values=FRAME.v):
    """What `steps` make of a series of raskt, and of pandas."""
    own, pandas = rd.from_pandas(values.astype(float), npartitions=2), values.astype(float)
    for _ in range(DOUBLED):
        own, pandas = steps(own), steps(pandas)
    return own, pandas


def assert_same(own, pandas):
    pd.testing.assert_series_equal(own.compute(), pandas)
    assert own.sum().compute() == pytest.approx(pandas.sum())


def test_a_column_that_is_used_twice_at_each_step():
    assert_same(*both_ways(lambda s: s + s))
    assert_same(*both_ways(lambda s: s.where(s > 2, -s)))
    assert_same(*both_ways(lambda s: s.clip(1.5, 3.5)))
    assert_same(*both_ways(lambda s: s.fillna(0) * 0.5 + s.shift(1).fillna(1) * 0.5))


def test_a_column_that_is_compared_with_its_own_mean_at_each_step():
    assert_same(*both_ways(lambda s: s - s.mean() + 1))
    assert_same(*both_ways(lambda s: (s - s.min()) / (s.max() - s.min())))


def test_filters_sorts_and_groups_by_what_was_used_twice_at_each_step():
    own, pandas = rd.from_pandas(FRAME, npartitions=2), FRAME.copy()
    for _ in range(DOUBLED):
        own, pandas = (
            own.assign(v=own.v + own.v // 3 - own.v // 2),
            pandas.assign(v=pandas.v + pandas.v // 3 - pandas.v // 2),
        )
    pd.testing.assert_frame_equal(own[own.v > 2].compute(), pandas[pandas.v > 2])
    ordered = own.sort_values("v", ascending=False).compute()
    pd.testing.assert_frame_equal(ordered, pandas.sort_values("v", ascending=False, kind="stable"))
    pd.testing.assert_frame_equal(own.nlargest(2, "v").compute(), pandas.nlargest(2, "v"))
    pd.testing.assert_frame_equal(own.drop_duplicates("v").compute(), pandas.drop_duplicates("v"))
    assert own.assign(w=1).groupby("v").w.sum().compute().to_dict() == pandas.assign(w=1).groupby("v").w.sum().to_dict()
    assert own.groupby("v").v.cumsum().compute().tolist() == pandas.groupby("v").v.cumsum().tolist()


def test_a_frame_that_is_joined_with_its_own_groups_at_each_step():
    own, pandas = (frame.assign(k=frame.v % 2) for frame in (rd.from_pandas(FRAME, npartitions=2), FRAME))
    for step in range(20):
        means, others = (frame.groupby("k").v.mean().rename(f"m{step}").reset_index() for frame in (own, pandas))
        own, pandas = own.merge(means, on="k"), pandas.merge(others, on="k")
        own, pandas = (frame.assign(v=frame.v + frame[f"m{step}"]).drop(columns=f"m{step}") for frame in (own, pandas))
    pd.testing.assert_frame_equal(own.compute(), pandas)


def test_a_thousand_steps_one_after_the_other():
    own, pandas = rd.from_pandas(FRAME.v, npartitions=2), FRAME.v
    for step in range(1000):
        own, pandas = own + step % 7 - 3, pandas + step % 7 - 3
    pd.testing.assert_series_equal(own.compute(), pandas)


def test_the_plan_of_what_was_used_twice_is_told_in_few_words():
    own, _ = both_ways(lambda s: s * s)
    assert len(own.explain()) < 1000
    joined = rd.from_pandas(FRAME, npartitions=2)
    for _ in range(30):
        joined = joined.merge(joined.groupby("v").size().rename("n").reset_index(), on="v")[["v"]]
    assert "as above" in joined.explain() and len(joined.explain()) < 20_000


def test_partitions_of_a_large_plan_that_uses_its_rows_twice():
    own, pandas = rd.from_pandas(FRAME, npartitions=2), FRAME
    for step in range(7):
        own, pandas = rd.concat([own[own.v > step % 3], own]), pd.concat([pandas[pandas.v > step % 3], pandas])
    assert own.npartitions == 256
    pd.testing.assert_frame_equal(own.persist().compute(), pandas)
    pd.testing.assert_frame_equal(own.map_partitions(lambda part: part + 1).compute(), pandas + 1)
    last = own.partitions[255].compute()
    assert last.v.tolist() == [3, 4]


#: Deeper than a stack has room for, if each step calls the next one.
STEPS = 3_000
LONG = pd.Series(np.arange(50))


def stepped(values, step):
    for at in range(STEPS):
        values = step(values, at)
    return values


@pytest.mark.parametrize(
    "step",
    [
        lambda s, at: s + 1,
        lambda s, at: s.where(s != at % 60, -at),
        lambda s, at: s.clip(-at, 4_000 - at),
        lambda s, at: s.mask(s.isna(), at),
    ],
)
@pytest.mark.parametrize("persisted", [False, True])
def test_thousands_of_steps_over_one_column(step, persisted):
    own = rd.from_pandas(LONG, npartitions=2)
    found = stepped(own.persist() if persisted else own, step)
    pd.testing.assert_series_equal(found.compute(), stepped(LONG, step))


def test_thousands_of_steps_in_a_thread_of_little_stack():
    found = []
    run = lambda: found.append(stepped(rd.from_pandas(LONG, npartitions=2), lambda s, at: s + at).compute())
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    pd.testing.assert_series_equal(found[0], stepped(LONG, lambda s, at: s + at))


def test_thousands_of_columns_added_up():
    wide = pd.DataFrame(np.ones((3, STEPS)), columns=[f"c{at}" for at in range(STEPS)])
    own = rd.from_pandas(wide, npartitions=2)
    add = lambda frame: lambda s, at: s + frame[f"c{at}"]
    pd.testing.assert_series_equal(stepped(own.c0, add(own)).compute(), stepped(wide.c0, add(wide)), check_names=False)
    pd.testing.assert_frame_equal((own + 1).compute(), wide + 1)


@pytest.mark.parametrize("count", [100, 1_000, 6_000])
@pytest.mark.parametrize("values", [int, float, str])
def test_dictionaries_of_any_size(count, values):
    mapping = {key: values(key + 1) for key in range(count)}
    for data in (LONG, LONG + count - 25):
        own = rd.from_pandas(data, npartitions=2).map(mapping).compute()
        pd.testing.assert_series_equal(own, data.map(mapping))
    if values is int:
        own = rd.from_pandas(LONG, npartitions=2).replace(mapping).compute()
        pd.testing.assert_series_equal(own, LONG.replace(mapping))
