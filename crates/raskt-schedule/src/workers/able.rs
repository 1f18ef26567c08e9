//! Who has what is required, and room for it.

use super::Workers;
use crate::WorkerId;
use crate::needs::{Able, Need, Standing};
use crate::requirement::Requirement;
use crate::worker_state::{MemoryLeft, OpenWorkers, WorkerState};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Workers with memory for producers that are looked at to find one that has enough for a certain one.
const ROOMY_LOOKED_AT: usize = 8;

impl Workers {
    /// Whether `worker` could meet `requirement` if it had nothing else.
    pub fn could_take(&self, worker: WorkerId, requirement: Option<&Requirement>) -> bool {
        self.workers.get(&worker).is_some_and(|state| {
            let fits = |requirement: &Requirement| requirement.fits(&state.offer().resources);
            requirement.is_none_or(|requirement| fits(requirement) && self.may_run(worker, requirement))
        })
    }

    /// Workers with room that have what is required.
    fn open(&self, requirement: Option<&Requirement>) -> &OpenWorkers {
        let need = requirement.and_then(|requirement| self.needs.find(requirement));
        need.and_then(|need| self.needs.open(need)).unwrap_or(&self.derived.open)
    }

    /// The least loaded worker that has room, what is required, and memory for a producer that adds `net` bytes.
    pub fn freest_for(&self, requirement: Option<&Requirement>, net: u64) -> Option<WorkerId> {
        let open = self.open(requirement);
        let looked_at = || {
            let unloaded = open.places().iter().take_while(|(is_full, ..)| !is_full).map(|&(.., worker)| worker);
            // Small workers that do little may stand before all that have enough.
            let roomiest = open.roomiest().map(|(_, worker)| worker);
            unloaded.take(ROOMY_LOOKED_AT).chain(roomiest.take(ROOMY_LOOKED_AT))
        };
        let admission = &self.settings.admission;
        let holds = |worker: &WorkerId| self.workers[worker].free_memory() >= net;
        let found = looked_at().find(|worker| self.workers[worker].room(admission) >= net);
        // One that has nothing is admitted in any case; but not to what it can't hold while another worker can.
        found.or_else(|| {
            let is_held = looked_at().any(|worker| holds(&worker));
            let admits = |worker: &WorkerId| self.workers[worker].admits(admission, net) && (holds(worker) || !is_held);
            looked_at().filter(admits).min_by_key(|&worker| self.lack(worker, net))
        })
    }

    /// The same for one that goes ahead, though no worker has memory for it: of those with the least to do and those with the most
    /// memory left, the one that lacks least.
    pub fn freest_ahead(&self, requirement: Option<&Requirement>, net: u64) -> Option<WorkerId> {
        let open = self.open(requirement);
        let (most_left, _) = open.roomiest().next()?;
        let roomiest = open.roomiest().take_while(|(left, _)| *left == most_left).map(|(_, worker)| worker);
        let unloaded = self.some_open(requirement).chain(self.freest(requirement));
        unloaded.chain(roomiest.take(ROOMY_LOOKED_AT)).min_by_key(|&worker| self.lack(worker, net))
    }

    /// How much a worker lacks to hold so many bytes, and its place among those that lack as much.
    fn lack(&self, worker: WorkerId, net: u64) -> (MemoryLeft, u64, WorkerId) {
        let state = &self.workers[&worker];
        (MemoryLeft::of(net.saturating_sub(state.free_memory())), state.load(), worker)
    }

    /// Whether `worker` may get a producer that adds `net` bytes; or one that goes ahead, if it can hold them.
    pub fn has_memory(&self, worker: WorkerId, net: u64, goes_ahead: bool) -> bool {
        self.workers.get(&worker).is_some_and(|state| {
            net <= state.free_memory() && (goes_ahead || state.admits(&self.settings.admission, net))
        })
    }

    /// The least loaded worker that has room and what is required.
    pub fn freest(&self, requirement: Option<&Requirement>) -> Option<WorkerId> {
        let open = self.open(requirement).places();
        let first = open.first();
        let is_last_full = open.last().is_some_and(|(is_full, ..)| *is_full);
        let full = || open.range((true, 0, WorkerId(0))..).next();
        let full = if is_last_full { full() } else { None };
        let freest = first.into_iter().chain(full).min_by_key(|(_, load, worker)| (load, worker));
        freest.map(|&(.., worker)| worker)
    }

