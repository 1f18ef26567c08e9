//! The state under random work, with jobs that end in any order and files that fail; and the whole store with its threads.

use crate::file::SpillFile;
use crate::folder::Folder;
use crate::request::{Answer, Reply, Request};
use crate::slot::{ResultInfo, SlotId};
use crate::state::{Job, State, Written};
use crate::*;
use proptest::prelude::*;
use raskt_graph::{Graph, LayerId, TaskId};
use raskt_sync::{Condvar, Mutex};
use raskt_value::{Buffer, Chunk, Codec, Encoded, ErrorKind, Foreign, TaskError, Unwritten, Value};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

mod helping;
mod leaving;
mod retrying;
mod same;
mod unpromised;

const UNIT: u64 = 1 << 10;

/// A block of `units` KiB that holds `number`.
fn block(number: u64, units: u64) -> Value {
    let count = (units * UNIT / 8) as usize;
    Chunk::from_vec(vec![number; count], &[count]).unwrap().into()
}

fn number(value: &Value) -> u64 {
    value.as_chunk().unwrap().as_slice::<u64>().unwrap()[0]
}

fn facts(turn: Option<u32>) -> ResultInfo {
    ResultInfo { label: "test".into(), group: 1, turn, recompute_nanoseconds: None }
}

fn no_lineage() -> Lineage {
    Lineage::of_run(&Arc::new(Graph::default()), TaskId::new(LayerId(0), 0))
}

fn holder(ticket: u64) -> Holder {
    Holder { asker: 0, ticket }
}

/// The state with everything around it played by hand.
struct World {
    state: State,
    folder: Arc<Folder>,
    _place: tempfile::TempDir,
    results: BTreeMap<SlotId, u64>,
    /// Tickets that were promised memory and haven't ended, with the results that they have pinned.
    running: BTreeMap<u64, Vec<SlotId>>,
    waiting: BTreeMap<u64, Vec<SlotId>>,
    loading: Vec<u64>,
    next: u64,
}

