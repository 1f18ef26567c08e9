//! What tasks of all runs require, each told once, and which workers could take it now.
//!
//! Many runs ask for the same: a GPU, or a worker by name. Each different requirement has a number ([`Need`]) as long as a run has
//! it, and, while somebody in line asks for it, a set of the workers that meet it and have room, in order of their load. So nobody
//! who asks for what is taken is looked at before it isn't any more; and what nobody asks for now costs nothing.

mod met;
mod need;

pub(crate) use met::Standing;
pub(crate) use need::Need;

use crate::requirement::Requirement;
use crate::settings::Settings;
use crate::worker_state::{OpenWorkers, WorkerState};
use crate::{Offer, WorkerId};
use met::Met;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Workers that meet a requirement, and where they stand; nothing if anybody does.
pub(crate) type Able = Option<BTreeMap<WorkerId, Standing>>;

/// Requirements that nobody in line has and that are watched all the same: whoever asks for a GPU once does so again, and to find
/// out who has one takes as long as there are workers. For each of them a change of a worker that can take it costs a step.
const WATCHED_FOR_NOBODY: usize = 8;

/// All that is required of workers.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    numbers: BTreeMap<Arc<Requirement>, Need>,
    entries: BTreeMap<Need, Entry>,
    last: u32,
    /// Those that are watched for nobody, the one for the longest time first.
    unasked: VecDeque<Need>,
    /// Of those that are watched, the ones that a worker may come to meet, by what it offers.
    by_name: BTreeSet<(Arc<str>, Need)>,
    by_resource: BTreeSet<(Arc<str>, Need)>,
    /// Of those that are watched, the ones that each worker meets, and those that anybody does.
    of_worker: BTreeMap<WorkerId, Met>,
    any: BTreeSet<Need>,
    /// Those of which it has changed whether somebody has room, and whether there is somebody.
    pub room_changed: BTreeSet<Need>,
    pub met_changed: BTreeSet<Need>,
    /// Those with suspects that look for a worker for which somebody has room.
    sought: BTreeSet<Need>,
    /// Places of workers that were looked at.
    steps: u64,
}

#[derive(Debug)]
struct Entry {
    requirement: Arc<Requirement>,
    /// Classes of runs that have it.
    users: u64,
    /// Those of them that stand in line or aside, and those with suspects that look for a worker.
    asking: u64,
    /// Of these the latter.
    seeking: u64,
    /// Nothing if it isn't known who meets it, since nobody has asked.
    watch: Option<Watch>,
}

impl Entry {
    /// Whether suspects look for a worker that meets it, and somebody has room.
    fn is_sought_with_room(&self) -> bool {
        self.seeking > 0 && self.watch.as_ref().is_some_and(|watch| watch.is_any || !watch.open.is_empty())
    }
}

/// Who meets a requirement, kept as workers change.
#[derive(Debug)]
struct Watch {
    /// Anybody meets it, since none of those that it names is there.
    is_any: bool,
    /// Those that it names are there, or nobody else is allowed.
    is_restricted: bool,
    /// Workers that could meet it if they had nothing else, and where those stand that can now.
    able: BTreeMap<WorkerId, Standing>,
    open: OpenWorkers,
}

static NOBODY: OpenWorkers = OpenWorkers::NOBODY;

impl Needs {
    /// The number of `requirement`, which one more class of a run has.
    pub fn add(&mut self, requirement: &Arc<Requirement>) -> Need {
        if let Some(&need) = self.numbers.get(requirement) {
            self.entries.entry(need).and_modify(|entry| entry.users += 1);
            return need;
        }
        self.last += 1;
        let need = Need(self.last);
        self.numbers.insert(requirement.clone(), need);
        self.entries
            .insert(need, Entry { requirement: requirement.clone(), users: 1, asking: 0, seeking: 0, watch: None });
        need
    }

    /// A class of a run that had it is gone; whether it was the last.
    pub fn remove(&mut self, need: Need) -> bool {
        let Some(entry) = self.entries.get_mut(&need) else { return false };
        entry.users -= 1;
        let is_last = entry.users == 0;
        if is_last && entry.watch.is_none() {
            self.drop_entry(need);
        }
        is_last
    }