    /// How many places of workers were looked at so far, of those that meet what is required.
    pub fn steps(&self) -> u64 {
        self.needs.steps()
    }

    /// Whether some worker meets `need` and has room.
    pub fn has_open(&self, need: Need) -> bool {
        !self.needs.open(need).unwrap_or(&self.derived.open).is_empty()
    }

    /// One more class of a run requires this of workers.
    pub fn add_need(&mut self, requirement: Option<&Arc<Requirement>>) -> Need {
        requirement.map_or(Need::NONE, |requirement| self.needs.add(requirement))
    }

    /// One more asks who meets `need`; or one less does.
    pub fn ask(&mut self, need: Need, asks: bool) {
        if asks {
            self.watch(need);
        }
        self.needs.ask(need, asks);
    }

    /// Finds out who meets `need`, if that isn't known.
    pub fn watch(&mut self, need: Need) {
        if !self.needs.is_watched(need)
            && let Some(requirement) = self.needs.requirement(need).cloned()
        {
            self.needs.watch(need, self.able_with_places(&requirement), self.restricts(&requirement));
        }
    }

    /// `worker` has come, or changed, or gone: whether it meets `need`, and whether others do now.
    pub(super) fn look_at(&mut self, need: Need, worker: WorkerId) {
        let Some(requirement) = self.needs.requirement(need).cloned() else { return };
        let is_restricted = self.restricts(&requirement);
        if is_restricted != self.needs.is_restricted(need) {
            // With the first of the named ones others don't meet it any more, and with the last of them they do.
            return self.needs.replace(need, self.able_with_places(&requirement), is_restricted);
        }
        if !self.needs.is_any(need) {
            let is_able = self.could_take(worker, Some(&requirement));
            let standing = if is_able { self.standing(worker, &requirement) } else { None };
            self.needs.set(need, worker, standing);
        }
    }

    /// `worker` has changed.
    pub(super) fn place_anew(&mut self, worker: WorkerId) {
        if let Some(state) = self.workers.get(&worker) {
            self.needs.update(worker, state, &self.settings);
        }
    }

    /// The workers that could meet `requirement`, and where they stand.
    pub(super) fn able_with_places(&self, requirement: &Requirement) -> Able {
        if requirement.resources.is_empty() && !self.restricts(requirement) {
            return None;
        }
        Some(self.able(requirement).filter_map(|worker| Some((worker, self.standing(worker, requirement)?))).collect())
    }

    fn standing(&self, worker: WorkerId, requirement: &Requirement) -> Option<Standing> {
        let state = self.workers.get(&worker)?;
        Some(Standing::of(worker, state, requirement, &self.settings))
    }

    /// Some workers that have room and what is required, the least loaded first.
    pub fn some_open(&self, requirement: Option<&Requirement>) -> impl Iterator<Item = WorkerId> {
        self.open(requirement).places().iter().map(|&(.., worker)| worker).take(ROOMY_LOOKED_AT)
    }

    /// Workers with nothing to do, nothing on its way to them, memory for producers, and what is required. Where it isn't known
    /// who has that, since nobody asks for it now, some of those that could are looked at.
    pub fn idle_for<'a>(&'a self, requirement: Option<&'a Requirement>) -> impl Iterator<Item = WorkerId> + 'a {
        let is_unwatched = |need| !self.needs.is_watched(need);
        let unwatched = requirement.filter(|requirement| self.needs.find(requirement).is_some_and(is_unwatched));
        let able = unwatched.into_iter().flat_map(|requirement| self.able(requirement).take(ROOMY_LOOKED_AT));
        let able = able.filter(move |&worker| self.can_take(worker, requirement) && self.is_unloaded(worker));
        let open = self.open(requirement).places().iter().take_while(|&&(is_full, load, _)| !is_full && load == 0);
        open.map(|&(.., worker)| worker).chain(able).filter(|worker| !self.is_expecting(*worker))
    }

    fn is_unloaded(&self, worker: WorkerId) -> bool {
        let is_unloaded = |state: &WorkerState| state.load() == 0 && !state.is_full(&self.settings.admission);
        self.workers.get(&worker).is_some_and(is_unloaded)
    }

