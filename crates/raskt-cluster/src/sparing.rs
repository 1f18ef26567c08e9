//! Lines of a log that anybody can cause: so many a minute, and how many were left out.

use std::time::{Duration, Instant};

/// Lines of a minute.
const LINES_MAX: u32 = 20;
const MINUTE: Duration = Duration::from_secs(60);

/// What has been said lately.
pub(crate) struct Sparing {
    began: Instant,
    lines: u32,
    left_out: u64,
}

/// What is to be done about an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// It is counted alone.
    Nothing,
    /// It is written, with how many were not since the last line.
    This { left_out: u64 },
}

impl Sparing {
    pub fn new(now: Instant) -> Self {
        Self { began: now, lines: 0, left_out: 0 }
    }

    pub fn tell(&mut self, now: Instant) -> Telling {
        if now.saturating_duration_since(self.began) >= MINUTE {
            (self.began, self.lines) = (now, 0);
        }
        if self.lines == LINES_MAX {
            self.left_out += 1;
            return Telling::Nothing;
        }
        self.lines += 1;
        Telling::This { left_out: std::mem::take(&mut self.left_out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_minute_are_told_and_the_others_are_counted() {
        let now = Instant::now();
        let mut sparing = Sparing::new(now);
        let told = (0..1000).filter(|_| sparing.tell(now) == Telling::This { left_out: 0 }).count();
        assert_eq!(told, LINES_MAX as usize);
        assert_eq!(sparing.tell(now + MINUTE), Telling::This { left_out: 1000 - u64::from(LINES_MAX) });
        assert_eq!(sparing.tell(now + MINUTE), Telling::This { left_out: 0 });
    }
}
