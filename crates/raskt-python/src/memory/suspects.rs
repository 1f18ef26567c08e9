//! Which functions ran while the process took memory that nobody was promised.

use raskt_execute::Store;
use raskt_sync::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// What was seen, and who ran then.
struct Suspects {
    /// Bytes that nobody was promised, at the last look.
    bytes: u64,
    /// The functions that ran at the last looks.
    recent: VecDeque<(Instant, Vec<String>)>,
    /// Bytes that came while a function ran.
    grown: BTreeMap<String, Grown>,
}

#[derive(Clone, Copy, Default)]
struct Grown {
    /// What is left of them, if all lost as much in proportion as went.
    left: u64,
    most: u64,
}

static SUSPECTS: Mutex<Suspects> = Mutex::new(Suspects { bytes: 0, recent: VecDeque::new(), grown: BTreeMap::new() });

/// How long ago memory came that is seen now: it counts when it has stayed for 150 ms, and who waits looks every 50 ms.
const LATEST: Duration = Duration::from_millis(100);
const EARLIEST: Duration = Duration::from_millis(300);

/// Many may wait at the same time: one of them looks.
const APART: Duration = Duration::from_millis(10);

/// How many functions are remembered.
const MOST: usize = 32;

/// Functions that a message names.
const NAMED: usize = 5;

/// Takes in that the process has so many bytes that nobody was promised, and which functions run.
pub(super) fn look(bytes: u64, running: impl FnOnce() -> Vec<String>) {
    let now = Instant::now();
    if SUSPECTS.lock().recent.back().is_some_and(|(last, _)| now.duration_since(*last) < APART) {
        return;
    }
    // Names are asked for without the lock: that is Python's work.
    let running = running();
    SUSPECTS.lock().saw(now, bytes, running);
}

/// Forgets everybody if nothing runs, and there is no such memory: what is found later is others' doing.
pub(super) fn forget_at_rest(store: &Store) {
    if SUSPECTS.lock().grown.is_empty() || store.held_at_rest().is_none() {
        return;
    }
    store.look();
    if store.unpromised() == 0 {
        SUSPECTS.lock().forget();
    }
}

/// The functions, and the most that came while they ran: those first with which it was most.
pub(super) fn suspects() -> Vec<(String, u64)> {
    let mut found: Vec<_> = SUSPECTS.lock().grown.iter().map(|(name, grown)| (name.clone(), grown.most)).collect();
    found.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    found
}

/// What a message says of memory that nobody was promised; nothing if there was none.
pub(crate) fn words_of_suspects() -> String {
    let names: Vec<String> = suspects().into_iter().take(NAMED).map(|(name, _)| format!("`{name}`")).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("\nwhile memory grew that nobody was promised, these ran: {}", names.join(", ")),
    }
}

impl Suspects {
    fn saw(&mut self, now: Instant, bytes: u64, running: Vec<String>) {
        self.recent.push_back((now, running));
        while self.recent.front().is_some_and(|(at, _)| now.duration_since(*at) > EARLIEST) {
            self.recent.pop_front();
        }
        let before = std::mem::replace(&mut self.bytes, bytes);
        if bytes > before {
            self.add(now, bytes - before);
        } else if bytes < before {
            let rest = |left: u64| (u128::from(left) * u128::from(bytes) / u128::from(before)) as u64;
            self.grown.values_mut().for_each(|grown| grown.left = rest(grown.left));
        }
    }

    /// So many bytes came a while ago.
    fn add(&mut self, now: Instant, bytes: u64) {
        let ran_then = self.recent.iter().filter(|(at, _)| now.duration_since(*at) >= LATEST);
        let mut names: BTreeSet<_> = ran_then.flat_map(|(_, names)| names.iter().cloned()).collect();
        if names.is_empty() {
            names = self.recent.iter().flat_map(|(_, names)| names.iter().cloned()).collect();
        }
        for name in names {
            let grown = self.grown.entry(name).or_default();
            grown.left = grown.left.saturating_add(bytes);
            grown.most = grown.most.max(grown.left);
        }
        while self.grown.len() > MOST
            && let Some(least) = self.grown.iter().min_by_key(|(_, grown)| grown.most).map(|(name, _)| name.clone())
        {
            self.grown.remove(&least);
        }
    }

    fn forget(&mut self) {
        *self = Self { bytes: 0, recent: VecDeque::new(), grown: BTreeMap::new() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_put_down_to_those_that_ran_when_it_came() {
        let mut suspects = Suspects { bytes: 0, recent: VecDeque::new(), grown: BTreeMap::new() };
        let begin = Instant::now();
        for look in 0..20_u64 {
            // It came at 200 ms, and was seen at 350.
            let bytes = if look < 7 { 0 } else { 1000 };
            let name = if look < 5 { "first" } else { "second" };
            suspects.saw(begin + Duration::from_millis(50 * look), bytes, vec![name.to_owned()]);
        }
        assert_eq!(suspects.grown["first"].most, 1000);
        let second = suspects.grown.get("second").map_or(0, |grown| grown.most);
        assert!(second <= 1000, "it may have run then, as far as can be seen");
        // What comes and goes is no more than what there was.
        for look in 20..40 {
            let bytes = if look % 2 == 0 { 0 } else { 1000 };
            suspects.saw(begin + Duration::from_millis(50 * look), bytes, vec!["third".to_owned()]);
        }
        assert_eq!(suspects.grown["third"].most, 1000);
    }
}
