use std::collections::HashMap;

/// Promises memory to work that is about to start, so that results never need more than there is.
///
/// Promises are made against `limit` less what results hold and what is promised already. A promise is given back when
/// the work has ended and its results, if any, are counted as held.
#[derive(Debug)]
pub struct Broker {
    limit: u64,
    held: u64,
    promised: u64,
    promises: HashMap<u64, u64>,
    peak: u64,
}

impl Broker {
    /// A broker over `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, held: 0, promised: 0, promises: HashMap::new(), peak: 0 }
    }

    /// Promises `bytes` to `holder`; with `overbook` even where there isn't enough. Says whether it did.
    pub fn promise(&mut self, holder: u64, bytes: u64, overbook: bool) -> bool {
        let total = self.held.checked_add(self.promised).and_then(|sum| sum.checked_add(bytes));
        let fits = total.is_some_and(|total| total <= self.limit);
        if !fits && !overbook {
            return false;
        }
        self.promised = self.promised.saturating_add(bytes);
        self.promises.insert(holder, bytes);
        self.peak = self.peak.max(self.held.saturating_add(self.promised));
        true
    }

    /// Takes the promise to `holder` back.
    pub fn give_back(&mut self, holder: u64) {
        self.promised = self.promised.saturating_sub(self.promises.remove(&holder).unwrap_or(0));
    }

    /// A result of `bytes` came into memory.
    pub fn hold(&mut self, bytes: u64) {
        self.held = self.held.saturating_add(bytes);
        self.peak = self.peak.max(self.held.saturating_add(self.promised));
    }

    /// A result of `bytes` left memory.
    pub fn let_go(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Bytes that results hold.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Bytes that are promised and not given back.
    pub fn promised(&self) -> u64 {
        self.promised
    }

    /// The most that was held and promised at one time.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// Bytes that may be held and promised together.
    pub fn limit(&self) -> u64 {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_beyond_the_limit_is_refused_unless_overbooked() {
        let mut broker = Broker::new(100);
        broker.hold(30);
        assert!(broker.promise(1, 70, false));
        assert!(!broker.promise(2, 1, false));
        assert!(broker.promise(2, 1, true));
        broker.give_back(1);
        broker.give_back(1);
        assert_eq!((broker.held(), broker.promised(), broker.peak()), (30, 1, 101));
    }

    #[test]
    fn a_promise_of_more_than_can_be_counted_is_refused() {
        let mut broker = Broker::new(u64::MAX);
        broker.hold(1);
        assert!(broker.promise(1, u64::MAX - 1, false));
        assert!(!broker.promise(2, u64::MAX, false));
    }
}
