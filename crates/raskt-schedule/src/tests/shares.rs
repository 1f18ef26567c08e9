//! Whose turn it is.

use crate::RunId;
use crate::needs::Need;
use crate::queue::HeadTurn;
use crate::run_queue::RunQueue;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The head of a queue with this priority.
pub fn head(priority: i32) -> Option<HeadTurn> {
    Some(HeadTurn::of_only(priority))
}

fn order(queue: &RunQueue) -> Vec<u64> {
    let mut all = vec![];
    let mut passed = Bound::Unbounded;
    while let Some(next) = queue.next(passed) {
        all.push(next.run().0);
        passed = Bound::Excluded(next);
    }
    all
}

pub fn queue(runs: &[(u64, Option<u64>, i32)]) -> RunQueue {
    let mut queue = RunQueue::default();
    for &(run, parent, priority) in runs {
        queue.add(RunId(run), parent.map(RunId));
        queue.stand(RunId(run), 0, head(priority));
    }
    queue
}

#[test]
fn higher_priority_then_deeper_then_older() {
    let queue = queue(&[(1, None, 0), (2, Some(1), 0), (3, Some(2), 0), (4, Some(1), 0), (5, None, 1)]);
    assert_eq!(order(&queue), [5, 3, 2, 4, 1]);
}

#[test]
fn runs_of_the_same_depth_share_the_time_of_their_family() {
    let mut queue = queue(&[(1, None, 0), (2, Some(1), 0), (3, Some(1), 0), (4, None, 0)]);
    assert_eq!(order(&queue), [2, 3, 1, 4]);
    queue.charge(RunId(2), 0, 1000);
    assert_eq!(order(&queue), [4, 3, 2, 1]);
    spend(&mut queue, 2, 1000, 1000);
    // One that comes later begins where the others are, and the deepest goes first in any case.
    queue.charge(RunId(3), 0, 1000);
    spend(&mut queue, 3, 1000, 1000);
    join_below(&mut queue, 5, Some(RunId(1)));
    queue.charge(RunId(5), 0, 1);
    join_below(&mut queue, 6, Some(RunId(2)));
    assert_eq!(order(&queue), [4, 6, 2, 3, 5, 1]);
    (1..=6).for_each(|run| queue.remove(RunId(run)));
    queue.validate([].into_iter());
    assert!(queue.is_empty());
}

#[test]
fn families_share_time_and_nobody_saves_it_up() {
    let mut queue = queue(&[(1, None, 0), (2, None, 0), (3, Some(2), 0)]);
    queue.charge(RunId(1), 0, 1000);
    assert_eq!(order(&queue), [3, 2, 1]);
    // What one member is handed out counts for all.
    queue.charge(RunId(3), 0, 1500);
    assert_eq!(order(&queue), [1, 3, 2]);
    // It took less than was expected.
    spend(&mut queue, 3, 1500, 500);
    assert_eq!(order(&queue), [3, 2, 1]);
    for _ in 0..10 {
        queue.charge(RunId(1), 0, 1000);
        spend(&mut queue, 1, 1000, 1000);
    }
    queue.add(RunId(4), None);
    queue.stand(RunId(4), 0, head(0));
    // It begins where one would be who had got just its share, and not at nothing.
    assert_eq!(order(&queue), [3, 2, 4, 1]);
    (1..=4).for_each(|run| queue.remove(RunId(run)));
    queue.validate([].into_iter());
    assert!(order(&queue).is_empty() && queue.is_empty());
}

fn spend(queue: &mut RunQueue, run: u64, expected: u64, nanoseconds: u64) {
    queue.spend(RunId(run), 0, expected, nanoseconds, Some(Need::NONE));
}

fn join(queue: &mut RunQueue, run: u64) {
    join_below(queue, run, None);
}

fn join_below(queue: &mut RunQueue, run: u64, parent: Option<RunId>) {
    queue.add(RunId(run), parent);
    queue.stand(RunId(run), 0, head(0));
}

