//! How much stack threads have that may run a user's functions.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What Python's own threads have on most systems, and its main thread.
const PYTHONS: usize = 8 << 20;

/// What a thread has that the C library starts, as Python's own threads are, and 8 MiB at least: Rust gives its threads 2 MiB
/// unless it is told otherwise, and what recurses deeply in a thread of Python's would end the process there. It is a part of the
/// address space, and takes no memory before it is used.
pub fn usual_stack() -> usize {
    // The C library takes a lock to tell, which the child of a fork may find taken: it is asked once.
    static USUAL: AtomicUsize = AtomicUsize::new(0);
    match USUAL.load(Ordering::Relaxed) {
        0 => {
            let usual = default_stack().unwrap_or(0).max(PYTHONS);
            USUAL.store(usual, Ordering::Relaxed);
            usual
        }
        usual => usual,
    }
}

/// What the C library gives a thread: by the limit for stacks that the process was started with (`ulimit -s`).
fn default_stack() -> Option<usize> {
    let mut bytes = 0;
    // SAFETY: attributes are initialised before they are read and destroyed after it, and only this function has them.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_attr_init(&mut attributes) != 0 {
            return None;
        }
        let error = libc::pthread_attr_getstacksize(&attributes, &mut bytes);
        libc::pthread_attr_destroy(&mut attributes);
        (error == 0).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_the_system_gives_or_more() {
        assert!(default_stack().is_some_and(|bytes| (16 << 10..=usual_stack()).contains(&bytes)));
        assert!(usual_stack() >= PYTHONS);
    }
}
