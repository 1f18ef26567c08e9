//! What a scheduler notes down for those who ask later: the last of it.

use crate::question::{KEY_BYTES, LogFacts};
use raskt_schedule::Time;
use std::collections::VecDeque;

/// Notes that are kept.
const KEPT: usize = 1000;

#[derive(Default)]
pub(super) struct Notes(VecDeque<(Time, &'static str, String)>);

impl Notes {
    pub fn info(&mut self, now: Time, words: String) {
        tracing::info!("{words}");
        self.push(now, "INFO", words);
    }

    pub fn warn(&mut self, now: Time, words: String) {
        tracing::warn!("{words}");
        self.push(now, "WARNING", words);
    }

    fn push(&mut self, now: Time, level: &'static str, mut words: String) {
        words.truncate(words.floor_char_boundary(KEY_BYTES));
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back((now, level, words));
    }

    /// All that are kept, the oldest first.
    pub fn all(&self, now: Time) -> Vec<LogFacts> {
        let facts = self.0.iter().map(|(then, level, words)| LogFacts {
            age_nanoseconds: now.0.saturating_sub(then.0),
            level: (*level).into(),
            words: words.clone(),
        });
        facts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_notes_are_kept_and_none_is_long() {
        let mut notes = Notes::default();
        for at in 0..2 * KEPT as u64 {
            notes.push(Time(at), "INFO", "ä".repeat(KEY_BYTES));
        }
        let all = notes.all(Time(2 * KEPT as u64));
        assert_eq!((all.len(), all[0].age_nanoseconds, all[KEPT - 1].age_nanoseconds), (KEPT, KEPT as u64, 1));
        assert!(all.iter().all(|note| note.words.len() <= KEY_BYTES));
    }
}
