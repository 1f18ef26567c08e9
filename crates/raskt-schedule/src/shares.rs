//! How much of the workers' time each family of runs has had, and when its turn is.
//!
//! Within a family, runs that tasks have submitted share it in the same way, those of each depth apart. So what is said here of
//! families and priorities is true of these runs and their *groups* as well. Each priority is shared apart. Of one there are
//!
//! - what a family *has had*: nanoseconds of its work that has ended, counted from the clock at which it came into line;
//! - what it has *under way*: nanoseconds that are expected of what it was handed out. Its turn is the sum, and the least goes
//!   first. What is under way counts for nothing else, so that a wrong expectation is gone when the work ends;
//! - the *clock*: what one would have had that was in line all the time and got just its share. When work ends that took `t`,
//!   while `n` families are in line, it goes on by `t / n`, as the virtual time of weighted fair queueing does (Demers, Keshav,
//!   Shenker 1989). It never goes back, and isn't behind what the first in line has had when that is served (start-time fair
//!   queueing: Goyal, Vin, Cheng 1996).
//!
//! Whoever comes into line has had at least what the clock says: nobody saves up time. Since the clock goes on with the work,
//! whoever it is done for, those who come later stand behind those who have waited, be they ever so many; and since it doesn't
//! go on faster than those in line are served, nobody who comes stands far behind them. Both hold but for what was under way:
//!
//! - Between two moments at which a family is in line, and at all between, it is handed out its share of what ends meanwhile, less
//!   twice the most that is under way at a time.
//! - Whoever comes into line is handed something before the others were handed that much each.
//!
//! What a family had no choice about doesn't move the clock: its tasks that wait lend their slots to what they wait for.

use crate::RunId;
use crate::collections::by_number::ByNumber;
use crate::planted::{self, Bug};
use crate::policy::Order;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Each group `G` is shared apart: of families, a priority.
#[derive(Debug)]
pub(crate) struct Shares<G> {
    order: Order,
    families: ByNumber<RunId, Family<G>>,
    /// Of each group that a family has a time of.
    clocks: BTreeMap<G, Clock>,
}

#[derive(Clone, Debug)]
struct Family<G> {
    times: BTreeMap<G, Times>,
    /// Runs of it that are there.
    runs: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    had: u64,
    under_way: u64,
    is_in_line: bool,
    /// It was woken, and wasn't served since: it doesn't lose its place when it is woken once more.
    is_woken: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Clock {
    time: u64,
    /// What was left when the work was divided, so that work in small pieces moves it as well.
    rest: u64,
    in_line: u64,
    /// Families that have a time of this group.
    families: u64,
    /// What an assignment takes of which that is known: the longest of late.
    known: u64,
}

impl<G> Default for Shares<G> {
    fn default() -> Self {
        Self { order: Order::default(), families: ByNumber::default(), clocks: BTreeMap::new() }
    }
}

impl<G: Copy + Debug + Ord> Shares<G> {
    pub fn new(order: Order) -> Self {
        Self { order, ..Self::default() }
    }

    pub fn add_run(&mut self, family: RunId) {
        match self.families.get_mut(&family) {
            Some(family) => family.runs += 1,
            None => self.families.insert(family, Family { runs: 1, times: BTreeMap::new() }),
        }
    }

    /// A run of it goes; with the last the family does.
    pub fn remove_run(&mut self, family: RunId) {
        let Some(found) = self.families.get_mut(&family) else { return };
        found.runs -= 1;
        if found.runs > 0 {
            return;
        }
        for group in self.families.remove(&family).into_iter().flat_map(|family| family.times.into_keys()) {
            let Some(clock) = self.clocks.get_mut(&group) else { continue };
            clock.families -= 1;
            if clock.families == 0 {
                self.clocks.remove(&group);
            }
        }
    }

    /// A family comes into line; if it `is_woken`, from standing aside.
    pub fn enter(&mut self, family: RunId, group: G, is_woken: bool) {
        let Some((times, clock)) = self.of(family, group) else { return };
        times.is_in_line = true;
        clock.in_line += 1;
        // Who was woken before and not served keeps its place: moved to the clock each time, one that is woken in vain
        // again and again would stand behind those who came meanwhile.
        if !is_woken || !times.is_woken {
            times.had = times.had.max(clock.time);
        }
        times.is_woken = is_woken;
    }

