//! What outlives a machine is in the next.

use super::world::World;
use crate::coordination::*;
use crate::{RunId, TaskRange};
use proptest::prelude::*;
use raskt_graph::LayerId;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};

/// Sessions that ask at random.
const SESSIONS: u64 = 3;

const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
enum Step {
    Ask(u64, Request),
    /// A session has what it asked for first that is on its way, or doesn't want it.
    Settle(u64, bool),
    Gone(u64),
    Pass(u64),
    /// Nothing can be written, or can again.
    Full(bool),
}

/// What is written down, as a disk has it.
#[derive(Default)]
struct Book {
    entries: BTreeMap<Entry, Value>,
    changes: usize,
    is_full: bool,
}

impl Book {
    fn set(&mut self, (entry, value): (Entry, Option<Value>)) {
        match value {
            Some(value) => _ = self.entries.insert(entry, value),
            None => _ = self.entries.remove(&entry),
        }
    }
}

impl Keeper for Book {
    fn write(&mut self, change: Change) -> Result<(), String> {
        if self.is_full {
            return Err("the disk is full".into());
        }
        self.changes += 1;
        change.into_iter().for_each(|entry| self.set(entry));
        Ok(())
    }

    fn end(&mut self, gone: Vec<Entry>) {
        gone.into_iter().for_each(|entry| self.set((entry, None)));
    }
}

/// A machine whose changes are written down.
fn kept() -> World {
    let mut world = World::new();
    world.machine.keep_by(Box::new(Book::default()));
    world
}

/// Looks at what its book has.
fn look<T>(world: &mut World, look: impl FnOnce(&mut Book) -> T) -> T {
    let keeper: Box<dyn Any> = world.machine.keep_no_more().expect("it has one");
    let mut book = keeper.downcast::<Book>().expect("it is a book");
    let found = look(&mut book);
    world.machine.keep_by(book);
    found
}

fn fill(world: &mut World, is_full: bool) {
    look(world, |book| book.is_full = is_full);
}

/// Another machine, which goes on with what is written.
fn next(world: &mut World) -> World {
    let mut next = World::new();
    for (entry, value) in look(world, |book| book.entries.clone()) {
        next.machine.restore(entry, value).unwrap();
    }
    next
}

fn name() -> impl Strategy<Value = Name> {
    prop::sample::select(&NAMES).prop_map(Name::from)
}

fn value() -> impl Strategy<Value = Value> {
    (any::<u16>(), prop::option::of(0..3u64)).prop_map(|(bytes, run)| {
        let tasks = TaskRange { layer: LayerId(0), start: 0, end: 2 };
        let results = run.map(|run| (RunId(run), tasks)).into_iter().collect();
        Value { bytes: bytes.to_le_bytes().into(), results }
    })
}

fn request() -> impl Strategy<Value = Request> {
    let timeout = || prop::option::of(0..9u64);
    let keys = || prop::collection::vec(name(), 1..4);
    let entry = (keys(), value());
    let publish = (name(), value(), any::<bool>());
    prop_oneof![
        publish.prop_map(|(name, value, replace)| Request::PublishDataset { name, value, replace }),
        name().prop_map(|name| Request::UnpublishDataset { name }),
        (name(), value()).prop_map(|(name, value)| Request::SetVariable { name, value }),
        name().prop_map(|name| Request::DeleteVariable { name }),
        name().prop_map(|name| Request::SetEvent { name }),
        name().prop_map(|name| Request::ClearEvent { name }),
        (keys(), entry)
            .prop_map(|(keys, (rest, value))| Request::SetMetadata { keys, entries: vec![(rest, value.bytes)] }),
        (name(), prop::option::of(1..4u64)).prop_map(|(name, size)| Request::OpenQueue { name, size }),
        (name(), value(), timeout()).prop_map(|(name, value, timeout)| Request::Put { name, value, timeout }),
        (name(), value(), timeout()).prop_map(|(name, value, timeout)| Request::Put { name, value, timeout }),
        (name(), timeout()).prop_map(|(name, timeout)| Request::Get { name, timeout }),
        (name(), 1..4u64, timeout()).prop_map(|(name, count, timeout)| Request::GetMany { name, count, timeout }),
        name().prop_map(|name| Request::CloseQueue { name }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let session = || 0..SESSIONS;
    prop_oneof![
        12 => (session(), request()).prop_map(|(session, request)| Step::Ask(session, request)),
        3 => (session(), any::<bool>()).prop_map(|(session, has_it)| Step::Settle(session, has_it)),
        1 => session().prop_map(Step::Gone),
        1 => (0..6u64).prop_map(Step::Pass),
        1 => any::<bool>().prop_map(Step::Full),
    ]
}

/// All that can be asked of what is under names, without changing it but for the items of queues.
fn all(world: &mut World) -> Vec<Reply> {
    let names = NAMES.map(Name::from);
    let of_name = |name: &Name| {
        let (name, timeout) = (name.clone(), Some(0));
        [
            Request::GetDataset { name: name.clone() },
            Request::GetVariable { name: name.clone(), timeout },
            Request::EventIsSet { name: name.clone() },
            Request::GetAll { name },
        ]
    };
    let requests = names.iter().flat_map(of_name).chain([Request::GetMetadata { keys: vec![] }]);
    requests.map(|request| world.reply(99, request)).collect()
}

fn held(world: &World) -> BTreeSet<(RunId, TaskRange)> {
    world.machine.held().into_iter().collect()
}

proptest! {
    #[test]
    fn whatever_was_asked_the_next_machine_has_what_was_there(steps in prop::collection::vec(step(), 0..60)) {
        let mut world = kept();
        let mut asked: BTreeMap<u64, Vec<RequestId>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Ask(session, request) => asked.entry(session).or_default().push(world.ask(session, request)),
                Step::Settle(session, has_it) => {
                    let Some(request) = asked.get_mut(&session).and_then(Vec::pop) else { continue };
                    if has_it { world.taken(session, request) } else { world.cancel(session, request) }
                }
                Step::Gone(session) => world.gone(session),
                Step::Pass(time) => world.pass(time),
                Step::Full(is_full) => fill(&mut world, is_full),
            }
        }
        let mut next = next(&mut world);
        // Nobody of before is there, nor anybody who would put something yet.
        fill(&mut world, true);
        (0..SESSIONS).for_each(|session| world.gone(session));
        prop_assert_eq!(held(&next), held(&world));
        prop_assert_eq!(all(&mut next), all(&mut world));
        next.machine.validate();
    }
}

