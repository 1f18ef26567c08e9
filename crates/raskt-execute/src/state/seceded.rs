//! Tasks that have given their slots to others, and go on.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Where a thread is in a task: no other place has its number, whenever that was.
pub(crate) type Place = u64;

/// So long a task that goes on isn't said to have lent its slot. If it is one that may have killed a worker, nobody comes beside it then;
/// but it may wait in a way that nobody sees, and others come after that.
const APART: Duration = Duration::from_secs(5);

/// Those that have seceded, and haven't come back.
#[derive(Debug, Default)]
pub(super) struct Seceded(BTreeMap<Place, Does>);

/// What one of them does, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It goes on since then.
    GoOn(Instant),
    /// It has for a while.
    GoOnFor,
    /// It says that it waits.
    Wait,
}

impl Seceded {
    /// How many haven't lent their slots as others see it.
    pub fn apart(&self) -> u32 {
        self.0.values().filter(|does| matches!(does, Does::GoOn(_))).count() as u32
    }

    pub fn begin(&mut self, place: Place, now: Instant) {
        self.0.insert(place, Does::GoOn(now));
    }

    pub fn end(&mut self, place: Place) {
        self.0.remove(&place);
    }

    /// One that may have seceded waits from now on, or not any more. Says whether it has.
    pub fn waits(&mut self, place: Place, does: bool, now: Instant) -> bool {
        let found = self.0.get_mut(&place);
        found.map(|of| *of = if does { Does::Wait } else { Does::GoOn(now) }).is_some()
    }

    /// When others are to come to the first of them.
    pub fn wakes_at(&self) -> Option<Instant> {
        let since = |does: &Does| if let Does::GoOn(since) = does { Some(*since + APART) } else { None };
        self.0.values().filter_map(since).min()
    }

    /// Says whether others are to come to one of them from now on.
    pub fn time_passed(&mut self, now: Instant) -> bool {
        let is_due = |does: &&mut Does| matches!(does, Does::GoOn(since) if now >= *since + APART);
        self.0.values_mut().filter(is_due).map(|does| *does = Does::GoOnFor).count() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_come_to_one_that_goes_on_for_long_and_to_one_that_waits() {
        let (mut all, now) = (Seceded::default(), Instant::now());
        let later = now + APART;
        all.begin(1, now);
        all.begin(2, now);
        assert!(all.waits(2, true, now) && !all.waits(3, true, now));
        assert_eq!((all.apart(), all.wakes_at()), (1, Some(later)));
        assert!(!all.time_passed(now) && all.time_passed(later) && !all.time_passed(later));
        assert_eq!((all.apart(), all.wakes_at()), (0, None));
        // It has waited, and goes on.
        assert!(all.waits(2, false, later));
        assert_eq!((all.apart(), all.wakes_at()), (1, Some(later + APART)));
        // In whatever order it ends.
        all.end(2);
        assert!(!all.waits(2, false, later) && all.apart() == 0);
        all.end(2);
        all.end(1);
        assert_eq!((all.apart(), all.wakes_at()), (0, None));
    }
}
