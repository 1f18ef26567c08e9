//! What is shared by name, and the journal.

use super::core::Core;
use crate::coordination::{Ask, Packed, Reply, Request, RequestId, Told, Value};
use crate::journal::{Journal, JournalOptions};
use raskt_schedule::Scheduler;
use raskt_schedule::coordination::{Name, Session};
use raskt_sync::Mutex;
use std::path::Path;
use std::sync::Arc;

/// A scheduler with a journal, and somebody who asks for what is shared.
struct Scene {
    core: Core,
    session: Session,
    told: Arc<Mutex<Vec<Reply>>>,
    /// Whether there was another scheduler before, as was told.
    is_another: Arc<Mutex<Option<bool>>>,
    next: u64,
}

impl Scene {
    fn on(folder: &Path) -> Self {
        let mut core = Core::new(Scheduler::new(1000));
        core.restore(Journal::open(folder, JournalOptions::default()).unwrap());
        let told = Arc::new(Mutex::new(vec![]));
        let is_another = Arc::new(Mutex::new(None));
        let (hears, begins) = (told.clone(), is_another.clone());
        let session = core.sharing.server.arrived(Box::new(move |packed: Packed<Told>, bulk| {
            match packed.unpack(&bulk).unwrap() {
                Told::Reply { reply, .. } => hears.lock().push(reply),
                Told::Began { is_another, .. } => *begins.lock() = Some(is_another),
                Told::Notice { .. } => {}
            }
        }));
        Self { core, session, told, is_another, next: 0 }
    }

    fn ask(&mut self, request: Request) -> Reply {
        self.next += 1;
        let (ask, bulk) = Packed::pack(Ask::Request { id: RequestId(self.next), request });
        self.core.member_asks(self.session, ask, &bulk);
        self.told.lock().pop().expect("it is answered at once")
    }

    fn journal(&mut self) -> &mut Journal {
        self.core.journal.as_mut().unwrap()
    }
}

fn set(value: &'static str) -> Request {
    Request::SetVariable { name: "v".into(), value: Value::plain(value) }
}

fn get() -> Request {
    Request::GetVariable { name: "v".into(), timeout: Some(0) }
}

fn is(value: &'static str) -> Reply {
    Reply::Values { values: vec![Value::plain(value)], awaits_taken: false }
}

#[test]
fn what_can_not_be_written_is_refused_here_and_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::on(folder.path());
    let put = || Request::Put { name: "q".into(), value: Value::plain("item"), timeout: None };
    assert_eq!([scene.ask(set("old")), scene.ask(put())], [Reply::Done, Reply::Done]);
    scene.journal().fill();
    // The first by which it is found out, and those after it.
    for change in [set("new"), put(), set("newer"), Request::CloseQueue { name: "q".into() }] {
        let Reply::Refused(why) = scene.ask(change) else { panic!("it can't be done") };
        let why = why.to_string();
        assert!(why.contains("stays as it was") && why.contains("can't be written"), "{why}");
    }
    assert_eq!(scene.ask(get()), is("old"));
    assert_eq!(scene.ask(Request::QueueSize { name: "q".into() }), Reply::Number(1));
    drop(std::fs::remove_dir(folder.path().join("journal.new")));
    drop(scene);
    let mut next = Scene::on(folder.path());
    assert_eq!(next.ask(get()), is("old"));
    assert_eq!(next.ask(Request::QueueSize { name: "q".into() }), Reply::Number(1));
}

#[test]
fn names_are_changed_again_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::on(folder.path());
    let put = Request::Put { name: "q".into(), value: Value::plain("item"), timeout: None };
    assert_eq!(scene.ask(put), Reply::Done);
    scene.journal().fill();
    assert!(matches!(scene.ask(set("new")), Reply::Refused(_)));
    // What somebody has taken is over, and is written down as soon as it can be.
    assert!(matches!(scene.ask(Request::Get { name: "q".into(), timeout: Some(0) }), Reply::Values { .. }));
    let (taken, bulk) = Packed::pack(Ask::Taken { id: RequestId(scene.next) });
    scene.core.member_asks(scene.session, taken, &bulk);
    scene.journal().make_room();
    scene.core.write_down();
    assert_eq!(scene.ask(set("newer")), Reply::Done);
    drop(scene);
    let mut next = Scene::on(folder.path());
    assert_eq!(next.ask(get()), is("newer"));
    assert_eq!(next.ask(Request::QueueSize { name: "q".into() }), Reply::Number(0));
}

/// Events of topics go with a scheduler: whoever asks the next hears since when it has them.
#[test]
fn who_comes_hears_whether_there_was_a_scheduler_before() {
    let folder = tempfile::tempdir().unwrap();
    for is_another in [false, true, true] {
        let mut scene = Scene::on(folder.path());
        assert_eq!(*scene.is_another.lock(), Some(is_another));
        assert_eq!(scene.ask(set("value")), Reply::Done);
    }
    Scene::on(folder.path()).core.note_no_entries();
    assert_eq!(*Scene::on(folder.path()).is_another.lock(), Some(false), "nobody is left who could miss any");
}

/// More than one record of a journal has room for.
#[test]
fn whatever_is_over_is_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let name = Name::from("q".repeat(1000).as_str());
    let size = || Request::QueueSize { name: name.clone() };
    for is_closed in [true, false] {
        let mut scene = Scene::on(folder.path());
        for _ in 0..70_000 {
            let put = Request::Put { name: name.clone(), value: Value::default(), timeout: None };
            assert_eq!(scene.ask(put), Reply::Done);
        }
        match is_closed {
            true => assert_eq!(scene.ask(Request::CloseQueue { name: name.clone() }), Reply::Done),
            false => scene.core.note_no_entries(),
        }
        drop(scene);
        assert_eq!(Scene::on(folder.path()).ask(size()), Reply::Number(0));
    }
}