#[test]
fn what_can_not_be_written_is_refused_and_not_done() {
    let mut world = kept();
    let (name, value) = (Name::from("a"), Value::plain("old"));
    let changes = |value: Value| {
        [
            Request::PublishDataset { name: name.clone(), value: value.clone(), replace: true },
            Request::SetVariable { name: name.clone(), value: value.clone() },
            Request::SetMetadata { keys: vec![name.clone()], entries: vec![(vec![], value.bytes.clone())] },
            Request::Put { name: name.clone(), value, timeout: None },
        ]
    };
    changes(value).into_iter().for_each(|change| assert_eq!(world.reply(0, change), Reply::Done));
    let waits = world.ask(1, Request::GetVariable { name: "b".into(), timeout: None });
    fill(&mut world, true);
    let others = [
        Request::SetVariable { name: "b".into(), value: Value::plain("new") },
        Request::SetEvent { name: name.clone() },
        Request::OpenQueue { name: "b".into(), size: Some(3) },
        Request::UnpublishDataset { name: name.clone() },
        Request::DeleteVariable { name: name.clone() },
        Request::CloseQueue { name: name.clone() },
    ];
    for change in changes(Value::plain("new")).into_iter().chain(others) {
        let why = super::world::refused(&world.reply(0, change.clone()));
        assert!(why.contains("stays as it was") && why.ends_with("the disk is full"), "{change:?}: {why}");
    }
    assert_eq!(world.answer(1, waits), None);
    // What was to be had is, and what is taken is gone, though that isn't on the disk either.
    assert_eq!(all(&mut next(&mut world)), all(&mut world));
    assert_eq!(world.reply(0, Request::QueueSize { name: name.clone() }), Reply::Number(0));
    fill(&mut world, false);
    assert_eq!(world.reply(0, Request::SetVariable { name: "b".into(), value: Value::plain("new") }), Reply::Done);
    assert!(world.answer(1, waits).is_some());
}

/// A kill in between would leave half of it.
#[test]
fn what_is_one_change_is_written_as_one() {
    let mut world = kept();
    let entries = |keys: &[&str]| keys.iter().map(|&key| (vec![Name::from(key)], "x".into())).collect();
    let set = |keys: &[&str]| Request::SetMetadata { keys: vec!["m".into()], entries: entries(keys) };
    let put = || Request::Put { name: "q".into(), value: Value::plain("x"), timeout: None };
    let requests = [
        set(&["a", "b", "c"]),
        set(&["c", "d", "e"]),
        Request::OpenQueue { name: "q".into(), size: Some(9) },
        put(),
        put(),
        Request::CloseQueue { name: "q".into() },
    ];
    for (at, request) in requests.into_iter().enumerate() {
        assert_eq!(world.reply(0, request), Reply::Done);
        assert_eq!(look(&mut world, |book| book.changes), at + 1);
    }
}

#[test]
fn a_queue_has_no_more_items_than_before_and_gives_them_in_their_order() {
    let (name, value): (Name, _) = ("q".into(), |at: u64| Value::plain(at.to_le_bytes()));
    let mut world = World::new();
    world.machine.restore(Entry::Item { queue: name.clone(), number: 7 }, value(7)).unwrap();
    world.machine.restore(Entry::QueueSize(name.clone()), value(2)).unwrap();
    world.machine.restore(Entry::Item { queue: name.clone(), number: 5 }, value(5)).unwrap();
    let put = |at| Request::Put { name: name.clone(), value: value(at), timeout: Some(0) };
    assert_eq!(world.reply(1, put(8)), Reply::TimedOut);
    assert_eq!(world.reply(1, Request::GetAll { name: name.clone() }), values([5, 7].map(value)));
    assert_eq!(world.reply(1, put(8)), Reply::Done);
    assert_eq!(world.reply(1, put(9)), Reply::Done);
    assert_eq!(world.reply(1, put(10)), Reply::TimedOut);
}

#[test]
fn a_queue_that_is_known_again_goes_with_whoever_knows_it() {
    let (name, size): (Name, _) = ("q".into(), Value::plain(2_u64.to_le_bytes()));
    let mut world = World::new();
    world.machine.restore(Entry::QueueSize(name.clone()), size).unwrap();
    let open = |size| Request::OpenQueue { name: name.clone(), size: Some(size) };
    assert!(matches!(world.reply(1, open(3)), Reply::Refused(_)));
    assert_eq!(world.reply(1, open(2)), Reply::Done);
    world.gone(1);
    assert_eq!(world.reply(2, open(3)), Reply::Done);
}

fn values(values: [Value; 2]) -> Reply {
    Reply::Values { values: values.into(), awaits_taken: true }
}