impl World {
    fn new(limit: u64) -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::create(place.path()).unwrap());
        let (results, running, waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let state = State::new(limit);
        Self { state, folder, _place: place, results, running, waiting, loading: vec![], next: 0 }
    }

    fn keep(&mut self, units: u64, turn: Option<u32>) {
        self.next += 1;
        let id = self.state.keep(block(self.next, units), facts(turn), holder(0));
        self.results.insert(id, self.next);
    }

    fn ask(&mut self, units: u64, picks: &[usize]) {
        self.next += 1;
        let mut inputs: Vec<SlotId> =
            picks.iter().filter_map(|at| self.results.keys().nth(at % self.results.len().max(1)).copied()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        // Their sizes don't matter to the outcome as long as they are the same for all.
        let sized = inputs.iter().map(|&id| (id, UNIT)).collect();
        let ticket = self.next;
        match self.state.ask(Request { holder: holder(ticket), bytes: units * UNIT, inputs: sized }) {
            Answer::Promised { is_loading } => self.promised(ticket, inputs, is_loading),
            Answer::Pending => _ = self.waiting.insert(ticket, inputs),
        }
    }

    fn promised(&mut self, ticket: u64, inputs: Vec<SlotId>, is_loading: bool) {
        if is_loading {
            self.loading.push(ticket);
        }
        self.running.insert(ticket, inputs);
    }

    fn end(&mut self, at: usize) {
        let able: Vec<u64> = self.running.keys().copied().filter(|ticket| !self.loading.contains(ticket)).collect();
        let Some(&ticket) = able.get(at % able.len().max(1)) else { return };
        let inputs = self.running.remove(&ticket).unwrap();
        for &id in &inputs {
            if let Some(value) = self.state.value(id) {
                assert_eq!(number(&value), self.results[&id], "a result is what it was");
            } else {
                // Computed again, it may be larger.
                let value = block(self.results[&id], 1 + id.0 % 2);
                self.state.restore(id, value, Some(holder(ticket)));
            }
        }
        inputs.into_iter().for_each(|id| self.state.unpin(id));
        self.state.give_back(holder(ticket));
    }

    fn remove(&mut self, at: usize) {
        let pinned = |id: &SlotId| self.running.values().chain(self.waiting.values()).any(|inputs| inputs.contains(id));
        let free: Vec<SlotId> = self.results.keys().copied().filter(|id| !pinned(id)).collect();
        if let Some(id) = free.get(at % free.len().max(1)) {
            self.state.remove(*id);
            self.results.remove(id);
        }
    }

    fn job(&mut self, fails: bool) {
        match self.state.jobs.pop_front() {
            Some(Job::Write { id, value, codec, known, bytes, .. }) => {
                assert!(known.is_none(), "blocks never change");
                let written = SpillFile::write(&self.folder, codec.encode(&value).unwrap()).unwrap();
                drop(value);
                let failures = [Written::Trouble("full".into()), Written::Shared, Written::Never];
                let failure = failures.into_iter().nth(id.0 as usize % 3).filter(|_| fails);
                self.state.wrote(id, bytes, failure.unwrap_or_else(|| Written::To(Arc::new(written))));
            }
            Some(Job::Read { id, file, .. }) => {
                let value = file.value().unwrap();
                self.state.read(id, (!fails).then_some(value));
            }
            Some(Job::Sweep { .. }) | None => {}
        }
    }

    /// Something panics while what follows from the results is being changed.
    fn break_down(&mut self, at: usize) {
        self.state.confuse(at);
        self.state.put_right();
        // Pins are forgotten. Engines hear of it, and let go of what they asked for.
        self.waiting.clear();
        self.loading.clear();
        self.running.values_mut().for_each(Vec::clear);
    }

    fn hear(&mut self) {
        for (holder, reply) in std::mem::take(&mut self.state.replies) {
            match reply {
                Reply::Promised { is_loading } => {
                    let inputs = self.waiting.remove(&holder.ticket).expect("only what waits is answered");
                    self.promised(holder.ticket, inputs, is_loading);
                }
                Reply::Loaded => self.loading.retain(|ticket| *ticket != holder.ticket),
                Reply::Exhausted(_) => {
                    let inputs = self.waiting.remove(&holder.ticket).expect("only what waits is answered");
                    inputs.into_iter().for_each(|id| self.state.unpin(id));
                }
            }
        }
        self.state.garbage.clear();
        self.state.validate();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_answered_and_nothing_is_miscounted(
        limit in 2..12_u64,
        steps in prop::collection::vec((0..10_u8, any::<usize>(), prop::collection::vec(any::<usize>(), 0..3)), 0..80),
    ) {
        let mut world = World::new(limit * UNIT);
        for (kind, number, picks) in steps {
            match kind {
                0..=2 => world.keep(1, number.is_multiple_of(2).then_some(number as u32 % 10)),
                3..=5 => world.ask(number as u64 % 3, &picks),
                6 => world.end(number),
                7 => world.remove(number),
                _ => world.job(number % 8 == 0),
            }
            world.hear();
        }
        // Faults stop: each request must come to its end.
        world.state.retry_stuck();
        for _ in 0..10_000 {
            world.hear();
            if !world.state.jobs.is_empty() {
                world.job(false);
            } else if !world.running.is_empty() {
                world.end(0);
            } else if world.waiting.is_empty() {
                break;
            }
        }
        prop_assert!(world.waiting.is_empty() && world.running.is_empty());
        prop_assert_eq!(world.state.broker.promised(), 0);
    }

    #[test]
    fn a_state_that_was_put_right_has_every_result_and_goes_on(
        limit in 2..12_u64,
        steps in prop::collection::vec((0..11_u8, any::<usize>(), prop::collection::vec(any::<usize>(), 0..3)), 0..80),
    ) {
        let mut world = World::new(limit * UNIT);
        for (kind, number, picks) in steps {
            match kind {
                0..=2 => world.keep(1, number.is_multiple_of(2).then_some(number as u32 % 10)),
                3..=5 => world.ask(number as u64 % 3, &picks),
                6 => world.end(number),
                7 => world.remove(number),
                8 => world.break_down(number),
                _ => world.job(number % 8 == 0),
            }
            world.hear();
        }
        for _ in 0..10_000 {
            world.hear();
            if !world.state.jobs.is_empty() {
                world.job(false);
            } else if !world.running.is_empty() {
                world.end(0);
            } else if world.waiting.is_empty() {
                break;
            }
        }
        prop_assert!(world.waiting.is_empty() && world.running.is_empty());
        prop_assert_eq!(world.state.broker.promised(), 0);
    }

    #[test]
    fn promises_stay_within_the_limit_but_for_one(
        sizes in prop::collection::vec(1..6_u64, 1..40),
    ) {
        // Tasks that make a result each, one after the other, every one of them kept.
        let limit = 8 * UNIT;
        let mut world = World::new(limit);
        for (at, units) in sizes.iter().enumerate() {
            world.ask(*units, &[]);
            while !world.state.jobs.is_empty() {
                world.job(false);
                world.hear();
            }
            world.hear();
            prop_assert!(world.waiting.is_empty());
            prop_assert!(world.state.broker.held() + world.state.broker.promised() <= limit);
            world.end(0);
            for _ in 0..*units {
                world.keep(1, Some(at as u32));
            }
            world.hear();
        }
    }
}

/// Hears what the store says.
#[derive(Default)]
struct Ear {
    heard: Mutex<Vec<(u64, Reply)>>,
    broke: Mutex<Vec<String>>,
    changed: Condvar,
}

impl Asker for Ear {
    fn answered(&self, replies: Vec<(u64, Reply)>) {
        self.heard.lock().extend(replies);
        self.changed.notify_all();
    }

    fn store_broke(&self, broken: &Broken) {
        self.broke.lock().push(broken.to_string());
        self.changed.notify_all();
    }
}

impl Ear {
    fn wait_for(&self, ticket: u64) -> Reply {
        let mut heard = self.heard.lock();
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(at) = heard.iter().position(|(to, _)| *to == ticket) {
                return heard.remove(at).1;
            }
            let is_late;
            (heard, is_late) = self.changed.wait_until(heard, deadline);
            assert!(!is_late, "no reply came");
        }
    }
}

