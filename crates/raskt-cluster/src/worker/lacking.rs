//! Those for whom there is no memory, of a room that knows how much there is.

use super::memory::Memory;
use super::room::{GLANCES, Held, Need, Room};
use crate::bulk::Source;
use crate::hello::Role;
use raskt_execute::Arriving;
use raskt_sync::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is done later, when the test says so.
type Later = Vec<Box<dyn FnOnce() + Send>>;

/// How it went with whom.
type Told = Arc<Mutex<Vec<(u16, Result<Held, Arc<str>>)>>>;

#[derive(Default)]
struct Numbers {
    free: AtomicU64,
    /// Of it, what is set aside.
    aside: AtomicU64,
    later_free: AtomicU64,
    looks: AtomicU64,
    reasons: AtomicU64,
    later: Mutex<Later>,
}

/// So much as the test says.
#[derive(Clone, Default)]
struct Said(Arc<Numbers>);

impl Memory for Said {
    fn room_for(&self, bytes: u64) -> u64 {
        self.0.looks.fetch_add(1, Ordering::Relaxed);
        (self.0.free.load(Ordering::Relaxed) - self.0.aside.load(Ordering::Relaxed)).min(bytes)
    }

    fn expect(&self, bytes: u64) -> Arriving {
        let numbers = self.0.clone();
        numbers.aside.fetch_add(bytes, Ordering::Relaxed);
        Arriving::new(bytes, move |left| _ = numbers.aside.fetch_sub(left, Ordering::Relaxed))
    }

    fn may_have_room(&self, bytes: u64) -> bool {
        bytes <= self.0.later_free.load(Ordering::Relaxed)
    }

    fn reason(&self) -> String {
        self.0.reasons.fetch_add(1, Ordering::Relaxed);
        "all is held".into()
    }

    fn after(&self, _pause: Duration, then: Box<dyn FnOnce() + Send>) {
        self.0.later.lock().push(then);
    }
}

impl Said {
    fn set(&self, free: u64) {
        self.0.free.store(free, Ordering::Relaxed);
    }

    fn looks(&self) -> u64 {
        self.0.looks.load(Ordering::Relaxed)
    }

    fn later(&self) -> Later {
        std::mem::take(&mut *self.0.later.lock())
    }

    /// It is looked once, for all.
    fn glance(&self) {
        let later = self.later();
        assert_eq!(later.len(), 1);
        later.into_iter().for_each(|then| then());
    }
}

fn room(free: u64) -> (Arc<Room>, Said, Told) {
    let (room, said) = (Arc::<Room>::default(), Said::default());
    said.set(free);
    room.comes_into(Box::new(said.clone()));
    (room, said, Told::default())
}

/// Of each another peer.
fn enter(room: &Arc<Room>, told: &Told, of: u16, (wanted, least): (u64, u64), was_told: Option<Arc<str>>) {
    let address = crate::Address::Tcp { host: "host".into(), port: of };
    let source = Source { addresses: vec![address], role: Role::Worker, identity: None };
    let told = told.clone();
    let need = Need { bytes: wanted, least, most: 1 << 30, is_next: false, was_told };
    room.enter(Some(&source), need, move |held| told.lock().push((of, held)));
}

/// What those have who were let in.
fn granted(told: &Told) -> Vec<(u16, u64)> {
    told.lock().iter().filter_map(|(of, held)| Some((*of, held.as_ref().ok()?.granted()))).collect()
}

fn refused(told: &Told) -> usize {
    told.lock().iter().filter(|(_, held)| held.is_err()).count()
}

#[test]
fn it_is_looked_once_for_all_and_told_why_in_the_end() {
    const MANY: u16 = 10_000;
    let (room, said, told) = room(9);
    (0..MANY).for_each(|of| enter(&room, &told, of, (1000, 10), None));
    assert_eq!(said.looks(), u64::from(MANY));
    (1..GLANCES).for_each(|_| said.glance());
    assert_eq!(refused(&told), 0);
    said.glance();
    assert_eq!((said.looks(), refused(&told)), (u64::from(MANY) + u64::from(GLANCES), usize::from(MANY)));
    assert_eq!(said.0.reasons.load(Ordering::Relaxed), 1);
    assert!(said.later().is_empty(), "nobody lacks any");
    assert_eq!(room.taken(), (0, 0));
}

#[test]
fn who_does_not_know_what_he_needs_leaves_as_much_to_others() {
    let (room, said, told) = room(100);
    (0..5).for_each(|of| enter(&room, &told, of, (1000, 10), None));
    assert_eq!(granted(&told), [(0, 50), (1, 25), (2, 12), (3, 10)]);
    // One has come, and is small: there is memory for the last.
    said.set(99);
    let first = told.lock().remove(0);
    drop(first);
    assert_eq!(granted(&told), [(1, 25), (2, 12), (3, 10), (4, 26)]);
}

#[test]
fn who_needs_more_than_there_is_keeps_nobody() {
    let (room, said, told) = room(100);
    enter(&room, &told, 0, (1000, 1000), None);
    enter(&room, &told, 1, (60, 60), None);
    assert_eq!(granted(&told), [(1, 60)]);
    said.glance();
    said.set(1060);
    said.glance();
    assert_eq!(granted(&told), [(1, 60), (0, 1000)]);
    assert_eq!(room.taken().0, 1060);
}

#[test]
fn patience_begins_when_nothing_comes_in() {
    let (room, said, told) = room(0);
    enter(&room, &told, 0, (10, 10), None);
    (1..GLANCES).for_each(|_| said.glance());
    room.came();
    (1..GLANCES).for_each(|_| said.glance());
    // There will be some when what runs has ended.
    said.0.later_free.store(10, Ordering::Relaxed);
    (0..2 * GLANCES).for_each(|_| said.glance());
    assert_eq!(refused(&told), 0);
    said.0.later_free.store(9, Ordering::Relaxed);
    (1..GLANCES).for_each(|_| said.glance());
    assert_eq!(refused(&told), 0);
    said.glance();
    assert_eq!(refused(&told), 1);
    // Who has waited for it before waits for a glance, and hears the same.
    enter(&room, &told, 1, (10, 10), Some("as before".into()));
    assert_eq!(refused(&told), 1);
    said.glance();
    assert!(matches!(&told.lock()[1], (1, Err(reason)) if &**reason == "as before"));
    // Nor does anybody whom nobody would tell.
    enter(&room, &told, 2, (10, 10), None);
    drop(said.later());
    assert_eq!(refused(&told), 3);
}
