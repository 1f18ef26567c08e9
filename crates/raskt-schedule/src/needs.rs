//! What tasks of all runs require, each told once, and which workers could take it now.
//!
//! Many runs ask for the same: a GPU, or a worker by name. Each different requirement has a number ([`Need`]) as long as a run has
//! it, and a set of the workers that meet it and have room, in order of their load. So nobody who asks for what is taken is
//! looked at before it isn't any more.

use crate::requirement::Requirement;
use crate::{Offer, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of a requirement; the first is that of none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Need(u32);

impl Need {
    pub const NONE: Self = Self(0);
    /// That of memory, which no worker is asked for by number.
    pub const MEMORY: Self = Self(u32::MAX);
    const LAST: Self = Self(u32::MAX - 1);

    /// The number after this one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// How a worker with room stands among others: those without memory for producers come last, then by load.
pub(crate) type Place = (bool, u64, WorkerId);

/// Workers that meet a requirement, and where they stand; nothing if anybody does.
pub(crate) type Able = Option<Vec<(WorkerId, Option<Place>)>>;

/// All that is required of workers.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    numbers: BTreeMap<Arc<Requirement>, Need>,
    entries: BTreeMap<Need, Entry>,
    last: u32,
    /// Those that a worker may come to meet, by what it offers.
    by_name: BTreeSet<(Arc<str>, Need)>,
    by_resource: BTreeSet<(Arc<str>, Need)>,
    /// Those that each worker meets.
    of_worker: BTreeMap<WorkerId, BTreeSet<Need>>,
    /// Those of which it has changed whether somebody has room, and whether there is somebody.
    pub room_changed: BTreeSet<Need>,
    pub met_changed: BTreeSet<Need>,
}

#[derive(Debug)]
struct Entry {
    requirement: Arc<Requirement>,
    /// Classes of runs that have it.
    users: u64,
    /// Anybody meets it, since none of those that it names is there.
    is_any: bool,
    /// Workers that could meet it if they had nothing else, and where those stand that can now.
    able: BTreeMap<WorkerId, Option<Place>>,
    open: BTreeSet<Place>,
}

impl Needs {
    /// The number of `requirement`, which one more class of a run has. If it is new the workers that meet it are `able`.
    pub fn add(&mut self, requirement: &Arc<Requirement>, able: impl FnOnce() -> Able) -> Need {
        if let Some(&need) = self.numbers.get(requirement) {
            self.entries.entry(need).and_modify(|entry| entry.users += 1);
            return need;
        }
        self.last += 1;
        let need = Need(self.last);
        self.numbers.insert(requirement.clone(), need);
        for name in &requirement.workers {
            self.by_name.insert((name.as_str().into(), need));
        }
        for name in requirement.resources.keys() {
            self.by_resource.insert((name.clone(), need));
        }
        let (requirement, able) = (requirement.clone(), able());
        let (workers, open) = (BTreeMap::new(), BTreeSet::new());
        self.entries.insert(need, Entry { requirement, users: 1, is_any: false, able: workers, open });
        self.met_changed.insert(need);
        self.replace(need, able);
        need
    }

    /// A class of a run that had it is gone; whether it was the last.
    pub fn remove(&mut self, need: Need) -> bool {
        let Some(entry) = self.entries.get_mut(&need) else { return false };
        entry.users -= 1;
        if entry.users > 0 {
            return false;
        }
        self.replace(need, Some(vec![]));
        let Some(Entry { requirement, .. }) = self.entries.remove(&need) else { return false };
        self.numbers.remove(&requirement);
        for name in &requirement.workers {
            self.by_name.remove(&(name.as_str().into(), need));
        }
        for name in requirement.resources.keys() {
            self.by_resource.remove(&(name.clone(), need));
        }
        self.room_changed.remove(&need);
        self.met_changed.remove(&need);
        true
    }

    pub fn requirement(&self, need: Need) -> Option<&Arc<Requirement>> {
        self.entries.get(&need).map(|entry| &entry.requirement)
    }

    pub fn find(&self, requirement: &Requirement) -> Option<Need> {
        self.numbers.get(requirement).copied()
    }

    /// Workers that meet `need` and have room; nothing if anybody meets it.
    pub fn open(&self, need: Need) -> Option<&BTreeSet<Place>> {
        self.entries.get(&need).filter(|entry| !entry.is_any).map(|entry| &entry.open)
    }

    /// Whether anybody meets it, as he meets what requires nothing.
    pub fn is_any(&self, need: Need) -> bool {
        self.entries.get(&need).is_none_or(|entry| entry.is_any)
    }

    /// Whether some worker that is there could meet it.
    pub fn is_met(&self, need: Need) -> bool {
        self.entries.get(&need).is_none_or(|entry| entry.is_any || !entry.able.is_empty())
    }

    /// Those that a worker with this offer may meet, or that depend on whether it is there.
    pub fn concerned(&self, offer: &Offer) -> BTreeSet<Need> {
        let of = |list: &BTreeSet<(Arc<str>, Need)>, name: &Arc<str>| {
            let range = (name.clone(), Need::NONE)..=(name.clone(), Need::LAST);
            list.range(range).map(|&(_, need)| need).collect::<Vec<_>>()
        };
        let resources = offer.resources.keys().flat_map(|name| of(&self.by_resource, name));
        of(&self.by_name, &offer.name).into_iter().chain(resources).collect()
    }

    /// Whether `worker` could meet it if it had nothing else; nobody is said to that anybody meets.
    pub fn is_able(&self, need: Need, worker: WorkerId) -> bool {
        self.entries.get(&need).is_some_and(|entry| entry.able.contains_key(&worker))
    }

    /// Workers that could meet it, those after `worker` first.
    pub fn able_from(&self, need: Need, worker: WorkerId) -> impl Iterator<Item = WorkerId> {
        use std::ops::Bound::{Excluded, Unbounded};
        let able = self.entries.get(&need).map(|entry| &entry.able);
        let later = able.into_iter().flat_map(move |able| able.range((Excluded(worker), Unbounded)));
        let earlier = able.into_iter().flat_map(move |able| able.range(..=worker));
        later.chain(earlier).map(|(&worker, _)| worker)
    }

    /// Those that `worker` meets.
    pub fn met_by(&self, worker: WorkerId) -> Vec<Need> {
        self.of_worker.get(&worker).into_iter().flatten().copied().collect()
    }

    /// Where `worker`, which meets `need`, stands now; nowhere if it can't take it, and nothing if it doesn't meet it any more.
    pub fn set(&mut self, need: Need, worker: WorkerId, place: Option<Option<Place>>) {
        let Some(entry) = self.entries.get_mut(&need) else { return };
        let (had_room, was_met) = (!entry.open.is_empty(), !entry.able.is_empty());
        let before = match place {
            Some(place) => entry.able.insert(worker, place),
            None => entry.able.remove(&worker),
        };
        before.flatten().into_iter().for_each(|before| _ = entry.open.remove(&before));
        entry.open.extend(place.flatten());
        if had_room == entry.open.is_empty() {
            self.room_changed.insert(need);
        }
        if was_met == entry.able.is_empty() {
            self.met_changed.insert(need);
        }
        let met = self.of_worker.entry(worker).or_default();
        _ = if place.is_some() { met.insert(need) } else { met.remove(&need) };
        if met.is_empty() {
            self.of_worker.remove(&worker);
        }
    }

    /// `worker` has changed: where it stands now is said by `place`.
    pub fn update(&mut self, worker: WorkerId, place: impl Fn(&Requirement) -> Option<Place>) {
        for need in self.of_worker.get(&worker).into_iter().flatten() {
            let Some(entry) = self.entries.get_mut(need) else { continue };
            let (Some(known), now) = (entry.able.get_mut(&worker), place(&entry.requirement)) else { continue };
            if *known == now {
                continue;
            }
            let had_room = !entry.open.is_empty();
            std::mem::replace(known, now).into_iter().for_each(|before| _ = entry.open.remove(&before));
            entry.open.extend(now);
            if had_room == entry.open.is_empty() {
                self.room_changed.insert(*need);
            }
        }
    }

    /// The workers that meet `need` are these from now on.
    pub fn replace(&mut self, need: Need, able: Able) {
        let Some(entry) = self.entries.get_mut(&need) else { return };
        if std::mem::replace(&mut entry.is_any, able.is_none()) != able.is_none() {
            self.room_changed.insert(need);
            self.met_changed.insert(need);
        }
        let able = able.unwrap_or_default();
        for worker in entry.able.keys().copied().collect::<Vec<_>>() {
            if !able.iter().any(|(other, _)| *other == worker) {
                self.set(need, worker, None);
            }
        }
        able.into_iter().for_each(|(worker, place)| self.set(need, worker, Some(place)));
    }

    /// Asserts that the workers that meet each are those that `able` gives.
    pub fn validate(&self, able: impl Fn(&Requirement) -> Able) {
        let mut of_worker = BTreeMap::<_, BTreeSet<Need>>::new();
        for (&need, entry) in &self.entries {
            let expected = able(&entry.requirement);
            assert_eq!(entry.is_any, expected.is_none(), "whether anybody meets {:?}", entry.requirement);
            let expected: BTreeMap<_, _> = expected.unwrap_or_default().into_iter().collect();
            assert_eq!(entry.able, expected, "workers that meet {:?}", entry.requirement);
            let open = entry.able.values().flatten().copied();
            assert!(entry.open.iter().copied().eq(open.collect::<BTreeSet<_>>()), "workers with room for it");
            entry.able.keys().for_each(|&worker| _ = of_worker.entry(worker).or_default().insert(need));
            assert_eq!(self.numbers.get(&entry.requirement), Some(&need), "the number of {:?}", entry.requirement);
        }
        assert_eq!(self.of_worker, of_worker, "what each worker meets");
        assert_eq!(self.numbers.len(), self.entries.len(), "requirements that somebody has");
    }
}
