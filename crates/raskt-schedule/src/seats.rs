use crate::{Attempt, Offer, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};

/// The workers, and what is derived from what each of them has.
#[derive(Debug, Default)]
pub(crate) struct Seats {
    seats: BTreeMap<WorkerId, Seat>,
    /// Workers with room for an assignment, the least loaded first.
    open: BTreeSet<(Load, WorkerId)>,
    slots: u64,
}

/// Assignments for each slot, in 1024ths.
type Load = u64;

/// What the scheduler knows of a worker.
#[derive(Debug)]
pub(crate) struct Seat {
    pub offer: Offer,
    /// Assignments that it hasn't reported.
    placed: BTreeMap<(RunId, Attempt), Placed>,
}

/// An assignment that was handed out.
#[derive(Debug)]
pub(crate) struct Placed {
    pub tasks: Vec<TaskRange>,
}

impl Seat {
    fn has_room(&self) -> bool {
        self.placed.len() < self.offer.slots as usize
    }

    fn load(&self) -> Load {
        (self.placed.len() as u64) * 1024 / u64::from(self.offer.slots.max(1))
    }
}

impl Seats {
    pub fn add(&mut self, worker: WorkerId, offer: Offer) {
        self.seats.insert(worker, Seat { offer, placed: BTreeMap::new() });
        self.change(worker, |_| {});
        self.slots = self.seats.values().map(|seat| u64::from(seat.offer.slots)).sum();
    }

    /// Takes a worker away, and gives what it had.
    pub fn remove(&mut self, worker: WorkerId) -> BTreeMap<(RunId, Attempt), Placed> {
        let Some(seat) = self.seats.remove(&worker) else { return BTreeMap::new() };
        self.open.remove(&(seat.load(), worker));
        self.slots -= u64::from(seat.offer.slots);
        seat.placed
    }

    pub fn resize(&mut self, worker: WorkerId, slots: u32) {
        self.change(worker, |seat| seat.offer.slots = slots);
        self.slots = self.seats.values().map(|seat| u64::from(seat.offer.slots)).sum();
    }

    pub fn contains(&self, worker: WorkerId) -> bool {
        self.seats.contains_key(&worker)
    }

    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.seats.keys().copied()
    }

    /// Slots of all workers.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// The least loaded worker that has room.
    pub fn freest(&self) -> Option<WorkerId> {
        self.open.first().map(|&(_, worker)| worker)
    }

    pub fn place(&mut self, worker: WorkerId, run: RunId, attempt: Attempt, placed: Placed) {
        self.change(worker, |seat| drop(seat.placed.insert((run, attempt), placed)));
    }

    /// Ends an assignment; nothing if the worker doesn't have it.
    pub fn close(&mut self, worker: WorkerId, run: RunId, attempt: Attempt) -> Option<Placed> {
        let mut closed = None;
        self.change(worker, |seat| closed = seat.placed.remove(&(run, attempt)));
        closed
    }

    /// Takes `tasks` out of an assignment, which ends with the last of them.
    pub fn take_out(&mut self, worker: WorkerId, run: RunId, attempt: Attempt, tasks: &[TaskRange]) {
        self.change(worker, |seat| {
            if let Some(placed) = seat.placed.get_mut(&(run, attempt)) {
                tasks.iter().for_each(|range| range.cut_out_of(&mut placed.tasks));
                if placed.tasks.is_empty() {
                    seat.placed.remove(&(run, attempt));
                }
            }
        });
    }

    /// Ends all assignments of a run.
    pub fn forget(&mut self, run: RunId) {
        for worker in self.workers().collect::<Vec<_>>() {
            self.change(worker, |seat| seat.placed.retain(|&(other, _), _| other != run));
        }
    }

    /// Changes a seat, and what is derived from it.
    fn change(&mut self, worker: WorkerId, change: impl FnOnce(&mut Seat)) {
        let Some(seat) = self.seats.get_mut(&worker) else { return };
        let (before, had_room) = (seat.load(), seat.has_room());
        change(seat);
        let (load, has_room) = (seat.load(), seat.has_room());
        if had_room && (load, has_room) != (before, had_room) {
            self.open.remove(&(before, worker));
        }
        if has_room {
            self.open.insert((load, worker));
        }
    }

    /// Asserts that what is derived is what counting again gives, and that `is_known` knows each task that is out.
    pub fn validate(&self, mut is_known: impl FnMut(WorkerId, RunId, Attempt, &[TaskRange])) {
        let open = self.seats.iter().filter(|(_, seat)| seat.has_room()).map(|(&worker, seat)| (seat.load(), worker));
        assert_eq!(self.open, open.collect(), "workers with room");
        assert_eq!(self.slots, self.seats.values().map(|seat| u64::from(seat.offer.slots)).sum::<u64>(), "slots");
        for (&worker, seat) in &self.seats {
            for (&(run, attempt), placed) in &seat.placed {
                is_known(worker, run, attempt, &placed.tasks);
            }
        }
    }
}
