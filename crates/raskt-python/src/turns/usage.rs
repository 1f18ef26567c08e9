//! What a thread has used of the machine.

use raskt_execute::TurnUsage;
use std::time::{Duration, Instant};

/// What this thread had used at a moment.
pub(super) struct Usage {
    at: Instant,
    had: Had,
}

struct Had {
    on_processor: Duration,
    waits: u64,
    preemptions: u64,
}

impl Usage {
    /// What this thread has used until now; nothing where the system doesn't tell.
    pub fn now() -> Option<Self> {
        Some(Self { at: Instant::now(), had: had()? })
    }

    /// What it used since.
    pub fn spent(self) -> Option<TurnUsage> {
        let (had, has) = (self.had, had()?);
        Some(TurnUsage {
            wall: self.at.elapsed(),
            on_processor: has.on_processor.saturating_sub(had.on_processor),
            waits: has.waits.saturating_sub(had.waits),
            preemptions: has.preemptions.saturating_sub(had.preemptions),
        })
    }
}

#[cfg(target_os = "linux")]
fn had() -> Option<Had> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the call fills the place that it is given, and says if it doesn't.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    Some(Had {
        on_processor: time(usage.ru_utime) + time(usage.ru_stime),
        waits: usage.ru_nvcsw as u64,
        preemptions: usage.ru_nivcsw as u64,
    })
}

#[cfg(not(target_os = "linux"))]
fn had() -> Option<Had> {
    None
}
