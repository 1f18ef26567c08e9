//! Whose turn it is to get results, of those who want large ones.
//!
//! What is in memory anyhow is only kept there until it has arrived, and may be much; what is read from the disk for it takes memory that
//! nobody was promised. One who takes in what he wants slowly, or not at all, keeps no other one waiting: each may have one result on its
//! way whatever the others have, as far as there is memory; of what waits, one goes beyond that now and then, since what is on its way
//! may itself wait for it.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// Somebody who wants results: those of one are given in the order in which he asked, as far as they have to wait.
pub type Peer = u64;

/// What is in memory, and on its way at a time, in shares of the memory limit.
const HELD_SHARE: u64 = 2;

/// What is read to be given away, and on its way at a time, likewise. One result always may be.
const READ_SHARE: u64 = 8;

/// The same with those that are the only ones of their peers.
const FIRSTS_SHARE: u64 = 4;

/// Who has waited for so long goes beyond that, if nobody did for as long.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much somebody wants.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    bytes: u64,
    /// Some of it has to be read from the disk.
    is_read: bool,
    /// What it counts for those that are the only ones of their peers: one that is large keeps no small one waiting.
    counted: u64,
}

impl Size {
    pub fn new(bytes: u64, is_read: bool) -> Self {
        Self { bytes, is_read, counted: 0 }
    }
}

/// Those who wait for results, and what is on its way.
pub struct Line<W> {
    waiting: BTreeMap<Peer, VecDeque<(Size, Instant, W)>>,
    /// Each peer that waits once, whoever had a turn last at the end.
    turns: VecDeque<Peer>,
    /// How many requests of each peer are on their way.
    given: BTreeMap<Peer, u64>,
    held: u64,
    read: u64,
    /// Of what is read, no more of each than all together may be.
    counted: u64,
    /// When one went beyond what may be on its way.
    beyond: Option<Instant>,
}

impl<W> Default for Line<W> {
    fn default() -> Self {
        let (waiting, turns, given) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new());
        Self { waiting, turns, given, held: 0, read: 0, counted: 0, beyond: None }
    }
}

impl<W> Line<W> {
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Somebody waits for his turn.
    pub fn push(&mut self, peer: Peer, size: Size, wanted: W, now: Instant) {
        let line = self.waiting.entry(peer).or_default();
        if line.is_empty() {
            self.turns.push_back(peer);
        }
        line.push_back((size, now, wanted));
    }

    /// Counts what is in memory for somebody, if it may be on its way at once.
    pub fn pass(&mut self, peer: Peer, bytes: u64, limit: u64) -> Option<Size> {
        let mut size = Size::new(bytes, false);
        self.admits(peer, size, limit).then(|| self.begin(peer, &mut size, limit))?;
        Some(size)
    }

    /// Whoever has his turn now: it is on its way from here on.
    pub fn next(&mut self, limit: u64, now: Instant) -> Option<(Peer, Size, W)> {
        let front = |peer: &Peer| self.waiting.get(peer).and_then(VecDeque::front);
        let admits = |peer: &Peer| front(peer).is_some_and(|(size, ..)| self.admits(*peer, *size, limit));
        if let Some(peer) = self.turns.iter().copied().find(admits) {
            return self.take(peer, limit);
        }
        // Nobody may go. Whoever has waited for longest does all the same, now and then.
        let (since, peer) = self.turns.iter().filter_map(|peer| Some((front(peer)?.1, *peer))).min()?;
        let is_over = |since: Instant| now.saturating_duration_since(since) >= PATIENCE;
        if !is_over(since) || !self.beyond.is_none_or(is_over) {
            return None;
        }
        self.beyond = Some(now);
        self.take(peer, limit)
    }

    /// The first that a peer waits for is on its way.
    fn take(&mut self, peer: Peer, limit: u64) -> Option<(Peer, Size, W)> {
        let at = self.turns.iter().position(|other| *other == peer)?;
        self.turns.remove(at);
        let line = self.waiting.get_mut(&peer)?;
        let (mut size, _, wanted) = line.pop_front()?;
        match line.is_empty() {
            true => _ = self.waiting.remove(&peer),
            false => self.turns.push_back(peer),
        }
        self.begin(peer, &mut size, limit);
        Some((peer, size, wanted))
    }

    /// When to look again if nothing ends until then; nothing if nobody waits.
    pub fn looks_at(&self) -> Option<Instant> {
        let fronts = self.waiting.values().filter_map(|line| line.front());
        let first = fronts.map(|(_, since, _)| *since).min()?;
        Some(self.beyond.map_or(first, |last| last.max(first)) + PATIENCE)
    }

