//! Forks. A child has none of its parent's threads, and so none of those that held a library, or were at what is known of them.

use crate::holding::Holds;
use crate::library::Library;
use crate::loaded::{Found, found};
use std::cell::RefCell;
use std::sync::{MutexGuard, Once};

thread_local! {
    /// What the thread that forks holds meanwhile.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

struct Held {
    libraries: Vec<(&'static Library, MutexGuard<'static, Holds>)>,
    _found: MutexGuard<'static, Found>,
}

/// Sees to it that forks leave what is known of libraries usable.
pub(crate) fn register() {
    static HANDLERS: Once = Once::new();
    // SAFETY: the handlers are functions of this library, which isn't unloaded.
    HANDLERS.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child));
    });
}

extern "C" fn before() {
    let found = found();
    let libraries = found.libraries.iter().map(|library| (*library, library.holds())).collect();
    HELD.with_borrow_mut(|held| *held = Some(Held { libraries, _found: found }));
}

extern "C" fn after_in_parent() {
    let held = HELD.with_borrow_mut(Option::take);
    drop(held);
}

extern "C" fn after_in_child() {
    let Some(mut held) = HELD.with_borrow_mut(Option::take) else { return };
    for (library, holds) in &mut held.libraries {
        if let Some(threads) = holds.lose_threads() {
            library.threads().set(threads);
        }
    }
}