fn store(memory: u64) -> (Store, Arc<Ear>, u32, tempfile::TempDir) {
    let place = tempfile::tempdir().unwrap();
    let store = Store::new(Limits { memory, disk: u64::MAX, spill_path: Some(place.path().into()) });
    let ear = Arc::new(Ear::default());
    let weak: Weak<Ear> = Arc::downgrade(&ear);
    let number = store.enlist(weak);
    (store, ear, number, place)
}

fn fill(store: &Store, count: u64) -> Vec<Arc<StoredRef>> {
    (0..count).map(|at| store.keep(block(at, 100), no_lineage(), facts(None), holder(u64::MAX)).unwrap()).collect()
}

#[test]
fn what_was_spilled_comes_back_and_isnt_written_twice() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    for ticket in 0..6 {
        let holder = Holder { asker, ticket };
        let (answer, pins) = store.ask(holder, 300 * UNIT, &[]).unwrap();
        if answer == Answer::Pending {
            assert!(matches!(ear.wait_for(ticket), Reply::Promised { is_loading: false }));
        }
        drop(pins);
        store.give_back(holder);
        for (at, kept) in kept.iter().enumerate() {
            assert_eq!(number(&kept.fetch().unwrap()), at as u64);
        }
        store.validate();
    }
    let report = store.report().unwrap();
    assert!((1..=4).contains(&report.files_written), "{report:?}");
    drop((kept, store, ear));
    let deadline = Instant::now() + Duration::from_secs(20);
    while std::fs::read_dir(place.path()).unwrap().count() > 0 {
        assert!(Instant::now() < deadline, "files are left behind");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn inputs_are_read_before_a_request_is_done_waiting() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    let holder = |ticket| Holder { asker, ticket };
    assert_eq!(store.ask(holder(0), 400 * UNIT, &[]).unwrap().0, Answer::Pending);
    ear.wait_for(0);
    store.give_back(holder(0));
    let mut inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let (answer, pins) = store.ask(holder(1), 0, &inputs).unwrap();
    assert_eq!(answer, Answer::Promised { is_loading: true });
    assert!(matches!(ear.wait_for(1), Reply::Loaded));
    assert!(pins.put_in(&mut inputs));
    assert_eq!(inputs.iter().map(number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(
        (store.report().unwrap().held, store.report().unwrap().promised),
        (400 * UNIT, 0),
        "what came was promised before"
    );
}

#[test]
fn a_full_disk_lets_one_request_go_beyond_and_then_says_who_holds_what() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let holder = |ticket| Holder { asker, ticket };
    // A file stands where the folder should be made.
    let path = place.path().join("file");
    std::fs::write(&path, "").unwrap();
    store.set_limits(Limits { memory: 400 * UNIT, disk: u64::MAX, spill_path: Some(path) });
    let mut kept = fill(&store, 4);
    store.ask(holder(0), 100 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(0), Reply::Promised { .. }), "results alone are within the limit");
    kept.extend(fill(&store, 9));
    store.give_back(holder(0));
    store.ask(holder(1), 100 * UNIT, &[]).unwrap();
    let Reply::Exhausted(report) = ear.wait_for(1) else { panic!("there is no memory") };
    let text = report.to_string();
    assert!(text.contains("1.3 MiB in memory") && text.contains("test (13 results)"), "{text}");
    assert!(report.disk_trouble.as_ref().unwrap().contains("no folder for spill files"), "{text}");
    let inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let (answer, pins) = store.ask(holder(2), 100 * UNIT, &inputs).unwrap();
    assert!(answer != Answer::Pending || matches!(ear.wait_for(2), Reply::Promised { .. }), "what frees more may run");
    drop(pins);
    store.give_back(holder(2));
    store.set_limits(Limits { memory: 400 * UNIT, disk: u64::MAX, spill_path: Some(place.path().into()) });
    store.ask(holder(3), 100 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(3), Reply::Promised { .. }), "another place is tried at once");
    assert!(store.report().unwrap().files_written > 0);
}

