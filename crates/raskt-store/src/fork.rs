//! Forks. A child has its parent's memory and none of its threads: what another thread was changing at that moment would
//! stay half changed, and locked, for ever. So whoever forks waits until nobody is at any store, and holds them all while
//! it does. The child then has copies at rest, of which it can read what its parent's results are, in memory and on disk.

use crate::place::FolderState;
use crate::threads::{Inner, Shared};
use raskt_sync::{Mutex, MutexGuard};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Once, Weak};

/// All stores of this process.
static STORES: Mutex<Vec<Weak<Shared>>> = Mutex::new(vec![]);

/// How many forks it took to come to this process, since there were stores.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// A number that a child of a fork has unlike its parent: what has another isn't of this process.
pub fn forks() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

thread_local! {
    /// What the thread that forks holds meanwhile.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// The locks go before what they are locks of.
struct Held {
    stores: Vec<HeldStore>,
    _registry: MutexGuard<'static, Vec<Weak<Shared>>>,
}

struct HeldStore {
    inner: MutexGuard<'static, Inner>,
    folder: MutexGuard<'static, FolderState>,
    _shared: Arc<Shared>,
}

/// Sees to it that forks leave `shared` usable.
pub(crate) fn register(shared: &Arc<Shared>) {
    static HANDLERS: Once = Once::new();
    // SAFETY: the handlers are functions of this library, which isn't unloaded.
    HANDLERS.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child));
    });
    let mut stores = STORES.lock();
    stores.retain(|store| store.strong_count() > 0);
    stores.push(Arc::downgrade(shared));
}

extern "C" fn before() {
    let registry = STORES.lock();
    let stores = registry.iter().filter_map(Weak::upgrade).map(HeldStore::new).collect();
    HELD.with_borrow_mut(|held| *held = Some(Held { stores, _registry: registry }));
}

extern "C" fn after_in_parent() {
    let held = HELD.with_borrow_mut(Option::take);
    drop(held);
}

extern "C" fn after_in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    let Some(mut held) = HELD.with_borrow_mut(Option::take) else { return };
    for HeldStore { inner, folder, .. } in &mut held.stores {
        inner.lose_threads();
        // The folder is the parent's: what the child writes goes into one of its own.
        let parents = folder.made.take();
        drop(parents);
    }
}

impl HeldStore {
    fn new(shared: Arc<Shared>) -> Self {
        // SAFETY: the locks live as long as `shared`, which is dropped after the guards.
        let shared_for_ever: &'static Shared = unsafe { &*Arc::as_ptr(&shared) };
        let (inner, folder) = shared_for_ever.hold();
        Self { inner, folder, _shared: shared }
    }
}