    fn drop_entry(&mut self, need: Need) {
        if let Some(entry) = self.entries.remove(&need) {
            self.numbers.remove(&entry.requirement);
        }
    }

    /// Somebody more asks who meets `need`, which is watched; or one less does.
    pub fn ask(&mut self, need: Need, asks: bool) {
        let Some(entry) = self.entries.get_mut(&need) else { return };
        entry.asking = if asks { entry.asking + 1 } else { entry.asking - 1 };
        if asks && entry.asking == 1 {
            self.unasked.retain(|other| *other != need);
        } else if entry.asking == 0 {
            self.leave_unasked(need);
        }
    }

    /// A class of a run has come to have suspects that look for a worker, or has none any more.
    pub fn seek(&mut self, need: Need, begins: bool) {
        let Some(entry) = self.entries.get_mut(&need) else { return };
        entry.seeking = if begins { entry.seeking + 1 } else { entry.seeking - 1 };
        self.note_sought(need);
    }

    fn note_sought(&mut self, need: Need) {
        let is_sought = self.entries.get(&need).is_some_and(Entry::is_sought_with_room);
        _ = if is_sought { self.sought.insert(need) } else { self.sought.remove(&need) };
    }

    /// The first from `need` on with suspects that look for a worker for which somebody may have room.
    pub fn next_sought(&self, need: Need) -> Option<Need> {
        if need == Need::NONE { Some(need) } else { self.sought.range(need..).next().copied() }
    }

    fn leave_unasked(&mut self, need: Need) {
        self.unasked.push_back(need);
        if self.unasked.len() > WATCHED_FOR_NOBODY
            && let Some(oldest) = self.unasked.pop_front()
        {
            self.end_watch(oldest);
        }
    }

    pub fn is_watched(&self, need: Need) -> bool {
        self.entries.get(&need).is_none_or(|entry| entry.watch.is_some())
    }

    /// Begins to watch `need`, which these workers meet, for nobody yet.
    pub fn watch(&mut self, need: Need, able: Able, is_restricted: bool) {
        let Some(entry) = self.entries.get_mut(&need) else { return };
        for name in &entry.requirement.workers {
            self.by_name.insert((name.as_str().into(), need));
        }
        for name in entry.requirement.resources.keys() {
            self.by_resource.insert((name.clone(), need));
        }
        entry.watch = Some(Watch { is_any: false, is_restricted, able: BTreeMap::new(), open: OpenWorkers::default() });
        self.met_changed.insert(need);
        self.replace(need, able, is_restricted);
        self.leave_unasked(need);
    }

    fn end_watch(&mut self, need: Need) {
        self.replace(need, Some(BTreeMap::new()), false);
        let Some(entry) = self.entries.get_mut(&need) else { return };
        entry.watch = None;
        for name in &entry.requirement.workers {
            self.by_name.remove(&(name.as_str().into(), need));
        }
        for name in entry.requirement.resources.keys() {
            self.by_resource.remove(&(name.clone(), need));
        }
        self.room_changed.remove(&need);
        self.met_changed.remove(&need);
        if entry.users == 0 {
            self.drop_entry(need);
        }
    }

    pub fn requirement(&self, need: Need) -> Option<&Arc<Requirement>> {
        self.entries.get(&need).map(|entry| &entry.requirement)
    }

    pub fn find(&self, requirement: &Requirement) -> Option<Need> {
        self.numbers.get(requirement).copied()
    }

    fn watched(&self, need: Need) -> Option<&Watch> {
        self.entries.get(&need)?.watch.as_ref()
    }

    fn watched_mut(&mut self, need: Need) -> Option<&mut Watch> {
        self.entries.get_mut(&need)?.watch.as_mut()
    }

    /// Workers that meet `need`, which is watched, and have room; nothing if anybody meets it.
    pub fn open(&self, need: Need) -> Option<&OpenWorkers> {
        let entry = self.entries.get(&need)?;
        let watch = entry.watch.as_ref();
        if watch.is_some_and(|watch| watch.is_any) { None } else { Some(watch.map_or(&NOBODY, |watch| &watch.open)) }
    }