#[test]
fn a_store_that_breaks_tells_engines_and_goes_on_with_the_results_that_it_has() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    let holder = |ticket| Holder { asker, ticket };
    // Some results are on disk, some are being written, and a request waits.
    store.ask(holder(0), 300 * UNIT, &[]).unwrap();
    ear.wait_for(0);
    let inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let waiting = store.ask(holder(1), 300 * UNIT, &inputs).unwrap();
    store.break_down("asked to");
    let deadline = Instant::now() + Duration::from_secs(20);
    while ear.broke.lock().is_empty() {
        assert!(Instant::now() < deadline, "nobody is told");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(ear.broke.lock()[0].contains("asked to"));
    // As an engine does that hears of it.
    drop(waiting);
    (0..2).for_each(|ticket| store.give_back(holder(ticket)));
    for (at, kept) in kept.iter().enumerate() {
        assert_eq!(number(&kept.fetch().unwrap()), at as u64);
    }
    store.validate();
    assert_eq!(store.report().unwrap().promised, 0);
    let (answer, pins) = store.ask(holder(2), 300 * UNIT, &inputs[..1]).unwrap();
    if let Answer::Pending = answer {
        assert!(matches!(ear.wait_for(2), Reply::Promised { .. }));
    }
    drop(pins);
    store.give_back(holder(2));
    drop((inputs, kept));
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.report().unwrap().spilled > 0 {
        assert!(Instant::now() < deadline, "files are left behind");
        std::thread::sleep(Duration::from_millis(1));
    }
    store.validate();
    assert!(store.is_empty());
}

#[test]
fn the_disk_limit_is_kept() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let spill_path = Some(place.path().into());
    store.set_limits(Limits { memory: 400 * UNIT, disk: 250 * UNIT, spill_path });
    let kept = fill(&store, 4);
    let holder = Holder { asker, ticket: 0 };
    store.ask(holder, 400 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(0), Reply::Promised { .. }), "nothing else runs");
    let report = store.report().unwrap();
    assert_eq!((report.files_written, report.held), (2, 200 * UNIT));
    assert!(report.spilled <= 250 * UNIT);
    drop(kept);
}