    pub fn leave(&mut self, family: RunId, group: G) {
        let Some((times, clock)) = self.of(family, group) else { return };
        times.is_in_line = false;
        clock.in_line -= 1;
    }

    /// What to expect of an assignment of which so much is expected; if that isn't known, no less than of those of which it is. Else
    /// who says nothing of his tasks would be given every slot beside somebody whose tasks take long.
    pub fn expect(&mut self, group: G, expected: u64, is_known: bool) -> u64 {
        let Some(clock) = self.clocks.get_mut(&group) else { return expected };
        if is_known {
            clock.known = expected.max(clock.known / 2 + expected / 2);
            return expected;
        }
        expected.max(clock.known)
    }

    /// A family is handed out so much, while `first` is the first turn in line, if anybody is.
    pub fn charge(&mut self, family: RunId, group: G, expected: u64, first: Option<u64>) {
        let Some((times, clock)) = self.of(family, group) else { return };
        if std::mem::take(&mut times.is_woken) {
            times.had = times.had.max(clock.time);
        }
        clock.time = first.map_or(clock.time, |first| clock.time.max(first.min(times.had)));
        times.under_way = times.under_way.saturating_add(expected);
    }

    /// Of what a family was charged for, so much has ended, which took `nanoseconds`. If it moves the clock, `beside` says how many
    /// others are there for it that don't stand in line.
    pub fn account(&mut self, family: RunId, group: G, expected: u64, nanoseconds: u64, beside: Option<u64>) {
        let Some((times, clock)) = self.of(family, group) else { return };
        let ended = if planted::has(Bug::ExpectedStaysUnderWay) { nanoseconds.min(expected) } else { expected };
        // All that was expected goes, and what it took comes: a wrong expectation leaves nothing behind.
        times.under_way = times.under_way.saturating_sub(ended);
        times.had = times.had.saturating_add(nanoseconds);
        if let Some(beside) = beside.filter(|_| !planted::has(Bug::ClockStandsStill)) {
            // The one that had it shares with those in line, whether it stands there itself or not.
            clock.go_on(nanoseconds, clock.in_line + u64::from(!times.is_in_line) + beside);
        }
    }

    /// When its turn is.
    pub fn turn(&self, family: RunId, group: G) -> u64 {
        let order = if planted::has(Bug::FirstComeFirstServed) { Order::FirstComeFirstServed } else { self.order };
        let times = self.families.get(&family).and_then(|family| family.times.get(&group));
        times.map_or(0, |times| order.turn(times.had, times.under_way))
    }

    fn of(&mut self, family: RunId, group: G) -> Option<(&mut Times, &mut Clock)> {
        let found = self.families.get_mut(&family)?;
        let clock = self.clocks.entry(group).or_default();
        let times = found.times.entry(group).or_insert_with(|| {
            clock.families += 1;
            Times { had: clock.time, ..Times::default() }
        });
        Some((times, clock))
    }

    /// Whether there is no run, and so no time.
    pub fn is_empty(&self) -> bool {
        self.families.is_empty() && self.clocks.is_empty()
    }

    /// Asserts that what is counted is what there is; `runs` says the family of each run, and `in_line` who is in line.
    pub fn validate(&self, runs: &BTreeMap<RunId, u64>, in_line: impl Fn(RunId, G) -> bool) {
        let counted = self.families.iter().map(|(&family, found)| (family, found.runs));
        assert!(counted.eq(runs.iter().map(|(&family, &runs)| (family, runs))), "the runs of each family");
        let mut clocks = BTreeMap::<G, (u64, u64)>::new();
        for (&family, found) in self.families.iter() {
            for (&group, times) in &found.times {
                assert_eq!(times.is_in_line, in_line(family, group), "whether {family:?} is in line");
                let (families, lined) = clocks.entry(group).or_default();
                (*families, *lined) = (*families + 1, *lined + u64::from(times.is_in_line));
            }
        }
        let counted = self.clocks.iter().map(|(&group, clock)| (group, (clock.families, clock.in_line)));
        assert!(counted.eq(clocks), "the families of each group");
    }
}

impl Clock {
    /// Work has ended that `among` families could have had.
    fn go_on(&mut self, nanoseconds: u64, among: u64) {
        let among = among.max(1);
        let work = self.rest.saturating_add(nanoseconds);
        self.time = self.time.saturating_add(work / among);
        self.rest = work % among;
    }
}
