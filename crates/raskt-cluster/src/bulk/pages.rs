//! Of which pages memory is made that is read into.
//!
//! The system gives and clears large pages several times as fast as small ones, if it has them. In a virtual machine whose host takes
//! back what lies idle, it is large blocks that the host has taken, and has to give again piece by piece: then they are far slower than
//! small ones. Nobody says which it is, so that it is seen from the time that it takes.

use std::time::Duration;

/// What is read in fewer bytes says nothing: a page may have been there before, or be for what comes next.
const TELLING_BYTES: usize = 2 << 20;
/// So much goes to small pages before large ones are tried again; twice as much each time, up to the last.
const SPANS: (usize, usize) = (64 << 20, 512 << 20);
/// Nanoseconds of small pages for a thousand bytes, before that was measured.
const SMALL_USUAL: u64 = 430;

/// Which are taken next.
#[derive(Debug)]
pub(super) struct Pages {
    /// Nanoseconds for a thousand bytes.
    small: u64,
    /// Bytes that are still to go to small ones.
    left: usize,
    span: usize,
}

impl Pages {
    pub fn new() -> Self {
        Self { small: SMALL_USUAL, left: 0, span: SPANS.0 }
    }

    /// Whether the next bytes are to go to small ones.
    pub fn choose_small(&mut self, bytes: usize) -> bool {
        let is_small = self.left > 0;
        self.left = self.left.saturating_sub(bytes);
        is_small
    }

    /// So long it took.
    pub fn took(&mut self, is_small: bool, bytes: usize, time: Duration) {
        if bytes < TELLING_BYTES {
            return;
        }
        let cost = time.as_nanos() as u64 * 1000 / bytes as u64;
        if is_small {
            self.small = cost;
        } else if cost > self.small && self.left == 0 {
            self.left = self.span;
            self.span = (self.span * 2).min(SPANS.1);
        }
    }
}

/// What the thread has been at work, the system's work for it included; what others were at doesn't count.
pub(super) fn time_of_thread() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time there, and nothing else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIDE: usize = 4 << 20;

    /// Has a stride take so long, by what it goes to; and says which that was.
    fn go(pages: &mut Pages, large: u64, small: u64) -> bool {
        let is_small = pages.choose_small(STRIDE);
        let cost = if is_small { small } else { large };
        pages.took(is_small, STRIDE, Duration::from_nanos(STRIDE as u64 * cost / 1000));
        is_small
    }

    #[test]
    fn large_pages_are_taken_as_long_as_they_are_faster() {
        let mut pages = Pages::new();
        assert!((0..100).all(|_| !go(&mut pages, 200, 500)));
        pages.took(false, 4096, Duration::from_millis(4));
        assert!(!pages.choose_small(STRIDE), "that was one page for much more");
        for span in [64, 128, 256, 512, 512] {
            assert!(!go(&mut pages, 2000, 500));
            assert_eq!((0..span / 4).filter(|_| go(&mut pages, 2000, 500)).count(), span / 4);
        }
        assert!(!go(&mut pages, 2000, 500));
    }

    #[test]
    fn small_pages_that_are_slower_than_was_thought_are_left() {
        let mut pages = Pages::new();
        assert!(!go(&mut pages, 900, 1500));
        assert_eq!((0..100).filter(|_| go(&mut pages, 900, 1500)).count(), 16);
        assert!(!go(&mut pages, 1600, 1500) && go(&mut pages, 1600, 1500));
    }

    #[test]
    fn the_time_of_a_thread_goes_on() {
        let before = time_of_thread();
        while time_of_thread() == before {
            std::hint::spin_loop();
        }
    }
}
