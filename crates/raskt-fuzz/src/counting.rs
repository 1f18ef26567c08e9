//! Memory that is counted, by thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What a thread may hold at a time while it is watched: beyond it nothing is given, and the process ends, which is better than a
/// machine without memory.
const MOST: usize = 2 << 30;

/// Gives memory as the system does, and counts it: to be the global allocator.
pub struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// The most memory that `run` held at a time; zero if [`Counting`] isn't the allocator.
pub fn peak_of(run: impl FnOnce()) -> usize {
    let before = HELD.get();
    PEAK.set(before);
    IS_WATCHED.set(true);
    run();
    IS_WATCHED.set(false);
    PEAK.get().saturating_sub(before)
}

fn may_take(bytes: usize) -> bool {
    let held = HELD.get().saturating_add(bytes);
    if IS_WATCHED.get() && held > MOST {
        return false;
    }
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
    true
}

fn gave_back(bytes: usize) {
    // Some of it may be another thread's.
    HELD.set(HELD.get().saturating_sub(bytes));
}

// SAFETY: it does what the system's allocator does, or gives nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !may_take(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !may_take(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        gave_back(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if !may_take(bytes) {
            return std::ptr::null_mut();
        }
        gave_back(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, bytes) }
    }
}