#[test]
fn what_was_expected_and_did_not_come_is_of_no_account() {
    let mut queue = queue(&[(1, None, 0)]);
    (0..100).for_each(|_| queue.charge(RunId(1), 0, 1000));
    spend(&mut queue, 1, 1000, 10);
    // One that comes while much of it is under way, and one that comes when it has ended.
    join(&mut queue, 2);
    assert_eq!(order(&queue), [2, 1]);
    (1..100).for_each(|_| spend(&mut queue, 1, 1000, 10));
    join(&mut queue, 3);
    queue.charge(RunId(1), 0, 10);
    assert_eq!(order(&queue), [2, 3, 1]);
}

#[test]
fn what_is_given_back_is_no_time_saved_up() {
    let mut queue = queue(&[(1, None, 0), (2, None, 0)]);
    queue.charge(RunId(1), 0, 1000);
    queue.stand(RunId(1), 0, None);
    for _ in 0..10 {
        queue.charge(RunId(2), 0, 1000);
        spend(&mut queue, 2, 1000, 1000);
    }
    queue.stand(RunId(1), 0, head(0));
    queue.give_back(RunId(1), 0, 1000);
    // It is where others are now, and has one turn before them, and not ten.
    queue.charge(RunId(1), 0, 1);
    assert_eq!(order(&queue), [2, 1]);
}

#[test]
fn who_stands_aside_again_and_again_keeps_the_place_that_it_had() {
    let mut queue = queue(&[(1, None, 0), (2, None, 0)]);
    let gpu = Need::NONE.next();
    queue.park(RunId(2), 0, gpu);
    queue.charge(RunId(1), 0, 1000);
    spend(&mut queue, 1, 1000, 1000);
    assert!(queue.wake(gpu) && !queue.wake(gpu));
    join(&mut queue, 3);
    for _ in 0..10 {
        // Others take what it was woken for.
        queue.park(RunId(2), 0, gpu);
        queue.charge(RunId(1), 0, 1000);
        spend(&mut queue, 1, 1000, 1000);
        queue.wake(gpu);
    }
    assert_eq!(order(&queue), [2, 3, 1]);
    // Once it is served, the time that it stood aside is over.
    queue.charge(RunId(2), 0, 1);
    assert_eq!(order(&queue), [3, 2, 1]);
    queue.validate([RunId(1), RunId(2), RunId(3)].into_iter());
}

#[test]
fn those_that_stand_aside_for_the_same_share_it_by_time() {
    let mut queue = queue(&[(1, None, 0), (2, None, 0)]);
    let gpu = Need::NONE.next();
    (1..=2).for_each(|run| queue.park(RunId(run), 0, gpu));
    let mut had = BTreeMap::from([(1, 0), (2, 0)]);
    for _ in 0..1000 {
        assert!(queue.wake(gpu));
        let next = queue.next(Bound::Unbounded).expect("it was woken").run();
        let takes = if next == RunId(1) { 30 } else { 1 };
        *had.entry(next.0).or_default() += takes;
        queue.charge(next, 0, takes);
        queue.park(next, 0, gpu);
        queue.spend(next, 0, takes, takes, Some(gpu));
    }
    assert!(had[&1] <= 4 * had[&2], "{had:?}");
}

#[test]
fn what_goes_first_is_shared_apart() {
    let mut queue = queue(&[(1, None, 0), (2, None, 5)]);
    // Much was handed out of a higher priority, by families that came and went.
    queue.charge(RunId(2), 5, 1_000_000);
    queue.spend(RunId(2), 5, 1_000_000, 1_000_000, Some(Need::NONE));
    queue.remove(RunId(2));
    queue.charge(RunId(1), 0, 10);
    queue.add(RunId(3), None);
    queue.stand(RunId(3), 0, head(0));
    assert_eq!(order(&queue), [3, 1], "who comes begins where those of its priority are");
}

