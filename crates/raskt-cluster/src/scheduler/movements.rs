//! Orders of clients that aren't done: each is a movement until it is.

use raskt_schedule::{RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Whoever takes the place of a worker that has left is there after so long, or nobody knows when.
const RETURNS: Duration = Duration::from_secs(30);

/// Orders that aren't done, and copies that are under way for them.
#[derive(Default)]
pub(super) struct Movements {
    next: u64,
    open: BTreeMap<u64, Movement>,
    /// Those that are about a worker.
    of_worker: BTreeMap<WorkerId, BTreeSet<u64>>,
    /// Those of which a worker was to hold something.
    given_to: BTreeMap<WorkerId, BTreeSet<u64>>,
    /// Those that wait for somebody to come.
    for_others: BTreeSet<u64>,
    /// When workers have left that others take the places of, who haven't come yet.
    expected: VecDeque<Instant>,
    /// Those of which the next step may be due: of the others it isn't.
    due: BTreeSet<u64>,
    pub next_copy: u64,
    /// For which of them a copy is made.
    pub copies: BTreeMap<u64, Copying>,
    /// Copies that workers are to be told of when others have been made.
    pub waiting: VecDeque<Planned>,
}

/// Copies of results of a run that one worker is to make of what another holds.
pub(super) struct Planned {
    pub movement: u64,
    pub run: RunId,
    pub from: WorkerId,
    pub to: WorkerId,
    pub tasks: Vec<TaskRange>,
}

/// A copy that a worker was told to make.
pub(super) struct Copying {
    pub movement: u64,
    pub to: WorkerId,
    /// Whom it goes from, where it is moved.
    pub moved: Option<Moved>,
}

/// Results that go from a worker when another one has them.
pub(super) struct Moved {
    pub run: RunId,
    pub from: WorkerId,
    pub tasks: Vec<TaskRange>,
}

/// An order that isn't done.
pub(super) struct Movement {
    pub client: u32,
    pub number: u64,
    /// The workers that it is about.
    pub workers: Vec<WorkerId>,
    pub kind: Kind,
    /// Workers that were to make copies.
    heirs: BTreeSet<WorkerId>,
    /// Copies that are under way, or wait until others have been made.
    pub under_way: usize,
    /// How often one failed.
    pub failures: u32,
    /// Why the last one did.
    pub reason: String,
}

pub(super) enum Kind {
    /// They end what they have, others get what they hold, and they leave.
    Retire { leaves: bool, gives: Gives },
    /// They are to hold more; answered when all copies have been made.
    Replicate,
    /// What is copied goes from where it was; answered when all of it has gone.
    Rebalance,
    /// Those that haven't answered are waited for.
    Restart(BTreeSet<WorkerId>),
}

/// What of those who retire has gone to others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// Nothing yet.
    Nothing,
    /// The same to those who leave later, as long as nobody stays.
    ForNow,
    /// What they had when it was begun, or it is under way: their work may outlast the patience of whoever ends them.
    Before,
    /// They have done all that they had, and give the rest.
    Rest,
}

impl Movements {
    /// How many orders a client has that aren't done.
    pub fn of_client(&self, client: u32) -> usize {
        self.open.values().filter(|movement| movement.client == client).count()
    }

    /// There is another one; its first step is due.
    pub fn begin(&mut self, movement: Movement) -> u64 {
        let id = self.next;
        self.next += 1;
        for &worker in &movement.workers {
            self.of_worker.entry(worker).or_default().insert(id);
        }
        self.open.insert(id, movement);
        self.due.insert(id);
        id
    }

    pub fn get(&self, id: u64) -> Option<&Movement> {
        self.open.get(&id)
    }

    pub fn get_mut(&mut self, id: u64) -> Option<&mut Movement> {
        self.open.get_mut(&id)
    }

    /// Whether a worker retires by another order than this one as well.
    pub fn retires_beside(&self, worker: WorkerId, id: u64) -> bool {
        let of_worker = self.of_worker.get(&worker).into_iter().flatten();
        of_worker.filter(|other| **other != id).filter_map(|other| self.open.get(other)).any(Movement::retires)
    }

    /// It is over.
    pub fn end(&mut self, id: u64) -> Option<Movement> {
        let movement = self.open.remove(&id)?;
        for worker in &movement.workers {
            let_go(&mut self.of_worker, *worker, id);
        }
        for heir in &movement.heirs {
            let_go(&mut self.given_to, *heir, id);
        }
        self.for_others.remove(&id);
        Some(movement)
    }

    /// A worker was told to make copies for one.
    pub fn gives_to(&mut self, id: u64, heir: WorkerId) {
        if let Some(movement) = self.open.get_mut(&id)
            && movement.heirs.insert(heir)
        {
            self.given_to.entry(heir).or_default().insert(id);
        }
    }

    /// What those at work had has to go to others once more, if they still are.
    pub fn gives_anew(&mut self, id: u64) {
        if let Some(Kind::Retire { gives, .. }) = self.open.get_mut(&id).map(|it| &mut it.kind)
            && *gives != Gives::Rest
        {
            *gives = Gives::Nothing;
        }
    }

    /// A worker is gone, and what it had come to hold.
    pub fn heir_lost(&mut self, heir: WorkerId) {
        for id in self.given_to.remove(&heir).unwrap_or_default() {
            if let Some(movement) = self.open.get_mut(&id) {
                movement.heirs.remove(&heir);
            }
            self.gives_anew(id);
            self.due.insert(id);
        }
    }

    /// Takes away those of a client.
    pub fn take_of(&mut self, client: u32) -> Vec<Movement> {
        let own = self.open.iter().filter(|(_, movement)| movement.client == client);
        let own: Vec<_> = own.map(|(&id, _)| id).collect();
        own.into_iter().filter_map(|id| self.end(id)).collect()
    }

