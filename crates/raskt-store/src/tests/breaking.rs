//! What came of a job that was begun before a breakdown goes without the store's lock.

use super::*;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;

/// Where a store was held when something of it was dropped, and how often anything was.
#[derive(Default)]
struct Drops {
    store: Mutex<Option<Store>>,
    under_lock: AtomicUsize,
    all: AtomicUsize,
}

impl Drops {
    fn note(&self) {
        self.all.fetch_add(1, Ordering::Relaxed);
        let store = self.store.lock().clone();
        let is_held = store.is_some_and(|store| store.is_locked());
        self.under_lock.fetch_add(usize::from(is_held), Ordering::Relaxed);
    }
}

/// Goes with the file that it was written into: it is part of its decoder.
struct Part(Arc<Drops>);

impl Drop for Part {
    fn drop(&mut self) {
        self.0.note();
    }
}

/// An object whose writing and reading begin when somebody lets them.
struct Slow {
    drops: Arc<Drops>,
    begun: mpsc::SyncSender<()>,
    goes_on: Arc<(Mutex<bool>, Condvar)>,
}

impl Slow {
    fn clone_of(&self) -> Self {
        Self { drops: self.drops.clone(), begun: self.begun.clone(), goes_on: self.goes_on.clone() }
    }

    fn wait(&self) {
        self.begun.send(()).unwrap();
        let mut goes_on = self.goes_on.0.lock();
        while !std::mem::take(&mut *goes_on) {
            goes_on = self.goes_on.1.wait(goes_on);
        }
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.drops.note();
    }
}

impl Foreign for Slow {
    fn bytes(&self) -> usize {
        100 * UNIT as usize
    }

    fn type_name(&self) -> &str {
        "slow"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(SlowCodec))
    }
}

struct SlowCodec;

impl Codec for SlowCodec {
    fn encode(&self, value: &Value) -> Result<Encoded, Unwritten> {
        let Value::Foreign(object) = value else { panic!("another kind of value came") };
        let slow = object.as_any().downcast_ref::<Slow>().unwrap();
        slow.wait();
        let (part, copy) = (Part(slow.drops.clone()), slow.clone_of());
        let decoder = move |_| {
            let _ = &part;
            copy.wait();
            Ok(Value::Foreign(Arc::new(copy.clone_of())))
        };
        Ok(Encoded { pieces: vec![], decoder: Arc::new(decoder) })
    }
}

#[test]
fn what_came_of_jobs_from_before_a_breakdown_goes_without_the_lock() {
    let (store, _ear, asker, _place) = store(200 * UNIT);
    let drops = Arc::new(Drops::default());
    *drops.store.lock() = Some(store.clone());
    let (begun, begins) = mpsc::sync_channel(100);
    let goes_on = Arc::new((Mutex::default(), Condvar::new()));
    let go_on = || {
        *goes_on.0.lock() = true;
        goes_on.1.notify_all();
    };
    let slow =
        || Value::Foreign(Arc::new(Slow { drops: drops.clone(), begun: begun.clone(), goes_on: goes_on.clone() }));
    let squeeze = |ticket| drop(store.ask(Holder { asker, ticket }, 200 * UNIT, &[]).unwrap());
    let wait_for = |count| {
        let deadline = Instant::now() + Duration::from_secs(20);
        while drops.all.load(Ordering::Relaxed) < count {
            assert!(Instant::now() < deadline, "nothing is dropped");
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    // A file that is written when the store breaks.
    let kept = store.keep_unasked(slow(), no_lineage(), facts(None)).unwrap();
    squeeze(1);
    begins.recv().unwrap();
    store.break_down("asked to");
    go_on();
    // The decoder's copy and its part go with the file.
    wait_for(2);
    // A result that is read when it breaks.
    store.give_back(Holder { asker, ticket: 1 });
    squeeze(2);
    begins.recv().unwrap();
    go_on();
    while kept.in_memory().is_some() {
        std::thread::sleep(Duration::from_millis(1));
    }
    store.give_back(Holder { asker, ticket: 2 });
    let _pins = store.ask(Holder { asker, ticket: 3 }, 0, &[Value::Stored(kept.clone())]).unwrap();
    begins.recv().unwrap();
    let before = drops.all.load(Ordering::Relaxed);
    store.break_down("asked to");
    go_on();
    wait_for(before + 1);
    assert_eq!(drops.under_lock.load(Ordering::Relaxed), 0, "something was dropped under the lock");
    *drops.store.lock() = None;
}
