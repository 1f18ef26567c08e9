//! Memory that the process has taken and that nobody was promised: objects whose size doesn't show, what tasks hold while
//! they run, what libraries keep.
//!
//! It is measured now and then by whoever asks for memory, and while somebody waits. Little of it is nothing, and so is what
//! goes soon: what was let go takes a moment to leave the process, and allocators give it back ten times a second. What has
//! stayed counts like results, so that others leave memory earlier, and fewer tasks run at once. One always may. What isn't
//! seen any more is forgotten by and by.
//!
//! Whose it is shows when a task ends. Each that runs is taken to have an equal part of it; if one goes and its part doesn't,
//! that was nobody's in particular: a cache that the first task has filled, say. What lasts so counts, and is no reason to let
//! fewer tasks run than there is room for beside it.

use std::collections::VecDeque;

/// What was seen of the process.
#[derive(Debug, Default)]
pub(crate) struct Unseen {
    /// The last looks, the first of which may be older than the others have to be.
    recent: VecDeque<Look>,
    /// Bytes beyond what is known of.
    pub bytes: u64,
    /// Of these, bytes that were seen to stay when tasks ended.
    pub lasting: u64,
    /// Bytes that a running task is taken to add to what lasts, from how many ran when they were seen.
    pub each: u64,
    /// How many that were.
    among: u64,
    /// The most that there were.
    pub peak: u64,
}

/// What the process had that was known of nowhere, and how many tasks ran, at a time in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub at: u64,
    pub excess: u64,
    pub running: usize,
}

/// How long it has to have been there, in milliseconds.
const STAYS: u64 = 150;

/// In how many milliseconds half is forgotten of what isn't seen any more, and of what tasks are taken to add.
const FADES: f64 = 100.0;
const FADES_EACH: f64 = 4000.0;

impl Unseen {
    /// Takes in a look, where less than `little` counts for nothing.
    pub fn saw(&mut self, look: Look, little: u64) {
        let before = self.recent.back().map_or(look.at, |last| last.at);
        self.recent.push_back(look);
        while self.recent.get(1).is_some_and(|second| second.at + STAYS <= look.at) {
            self.recent.pop_front();
        }
        let has_stayed = self.recent.front().is_some_and(|first| first.at + STAYS <= look.at);
        let least = self.recent.iter().map(|look| look.excess).min().unwrap_or(0);
        let sure = if has_stayed && least >= little { least } else { 0 };
        let elapsed = look.at.saturating_sub(before);
        let faded = faded(self.bytes, elapsed, FADES);
        self.bytes = sure.max(if faded >= little { faded } else { 0 });
        self.cap_lasting(look.excess, little);
        self.each = faded_each(self.each, elapsed);
        let running = self.recent.iter().map(|look| look.running).max().unwrap_or(0) as u64;
        match sure.saturating_sub(self.lasting).checked_div(running) {
            Some(each) if each >= self.each => (self.each, self.among) = (each, running),
            Some(_) => {}
            // Nothing has run all the time.
            None => self.learn_lasting(self.lasting.max(sure)),
        }
        self.peak = self.peak.max(self.bytes);
    }

    /// A task has ended and what it had is gone, and no other has begun: at this time there were so many bytes beyond what is
    /// known of. What it was taken to have, and didn't take with it, is believed to last by half: one task isn't all of them.
    pub fn ended(&mut self, at: u64, excess: u64, little: u64) {
        let recent = self.recent.iter().filter(|look| look.at + STAYS >= at);
        let Some(before) = recent.map(|look| look.excess).max() else { return };
        self.cap_lasting(excess, little);
        let gone = before.saturating_sub(excess);
        let wrong = gone.abs_diff(self.each) / 2;
        let lasting = match gone < self.each {
            true => self.lasting.saturating_add(wrong).min(lasting_at_most(excess, little)),
            false => self.lasting.saturating_sub(wrong),
        };
        self.learn_lasting(lasting);
    }

    /// So much lasts of what was seen: what each task adds was told from the rest.
    fn learn_lasting(&mut self, lasting: u64) {
        let was = std::mem::replace(&mut self.lasting, lasting);
        let part = lasting.abs_diff(was) / self.among.max(1);
        self.each = if lasting > was { self.each.saturating_sub(part) } else { self.each.saturating_add(part) };
    }

