//! The state under random work, with jobs that end in any order and files that fail.

use super::*;
use proptest::prelude::*;

/// The state with everything around it played by hand.
pub(super) struct World {
    pub state: State,
    pub folder: Arc<Folder>,
    _place: tempfile::TempDir,
    pub results: BTreeMap<SlotId, u64>,
    /// Tickets that were promised memory and haven't ended, with the results that they have pinned.
    running: BTreeMap<u64, Vec<SlotId>>,
    waiting: BTreeMap<u64, Vec<SlotId>>,
    loading: Vec<u64>,
    next: u64,
}

impl World {
    pub fn new(limit: u64) -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::create(place.path()).unwrap());
        let (results, running, waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let state = State::new(limit);
        Self { state, folder, _place: place, results, running, waiting, loading: vec![], next: 0 }
    }

    pub fn keep(&mut self, units: u64, turn: Option<u32>) {
        self.next += 1;
        let id = self.state.keep(block(self.next, units), facts(turn), holder(0));
        self.results.insert(id, self.next);
    }

    fn keep_cheap(&mut self) {
        self.next += 1;
        let id = self.state.keep(block(self.next, 1), cheap(1), holder(0));
        self.results.insert(id, self.next);
    }

    /// Keeps what shows some of another result, or the very same once more.
    fn keep_view(&mut self, at: usize) {
        let there = self.results.iter().filter_map(|(&id, &number)| Some((self.state.value(id)?, number)));
        let all: Vec<_> = there.collect();
        let Some((value, number)) = all.get(at % all.len().max(1)).cloned() else { return };
        drop(all);
        // One that was read back has its own elements and no more.
        let start = if value.bytes() as u64 == UNIT { at % 2 * 8 } else { 0 };
        let view = if at.is_multiple_of(3) { value } else { part_of(&value, start, 8) };
        let facts = if at.is_multiple_of(5) { cheap(1) } else { facts(None) };
        let id = self.state.keep(view, facts, holder(0));
        self.results.insert(id, number);
    }

    /// Bytes that results have in memory: what keeps them alive is there as long as one refers to it.
    fn in_memory(&self) -> u64 {
        let values: Vec<Value> = self.results.keys().filter_map(|&id| self.state.value(id)).collect();
        let buffers = values.iter().map(|value| value.as_chunk().unwrap().buffer());
        let pieces: BTreeMap<usize, u64> =
            buffers.map(|buffer| (Arc::as_ptr(buffer.owner()).addr(), buffer.len() as u64)).collect();
        pieces.values().sum()
    }

    fn ask(&mut self, units: u64, picks: &[usize]) {
        self.next += 1;
        let mut inputs: Vec<SlotId> =
            picks.iter().filter_map(|at| self.results.keys().nth(at % self.results.len().max(1)).copied()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let sized = inputs.iter().map(|&id| (id, self.state.bytes(id))).collect();
        let ticket = self.next;
        match self.state.ask(Request {
            holder: holder(ticket),
            bytes: units * UNIT,
            inputs: sized,
            small: 0,
            fetched: 0,
            outputs: Outputs::default(),
        }) {
            Answer::Promised { is_loading } => self.promised(ticket, inputs, is_loading),
            Answer::Pending => _ = self.waiting.insert(ticket, inputs),
        }
    }

    fn promised(&mut self, ticket: u64, inputs: Vec<SlotId>, is_loading: bool) {
        if is_loading {
            self.loading.push(ticket);
        }
        assert!(self.state.broker.has_promised(holder(ticket)), "whoever runs is counted");
        self.running.insert(ticket, inputs);
    }

    fn end(&mut self, at: usize) {
        let able: Vec<u64> = self.running.keys().copied().filter(|ticket| !self.loading.contains(ticket)).collect();
        let Some(&ticket) = able.get(at % able.len().max(1)) else { return };
        let inputs = self.running.remove(&ticket).unwrap();
        for &id in &inputs {
            if let Some(value) = self.state.value(id) {
                assert_eq!(number(&value), self.results[&id], "a result is what it was");
            } else {
                // Computed again, it may be larger.
                let value = block(self.results[&id], 1 + id.0 % 2);
                self.state.restore(id, value, Some(holder(ticket)));
            }
        }
        inputs.into_iter().for_each(|id| self.state.unpin(id));
        self.state.give_back(holder(ticket));
    }

    fn remove(&mut self, at: usize) {
        let pinned = |id: &SlotId| self.running.values().chain(self.waiting.values()).any(|inputs| inputs.contains(id));
        let free: Vec<SlotId> = self.results.keys().copied().filter(|id| !pinned(id)).collect();
        if let Some(id) = free.get(at % free.len().max(1)) {
            self.state.remove(*id);
            self.results.remove(id);
        }
    }

    pub fn job(&mut self, fails: bool) {
        match self.state.jobs.pop_front() {
            Some(Job::Write { id, value, codec, known, .. }) => {
                assert!(known.is_none(), "blocks never change");
                let written = SpillFile::write(&self.folder, codec.encode(&value).unwrap()).unwrap();
                drop(value);
                let failures = [Written::Trouble("full".into()), Written::Shared, Written::Never];
                let failure = failures.into_iter().nth(id.0 as usize % 3).filter(|_| fails);
                self.state.wrote(id, failure.unwrap_or_else(|| Written::To(Arc::new(written))));
            }
            Some(Job::Read { id, file, .. }) => {
                let value = file.value().unwrap();
                let failures = [ReadError::Damaged, ReadError::Unread(TaskError::cancelled())];
                let failure = failures.into_iter().nth(id.0 as usize % 2).filter(|_| fails);
                self.state.read(id, failure.map_or(Ok(value), Err));
            }
            Some(Job::Sweep { .. }) | None => {}
        }
    }

    /// Writes and reads all that is to be; how many results there were of it.
    pub fn write_all(&mut self) -> usize {
        let mut count = 0;
        while !self.state.jobs.is_empty() {
            self.job(false);
            count += 1;
        }
        self.state.garbage.clear();
        self.state.validate();
        count
    }

    /// Something panics while what follows from the results is being changed.
    fn break_down(&mut self, at: usize) {
        self.state.confuse(at);
        self.state.put_right();
        // Pins are forgotten. Engines hear of it, and let go of what they asked for.
        self.waiting.clear();
        self.loading.clear();
        self.running.values_mut().for_each(Vec::clear);
    }

    fn hear(&mut self) {
        for (holder, reply) in std::mem::take(&mut self.state.replies) {
            match reply {
                Reply::Promised { is_loading } => {
                    let inputs = self.waiting.remove(&holder.ticket).expect("only what waits is answered");
                    self.promised(holder.ticket, inputs, is_loading);
                }
                Reply::Loaded => self.loading.retain(|ticket| *ticket != holder.ticket),
                Reply::Exhausted(_) => {
                    let inputs = self.waiting.remove(&holder.ticket).expect("only what waits is answered");
                    inputs.into_iter().for_each(|id| self.state.unpin(id));
                }
            }
        }
        self.state.garbage.clear();
        self.state.validate();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_answered_and_nothing_is_miscounted(
        limit in 2..12_u64,
        steps in prop::collection::vec((0..10_u8, any::<usize>(), prop::collection::vec(any::<usize>(), 0..3)), 0..80),
    ) {
        let mut world = World::new(limit * UNIT);
        for (kind, number, picks) in steps {
            match kind {
                0 if number.is_multiple_of(2) => world.keep_view(number / 2),
                1 if number.is_multiple_of(3) => world.keep_cheap(),
                0..=2 => world.keep(1, number.is_multiple_of(2).then_some(number as u32 % 10)),
                3..=5 => world.ask(number as u64 % 3, &picks),
                6 => world.end(number),
                7 => world.remove(number),
                _ => world.job(number % 8 == 0),
            }
            world.hear();
            prop_assert_eq!(world.state.broker.held(), world.in_memory());
        }
        // Faults stop: each request must come to its end.
        world.state.retry_stuck();
        for _ in 0..10_000 {
            world.hear();
            if !world.state.jobs.is_empty() {
                world.job(false);
            } else if !world.running.is_empty() {
                world.end(0);
            } else if world.waiting.is_empty() {
                break;
            }
        }
        prop_assert!(world.waiting.is_empty() && world.running.is_empty());
        prop_assert_eq!(world.state.broker.promised(), 0);
    }

    #[test]
    fn a_state_that_was_put_right_has_every_result_and_goes_on(
        limit in 2..12_u64,
        steps in prop::collection::vec((0..11_u8, any::<usize>(), prop::collection::vec(any::<usize>(), 0..3)), 0..80),
    ) {
        let mut world = World::new(limit * UNIT);
        for (kind, number, picks) in steps {
            match kind {
                0 if number.is_multiple_of(2) => world.keep_view(number / 2),
                1 if number.is_multiple_of(3) => world.keep_cheap(),
                0..=2 => world.keep(1, number.is_multiple_of(2).then_some(number as u32 % 10)),
                3..=5 => world.ask(number as u64 % 3, &picks),
                6 => world.end(number),
                7 => world.remove(number),
                8 => world.break_down(number),
                _ => world.job(number % 8 == 0),
            }
            world.hear();
        }
        for _ in 0..10_000 {
            world.hear();
            if !world.state.jobs.is_empty() {
                world.job(false);
            } else if !world.running.is_empty() {
                world.end(0);
            } else if world.waiting.is_empty() {
                break;
            }
        }
        prop_assert!(world.waiting.is_empty() && world.running.is_empty());
        prop_assert_eq!(world.state.broker.promised(), 0);
    }

    #[test]
    fn promises_stay_within_the_limit_but_for_one(
        sizes in prop::collection::vec(1..6_u64, 1..40),
    ) {
        // Tasks that make a result each, one after the other, every one of them kept.
        let limit = 8 * UNIT;
        let mut world = World::new(limit);
        for (at, units) in sizes.iter().enumerate() {
            world.ask(*units, &[]);
            while !world.state.jobs.is_empty() {
                world.job(false);
                world.hear();
            }
            world.hear();
            prop_assert!(world.waiting.is_empty());
            prop_assert!(world.state.broker.held() + world.state.broker.promised() <= limit);
            world.end(0);
            for _ in 0..*units {
                world.keep(1, Some(at as u32));
            }
            world.hear();
        }
    }
}