#[test]
fn a_request_that_waits_while_nothing_moves_goes_beyond_the_limit_once() {
    let (store, ear, asker, _place) = store(100 * UNIT);
    let holder = |ticket| Holder { asker, ticket };
    assert!(matches!(store.ask(holder(0), 100 * UNIT, &[]).unwrap().0, Answer::Promised { .. }));
    store.ask(holder(1), 50 * UNIT, &[]).unwrap();
    store.ask(holder(2), 50 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(1), Reply::Promised { .. }), "ticket 0 may wait for what 1 does");
    std::thread::sleep(Duration::from_millis(400));
    assert!(ear.heard.lock().is_empty(), "one at a time");
    store.lend(true);
    assert!(matches!(ear.wait_for(2), Reply::Promised { .. }), "a task that waits for tasks must not stop them");
}

/// A number that can't be written without a panic.
const PANICS: u64 = 13;

/// A number that somebody may change, and that may be in use.
struct Mutable {
    number: AtomicU64,
    is_in_use: AtomicBool,
    fails: bool,
}

impl Mutable {
    fn value(number: u64, fails: bool) -> Value {
        let (number, is_in_use) = (AtomicU64::new(number), AtomicBool::new(false));
        Value::Foreign(Arc::new(Self { number, is_in_use, fails }))
    }

    fn of(value: &Value) -> &Self {
        let Value::Foreign(object) = value else { panic!("another kind of value came") };
        object.as_any().downcast_ref().unwrap()
    }
}

impl Foreign for Mutable {
    fn bytes(&self) -> usize {
        100 * UNIT as usize
    }

    fn type_name(&self) -> &str {
        "mutable"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(MutableCodec))
    }
}

struct MutableCodec;

impl Codec for MutableCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let Mutable { number, is_in_use, fails } = Mutable::of(value);
        assert!(number.load(Ordering::Relaxed) != PANICS, "asked to");
        if *fails {
            return Err(TaskError::new(ErrorKind::Foreign, "it can't be written").into());
        }
        if is_in_use.load(Ordering::Relaxed) {
            return Err(Unwritten::Shared);
        }
        let decoder = |bytes: Buffer| {
            // SAFETY: eight bytes were written, and any of them are a number.
            Ok(Mutable::value(unsafe { *bytes.as_ptr().cast::<u64>() }, false))
        };
        let pieces = vec![Buffer::from_vec(vec![number.load(Ordering::Relaxed)])];
        Ok(Encoded { pieces, decoder: Arc::new(decoder) })
    }

    fn may_change(&self) -> bool {
        true
    }
}

/// Has everything that can leave leave.
fn squeeze(store: &Store, ear: &Ear, asker: u32, ticket: u64) {
    let holder = Holder { asker, ticket };
    let (answer, _) = store.ask(holder, store.report().unwrap().limit, &[]).unwrap();
    assert!(answer != Answer::Pending || matches!(ear.wait_for(ticket), Reply::Promised { .. }));
    store.give_back(holder);
    store.validate();
}

#[test]
fn what_was_changed_since_it_was_written_is_written_anew_and_nothing_else_is() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = store.keep_unasked(Mutable::value(1, false), Lineage::none(), facts(None)).unwrap();
    squeeze(&store, &ear, asker, 0);
    assert_eq!((store.report().unwrap().held, store.report().unwrap().files_written), (0, 1));
    let value = kept.fetch().unwrap();
    assert_eq!(Mutable::of(&value).number.load(Ordering::Relaxed), 1);
    assert!(Arc::ptr_eq(&object(&value), &object(&kept.fetch().unwrap())), "everybody has the same");
    drop(value);
    squeeze(&store, &ear, asker, 1);
    assert_eq!((store.report().unwrap().held, store.report().unwrap().files_written), (0, 1), "it is what it was");
    Mutable::of(&kept.fetch().unwrap()).number.store(2, Ordering::Relaxed);
    squeeze(&store, &ear, asker, 2);
    assert_eq!((store.report().unwrap().held, store.report().unwrap().files_written), (0, 2));
    assert_eq!(Mutable::of(&kept.fetch().unwrap()).number.load(Ordering::Relaxed), 2);
    let spilled = store.report().unwrap().spilled;
    assert!(spilled < 2 * (64 + 8), "the old file is gone: {spilled}");
}