    /// What was on its way has arrived, or nobody waits for it any more.
    pub fn end(&mut self, peer: Peer, size: Size) {
        *self.of(size) -= size.bytes;
        self.counted -= size.counted;
        if let Some(count) = self.given.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                self.given.remove(&peer);
            }
        }
    }

    fn begin(&mut self, peer: Peer, size: &mut Size, limit: u64) {
        size.counted = if size.is_read { size.bytes.min(limit / READ_SHARE) } else { 0 };
        *self.of(*size) += size.bytes;
        self.counted += size.counted;
        *self.given.entry(peer).or_default() += 1;
    }

    fn of(&mut self, size: Size) -> &mut u64 {
        if size.is_read { &mut self.read } else { &mut self.held }
    }

    fn admits(&self, peer: Peer, size: Size, limit: u64) -> bool {
        let is_first = !self.given.contains_key(&peer);
        let fits = |on_its_way: u64, share: u64| on_its_way.saturating_add(size.bytes) <= limit / share;
        match size.is_read {
            true => self.read == 0 || fits(self.read, READ_SHARE) || is_first && fits(self.counted, FIRSTS_SHARE),
            false => is_first || fits(self.held, HELD_SHARE),
        }
    }

    #[cfg(test)]
    pub fn describe(&self) -> String {
        let waiting: usize = self.waiting.values().map(VecDeque::len).sum();
        format!("{waiting} wait, {} bytes in memory and {} read are on their way", self.held, self.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 800;

    fn read(bytes: u64) -> Size {
        Size::new(bytes, true)
    }

    /// Whoever is given something next, and how large that is.
    fn next<W>(line: &mut Line<W>, now: Instant) -> Option<(Peer, Size, W)> {
        line.next(LIMIT, now)
    }

    #[test]
    fn who_takes_nothing_in_keeps_no_other_one_waiting() {
        let (mut line, now) = (Line::default(), Instant::now());
        (0..10).for_each(|at| line.push(1, read(60), at, now));
        line.push(2, read(60), 20, now);
        line.push(3, read(60), 30, now);
        let mut given = vec![];
        while let Some((peer, size, at)) = next(&mut line, now) {
            given.push((peer, at, size));
        }
        let names: Vec<_> = given.iter().map(|(peer, at, _)| (*peer, *at)).collect();
        assert_eq!(names, [(1, 0), (2, 20), (3, 30)], "the first of each, and no second one");
        assert!(line.pass(4, 100, LIMIT).is_some() && line.pass(1, 200, LIMIT).is_some(), "what is in memory");
        given.drain(1..).for_each(|(peer, _, size)| line.end(peer, size));
        assert!(next(&mut line, now).is_none(), "60 are on their way, and 60 more are beyond the share");
        given.drain(..).for_each(|(peer, _, size)| line.end(peer, size));
        assert_eq!(next(&mut line, now).map(|(.., at)| at), Some(1));
    }

    /// One that is larger than all together may be counts as that.
    #[test]
    fn one_large_result_keeps_no_small_ones_waiting() {
        let (mut line, now) = (Line::default(), Instant::now());
        line.push(1, read(5_000), 0, now);
        assert!(next(&mut line, now).is_some());
        (2..6).for_each(|peer| line.push(peer, read(20), peer, now));
        line.push(9, read(150), 9, now);
        for peer in 2..6 {
            assert_eq!(next(&mut line, now).map(|(peer, ..)| peer), Some(peer));
        }
        assert!(next(&mut line, now).is_none(), "150 more would be too much");
    }

    /// Whatever is on its way may wait for what waits; and one that is larger than what may be would wait for ever beside small ones.
    #[test]
    fn who_has_waited_for_longest_goes_beyond_now_and_then() {
        let (mut line, start) = (Line::default(), Instant::now());
        line.push(1, read(700), 0, start);
        assert!(next(&mut line, start).is_some(), "one always may");
        let later = |at: u32| start + Duration::from_millis(u64::from(at));
        (1..4).for_each(|at| line.push(2, read(700), at, later(2 * at)));
        line.push(3, read(300), 9, later(3));
        for (turn, expected) in (1..5).zip([1, 9, 2, 3]) {
            let due = line.looks_at().expect("somebody waits");
            assert_eq!(due, later(2) + turn * PATIENCE);
            assert!(next(&mut line, due - Duration::from_millis(1)).is_none());
            assert_eq!(next(&mut line, due).map(|(.., at)| at), Some(expected));
            assert!(next(&mut line, due).is_none(), "no second one");
        }
        assert!(line.is_empty() && line.looks_at().is_none());
    }

    #[test]
    fn what_has_ended_leaves_nothing_behind() {
        let (mut line, now) = (Line::default(), Instant::now());
        let mut sizes = vec![];
        for peer in 0..50 {
            line.push(peer, read(10 * peer), peer, now);
            sizes.push((peer, line.pass(peer, 7, LIMIT).expect("it is the first")));
        }
        let mut count = 0;
        while let Some((peer, size, _)) = next(&mut line, now) {
            line.end(peer, size);
            count += 1;
        }
        sizes.into_iter().for_each(|(peer, size)| line.end(peer, size));
        assert_eq!((count, line.held, line.read, line.counted), (50, 0, 0, 0));
        assert!(line.waiting.is_empty() && line.turns.is_empty() && line.given.is_empty());
    }
}
