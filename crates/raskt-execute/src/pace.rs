//! Whether threads that share the interpreter should take turns.

use std::time::Duration;

/// How threads go that hold one thing between them (the interpreter): learned from what their turns cost.
///
/// Threads that wait for each other all the time are better off one after the other; those that wait for something else, or
/// that work without it, at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At the same time; whether they should isn't asked for some turns.
    Together {
        /// Turns for which it isn't asked.
        settled: u32,
    },
    /// One after the other.
    OneByOne {
        /// Turns until it is tried again whether they still hinder each other.
        left: u32,
    },
}

/// What a thread used in a turn.
#[derive(Clone, Copy, Debug)]
pub struct TurnUsage {
    /// How long the turn was.
    pub wall: Duration,
    /// For how long it was on a processor.
    pub on_processor: Duration,
    /// How often it waited for something.
    pub waits: u64,
    /// How often the processor was taken from it.
    pub preemptions: u64,
}

/// Turns one after the other before it is tried again whether threads still hinder each other. A trial takes a turn.
const TURNS_UNTIL_TRIAL: u32 = 40;

/// Turns at the same time after tasks were found to wait for something else than each other.
const TURNS_SETTLED: u32 = 200;

/// Shorter turns say nothing.
const SHORTEST: Duration = Duration::from_millis(1);

/// A turn that takes longer than this was one long task: others were let in before it ended, and had better not wait at all.
const LONGEST: Duration = Duration::from_millis(20);

/// Threads that wait for each other do so at least this often in a millisecond.
const WAITS_A_MILLISECOND: u64 = 2;

impl Pace {
    /// As they begin.
    pub const START: Self = Self::Together { settled: 0 };

    /// Whether they go one after the other.
    pub fn is_one_by_one(self) -> bool {
        matches!(self, Self::OneByOne { .. })
    }

    /// Takes in what a turn cost, while `running` threads were running tasks. `others_wait` if one of them waits for its turn.
    pub fn learn(&mut self, spent: &TurnUsage, running: usize, others_wait: bool) {
        if spent.wall < SHORTEST {
            return;
        }
        *self = match *self {
            Self::Together { settled: 0 } if spent.was_handed_over(running) => {
                Self::OneByOne { left: TURNS_UNTIL_TRIAL }
            }
            Self::Together { settled } => Self::Together { settled: settled.saturating_sub(1) },
            Self::OneByOne { .. } if others_wait && spent.waited() => Self::Together { settled: TURNS_SETTLED },
            Self::OneByOne { left } if left <= 1 || spent.wall > LONGEST => Self::START,
            Self::OneByOne { left } => Self::OneByOne { left: left - 1 },
        };
    }
}

impl TurnUsage {
    /// Whether `running` threads, all of which do as this one did, got about one processor since they often waited.
    fn was_handed_over(&self, running: usize) -> bool {
        let together = self.on_processor * u32::try_from(running).unwrap_or(u32::MAX);
        let often = self.waits >= WAITS_A_MILLISECOND * self.wall.as_millis() as u64;
        running > 1 && often && self.waits > 4 * self.preemptions && together * 4 <= self.wall * 5
    }

    /// Whether it was off the processor for a good part of the time, of its own accord.
    fn waited(&self) -> bool {
        self.on_processor * 5 < self.wall * 4 && self.waits > self.preemptions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn of 5 ms.
    fn spent(on_processor_percent: u32, waits: u64, preemptions: u64) -> TurnUsage {
        let wall = Duration::from_millis(5);
        TurnUsage { wall, on_processor: wall * on_processor_percent / 100, waits, preemptions }
    }

    fn after(spent: TurnUsage, running: usize) -> Pace {
        let mut pace = Pace::START;
        pace.learn(&spent, running, false);
        pace
    }

    #[test]
    fn threads_that_hand_the_interpreter_over_go_one_by_one() {
        assert!(after(spent(53, 60, 2), 2).is_one_by_one());
        assert!(after(spent(14, 40, 0), 8).is_one_by_one());
    }

    #[test]
    fn work_with_the_interpreter_free_goes_together() {
        assert!(!after(spent(98, 2, 1), 2).is_one_by_one());
        // Often, but most of the time goes into the work.
        assert!(!after(spent(80, 60, 2), 2).is_one_by_one());
        assert!(!after(spent(40, 60, 2), 8).is_one_by_one());
    }

    #[test]
    fn a_busy_machine_and_single_waits_say_nothing() {
        assert!(!after(spent(50, 12, 30), 2).is_one_by_one());
        assert!(!after(spent(2, 3, 0), 2).is_one_by_one());
        assert!(!after(spent(53, 60, 2), 1).is_one_by_one());
        let short = TurnUsage { wall: Duration::from_micros(300), ..spent(53, 60, 2) };
        assert!(!after(short, 2).is_one_by_one());
    }

    #[test]
    fn a_trial_comes_after_a_number_of_turns() {
        let mut pace = after(spent(53, 60, 2), 2);
        for _ in 1..TURNS_UNTIL_TRIAL {
            pace.learn(&spent(99, 3, 0), 2, true);
            assert!(pace.is_one_by_one());
        }
        pace.learn(&spent(99, 3, 0), 2, true);
        assert_eq!(pace, Pace::START);
    }

    #[test]
    fn long_tasks_go_together() {
        let mut pace = after(spent(53, 60, 2), 2);
        let wall = Duration::from_millis(50);
        pace.learn(&TurnUsage { wall, on_processor: wall, waits: 5, preemptions: 0 }, 2, true);
        assert_eq!(pace, Pace::START);
    }

    #[test]
    fn tasks_that_wait_for_something_else_go_together_for_long() {
        let mut pace = after(spent(53, 60, 2), 2);
        pace.learn(&spent(10, 20, 0), 2, true);
        assert_eq!(pace, Pace::Together { settled: TURNS_SETTLED });
        for _ in 0..TURNS_SETTLED {
            pace.learn(&spent(10, 60, 0), 2, false);
            assert!(!pace.is_one_by_one());
        }
        pace.learn(&spent(10, 60, 0), 2, false);
        assert!(pace.is_one_by_one());
    }
}