#[test]
fn a_codec_that_panics_leaves_its_result_where_it_is_and_stops_nobody() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let [stays, leaves] = [PANICS, 1]
        .map(|number| store.keep_unasked(Mutable::value(number, false), Lineage::none(), facts(None)).unwrap());
    squeeze(&store, &ear, asker, 0);
    let report = store.report().unwrap();
    assert_eq!((report.held, report.files_written, report.refused), (100 * UNIT, 1, 1));
    for (kept, number) in [(stays, PANICS), (leaves, 1)] {
        assert_eq!(Mutable::of(&kept.fetch().unwrap()).number.load(Ordering::Relaxed), number);
    }
    assert!(ear.broke.lock().is_empty());
}

fn object(value: &Value) -> Arc<dyn Foreign> {
    match value {
        Value::Foreign(object) => object.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_in_use_stays_and_what_cant_be_written_isnt_tried_again() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let used = store.keep_unasked(Mutable::value(1, false), Lineage::none(), facts(None)).unwrap();
    let _bad = store.keep_unasked(Mutable::value(2, true), Lineage::none(), facts(None)).unwrap();
    Mutable::of(&used.fetch().unwrap()).is_in_use.store(true, Ordering::Relaxed);
    squeeze(&store, &ear, asker, 0);
    let report = store.report().unwrap();
    assert_eq!((report.held, report.files_written, report.refused), (200 * UNIT, 0, 1));
    Mutable::of(&used.fetch().unwrap()).is_in_use.store(false, Ordering::Relaxed);
    used.set_turn(None);
    squeeze(&store, &ear, asker, 1);
    let report = store.report().unwrap();
    assert_eq!((report.held, report.files_written, report.refused), (100 * UNIT, 1, 1));
}

#[test]
fn what_nobody_was_promised_memory_for_lets_others_leave() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let kept: Vec<_> = (0..12)
        .map(|at| store.keep_unasked(Mutable::value(at, false), Lineage::none(), facts(None)).unwrap())
        .collect();
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.report().unwrap().held > 400 * UNIT {
        assert!(Instant::now() < deadline, "{}", store.report().unwrap());
        std::thread::sleep(Duration::from_millis(1));
    }
    for (at, kept) in kept.iter().enumerate() {
        assert_eq!(Mutable::of(&kept.fetch().unwrap()).number.load(Ordering::Relaxed), at as u64);
    }
    store.validate();
}

#[test]
fn what_somebody_referred_to_leaves_when_he_no_longer_does_though_nobody_asks_for_memory() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let kept: Vec<_> = (0..12)
        .map(|at| store.keep_unasked(Mutable::value(at, false), Lineage::none(), facts(None)).unwrap())
        .collect();
    let deadline = Instant::now() + Duration::from_secs(20);
    let refer = || kept.iter().map(|kept| kept.fetch().unwrap()).collect::<Vec<_>>();
    let mut referred = refer();
    // More comes while all of it is referred to, and so is met in vain.
    let more: Vec<_> = (12..15)
        .map(|at| store.keep_unasked(Mutable::value(at, false), Lineage::none(), facts(None)).unwrap())
        .collect();
    referred.extend(more.iter().map(|kept| kept.fetch().unwrap()));
    drop(referred);
    while store.report().unwrap().held > 400 * UNIT {
        assert!(Instant::now() < deadline, "{}", store.report().unwrap());
        std::thread::sleep(Duration::from_millis(1));
    }
    store.validate();
}

#[test]
fn a_child_of_a_fork_reads_what_its_parent_keeps() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 8);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Two threads keep the store busy: results go to disk and come back all the time.
        for thread in 0..2 {
            let (store, kept, stop, ear) = (&store, &kept, &stop, &ear);
            scope.spawn(move || {
                for ticket in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let holder = Holder { asker, ticket: 2 * ticket + thread };
                    let inputs = [Value::Stored(kept[ticket as usize % 8].clone())];
                    let (answer, pins) = store.ask(holder, 50 * UNIT, &inputs).unwrap();
                    if answer == Answer::Pending {
                        ear.wait_for(holder.ticket);
                    }
                    drop(pins);
                    store.give_back(holder);
                }
            });
        }
        for _ in 0..50 {
            // SAFETY: the child touches the store and what it has itself, and leaves without any cleaning up.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let right = (0..8).all(|at| kept[at].fetch().is_some_and(|value| number(&value) == at as u64));
                // SAFETY: it ends the child at once.
                unsafe { libc::_exit(i32::from(!right)) };
            }
            assert_eq!(exit_code(child), Some(0));
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// What a child ends with; nothing if it hangs.
fn exit_code(child: i32) -> Option<i32> {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut status = 0;
    // SAFETY: the status is a number of this function.
    while unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == 0 {
        if Instant::now() > deadline {
            // SAFETY: it is a child of this process, which nobody has waited for.
            unsafe { libc::kill(child, libc::SIGKILL) };
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status))
}

