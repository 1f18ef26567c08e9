//! The memory and the disk of a worker: results, promises, and what is written to make room.

use super::Host;
use crate::check::{Sometimes, Tally};
use crate::context::{Context, Happening};
use crate::random::Random;
use raskt_graph::TaskId;
use raskt_schedule::{Inventory, RunId, TaskRange, Ticket, WorkerEvent};
use std::collections::{BTreeMap, BTreeSet};

/// Results in memory and on disk, and promises of memory.
#[derive(Debug)]
pub(crate) struct Memory {
    pub limit: u64,
    results: BTreeMap<(RunId, TaskId), Stored>,
    /// Bytes of results in memory.
    pub held: u64,
    /// Bytes of results on disk.
    pub spilled: u64,
    promises: BTreeMap<Ticket, Promise>,
    pub promised: u64,
    /// Damaged results that were noticed; the scheduler may not know it yet.
    lost: BTreeSet<(RunId, TaskId)>,
    /// Results are on their way to the disk.
    is_spilling: bool,
    /// What the scheduler was told of results. What it doesn't know of isn't spilled, so that its loss isn't told before its birth.
    pub inventory: Inventory,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub digest: u64,
    pub bytes: u64,
    pub is_spilled: bool,
    /// It is on disk, and nobody has noticed yet that it can't be read.
    is_damaged: bool,
}

#[derive(Clone, Copy, Debug)]
struct Promise {
    bytes: u64,
    /// It goes beyond the limit, and not because all that runs waits for runs.
    is_overbooked: bool,
    /// Somebody waits for what it was given to.
    is_wanted: bool,
}

/// Time to reach a spilled result, and bytes that are read or written in a microsecond.
const DISK_SEEK_NANOSECONDS: u64 = 100_000;
const DISK_BYTES_PER_MICROSECOND: u64 = 256;

impl Memory {
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            results: BTreeMap::new(),
            held: 0,
            spilled: 0,
            promises: BTreeMap::new(),
            promised: 0,
            lost: BTreeSet::new(),
            is_spilling: false,
            inventory: Inventory::default(),
        }
    }

    pub fn get(&self, run: RunId, task: TaskId) -> Option<Stored> {
        self.results.get(&(run, task)).copied()
    }

    /// What is here of each run, with its bytes.
    pub fn kept(&self) -> Vec<(RunId, Vec<(TaskRange, u64)>)> {
        let bytes =
            |run, range: TaskRange| range.tasks().filter_map(|task| self.get(run, task)).map(|it| it.bytes).sum();
        let of_run = |run| self.inventory.of(run).into_iter().map(|range| (range, bytes(run, range))).collect();
        self.inventory.runs().map(|run| (run, of_run(run))).collect()
    }

    /// A result for somebody who reads it; one that is damaged is thrown away, and noted in `noticed`.
    pub fn read(&mut self, run: RunId, task: TaskId, noticed: &mut Vec<(RunId, TaskId)>) -> Option<Stored> {
        let stored = self.get(run, task)?;
        if stored.is_damaged {
            self.drop_result(run, task);
            self.lost.insert((run, task));
            noticed.push((run, task));
            return None;
        }
        Some(stored)
    }

    /// Whether the scheduler can't know yet that a result is lost.
    pub fn was_lost(&self, run: RunId, task: TaskId) -> bool {
        self.lost.contains(&(run, task))
    }

    /// Damages about half of what is on disk.
    pub fn damage(&mut self, random: &mut Random) {
        for stored in self.results.values_mut().filter(|stored| stored.is_spilled) {
            stored.is_damaged |= random.chance(500_000);
        }
    }

    /// Everything that is kept, in order.
    pub fn results(&self) -> impl Iterator<Item = (RunId, TaskId)> {
        self.results.keys().copied()
    }

    /// A result that was made here, or a copy of one that was made elsewhere.
    pub fn put(&mut self, run: RunId, task: TaskId, digest: u64, bytes: u64) {
        self.drop_result(run, task);
        self.held += bytes;
        let stored = Stored { digest, bytes, is_spilled: false, is_damaged: false };
        self.results.insert((run, task), stored);
        self.inventory.hold(run, TaskRange::one(task));
    }

    /// Drops results as the scheduler wants it, but for those of which it will hear more than the first `inventory_version` times.
    pub fn discard(&mut self, run: RunId, tasks: &[TaskRange], inventory_version: u64, tally: &mut Tally) {
        let dropped = self.inventory.discard(run, tasks, inventory_version);
        for task in dropped.iter().flat_map(|range| range.tasks()) {
            self.drop_result(run, task);
        }
        let stays = tasks.iter().flat_map(|range| range.tasks()).filter(|&task| self.get(run, task).is_some());
        tally.add(Sometimes::DiscardCrossed, stays.count() as u64);
    }

    pub fn drop_result(&mut self, run: RunId, task: TaskId) {
        self.lost.remove(&(run, task));
        self.inventory.lose(run, TaskRange::one(task));
        if let Some(stored) = self.results.remove(&(run, task)) {
            let counter = if stored.is_spilled { &mut self.spilled } else { &mut self.held };
            *counter -= stored.bytes;
        }
    }

    pub fn drop_run(&mut self, run: RunId) {
        self.lost.retain(|&(of, _)| of != run);
        let of_run = self.results.keys().filter(|(of, _)| *of == run).copied();
        for (run, task) in of_run.collect::<Vec<_>>() {
            self.drop_result(run, task);
        }
    }

    /// Nobody waits any more for what was promised memory. The promise stays until its thread is back, and what is started without
    /// that in mind may go beyond the limit once more.
    pub fn leave_to_stray(&mut self, ticket: Ticket) {
        if let Some(promise) = self.promises.get_mut(&ticket) {
            (promise.is_overbooked, promise.is_wanted) = (false, false);
        }
    }

    pub fn give_back(&mut self, ticket: Ticket) {
        if let Some(promise) = self.promises.remove(&ticket) {
            self.promised -= promise.bytes;
        }
    }

    fn promise(&mut self, ticket: Ticket, bytes: u64, overbook: bool, only_waits: bool) -> bool {
        let fits = self.held + self.promised + bytes <= self.limit;
        let is_given = fits || overbook || only_waits;
        if is_given {
            self.promises.insert(ticket, Promise { bytes, is_overbooked: !fits && !only_waits, is_wanted: true });
            self.promised += bytes;
        }
        is_given
    }

    /// What is wrong with the books, if anything.
    pub fn audit(&self) -> Result<(), String> {
        let bytes = |is_spilled| -> u64 {
            let kept = self.results.values().filter(|stored| stored.is_spilled == is_spilled);
            kept.map(|stored| stored.bytes).sum()
        };
        let promised: u64 = self.promises.values().map(|promise| promise.bytes).sum();
        let found = (bytes(false), bytes(true), promised);
        let counted = (self.held, self.spilled, self.promised);
        if found != counted {
            return Err(format!("bytes held, spilled and promised are {found:?}, and were counted as {counted:?}"));
        }
        let overbooked = self.promises.values().filter(|promise| promise.is_overbooked).count();
        if overbooked > 1 {
            return Err(format!("{overbooked} promises go beyond the limit at a time"));
        }
        Ok(())
    }

    /// Nothing is held, promised or on disk, but for what nobody waits for.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.promises.values().all(|promise| !promise.is_wanted)
    }
}

