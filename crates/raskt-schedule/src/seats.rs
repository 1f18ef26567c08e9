use crate::holdings::Move;
use crate::place::Candidate;
use crate::quarantine::Quarantine;
use crate::requirement::Requirement;
use crate::seat::{Placed, Seat};
use crate::{Attempt, Offer, RunId, TaskRange, WorkerId};
use raskt_graph::{Resources, TaskId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The workers, and what is derived from what each of them has.
#[derive(Debug, Default)]
pub(crate) struct Seats {
    seats: BTreeMap<WorkerId, Seat>,
    derived: Derived,
    /// Nanoseconds of work for each slot that a worker gets in advance.
    prefill: u64,
}

/// What counting again gives as well.
#[derive(Debug, Default, PartialEq, Eq)]
struct Derived {
    /// Workers with room for an assignment, the least loaded first; after all others those without memory for producers.
    open: BTreeSet<(bool, u64, WorkerId)>,
    /// Workers that have more assignments than slots, by how many more.
    ahead: BTreeSet<(u64, WorkerId)>,
    /// Workers that somebody might ask for, by their name and by what they offer.
    by_name: BTreeMap<Arc<str>, BTreeSet<WorkerId>>,
    by_resource: BTreeMap<Arc<str>, BTreeSet<WorkerId>>,
    /// Workers that are kept for suspects.
    quarantined: BTreeSet<WorkerId>,
    slots: u64,
    /// Workers whose memory has a bound.
    bounded: u64,
    /// Assignments that give back more memory than they take.
    giving_back: u64,
}

/// What is derived of one seat.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Standing {
    has_room: bool,
    is_full: bool,
    load: u64,
    ahead: u64,
    is_quarantined: bool,
    giving_back: u64,
    slots: u64,
    is_bounded: bool,
}

/// Workers with memory for producers that are looked at to find one that has enough for a certain one.
const ROOMY_LOOKED_AT: usize = 8;

impl Standing {
    fn of(seat: &Seat, prefill: u64) -> Self {
        Self {
            has_room: seat.has_room(prefill),
            is_full: seat.is_full(),
            load: seat.load(),
            ahead: seat.ahead(),
            is_quarantined: seat.quarantine.is_some(),
            giving_back: seat.giving_back,
            slots: seat.slots(),
            is_bounded: seat.memory_limit() < u64::MAX,
        }
    }
}

impl Derived {
    fn put_in(&mut self, worker: WorkerId, standing: Standing) {
        let Standing { has_room, is_full, load, ahead, is_quarantined, giving_back, slots, is_bounded } = standing;
        if has_room {
            self.open.insert((is_full, load, worker));
        }
        if ahead > 0 {
            self.ahead.insert((ahead, worker));
        }
        if is_quarantined {
            self.quarantined.insert(worker);
        }
        self.giving_back += giving_back;
        self.slots += slots;
        self.bounded += u64::from(is_bounded);
    }

    fn take_out(&mut self, worker: WorkerId, standing: Standing) {
        let Standing { has_room, is_full, load, ahead, is_quarantined, giving_back, slots, is_bounded } = standing;
        if has_room {
            self.open.remove(&(is_full, load, worker));
        }
        if ahead > 0 {
            self.ahead.remove(&(ahead, worker));
        }
        if is_quarantined {
            self.quarantined.remove(&worker);
        }
        self.giving_back -= giving_back;
        self.slots -= slots;
        self.bounded -= u64::from(is_bounded);
    }

    fn add_offer(&mut self, worker: WorkerId, offer: &Offer) {
        self.by_name.entry(offer.name.clone()).or_default().insert(worker);
        for name in offer.resources.keys() {
            self.by_resource.entry(name.clone()).or_default().insert(worker);
        }
    }

    fn remove_offer(&mut self, worker: WorkerId, offer: &Offer) {
        let lists = [(&mut self.by_name, vec![&offer.name]), (&mut self.by_resource, offer.resources.keys().collect())];
        for (list, names) in lists {
            for name in names {
                if let Some(workers) = list.get_mut(name) {
                    workers.remove(&worker);
                    if workers.is_empty() {
                        list.remove(name);
                    }
                }
            }
        }
    }
}

impl Seats {
    pub fn new(prefill: u64) -> Self {
        Self { prefill, ..Self::default() }
    }

    pub fn add(&mut self, worker: WorkerId, offer: Offer) {
        self.derived.add_offer(worker, &offer);
        let seat = Seat::new(offer);
        self.derived.put_in(worker, Standing::of(&seat, self.prefill));
        self.seats.insert(worker, seat);
    }

