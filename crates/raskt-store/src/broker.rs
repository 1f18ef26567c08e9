//! The memory broker: who was promised how much.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Who a promise was made to: a ticket of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Holder {
    /// The engine.
    pub asker: u32,
    /// Its ticket.
    pub ticket: u64,
}

/// Promises memory to work that is about to start, so that results never need more than there is.
///
/// Promises are made against `limit` less what results hold and what is promised already. A promise is given back when
/// the work has ended and its results, if any, are counted as held.
#[derive(Debug)]
pub struct Broker {
    limit: u64,
    /// Where whoever has more is ended, so much may be held whatever is asked for.
    bound: u64,
    /// As results count it, each for itself.
    held: u64,
    /// Of these, what belongs to pieces of memory that more than one of them may hold.
    pieces: Sums,
    promised: u64,
    /// On its way without a promise.
    arriving: u64,
    promises: BTreeMap<Holder, Promise>,
    overbooked: Option<Holder>,
    beyond: u64,
    peak: u64,
    unpromised: Unpromised,
}

/// A promise that isn't given back.
#[derive(Clone, Copy, Debug)]
struct Promise {
    /// Bytes of it that no result has taken up.
    bytes: u64,
    made: Instant,
}

/// Bytes that the process has and nobody was promised.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unpromised {
    pub seen: u64,
    /// Those of them that stay when tasks end.
    pub lasting: u64,
    /// What a running task is taken to add to these.
    pub each: u64,
}

/// Bytes of pieces of memory that more than one result may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    /// As often as results count them.
    pub counted: u64,
    /// Once each.
    pub once: u64,
    /// Of those, once each, that all of their holders are about to leave.
    pub leaving: u64,
}

impl Sums {
    pub fn add(&mut self, other: Self) {
        self.counted += other.counted;
        self.once += other.once;
        self.leaving += other.leaving;
    }

    pub fn subtract(&mut self, other: Self) {
        self.counted -= other.counted;
        self.once -= other.once;
        self.leaving -= other.leaving;
    }
}

/// What the rest of the process leaves to results and tasks in any case, in shares of the limit and in bytes.
const LEAST_SHARE: u64 = 8;
const LEAST_BYTES: u64 = 32 << 20;

/// What counts for nothing of what nobody was promised, in bytes and in shares of the limit.
const LITTLE_BYTES: u64 = 64 << 20;
const LITTLE_SHARE: u64 = 16;
const LITTLE_LEAST_BYTES: u64 = 8 << 20;