    /// Whether anybody meets it, as he meets what requires nothing.
    pub fn is_any(&self, need: Need) -> bool {
        self.entries.get(&need).is_none_or(|entry| entry.watch.as_ref().is_some_and(|watch| watch.is_any))
    }

    /// Whether only those that it names will do, as far as it is watched.
    pub fn is_restricted(&self, need: Need) -> bool {
        self.watched(need).is_some_and(|watch| watch.is_restricted)
    }

    /// Whether some worker that is there could meet it, as far as it is watched.
    pub fn is_met(&self, need: Need) -> bool {
        self.watched(need).is_none_or(|watch| watch.is_any || !watch.able.is_empty())
    }

    /// How many workers could meet it, if it is watched and not everybody does.
    pub fn able(&self, need: Need) -> Option<usize> {
        self.watched(need).filter(|watch| !watch.is_any).map(|watch| watch.able.len())
    }

    /// Those of the watched that a worker with this offer may meet, or that depend on whether it is there.
    pub fn concerned(&self, offer: &Offer) -> BTreeSet<Need> {
        let of = |list: &BTreeSet<(Arc<str>, Need)>, name: &Arc<str>| {
            let range = (name.clone(), Need::NONE)..=(name.clone(), Need::LAST);
            list.range(range).map(|&(_, need)| need).collect::<Vec<_>>()
        };
        let resources = offer.resources.keys().flat_map(|name| of(&self.by_resource, name));
        of(&self.by_name, &offer.name).into_iter().chain(resources).collect()
    }

    /// Whether `worker` could meet it, which is watched, if it had nothing else; nobody is said to that anybody meets.
    pub fn is_able(&self, need: Need, worker: WorkerId) -> bool {
        self.watched(need).is_some_and(|watch| watch.able.contains_key(&worker))
    }

    /// Workers that could meet it, as far as it is watched, those after `worker` first.
    pub fn able_from(&self, need: Need, worker: WorkerId) -> impl Iterator<Item = WorkerId> {
        use std::ops::Bound::{Excluded, Unbounded};
        let able = self.watched(need).map(|watch| &watch.able);
        let later = able.into_iter().flat_map(move |able| able.range((Excluded(worker), Unbounded)));
        let earlier = able.into_iter().flat_map(move |able| able.range(..=worker));
        later.chain(earlier).map(|(&worker, _)| worker)
    }

    /// Those of the watched that `worker` meets.
    pub fn met_by(&self, worker: WorkerId) -> Vec<Need> {
        self.of_worker.get(&worker).into_iter().flat_map(Met::all).collect()
    }

    /// Those of the watched that anybody meets, or that `worker` does and lacks no more for than there is by `has` of what it lacks.
    pub fn met_within(&self, worker: WorkerId, has: impl Fn(&Arc<str>) -> u64) -> impl Iterator<Item = Need> {
        let met = self.of_worker.get(&worker).map(|met| met.within(has));
        self.any.iter().copied().chain(met.into_iter().flatten())
    }

    /// Where `worker`, which meets `need`, stands now; nothing if it doesn't meet it any more.
    pub fn set(&mut self, need: Need, worker: WorkerId, standing: Option<Standing>) {
        self.steps += 1;
        let Some(watch) = self.watched_mut(need) else { return };
        if watch.able.get(&worker) == standing.as_ref() {
            return;
        }
        let (had_room, was_met) = (!watch.open.is_empty(), !watch.able.is_empty());
        let before = match standing.clone() {
            Some(standing) => watch.able.insert(worker, standing),
            None => watch.able.remove(&worker),
        };
        watch.open.change(before.as_ref().and_then(Standing::seat), standing.as_ref().and_then(Standing::seat));
        let (has_room, is_met) = (!watch.open.is_empty(), !watch.able.is_empty());
        // Who asks is woken when it begins or ends that somebody has room, and at no other change.
        if had_room != has_room {
            self.room_changed.insert(need);
            self.note_sought(need);
        }
        if was_met != is_met {
            self.met_changed.insert(need);
        }
        let met = self.of_worker.entry(worker).or_default();
        before.iter().for_each(|before| met.remove(need, before));
        standing.iter().for_each(|standing| met.insert(need, standing));
        if met.is_empty() {
            self.of_worker.remove(&worker);
        }
    }