#[test]
fn of_those_in_line_the_passed_are_passed_once_whatever_the_served_ones_become() {
    let mut queue = queue(&[(1, None, 0), (2, None, 0), (3, None, 0)]);
    let first = queue.next(Bound::Unbounded).unwrap();
    assert_eq!(first.run(), RunId(1));
    let second = queue.next(Bound::Excluded(first)).unwrap();
    queue.charge(second.run(), 0, 10);
    assert_eq!(queue.next(Bound::Excluded(first)).unwrap().run(), RunId(3));
    queue.charge(RunId(3), 0, 20);
    assert_eq!(queue.next(Bound::Excluded(first)).unwrap().run(), RunId(2));
}

/// Somebody who comes, in the model.
#[derive(Clone, Copy, Debug)]
struct Guest {
    /// So long after the one before.
    after: u64,
    tasks: u64,
    takes: u64,
    /// What is expected of a task before one has ended, in percent.
    expected: u64,
    /// Another one comes like it when it is done.
    comes_again: bool,
    /// It is forgotten so long after it came.
    stays: u64,
    /// It comes in parts, each after the end of the one before.
    parts: u64,
}

fn guest() -> impl Strategy<Value = Guest> {
    let much = (0..300_u64, prop_oneof![1..4_u64, 4..40_u64, Just(100_000)], prop_oneof![1..20_u64, 1..=LONGEST]);
    let rest =
        (prop_oneof![Just(100_u64), Just(0), Just(10_000), 50..200_u64], any::<bool>(), 1000..60_000_u64, 1..4_u64);
    (much, rest).prop_map(|((after, tasks, takes), (expected, comes_again, stays, parts))| {
        let comes_again = comes_again && tasks < 4;
        Guest { after, tasks, takes, expected, comes_again, stays, parts }
    })
}

/// The longest task.
const LONGEST: u64 = 100;

/// What is known of one that is there.
#[derive(Clone, Debug)]
struct Known {
    guest: Guest,
    left: u64,
    parts: u64,
    under_way: u64,
    has_ended: bool,
    /// Since it last came into line: its share of what has ended, what it was handed, and what others were handed until it was
    /// handed anything, with how many were in line then.
    due: f64,
    handed: u64,
    waited: BTreeMap<u64, u64>,
    beside: u64,
}

impl Known {
    fn expected(&self) -> u64 {
        let percent = if self.has_ended { 100 } else { self.guest.expected };
        self.guest.takes * percent / 100
    }
}

#[derive(Default)]
struct Model {
    queue: RunQueue,
    /// Those who come are submitted by its tasks.
    parent: Option<RunId>,
    there: BTreeMap<u64, Known>,
    /// When what is under way ends, whose it is, its number, and what was expected.
    running: BTreeSet<(u64, u64, u64, u64)>,
    slots: u64,
    now: u64,
    next: u64,
    handed: u64,
    /// The worst that was seen, in parts of what may be under way.
    worst_share: f64,
    worst_wait: f64,
}

impl Model {
    fn come(&mut self, guest: Guest) {
        self.next += 1;
        let beside = self.in_line();
        let Guest { tasks: left, parts, .. } = guest;
        let waited = BTreeMap::new();
        let known = Known { guest, left, parts, under_way: 0, has_ended: false, due: 0., handed: 0, waited, beside };
        self.there.insert(self.next, known);
        join_below(&mut self.queue, self.next, self.parent);
    }

    fn in_line(&self) -> u64 {
        self.there.values().filter(|known| known.left > 0).count() as u64
    }

    fn go(&mut self, run: u64) {
        self.there.remove(&run);
        self.queue.remove(RunId(run));
    }