impl Broker {
    /// A broker over `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            bound: u64::MAX,
            held: 0,
            pieces: Sums::default(),
            promised: 0,
            arriving: 0,
            promises: BTreeMap::new(),
            overbooked: None,
            beyond: 0,
            peak: 0,
            unpromised: Unpromised::default(),
        }
    }

    /// Promises `bytes` to `holder` if there is enough; says whether it did.
    pub fn promise(&mut self, holder: Holder, bytes: u64) -> bool {
        let fits = self.missing(bytes) == 0;
        if fits {
            self.enter(holder, bytes);
        }
        fits
    }

    /// Promises `bytes` to `holder` though there isn't enough; to one holder at a time.
    pub fn overbook(&mut self, holder: Holder, bytes: u64) {
        self.overbooked = Some(holder);
        self.beyond = self.beyond.max(self.missing(bytes));
        self.enter(holder, bytes);
    }

    fn enter(&mut self, holder: Holder, bytes: u64) {
        self.promised = self.promised.saturating_add(bytes);
        self.promises.insert(holder, Promise { bytes, made: Instant::now() });
        self.saw();
    }

    /// How many bytes have to go before `bytes` can be promised.
    pub fn missing(&self, bytes: u64) -> u64 {
        let unseen = self.unseen_with_one_more();
        let others = match bytes {
            // What asks for nothing doesn't wait for results to go here: the state says whether it has to.
            0 if unseen == 0 => return 0,
            0 => self.promised,
            _ => self.total(),
        };
        others.saturating_add(bytes).saturating_add(unseen).saturating_sub(self.limit)
    }

    /// How many bytes have to go for what there is to be within the limit.
    pub fn beyond_limit(&self) -> u64 {
        self.total().saturating_add(self.unseen()).saturating_sub(self.limit)
    }

    /// What the process was seen to have that nobody was promised, as far as it counts.
    fn unseen(&self) -> u64 {
        self.unpromised.seen.min(self.limit.saturating_sub(self.least()))
    }

    /// What nobody was promised, if one more task runs: what is seen, or what those that run have yet to take; and what that
    /// one will.
    fn unseen_with_one_more(&self) -> u64 {
        let Unpromised { seen, lasting, each } = self.unpromised;
        let running = self.promises.len() as u64;
        let expected = lasting.saturating_add(each.saturating_mul(running));
        let taken = seen.max(expected).min(self.limit - self.least());
        if running == 0 { taken } else { taken.saturating_add(each) }
    }

    /// What is left to results and tasks in any case: with less, results would only come and go.
    fn least(&self) -> u64 {
        (self.limit / LEAST_SHARE).max(LEAST_BYTES.min(self.limit))
    }

    /// Less than that counts for nothing of what nobody was promised. Where whoever has more than the bound is ended, it is no more
    /// than there is room for up to there.
    pub fn little(&self) -> u64 {
        LITTLE_BYTES.max(self.limit / LITTLE_SHARE).min(self.bound.saturating_sub(self.limit)).max(LITTLE_LEAST_BYTES)
    }

    /// The process has so much that nobody was promised.
    pub(crate) fn set_unpromised(&mut self, unpromised: Unpromised) {
        self.unpromised = if self.limit > self.least() { unpromised } else { Unpromised::default() };
    }

    /// Takes the promise to `holder` back, and says whether there was one.
    pub fn give_back(&mut self, holder: Holder) -> bool {
        let promise = self.promises.remove(&holder);
        self.promised = self.promised.saturating_sub(promise.map_or(0, |promise| promise.bytes));
        self.overbooked.take_if(|overbooked| *overbooked == holder);
        promise.is_some()
    }

    /// Takes all promises to an asker back, but those of tickets that it `keeps`.
    pub fn give_back_all(&mut self, asker: u32, keeps: &dyn Fn(u64) -> bool) {
        let all = Holder { asker, ticket: 0 }..=Holder { asker, ticket: u64::MAX };
        let held = self.promises.range(all).map(|(&holder, _)| holder).filter(|holder| !keeps(holder.ticket));
        let held: Vec<Holder> = held.collect();
        held.into_iter().for_each(|holder| _ = self.give_back(holder));
    }

    /// A result of `bytes` came into memory.
    pub fn hold(&mut self, bytes: u64) {
        self.held = self.held.saturating_add(bytes);
        self.saw();
    }

    /// A result of `bytes` that `holder` was promised memory for came into memory.
    pub fn hold_promised(&mut self, holder: Holder, bytes: u64) {
        if let Some(promise) = self.promises.get_mut(&holder) {
            let used = bytes.min(promise.bytes);
            promise.bytes -= used;
            self.promised = self.promised.saturating_sub(used);
        }
        self.hold(bytes);
    }

    /// So many bytes are on their way into memory for which nobody was promised any.
    pub fn arrives(&mut self, bytes: u64) {
        self.arriving = self.arriving.saturating_add(bytes);
        self.saw();
    }

    /// So many of these are on their way no longer.
    pub fn arrived(&mut self, bytes: u64) {
        self.arriving = self.arriving.saturating_sub(bytes);
    }

    /// Bytes that are on their way without a promise.
    pub fn arriving(&self) -> u64 {
        self.arriving
    }

    /// A result of `bytes` left memory.
    pub fn let_go(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Counts anew: results hold so much, and promised is what is written down of promises.
    pub fn recount(&mut self, held: u64) {
        self.held = held;
        self.promised = self.promises.values().fold(0, |sum: u64, promise| sum.saturating_add(promise.bytes));
    }

    fn saw(&mut self) {
        self.peak = self.peak.max(self.total());
    }

    fn total(&self) -> u64 {
        self.held().saturating_add(self.promised).saturating_add(self.arriving)
    }

    /// Sets how many bytes may be held and promised together.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Sets how many bytes may be held whatever is asked for.
    pub fn set_bound(&mut self, bound: u64) {
        self.bound = bound;
    }

    /// How many bytes that is.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// Whether the process is ended if it has more.
    pub fn is_bound(&self) -> bool {
        self.bound < u64::MAX
    }

    /// Whether more would be held, with `bytes` more and `freed` less, than may be in any case; what the process has beside results counts,
    /// since that is what it is ended for.
    pub fn is_out_of_bounds(&self, bytes: u64, freed: u64) -> bool {
        self.total().saturating_add(self.unseen()).saturating_add(bytes).saturating_sub(freed) > self.bound
    }

    /// How many bytes too many that would be, with `bytes` more and what those make who run: some of that may be seen already.
    pub fn out_of_bounds_by(&self, bytes: u64, to_come: u64) -> u64 {
        self.total().saturating_add(self.unseen().max(to_come)).saturating_add(bytes).saturating_sub(self.bound)
    }

    /// How many bytes more that would be.
    pub fn room(&self, freed: u64) -> u64 {
        self.bound.saturating_add(freed).saturating_sub(self.total().saturating_add(self.unseen()))
    }

    /// Whether somebody was promised memory, be it none.
    pub fn has_promised(&self, holder: Holder) -> bool {
        self.promises.contains_key(&holder)
    }

    /// Whether somebody was promised more than there is, and hasn't given it back.
    pub fn is_overbooked(&self) -> bool {
        self.overbooked.is_some()
    }

    /// Bytes that are held, promised and on their way.
    pub fn known(&self) -> u64 {
        self.total()
    }

    /// How many promises are not given back.
    pub fn promises(&self) -> usize {
        self.promises.len()
    }

    /// Whether one of those that aren't given back was made within such a time.
    pub fn has_promised_within(&self, time: Duration) -> bool {
        self.promises.values().any(|promise| promise.made.elapsed() < time)
    }

    /// Bytes that results hold.
    pub fn held(&self) -> u64 {
        self.held.saturating_sub(self.pieces.counted).saturating_add(self.pieces.once)
    }

    /// The same, with what more than one of them holds as often.
    pub fn held_by_each(&self) -> u64 {
        self.held
    }

    /// Pieces of memory that more than one result may hold have so many bytes.
    pub(crate) fn set_pieces(&mut self, pieces: Sums) {
        self.pieces = pieces;
    }

    /// Bytes that are promised and not given back.
    pub fn promised(&self) -> u64 {
        self.promised
    }

    /// The most that was held, promised and on its way at one time.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// The furthest that a promise went beyond the limit.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Bytes that may be held and promised together.
    pub fn limit(&self) -> u64 {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(ticket: u64) -> Holder {
        Holder { asker: 0, ticket }
    }

    #[test]
    fn a_promise_beyond_the_limit_is_refused_unless_overbooked() {
        let mut broker = Broker::new(100);
        broker.hold(30);
        assert!(broker.promise(holder(1), 70));
        assert!(!broker.promise(holder(2), 1));
        broker.overbook(holder(2), 1);
        assert!(broker.is_overbooked());
        assert!(broker.give_back(holder(1)));
        assert!(!broker.give_back(holder(1)));
        assert_eq!((broker.held(), broker.promised(), broker.peak()), (30, 1, 101));
    }

    #[test]
    fn a_promise_of_more_than_can_be_counted_is_refused() {
        let mut broker = Broker::new(u64::MAX - 1);
        broker.hold(1);
        assert!(broker.promise(holder(1), u64::MAX - 2));
        assert!(!broker.promise(holder(2), u64::MAX));
    }

    #[test]
    fn what_was_promised_and_comes_is_counted_once() {
        let mut broker = Broker::new(100);
        assert!(broker.promise(holder(1), 60));
        broker.hold_promised(holder(1), 40);
        assert_eq!((broker.held(), broker.promised(), broker.peak()), (40, 20, 60));
    }

    fn unpromised(seen: u64, lasting: u64, each: u64) -> Unpromised {
        Unpromised { seen, lasting, each }
    }

    #[test]
    fn what_lasts_counts_once_and_not_for_each_task() {
        const MIB: u64 = 1 << 20;
        let mut broker = Broker::new(1024 * MIB);
        broker.set_unpromised(unpromised(500 * MIB, 400 * MIB, 100 * MIB));
        assert!(broker.promise(holder(1), 0) && broker.promise(holder(2), 0));
        // Both have begun: what is seen is known to become more.
        assert_eq!(broker.missing(400 * MIB), (400 + 400 + 2 * 100 + 100 - 1024) * MIB);
        broker.set_unpromised(unpromised(500 * MIB, 500 * MIB, 0));
        assert_eq!(broker.missing(500 * MIB), 0);
    }

    #[test]
    fn what_a_process_has_beside_results_is_within_its_bound() {
        const MIB: u64 = 1 << 20;
        let mut broker = Broker::new(800 * MIB);
        broker.set_bound(900 * MIB);
        broker.hold(700 * MIB);
        assert!(!broker.is_out_of_bounds(200 * MIB, 0) && broker.is_out_of_bounds(201 * MIB, 0));
        broker.set_unpromised(unpromised(150 * MIB, 0, 0));
        assert!(!broker.is_out_of_bounds(50 * MIB, 0) && broker.is_out_of_bounds(51 * MIB, 0));
        assert!(!broker.is_out_of_bounds(51 * MIB, MIB));
        assert_eq!((broker.room(0), broker.room(MIB)), (50 * MIB, 51 * MIB));
        broker.hold(100 * MIB);
        assert_eq!((broker.room(0), broker.room(51 * MIB)), (0, MIB));
    }

    #[test]
    fn what_counts_for_nothing_is_within_the_bound() {
        const MIB: u64 = 1 << 20;
        let little = |limit: u64, bound: Option<u64>| {
            let mut broker = Broker::new(limit * MIB);
            bound.into_iter().for_each(|bound| broker.set_bound(bound * MIB));
            broker.little() / MIB
        };
        assert_eq!([little(60, None), little(4096, None)], [64, 256]);
        assert_eq!([little(60, Some(80)), little(4096, Some(4608)), little(60, Some(60))], [20, 256, 8]);
    }

    #[test]
    fn what_nobody_was_promised_counts_and_leaves_some() {
        const MIB: u64 = 1 << 20;
        let mut broker = Broker::new(1024 * MIB);
        broker.set_unpromised(unpromised(500 * MIB, 0, 300 * MIB));
        assert!(broker.promise(holder(1), 100 * MIB));
        // A task more would take what others were seen to take.
        assert_eq!(broker.missing(200 * MIB), (100 + 200 + 500 + 300 - 1024) * MIB);
        assert!(broker.missing(0) == 0 && !broker.promise(holder(2), 200 * MIB));
        assert!(broker.give_back(holder(1)) && broker.promise(holder(2), 200 * MIB));
        broker.hold(2000 * MIB);
        assert_eq!(broker.missing(0), 0, "what asks for nothing doesn't wait for results to go");
        broker.let_go(2000 * MIB);
        broker.set_unpromised(unpromised(5000 * MIB, 0, 300 * MIB));
        assert_eq!(broker.missing(0), (200 + 896 + 300 - 1024) * MIB);
        // What a task that has begun took before, it may take again.
        broker.set_unpromised(unpromised(0, 0, 300 * MIB));
        assert_eq!(broker.missing(300 * MIB), (200 + 300 + 300 + 300 - 1024) * MIB);
        broker.set_unpromised(unpromised(0, 0, 0));
        assert_eq!(broker.missing(800 * MIB), 0);
        broker.set_limit(8 * MIB);
        broker.set_unpromised(unpromised(500 * MIB, 0, 300 * MIB));
        assert_eq!(broker.missing(0), 0, "a small limit is left alone");
    }
}