    /// Whether `worker` has room and what is required.
    pub fn can_take(&self, worker: WorkerId, requirement: Option<&Requirement>) -> bool {
        self.is_able(worker, requirement)
            && self.workers.get(&worker).is_some_and(|state| state.has_room(&self.settings.rebalance))
    }

    /// Whether `worker` has what is required, be there room or not; never one that is kept for a suspect, unless that waits.
    pub fn is_able(&self, worker: WorkerId, requirement: Option<&Requirement>) -> bool {
        self.workers.get(&worker).is_some_and(|state| {
            let fits = |requirement| state.can_take(requirement) && self.may_run(worker, requirement);
            !state.is_kept() && requirement.is_none_or(fits)
        })
    }

    /// Whether `worker` has room and what is required, be that kept for somebody or not.
    pub fn would_take(&self, worker: WorkerId, requirement: &Requirement) -> bool {
        let has = |state: &WorkerState| state.has_free(requirement) && state.has_room(&self.settings.rebalance);
        self.workers.get(&worker).is_some_and(has) && self.could_take(worker, Some(requirement))
    }

    /// The workers that could meet `requirement` if they had nothing else to do.
    fn able<'a>(&'a self, requirement: &'a Requirement) -> impl Iterator<Item = WorkerId> + 'a {
        let named = requirement.workers.iter().filter_map(|name| self.derived.by_name.get(name.as_str())).flatten();
        let is_named = !requirement.workers.is_empty() && self.restricts(requirement);
        let rarest = requirement.resources.keys().map(|name| self.derived.by_resource.get(name));
        let rarest = rarest.min_by_key(|workers| workers.map_or(0, BTreeSet::len)).flatten();
        let of_resource = rarest.into_iter().flatten().filter(move |_| !is_named);
        let is_any = !is_named && requirement.resources.is_empty();
        let any = self.workers.keys().filter(move |_| is_any);
        let found = named.filter(move |_| is_named).chain(of_resource).chain(any);
        found.copied().filter(|worker| requirement.fits(&self.workers[worker].offer().resources))
    }

    /// Whether another worker that is given work could meet `requirement`.
    pub fn has_another(&self, worker: WorkerId, requirement: Option<&Requirement>) -> bool {
        let works = |other: WorkerId| other != worker && self.workers[&other].slots() > 0;
        match requirement {
            Some(requirement) => self.able(requirement).any(works),
            None => self.workers.keys().copied().any(works),
        }
    }

    /// Whether at most one worker could meet `requirement`.
    pub fn is_only_one(&self, requirement: &Requirement) -> bool {
        let need = self.needs.find(requirement);
        match need.filter(|&need| self.needs.is_watched(need)).and_then(|need| self.needs.able(need)) {
            Some(able) => able < 2,
            None => self.able(requirement).take(2).count() < 2,
        }
    }

    /// Whether only the named workers will do: they are all that is allowed, or one of them is there.
    pub(super) fn restricts(&self, requirement: &Requirement) -> bool {
        !requirement.allow_others
            || requirement.workers.iter().any(|name| self.derived.by_name.contains_key(name.as_str()))
    }

    fn may_run(&self, worker: WorkerId, requirement: &Requirement) -> bool {
        let name = &self.workers[&worker].offer().name;
        requirement.workers.is_empty()
            || requirement.workers.iter().any(|other| **other == **name)
            || !self.restricts(requirement)
    }

    /// The least loaded worker that has room and what is required, to be kept for suspects, of those that `will_do`.
    pub fn next_to_keep(
        &self,
        requirement: Option<&Requirement>,
        will_do: impl Fn(WorkerId) -> bool,
    ) -> Option<WorkerId> {
        let open = self.open(requirement).places();
        let beside = |is_full| open.range((is_full, 0, WorkerId(0))..).take_while(move |place| place.0 == is_full);
        let may_be_kept =
            |&worker: &WorkerId| self.workers.get(&worker).is_some_and(WorkerState::may_be_kept) && will_do(worker);
        let first = |is_full| beside(is_full).take(ROOMY_LOOKED_AT).find(|(.., worker)| may_be_kept(worker));
        let found = first(false).into_iter().chain(first(true)).min_by_key(|(_, load, worker)| (load, worker));
        found.map(|&(.., worker)| worker)
    }
}
