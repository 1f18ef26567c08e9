//! Ctrl-C is for one computation, and the engine stops the queries of all.

use crate::error::{FrameError, Result};
use raskt_value::Call;
use std::time::{Duration, Instant};

/// Whoever waits for a computation has heard of Ctrl-C after so long, and has cancelled it.
const HEARD_WITHIN: Duration = Duration::from_millis(500);

/// How often it is looked whether he has.
const GLANCE: Duration = Duration::from_millis(2);

/// Runs a query for `call`, and does so again if it was stopped and `call` is still wanted.
pub(super) fn uninterrupted<T>(call: &Call<'_>, mut query: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match query() {
            // The thread that Ctrl-C goes to hears of it when it is back from here.
            Err(FrameError::Cancelled) if !hears_signals() && is_wanted(call) => {}
            found => return found,
        }
    }
}

fn is_wanted(call: &Call<'_>) -> bool {
    let until = Instant::now() + HEARD_WITHIN;
    while !call.cancel.is_cancelled() && Instant::now() < until {
        std::thread::sleep(GLANCE);
    }
    !call.cancel.is_cancelled()
}

/// Whether this is the first thread of the process, in which an interpreter sees to signals.
#[cfg(target_os = "linux")]
fn hears_signals() -> bool {
    // SAFETY: neither call takes or changes anything.
    unsafe { libc::gettid() == libc::getpid() }
}

#[cfg(target_os = "macos")]
fn hears_signals() -> bool {
    // SAFETY: the call takes and changes nothing.
    unsafe { libc::pthread_main_np() != 0 }
}

/// Where that can't be told, nobody is kept from stopping.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn hears_signals() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_value::CancelToken;

    fn stopped_twice(cancel: &CancelToken) -> (Result<u32>, u32) {
        let mut times = 0;
        let call = Call { index: 0, threads: 1, cancel };
        let query = || {
            times += 1;
            if times < 3 { Err(FrameError::Cancelled) } else { Ok(7) }
        };
        (uninterrupted(&call, query), times)
    }

    #[test]
    fn a_query_that_was_stopped_for_somebody_else_runs_again() {
        assert!(matches!(stopped_twice(&CancelToken::default()), (Ok(7), 3)));
    }

    #[test]
    fn one_that_nobody_wants_any_more_does_not() {
        let cancel = CancelToken::default();
        cancel.cancel();
        assert!(matches!(stopped_twice(&cancel), (Err(FrameError::Cancelled), 1)));
    }

    #[test]
    fn another_error_is_one() {
        let cancel = CancelToken::default();
        let call = Call { index: 0, threads: 1, cancel: &cancel };
        let mut times = 0;
        let query = || -> Result<()> {
            times += 1;
            Err(FrameError::Engine("no".into()))
        };
        assert!(uninterrupted(&call, query).is_err());
        assert_eq!(times, 1);
    }
}