    /// Takes a worker away, and gives what it had.
    pub fn remove(&mut self, worker: WorkerId) -> BTreeMap<(RunId, Attempt), Placed> {
        let Some(seat) = self.seats.remove(&worker) else { return BTreeMap::new() };
        self.derived.take_out(worker, Standing::of(&seat, self.prefill));
        self.derived.remove_offer(worker, &seat.offer);
        self.seats.values_mut().filter(|other| !other.cannot_reach.is_empty()).for_each(|other| {
            other.cannot_reach.remove(&worker);
        });
        seat.into_placed()
    }

    pub fn resize(&mut self, worker: WorkerId, slots: u32, memory: u64) {
        self.change(worker, |seat| (seat.offer.slots, seat.offer.memory) = (slots, memory));
    }

    /// Tasks of `worker` lend so many slots while they wait, or get them back.
    pub fn lend(&mut self, worker: WorkerId, slots: u32, lends: bool) {
        self.change(worker, |seat| seat.change_lent(slots, lends));
    }

    pub fn get(&self, worker: WorkerId) -> Option<&Seat> {
        self.seats.get(&worker)
    }

    pub fn contains(&self, worker: WorkerId) -> bool {
        self.seats.contains_key(&worker)
    }

    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.seats.keys().copied()
    }

    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Slots of all workers.
    pub fn slots(&self) -> u64 {
        self.derived.slots
    }

    /// Counts that `worker` said what it holds.
    pub fn hear(&mut self, worker: WorkerId) {
        if let Some(seat) = self.seats.get_mut(&worker) {
            seat.heard += 1;
        }
    }

    /// Whether any worker has room for anything.
    pub fn has_room(&self) -> bool {
        !self.derived.open.is_empty()
    }

    /// Results of `run` have come to a worker, or gone.
    pub fn hold(&mut self, run: RunId, moved: Move) {
        let Some(seat) = self.seats.get_mut(&moved.worker) else { return };
        let was_full = seat.is_full();
        seat.holdings.apply(run, moved);
        if seat.is_full() != was_full {
            let now = Standing::of(seat, self.prefill);
            self.derived.take_out(moved.worker, Standing { is_full: was_full, ..now });
            self.derived.put_in(moved.worker, now);
        }
    }

    /// Whether it matters to any worker how much it holds.
    pub fn minds_memory(&self) -> bool {
        self.derived.bounded > 0
    }

    /// Whether an assignment is under way that gives back more memory than it takes.
    pub fn gives_back(&self) -> bool {
        self.derived.giving_back > 0
    }

    /// The least loaded worker that has room, what is required, and memory for a producer that adds `net` bytes.
    pub fn freest_for(&self, requirement: Option<&Requirement>, net: u64) -> Option<WorkerId> {
        let admits = |worker: &WorkerId| self.seats[worker].admits(net);
        let Some(requirement) = requirement else {
            let mut roomy = self.derived.open.iter().take_while(|(is_full, ..)| !is_full).take(ROOMY_LOOKED_AT);
            return roomy.find(|(.., worker)| admits(worker)).map(|&(.., worker)| worker);
        };
        let able = self.able(requirement).filter(|&worker| self.can_take(worker, Some(requirement)));
        able.filter(admits).min_by_key(|worker| (self.seats[worker].load(), *worker))
    }

    /// The least loaded worker that has room and what is required.
    pub fn freest(&self, requirement: Option<&Requirement>) -> Option<WorkerId> {
        let Some(requirement) = requirement else {
            let first = self.derived.open.first();
            let is_last_full = self.derived.open.last().is_some_and(|(is_full, ..)| *is_full);
            let full = || self.derived.open.range((true, 0, WorkerId(0))..).next();
            let full = if is_last_full { full() } else { None };
            let freest = first.into_iter().chain(full).min_by_key(|(_, load, worker)| (load, worker));
            return freest.map(|&(.., worker)| worker);
        };
        let able = self.able(requirement).filter(|&worker| self.can_take(worker, Some(requirement)));
        able.min_by_key(|worker| (self.seats[worker].load(), *worker))
    }

    /// Whether `worker` has room and what is required.
    pub fn can_take(&self, worker: WorkerId, requirement: Option<&Requirement>) -> bool {
        self.is_able(worker, requirement) && self.seats.get(&worker).is_some_and(|seat| seat.has_room(self.prefill))
    }

    /// Whether `worker` has what is required, be there room or not; never one that is kept for a suspect.
    pub fn is_able(&self, worker: WorkerId, requirement: Option<&Requirement>) -> bool {
        self.seats.get(&worker).is_some_and(|seat| {
            let fits = |requirement| seat.can_take(requirement) && self.may_run(worker, requirement);
            seat.quarantine.is_none() && requirement.is_none_or(fits)
        })
    }

    /// Whether some worker that is there could ever meet `requirement`.
    pub fn is_met_by_any(&self, requirement: &Requirement) -> bool {
        self.able(requirement).next().is_some()
    }

    /// The workers that could meet `requirement` if they had nothing else to do.
    fn able<'a>(&'a self, requirement: &'a Requirement) -> impl Iterator<Item = WorkerId> + 'a {
        let named = requirement.workers.iter().filter_map(|name| self.derived.by_name.get(name.as_str())).flatten();
        let is_named = !requirement.workers.is_empty() && self.restricts(requirement);
        let rarest = requirement.resources.keys().map(|name| self.derived.by_resource.get(name));
        let rarest = rarest.min_by_key(|workers| workers.map_or(0, BTreeSet::len)).flatten();
        let of_resource = rarest.into_iter().flatten().filter(move |_| !is_named);
        let is_any = !is_named && requirement.resources.is_empty();
        let any = self.seats.keys().filter(move |_| is_any);
        let found = named.filter(move |_| is_named).chain(of_resource).chain(any);
        found.copied().filter(|worker| requirement.fits(&self.seats[worker].offer.resources))
    }

    /// Whether only the named workers will do: they are all that is allowed, or one of them is there.
    fn restricts(&self, requirement: &Requirement) -> bool {
        !requirement.allow_others
            || requirement.workers.iter().any(|name| self.derived.by_name.contains_key(name.as_str()))
    }

    fn may_run(&self, worker: WorkerId, requirement: &Requirement) -> bool {
        let name = &self.seats[&worker].offer.name;
        requirement.workers.is_empty()
            || requirement.workers.iter().any(|other| **other == **name)
            || !self.restricts(requirement)
    }

    /// What placement has to know of `worker`, which would have to fetch `missing_bytes`.
    pub fn candidate(&self, worker: WorkerId, missing_bytes: u64) -> Candidate {
        let nanoseconds_placed = self.seats.get(&worker).map_or(0, Seat::nanoseconds_a_slot);
        Candidate { worker, nanoseconds_placed, missing_bytes }
    }

    pub fn has_quarantined(&self) -> bool {
        !self.derived.quarantined.is_empty()
    }

    /// Workers that are kept for suspects.
    pub fn quarantined(&self) -> Vec<WorkerId> {
        self.derived.quarantined.iter().copied().collect()
    }

    /// Whether a worker is kept for `task`, which it hasn't been given yet. One that was given it before the task was given up
    /// and needed anew isn't: who knows when it ends.
    pub fn has_quarantine_for(&self, run: RunId, task: TaskId) -> bool {
        let mut kept = self.derived.quarantined.iter().filter_map(|worker| self.seats[worker].quarantine);
        kept.any(|kept| kept.run == run && kept.task == task && kept.attempt.is_none())
    }

    /// Keeps a worker for a suspect, or lets it take anything again.
    pub fn quarantine(&mut self, worker: WorkerId, quarantine: Option<Quarantine>) {
        self.change(worker, |seat| seat.quarantine = quarantine);
    }

    /// The least loaded worker that could meet `requirement`, has a slot and isn't kept for a suspect. There is none once
    /// half of the workers are kept for suspects.
    pub fn least_loaded(&self, requirement: Option<&Requirement>) -> Option<WorkerId> {
        if 2 * self.derived.quarantined.len() >= self.seats.len().max(2) {
            return None;
        }
        let any = Requirement::default();
        let able = self.able(requirement.unwrap_or(&any)).filter(|worker| {
            let seat = &self.seats[worker];
            seat.quarantine.is_none() && seat.slots() > 0
        });
        able.min_by_key(|worker| (self.seats[worker].has_orphans(), self.seats[worker].load(), *worker))
    }

    /// Workers that were given work in advance, the one with the most first.
    pub fn ahead(&self) -> impl Iterator<Item = WorkerId> {
        self.derived.ahead.iter().rev().map(|&(_, worker)| worker)
    }

    pub fn place(&mut self, worker: WorkerId, run: RunId, attempt: Attempt, placed: Placed) {
        self.change(worker, |seat| seat.place(run, attempt, placed));
    }

    /// Ends an assignment; nothing if the worker doesn't have it.
    pub fn close(&mut self, worker: WorkerId, run: RunId, attempt: Attempt) -> Option<Placed> {
        let mut closed = None;
        self.change(worker, |seat| closed = seat.close(run, attempt));
        closed
    }

    /// Takes `tasks` out of an assignment, which ends with the last of them. Says for whom they were asked back.
    pub fn take_out(
        &mut self,
        worker: WorkerId,
        run: RunId,
        attempt: Attempt,
        tasks: &[TaskRange],
    ) -> Option<WorkerId> {
        let mut asked_for = None;
        self.change(worker, |seat| asked_for = seat.take_out(run, attempt, tasks));
        asked_for
    }

    pub fn start(&mut self, worker: WorkerId, run: RunId, attempt: Attempt) {
        self.change(worker, |seat| seat.start(run, attempt));
    }

    /// Notes that an assignment of `worker` is asked back for another one.
    pub fn ask_back(&mut self, worker: WorkerId, run: RunId, attempt: Attempt, asked_for: WorkerId) {
        self.change(worker, |seat| seat.ask_back(run, attempt, asked_for));
        self.change(asked_for, |seat| seat.expects = Some((worker, run, attempt)));
    }

    /// Workers with nothing to do, nothing on its way to them, and memory for producers.
    pub fn idle(&self) -> impl Iterator<Item = WorkerId> {
        let is_unloaded = |&&(is_full, load, _): &&(bool, u64, WorkerId)| !is_full && load == 0;
        let unloaded = self.derived.open.iter().take_while(is_unloaded).map(|&(.., worker)| worker);
        unloaded.filter(|worker| !self.is_expecting(*worker))
    }

    fn is_expecting(&self, worker: WorkerId) -> bool {
        let expects = self.seats.get(&worker).and_then(|seat| seat.expects);
        expects.is_some_and(|(from, run, attempt)| {
            let placed = self.seats.get(&from).and_then(|seat| seat.find(run, attempt));
            placed.is_some_and(|placed| placed.asked_for == Some(worker))
        })
    }

    /// Notes that `worker` couldn't fetch from `holder`; whether that was known.
    pub fn note_unreachable(&mut self, worker: WorkerId, holder: WorkerId) -> bool {
        self.seats.get_mut(&worker).is_some_and(|seat| !seat.cannot_reach.insert(holder))
    }

    /// Whether `worker` is known not to reach `holder`.
    pub fn cannot_reach(&self, worker: WorkerId, holder: WorkerId) -> bool {
        self.seats.get(&worker).is_some_and(|seat| seat.cannot_reach.contains(&holder))
    }

    /// Ends all assignments that `worker` has of a run.
    pub fn forget(&mut self, worker: WorkerId, run: RunId) {
        self.change(worker, |seat| seat.forget(run));
    }

    /// Changes a seat, and what is derived from it.
    fn change(&mut self, worker: WorkerId, change: impl FnOnce(&mut Seat)) {
        let Some(seat) = self.seats.get_mut(&worker) else { return };
        let before = Standing::of(seat, self.prefill);
        change(seat);
        let now = Standing::of(seat, self.prefill);
        if now != before {
            self.derived.take_out(worker, before);
            self.derived.put_in(worker, now);
        }
    }

    /// Asserts that what is derived is what counting again gives, and shows each assignment to `check`.
    pub fn validate(&self, mut check: impl FnMut(WorkerId, RunId, Attempt, &Placed)) {
        let mut derived = Derived::default();
        for (&worker, seat) in &self.seats {
            derived.add_offer(worker, &seat.offer);
            derived.put_in(worker, Standing::of(seat, self.prefill));
            seat.validate();
            seat.placed().for_each(|(&(run, attempt), placed)| check(worker, run, attempt, placed));
        }
        assert_eq!(self.derived, derived, "what is derived from the workers");
    }
}

/// Adds `taken` to `used`, or takes it away.
pub(crate) fn change_resources(used: &mut Resources, taken: &Resources, adds: bool) {
    for (name, &amount) in taken {
        let entry = used.entry(name.clone()).or_default();
        *entry = if adds { *entry + amount } else { entry.saturating_sub(amount) };
        if *entry == 0 {
            used.remove(name);
        }
    }
}