    /// What isn't there any more doesn't last.
    fn cap_lasting(&mut self, excess: u64, little: u64) {
        self.lasting = self.lasting.min(lasting_at_most(excess, little));
    }
}

fn lasting_at_most(excess: u64, little: u64) -> u64 {
    if excess < little { 0 } else { excess }
}

fn faded(bytes: u64, milliseconds: u64, half: f64) -> u64 {
    (bytes as f64 * (-(milliseconds as f64) / half).exp2()) as u64
}

/// The least of it is nothing: no task is held back by it.
fn faded_each(each: u64, milliseconds: u64) -> u64 {
    let faded = faded(each, milliseconds, FADES_EACH);
    if faded < 1 << 20 { 0 } else { faded }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const LITTLE: u64 = 64 << 20;

    fn look(at: u64, excess: u64) -> Look {
        Look { at, excess, running: 2 }
    }

    #[test]
    fn what_goes_soon_is_nothing_and_what_stays_counts_until_it_goes() {
        let mut unseen = Unseen::default();
        for at in 0..200 {
            // Nine looks in a row see it, over 80 milliseconds.
            unseen.saw(look(at * 10, if at % 10 == 0 { 0 } else { GIB }), LITTLE);
            assert_eq!((unseen.bytes, unseen.each), (0, 0));
        }
        (201..220).for_each(|at| unseen.saw(look(at * 10, GIB / 2), LITTLE));
        assert_eq!((unseen.bytes, unseen.each), (GIB / 2, GIB / 4));
        let mut last = unseen.bytes;
        for at in 220..260 {
            unseen.saw(look(at * 10, 0), LITTLE);
            assert!(unseen.bytes <= last);
            last = unseen.bytes;
        }
        assert_eq!((unseen.bytes, unseen.peak), (0, GIB / 2));
        assert!(unseen.each > 0, "what tasks are taken to add is forgotten later");
        unseen.saw(look(60_000, 0), LITTLE);
        assert_eq!(unseen.each, 0);
    }

    #[test]
    fn little_is_nothing() {
        let mut unseen = Unseen::default();
        (0..100).for_each(|at| unseen.saw(look(at * 10, LITTLE - 1), LITTLE));
        assert_eq!((unseen.bytes, unseen.each), (0, 0));
    }

    /// So many workers, whose tasks of `length` looks each take `takes` bytes while they run, beside `cache` bytes that stay. Their
    /// ends are spread out. Gives what each is taken to add in the end, and what lasts.
    fn staggered(workers: u64, length: u64, takes: u64, cache: u64) -> (u64, u64) {
        let mut unseen = Unseen::default();
        for at in 0..40 * length {
            let ends =
                (0..workers).filter(|worker| (at + worker * length / workers).is_multiple_of(length)).count() as u64;
            for _ in 0..ends {
                unseen.ended(at * 10, cache + (workers - 1) * takes, LITTLE);
            }
            unseen.saw(Look { at: at * 10, excess: cache + workers * takes, running: workers as usize }, LITTLE);
        }
        (unseen.each, unseen.lasting)
    }

    #[test]
    fn what_goes_with_tasks_is_theirs_and_what_stays_is_nobodys() {
        let near = |found: u64, expected: u64| found.abs_diff(expected) <= GIB / 50;
        for (workers, length) in [(1, 20), (4, 20), (4, 7), (8, 100)] {
            for (takes, cache) in [(0, GIB), (GIB, 0), (GIB / 2, 2 * GIB)] {
                let (each, lasting) = staggered(workers, length, takes, cache);
                assert!(
                    near(each, takes) && near(lasting, cache),
                    "{workers} × {takes} beside {cache}: {each}, {lasting}"
                );
            }
        }
    }

    #[test]
    fn what_lasts_goes_when_it_is_gone_and_what_tasks_take_then_is_seen() {
        let mut unseen = Unseen::default();
        for at in 0..200 {
            unseen.saw(look(at * 10, GIB), LITTLE);
            unseen.ended(at * 10, GIB, LITTLE);
        }
        assert!(unseen.lasting > GIB * 9 / 10 && unseen.each < GIB / 10);
        unseen.saw(look(2000, 0), LITTLE);
        assert_eq!(unseen.lasting, 0);
        (201..240).for_each(|at| unseen.saw(look(at * 10, GIB), LITTLE));
        assert_eq!(unseen.each, GIB / 2);
    }
}