impl Host {
    pub(super) fn reserve(&mut self, context: &mut Context, ticket: Ticket, bytes: u64, overbook: bool) -> WorkerEvent {
        let Some(process) = &mut self.process else { return WorkerEvent::Refused(ticket) };
        let memory = &mut process.memory;
        let fits = memory.held + memory.promised + bytes <= memory.limit;
        if !fits {
            self.make_room(context, bytes);
        }
        let Some(process) = &mut self.process else { return WorkerEvent::Refused(ticket) };
        let only_waits = process.only_waits();
        if process.memory.promise(ticket, bytes, overbook, only_waits) {
            context.tally.add(Sometimes::Overbooked, u64::from(!fits));
            WorkerEvent::Promised(ticket)
        } else {
            context.tally.saw(Sometimes::Refused);
            WorkerEvent::Refused(ticket)
        }
    }

    /// Begins to write results to disk, until `bytes` more fit into memory; oldest runs first.
    fn make_room(&mut self, context: &mut Context, bytes: u64) {
        let disk_slowness = self.disk_slowness;
        let Some(process) = &mut self.process else { return };
        let memory = &mut process.memory;
        if memory.is_spilling {
            return;
        }
        let room = if self.is_disk_full { 0 } else { self.plan.disk.saturating_sub(memory.spilled) };
        let excess = (memory.held + memory.promised + bytes).saturating_sub(memory.limit);
        let (mut victims, mut freed) = (vec![], 0);
        let inventory = &memory.inventory;
        let may_leave = |(result, stored): &(&(RunId, TaskId), &Stored)| {
            !stored.is_spilled && inventory.is_told(result.0, result.1)
        };
        for (&result, stored) in memory.results.iter().filter(may_leave) {
            if freed >= excess {
                break;
            }
            if freed + stored.bytes > room {
                context.tally.saw(Sometimes::DiskFull);
                break;
            }
            victims.push(result);
            freed += stored.bytes;
        }
        if !victims.is_empty() {
            memory.is_spilling = true;
            let delay = disk_nanoseconds(freed, disk_slowness);
            let own = process.address;
            context.agenda.after(delay, Happening::Spilled { own, results: victims });
        }
    }

    /// Results have been written, and those that are still there leave memory.
    pub fn spilled(&mut self, context: &mut Context, jobs: super::Jobs, results: &[(RunId, TaskId)]) {
        let Some(process) = &mut self.process else { return };
        let memory = &mut process.memory;
        memory.is_spilling = false;
        for result in results {
            if let Some(stored) = memory.results.get_mut(result).filter(|stored| !stored.is_spilled) {
                stored.is_spilled = true;
                memory.held -= stored.bytes;
                memory.spilled += stored.bytes;
                context.tally.saw(Sometimes::Spilled);
            }
        }
        self.handle(context, jobs, WorkerEvent::MemoryFreed);
    }
}

pub(super) fn disk_nanoseconds(bytes: u64, slowness: u64) -> u64 {
    (DISK_SEEK_NANOSECONDS + 1_000 * bytes / DISK_BYTES_PER_MICROSECOND) * slowness
}
