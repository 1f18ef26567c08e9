//! What tests of the state and of the whole store have in common.

use crate::file::{ReadError, SpillFile};
use crate::folder::Folder;
use crate::request::{Answer, Reply, Request};
use crate::slot::{ResultInfo, SlotId};
use crate::state::{Job, State, Written};
use crate::*;
use raskt_graph::{Graph, LayerId, TaskId};
use raskt_sync::{Condvar, Mutex};
use raskt_value::{Buffer, Chunk, Codec, Encoded, ErrorKind, Foreign, TaskError, Unwritten, Value};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

mod arriving;
mod breaking;
mod broken_disk;
mod crowded;
mod helping;
mod leaving;
mod leaving_together;
mod limited;
mod looking;
mod moving;
mod retrying;
mod same;
mod sharing;
mod staying;
mod unpromised;
mod unread;
mod world;

const UNIT: u64 = 1 << 10;

/// A block of `units` KiB that holds `number`.
fn block(number: u64, units: u64) -> Value {
    let count = (units * UNIT / 8) as usize;
    Chunk::from_vec(vec![number; count], &[count]).unwrap().into()
}

/// A block over some elements of another one.
fn part_of(value: &Value, start: usize, length: usize) -> Value {
    let chunk = value.as_chunk().unwrap();
    let (shape, strides) = ([length].into_iter().collect(), chunk.strides().into());
    Chunk::from_parts(chunk.dtype(), shape, strides, chunk.offset() + start, chunk.buffer().clone()).unwrap().into()
}

fn number(value: &Value) -> u64 {
    value.as_chunk().unwrap().as_slice::<u64>().unwrap()[0]
}

fn facts(turn: Option<u32>) -> ResultInfo {
    ResultInfo { label: "test".into(), group: 1, turn, recompute_nanoseconds: None, family: 0 }
}

/// What is known of a result that is computed again in no time.
fn cheap(group: u64) -> ResultInfo {
    ResultInfo { recompute_nanoseconds: Some(1), group, ..facts(None) }
}

fn of_group(group: u64) -> ResultInfo {
    ResultInfo { group, ..facts(None) }
}

/// Somebody asks for so much.
fn ask(state: &mut State, ticket: u64, units: u64) -> Answer {
    // Who asks for nothing makes something of which nobody knows how large it will be.
    let outputs = if units == 0 { Outputs::of(0, 1) } else { Outputs::default() };
    state.ask(Request { holder: holder(ticket), bytes: units * UNIT, inputs: vec![], small: 0, fetched: 0, outputs })
}

fn no_lineage() -> Lineage {
    Lineage::of_run(&Arc::new(Graph::default()), TaskId::new(LayerId(0), 0))
}

fn holder(ticket: u64) -> Holder {
    Holder { asker: 0, ticket }
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

fn object(value: &Value) -> Arc<dyn Foreign> {
    match value {
        Value::Foreign(object) => object.clone(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn wait_until(is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "it never comes to that");
        std::thread::sleep(Duration::from_millis(5));
    }
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
        state.ask(Request {
            holder: holder(ticket),
            bytes: UNIT,
            inputs: vec![],
            small: 0,
            fetched: 0,
            outputs: Outputs::default(),
        });
        state.give_back(holder(ticket));
        state.replies.clear();
    }
    (state.counts.looked_at - before) / count
}
