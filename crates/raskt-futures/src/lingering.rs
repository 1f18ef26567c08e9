//! Results whose names somebody was given stay for a while: they go with the last who holds them, and whoever has read a name has to
//! say so first.

use crate::HeldResult;
use raskt_sync::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So long others have to read the names.
const LINGERS: Duration = Duration::from_secs(30);

static LINGERING: Mutex<Lingering> = Mutex::new(Lingering { results: VecDeque::new(), is_watched: false });

struct Lingering {
    /// In the order in which their time is over.
    results: VecDeque<(Instant, Vec<Arc<HeldResult>>)>,
    /// A thread lets go of them then.
    is_watched: bool,
}

impl Lingering {
    fn over(&mut self, now: Instant) -> Vec<Vec<Arc<HeldResult>>> {
        let count = self.results.iter().take_while(|(until, _)| *until <= now).count();
        self.results.drain(..count).map(|(_, results)| results).collect()
    }
}

/// Holds results for as long as others may need to read their names.
pub fn linger(results: Vec<Arc<HeldResult>>) {
    if results.is_empty() {
        return;
    }
    let mut lingering = LINGERING.lock();
    lingering.results.push_back((Instant::now() + LINGERS, results));
    if std::mem::replace(&mut lingering.is_watched, true) {
        return;
    }
    drop(lingering);
    let watched = std::thread::Builder::new().name("raskt-lingering".into()).spawn(watch);
    if watched.is_err() {
        // There are no threads left: they go with the next that come.
        LINGERING.lock().is_watched = false;
    }
}

fn watch() {
    loop {
        let mut lingering = LINGERING.lock();
        let over = lingering.over(Instant::now());
        let next = lingering.results.front().map(|(until, _)| *until);
        lingering.is_watched = next.is_some();
        drop(lingering);
        // Their clients hear of it.
        drop(over);
        let Some(next) = next else { return };
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}