    /// A worker has done all that it had, or is gone.
    pub fn rested(&mut self, worker: WorkerId) {
        self.due.extend(self.of_worker.get(&worker).into_iter().flatten());
    }

    /// Who waits for a worker to begin anew waits no more; `stays` if it doesn't.
    pub fn restarted(&mut self, worker: WorkerId, stays: bool) {
        for id in self.of_worker.get(&worker).cloned().unwrap_or_default() {
            let Some(movement) = self.open.get_mut(&id) else { continue };
            let Kind::Restart(waits_for) = &mut movement.kind else { continue };
            if waits_for.remove(&worker) && stays {
                movement.workers.retain(|other| *other != worker);
                let_go(&mut self.of_worker, worker, id);
            }
            self.due.insert(id);
        }
    }

    /// A worker has left that another one takes the place of.
    pub fn one_returns(&mut self) {
        self.expected.push_back(Instant::now());
    }

    /// A worker has joined; it may be that one.
    pub fn one_joins(&mut self) {
        self.expected.pop_front();
    }

    /// Whether somebody is to come before long.
    pub fn is_one_expected(&mut self) -> bool {
        self.expected.retain(|left| left.elapsed() < RETURNS);
        !self.expected.is_empty()
    }

    /// It goes on as soon as somebody comes.
    pub fn wait_for_others(&mut self, id: u64) {
        self.for_others.insert(id);
    }

    /// Somebody has come.
    pub fn one_comes(&mut self) {
        self.due.append(&mut self.for_others);
    }

    /// So many more copies for it are under way.
    pub fn more_copies(&mut self, id: u64, count: usize) {
        if let Some(movement) = self.open.get_mut(&id) {
            movement.under_way += count;
        }
    }

    /// A copy for it isn't under way any more.
    pub fn one_copy_less(&mut self, id: u64, failure: Option<String>) {
        let Some(movement) = self.open.get_mut(&id) else { return };
        movement.under_way -= 1;
        if let Some(reason) = failure {
            (movement.failures, movement.reason) = (movement.failures + 1, reason);
        }
        if movement.under_way == 0 {
            self.due.insert(id);
        }
    }

    /// The next of those whose next step may be due.
    pub fn pop_due(&mut self) -> Option<u64> {
        self.due.pop_first()
    }

    /// The next steps of all may be.
    pub fn all_due(&mut self) {
        self.due.extend(self.open.keys());
    }

    #[cfg(test)]
    pub fn are_none(&self) -> bool {
        let of_workers = [&self.of_worker, &self.given_to];
        self.open.is_empty()
            && self.copies.is_empty()
            && of_workers.iter().all(|of| of.is_empty())
            && self.for_others.is_empty()
    }
}

/// A movement is about a worker no longer.
fn let_go(of: &mut BTreeMap<WorkerId, BTreeSet<u64>>, worker: WorkerId, id: u64) {
    if let Some(ids) = of.get_mut(&worker) {
        ids.remove(&id);
        if ids.is_empty() {
            of.remove(&worker);
        }
    }
}

impl Movement {
    pub fn new((client, number): (u32, u64), workers: Vec<WorkerId>, kind: Kind) -> Self {
        let heirs = BTreeSet::new();
        Self { client, number, workers, kind, heirs, under_way: 0, failures: 0, reason: String::new() }
    }

    pub fn retires(&self) -> bool {
        matches!(self.kind, Kind::Retire { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retiring(workers: &[u32]) -> Movement {
        let kind = Kind::Retire { leaves: true, gives: Gives::Nothing };
        Movement::new((1, 0), workers.iter().map(|&worker| WorkerId(worker)).collect(), kind)
    }

    fn due(all: &mut Movements) -> Vec<u64> {
        std::iter::from_fn(|| all.pop_due()).collect()
    }

    /// However many there are: what an event isn't about isn't looked at.
    #[test]
    fn only_what_an_event_is_about_is_due() {
        let mut all = Movements::default();
        let ids: Vec<_> = (0..1000).map(|worker| all.begin(retiring(&[worker, 1000]))).collect();
        assert_eq!(due(&mut all), ids, "each has a first step");
        all.rested(WorkerId(7));
        assert_eq!(due(&mut all), [ids[7]]);
        all.rested(WorkerId(1001));
        all.one_comes();
        assert_eq!(due(&mut all), []);
        all.wait_for_others(ids[3]);
        all.one_comes();
        all.one_comes();
        assert_eq!(due(&mut all), [ids[3]], "once");
        all.get_mut(ids[5]).unwrap().under_way = 2;
        all.one_copy_less(ids[5], None);
        assert_eq!(due(&mut all), [], "the other is under way");
        all.one_copy_less(ids[5], Some("no".into()));
        assert!(due(&mut all) == [ids[5]] && all.get(ids[5]).unwrap().failures == 1);
        all.rested(WorkerId(1000));
        assert_eq!(due(&mut all), ids);
        assert_eq!(all.take_of(1).len(), 1000);
        assert!(all.are_none());
    }

    #[test]
    fn restarts_wait_for_each() {
        let mut all = Movements::default();
        let both = [WorkerId(1), WorkerId(2)];
        let id = all.begin(Movement::new((1, 0), both.to_vec(), Kind::Restart(both.into())));
        all.restarted(both[0], true);
        all.restarted(both[1], false);
        let movement = all.end(id).unwrap();
        assert!(matches!(movement.kind, Kind::Restart(waits_for) if waits_for.is_empty()));
        assert!(movement.workers == [both[1]] && all.are_none());
    }
}
