//! Who goes on with the work of an engine's thread that died.
//!
//! The engine runs its tasks on a fixed number of threads. A query that fails cancels its tasks; one of them that was to
//! run at that moment, and that another one had asked for in vain, panics outside of what the engine catches
//! ("invalid TaskData when polling", polars-async 0.55). The thread ends, nobody takes over what it was to do, and after
//! as many such panics as there are threads every query waits for ever. So a thread that ends by a panic hands its place
//! over to another one, by the way that the engine has for threads that are about to block.

use polars_async::executor::{block_in_place, is_scheduling_polars_executor_thread};
use std::panic;
use std::sync::Once;
use std::thread::Thread;
use std::time::Duration;

/// Takes care of the engine's threads from now on. Only the first call counts.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let outer = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if is_of_the_engine(&std::thread::current()) {
                // Most panics are caught, and the thread goes on; its last will is only read when it ends. They are told
                // where the query is, and not on the screen.
                LAST_WILL.try_with(|_| ()).unwrap_or_default();
            } else {
                outer(info);
            }
        }));
    });
}

fn is_of_the_engine(thread: &Thread) -> bool {
    thread.name().is_some_and(|name| name.starts_with("async-executor"))
}

thread_local! {
    static LAST_WILL: LastWill = const { LastWill };
}

/// Hands over the place of a thread that ends while it has one.
struct LastWill;

impl Drop for LastWill {
    fn drop(&mut self) {
        if is_scheduling_polars_executor_thread() {
            #[cfg(test)]
            tests::DEATHS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            // A thread that came back from this would be counted among those that wait for a place: it must not. What
            // it held was let go before: this runs when all of its work is unwound.
            let hand_over = || {
                block_in_place(|| {
                    loop {
                        std::thread::sleep(Duration::from_secs(3600));
                    }
                })
            };
            // Where no other thread can be had, the engine has one less: that is no reason to end the process.
            let _: Result<(), _> = panic::catch_unwind(hand_over);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::stage::engine::collect;
    use polars::prelude::*;
    use polars_async::executor::{TaskPriority, spawn};
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::task::{Context, Poll};
    use std::time::Duration;

    /// How many threads have handed their place over.
    pub(super) static DEATHS: AtomicUsize = AtomicUsize::new(0);

    /// Is ready at once, and panics when it is dropped, outside of what the engine catches.
    struct Deadly;

    impl Future for Deadly {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            Poll::Ready(())
        }
    }

    impl Drop for Deadly {
        fn drop(&mut self) {
            panic!("a thread of the engine dies");
        }
    }

    fn sum_of(rows: i64) -> i64 {
        let frame = df!("x" => (0..rows).collect::<Vec<_>>()).unwrap();
        let found = collect(frame.lazy().select([col("x").sum()])).unwrap();
        found.column("x").unwrap().i64().unwrap().get(0).unwrap()
    }

    #[test]
    fn queries_run_after_every_thread_of_the_engine_has_died() {
        assert_eq!(sum_of(10), 45);
        // More than there are threads, and then again those that came after them.
        let threads = std::thread::available_parallelism().map_or(64, |it| it.get());
        for _ in 0..2 * threads + 8 {
            drop(spawn(TaskPriority::High, Deadly));
        }
        let (told, hears) = mpsc::channel();
        std::thread::spawn(move || told.send((0..20).map(|_| sum_of(1000)).sum::<i64>()));
        assert_eq!(hears.recv_timeout(Duration::from_secs(60)), Ok(20 * 499_500));
        assert!(DEATHS.load(Ordering::Relaxed) > 0, "no thread has died");
    }
}