    /// `worker` has changed, and is as `state` says.
    pub fn update(&mut self, worker: WorkerId, state: &WorkerState, settings: &Settings) {
        let Some(met) = self.of_worker.get(&worker) else { return };
        let moved: SmallVec<[Need; 8]> = met.may_have_moved(state, state.has_room(&settings.rebalance)).collect();
        for need in moved {
            let Some(requirement) = self.requirement(need) else { continue };
            let standing = Standing::of(worker, state, requirement, settings);
            self.set(need, worker, Some(standing));
        }
    }

    /// The workers that meet `need`, which is watched, are these from now on.
    pub fn replace(&mut self, need: Need, able: Able, is_restricted: bool) {
        let Some(watch) = self.watched_mut(need) else { return };
        watch.is_restricted = is_restricted;
        let is_any = able.is_none();
        let has_flipped = std::mem::replace(&mut watch.is_any, is_any) != is_any;
        // If anybody meets it, nobody is listed: whoever comes would have to be put into the set of each requirement.
        let able = able.unwrap_or_default();
        let gone: Vec<_> = watch.able.keys().copied().filter(|worker| !able.contains_key(worker)).collect();
        // From nobody to anybody no set changes, and yet there is room where there was none.
        if has_flipped {
            _ = if is_any { self.any.insert(need) } else { self.any.remove(&need) };
            self.room_changed.insert(need);
            self.met_changed.insert(need);
            self.note_sought(need);
        }
        gone.into_iter().for_each(|worker| self.set(need, worker, None));
        able.into_iter().for_each(|(worker, standing)| self.set(need, worker, Some(standing)));
    }

    /// How many places of workers were looked at so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Asserts that the workers that meet each are those that `able` gives, and that what is asked is watched.
    pub fn validate(&self, able: impl Fn(&Requirement) -> (Able, bool)) {
        let (mut of_worker, mut any) = (BTreeMap::<_, Met>::new(), BTreeSet::new());
        for (&need, Entry { requirement, users, asking, watch, .. }) in &self.entries {
            assert_eq!(self.numbers.get(requirement), Some(&need), "the number of {requirement:?}");
            let Some(watch) = watch else {
                assert!(*users > 0 && *asking == 0, "{requirement:?} is asked for, and not watched");
                continue;
            };
            assert_eq!(*asking == 0, self.unasked.contains(&need), "whether anybody asks for {requirement:?}");
            let (expected, is_restricted) = able(requirement);
            assert_eq!(watch.is_restricted, is_restricted, "whether only those will do that {requirement:?} names");
            assert_eq!(watch.is_any, expected.is_none(), "whether anybody meets {requirement:?}");
            any.extend(Some(need).filter(|_| watch.is_any));
            // What keeps a worker from taking it may be more than is known, and no less.
            let seats = |able: &BTreeMap<WorkerId, Standing>| -> Vec<_> {
                able.iter().map(|(&worker, standing)| (worker, standing.seat())).collect()
            };
            let expected = expected.unwrap_or_default();
            assert_eq!(seats(&watch.able), seats(&expected), "workers that meet {requirement:?}");
            let mut open = OpenWorkers::default();
            watch.able.values().for_each(|standing| open.change(None, standing.seat()));
            assert_eq!(watch.open, open, "workers with room for it");
            for (&worker, standing) in &watch.able {
                of_worker.entry(worker).or_default().insert(need, standing);
            }
        }
        assert_eq!((&self.of_worker, &self.any), (&of_worker, &any), "what each worker meets");
        let sought = self.entries.iter().filter(|(_, entry)| entry.is_sought_with_room()).map(|(need, _)| need);
        assert!(self.sought.iter().eq(sought), "what suspects require for which there is room");
        assert_eq!(self.numbers.len(), self.entries.len(), "requirements that somebody has");
        assert!(self.unasked.len() <= WATCHED_FOR_NOBODY, "too much is watched for nobody");
    }

    /// How many ask for each that somebody asks for.
    pub fn asking(&self) -> impl Iterator<Item = (Need, u64)> {
        self.entries.iter().map(|(&need, entry)| (need, entry.asking)).filter(|(_, asking)| *asking > 0)
    }
}