/// Has `count` requests come and go, none of which finds memory; gives how many results were looked at for each.
fn looks(state: &mut State, count: u64) -> u64 {
    let before = state.counts.looked_at;
    for ticket in 1..=count {
        state.ask(Request { holder: holder(ticket), bytes: UNIT, inputs: vec![] });
        state.give_back(holder(ticket));
        state.replies.clear();
    }
    (state.counts.looked_at - before) / count
}

#[test]
fn results_that_somebody_refers_to_are_looked_at_once_and_not_whenever_memory_is_short() {
    let mut state = State::new(100_000 * UNIT);
    // All of them refer to one block, and each two are of a run of their own.
    let shared = block(1, 1);
    let ids: Vec<_> = (0..100_000)
        .map(|at| state.keep(shared.clone(), ResultInfo { group: at / 2, ..facts(None) }, holder(0)))
        .collect();
    assert!(looks(&mut state, 1) >= 100_000);
    assert!(looks(&mut state, 1000) <= 4);
    state.validate();
    // One that is used is looked at again, and so is one that nobody else has any more.
    state.set_turn(ids[7], None);
    assert_eq!(looks(&mut state, 1), 2);
    ids[1..].iter().for_each(|id| drop(state.remove(*id)));
    drop(shared);
    state.broker.set_limit(UNIT);
    state.look_at_shared();
    state.ask(Request { holder: holder(5), bytes: UNIT, inputs: vec![] });
    assert_eq!(state.jobs.len(), 1, "it leaves");
}

#[test]
fn results_that_the_disk_has_no_room_for_are_looked_at_once_until_it_has() {
    let mut state = State::new(10_000 * UNIT);
    state.disk.limit = 0;
    (0..10_000).for_each(|at| _ = state.keep(block(at, 1), facts(Some(at as u32)), holder(0)));
    assert!(looks(&mut state, 1) >= 10_000);
    assert!(looks(&mut state, 1000) <= 4);
    state.validate();
    state.disk.limit = 2 * UNIT;
    assert!(looks(&mut state, 1) <= 8);
    assert_eq!(state.jobs.len(), 1, "as many leave as there is room for");
    assert!(looks(&mut state, 1000) <= 4);
    state.validate();
}

#[test]
fn nobody_gets_what_its_readers_may_change_while_it_is_written() {
    let mut state = State::new(400 * UNIT);
    let id = state.keep(Mutable::value(7, false), facts(None), holder(0));
    state.hold_small(400 * UNIT, holder(0));
    state.make_room();
    let Some(Job::Write { value, bytes, .. }) = state.jobs.pop_front() else { panic!("it leaves") };
    assert!(state.is_closed(id));
    let answer = state.ask(Request { holder: holder(1), bytes: 0, inputs: vec![(id, 100 * UNIT)] });
    assert_eq!(answer, Answer::Promised { is_loading: true });
    drop(value);
    state.wrote(id, bytes, Written::Shared);
    assert!(matches!(state.replies[..], [(to, Reply::Loaded)] if to == holder(1)));
    assert_eq!(Mutable::of(&state.value(id).unwrap()).number.load(Ordering::Relaxed), 7);
    state.let_go_small(400 * UNIT);
    state.validate();
    // What nobody can change is had meanwhile.
    let id = state.keep(block(3, 100), facts(None), holder(0));
    state.hold_small(400 * UNIT, holder(0));
    state.make_room();
    assert!(state.jobs.iter().any(|job| matches!(job, Job::Write { id: written, .. } if *written == id)));
    let answer = state.ask(Request { holder: holder(2), bytes: 0, inputs: vec![(id, 100 * UNIT)] });
    assert_eq!(answer, Answer::Promised { is_loading: false });
}