    fn hand_out(&mut self) {
        while (self.running.len() as u64) < self.slots {
            let Some(next) = self.queue.next(Bound::Unbounded).map(|next| next.run().0) else { return };
            let known = self.there.get_mut(&next).expect("only who is there is in line");
            let (takes, expected) = (known.guest.takes, known.expected());
            known.left -= 1;
            known.under_way += 1;
            known.handed += takes;
            self.handed += 1;
            self.running.insert((self.now + takes, next, self.handed, expected));
            self.queue.charge(RunId(next), 0, expected);
            if known.left == 0 {
                self.queue.stand(RunId(next), 0, None);
            }
            for (_, other) in self.there.iter_mut().filter(|(run, other)| **run != next && other.left > 0) {
                if other.handed == 0 {
                    *other.waited.entry(next).or_default() += takes;
                }
            }
            self.look();
        }
    }

    /// The first of what is under way ends.
    fn end(&mut self) {
        let Some((at, run, _, expected)) = self.running.pop_first() else { return };
        self.now = self.now.max(at);
        let Some(known) = self.there.get(&run) else { return };
        let guest = known.guest;
        let among = self.in_line() + u64::from(known.left == 0);
        for (_, other) in self.there.iter_mut().filter(|(_, other)| other.left > 0) {
            other.due += guest.takes as f64 / among as f64;
        }
        spend(&mut self.queue, run, expected, guest.takes);
        let beside = self.in_line();
        let known = self.there.get_mut(&run).expect("it is there");
        (known.under_way, known.has_ended) = (known.under_way - 1, true);
        if known.left > 0 || known.under_way > 0 {
            return;
        }
        known.parts -= 1;
        if known.parts > 0 {
            (known.left, known.due, known.handed, known.beside) = (guest.tasks, 0., 0, beside);
            known.waited.clear();
            self.queue.stand(RunId(run), 0, head(0));
        } else {
            self.go(run);
            if guest.comes_again {
                self.come(guest);
            }
        }
    }

    /// Notes whether anybody is worse off than before.
    fn look(&mut self) {
        let most = (self.slots * LONGEST) as f64;
        for known in self.there.values().filter(|known| known.left > 0) {
            self.worst_share = self.worst_share.max((known.due - known.handed as f64) / most);
            let waited: u64 = known.waited.values().sum();
            self.worst_wait = self.worst_wait.max(waited as f64 / most / (known.beside + 1) as f64);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whoever comes and goes, whatever is expected, and however often the same come again: those who are in line get their share of
    /// what is done while they are, and those who come get something soon. So it is among families, and among the runs of one.
    #[test]
    fn nobody_in_line_gets_less_than_its_share_and_nobody_who_comes_waits_for_long(
        slots in prop_oneof![Just(1_u64), 1..8_u64, Just(50)],
        guests in prop::collection::vec(guest(), 1..24),
        is_nested in any::<bool>(),
    ) {
        let parent = is_nested.then_some(RunId(0));
        let mut model = Model { slots, parent, ..Model::default() };
        parent.into_iter().for_each(|parent| model.queue.add(parent, None));
        let mut guests = guests.into_iter().scan(0, |at, guest| {
            *at += guest.after;
            Some((*at, guest))
        }).peekable();
        let mut leaving = BTreeSet::new();
        while model.handed < 20_000 {
            let end = model.running.first().map(|(end, ..)| *end);
            if let Some((at, guest)) = guests.next_if(|(at, _)| end.is_none_or(|end| *at <= end)) {
                model.now = model.now.max(at);
                model.come(guest);
                leaving.insert((at + guest.stays, model.next));
            } else if let Some(&(at, run)) = leaving.first().filter(|(at, _)| end.is_none_or(|end| *at <= end)) {
                leaving.pop_first();
                model.now = model.now.max(at);
                if model.there.contains_key(&run) {
                    model.go(run);
                }
            } else if end.is_none() {
                break;
            } else {
                model.end();
            }
            model.hand_out();
        }
        // Twice what is under way. One generated case went beyond that, by a thousandth: it is among the regressions.
        prop_assert!(model.worst_share <= 2.1, "less than its share by {} of what is under way", model.worst_share);
        prop_assert!(model.worst_wait <= 2.1, "waited for {} of what is under way each", model.worst_wait);
        model.queue.validate(parent.into_iter().chain(model.there.keys().map(|&run| RunId(run))));
    }
}
