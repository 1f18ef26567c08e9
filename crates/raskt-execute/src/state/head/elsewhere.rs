//! What a worker remembers of its scheduler in another process: what it is to be told, and what it was told of results.

use crate::fetches::Fetches;
use crate::held_results::{Adrift, HeldResults};
use crate::uplink::{FetchId, FetchRequest, TaskFailure, Uplink};
use raskt_schedule::{Inventory, Outcome, WorkerTold};
use std::mem;
use std::sync::Arc;

pub(crate) struct Elsewhere {
    /// Nothing once nobody is to be told anything any more.
    uplink: Option<Arc<dyn Uplink>>,
    /// In the order in which it is to arrive.
    outbox: Vec<Word>,
    /// A thread is telling: it goes on until there is nothing more, so that all is told in order.
    is_telling: bool,
    pub inventory: Inventory,
    pub fetches: Fetches,
    /// Slots and memory, as the scheduler knows them.
    size: (u32, u64),
    /// How many slots of those are lent, as it was told.
    lends: u32,
    is_broken: bool,
}

/// Something for the uplink.
pub(crate) enum Word {
    Told(WorkerTold),
    Failed(TaskFailure),
    Fetch(FetchRequest),
    GiveUp(FetchId),
    Broke(String),
    /// Something that waits for all that comes before it.
    Then(Then),
    /// All that comes after it is for another scheduler, which is told first what is here.
    Returned(Vec<HeldResults>, Vec<Adrift>),
}

/// What is done once the uplink has heard what there was to tell.
pub(crate) type Then = Box<dyn FnOnce() + Send>;

/// What is to be told once the lock is gone.
pub(crate) struct Outgoing {
    uplink: Arc<dyn Uplink>,
    words: Vec<Word>,
}

impl Outgoing {
    pub fn send(self) {
        for word in self.words {
            match word {
                Word::Told(told) => self.uplink.tell(told),
                Word::Failed(failure) => self.uplink.failed(failure),
                Word::Fetch(request) => self.uplink.fetch(request),
                Word::GiveUp(fetch) => self.uplink.give_up(fetch),
                Word::Broke(story) => self.uplink.broke(&story),
                Word::Then(then) => then(),
                Word::Returned(held, adrift) => self.uplink.returned(held, adrift),
            }
        }
    }
}

impl Elsewhere {
    /// A scheduler that knows of so many slots, and so much memory.
    pub fn new(uplink: Arc<dyn Uplink>, size: (u32, u64)) -> Self {
        Self {
            uplink: Some(uplink),
            outbox: vec![],
            is_telling: false,
            inventory: Inventory::default(),
            fetches: Fetches::default(),
            size,
            lends: 0,
            is_broken: false,
        }
    }

    /// What takes its place after a breakdown: it says so, and nothing else.
    pub fn broken(&mut self, story: &str) -> Self {
        let words = if self.is_broken { vec![] } else { vec![Word::Broke(story.to_owned())] };
        Self {
            uplink: self.uplink.take(),
            outbox: mem::take(&mut self.outbox).into_iter().chain(words).collect(),
            is_telling: self.is_telling,
            inventory: Inventory::default(),
            fetches: Fetches::default(),
            size: self.size,
            lends: self.lends,
            is_broken: true,
        }
    }

    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// The scheduler is to be told. What is here from now on, or no longer, is noted with it.
    pub fn tell(&mut self, told: WorkerTold) {
        match &told {
            WorkerTold::Reported(report) => {
                let done = report.outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Done { .. }));
                done.for_each(|(range, _)| self.inventory.hold(report.run, *range));
                self.inventory.tell_report(report);
            }
            WorkerTold::Fetched { run, tasks } | WorkerTold::Scattered { run, tasks, .. } => {
                tasks.iter().for_each(|range| self.inventory.hold(*run, *range));
                self.inventory.tell(*run, tasks);
            }
            WorkerTold::Kept { run, tasks } => {
                tasks.iter().for_each(|(range, _)| self.inventory.hold(*run, *range));
                self.inventory.tell(*run, &tasks.iter().map(|(range, _)| *range).collect::<Vec<_>>());
            }
            WorkerTold::ResultsLost { run, tasks } => {
                tasks.iter().for_each(|range| self.inventory.lose(*run, *range));
            }
            // Most of what may change it leaves it as it is.
            WorkerTold::Resized { slots, memory } if self.size == (*slots, *memory) => return,
            WorkerTold::Resized { slots, memory } => self.size = (*slots, *memory),
            WorkerTold::Lends { slots } if self.lends == *slots => return,
            WorkerTold::Lends { slots } => self.lends = *slots,
            _ => {}
        }
        self.put_out(Word::Told(told));
    }

    /// Another scheduler is there, or it has begun anew: it knows of so many slots, and so much memory, and is told that this is here, and
    /// that is run.
    pub fn begin_anew(&mut self, size: (u32, u64), held: Vec<HeldResults>, adrift: Vec<Adrift>) {
        (self.size, self.lends) = (size, 0);
        self.inventory.begin_anew();
        for HeldResults { run, tasks } in &held {
            self.inventory.tell(*run, &tasks.iter().map(|(range, _)| *range).collect::<Vec<_>>());
        }
        self.put_out(Word::Returned(held, adrift));
    }

    pub fn put_out(&mut self, word: Word) {
        if self.uplink.is_some() && !self.is_broken {
            self.outbox.push(word);
        }
    }

    /// What there is to tell, if no other thread is at it: it is to be sent, and then [`Self::go_on_telling`] called.
    pub fn begin_telling(&mut self) -> Option<Outgoing> {
        if self.has_to_tell() { self.go_on_telling() } else { None }
    }

    /// Whether there is something to tell, and no thread at it.
    pub fn has_to_tell(&self) -> bool {
        !self.is_telling && !self.outbox.is_empty()
    }

    /// What has come meanwhile.
    pub fn go_on_telling(&mut self) -> Option<Outgoing> {
        let words = mem::take(&mut self.outbox);
        let uplink = self.uplink.clone().filter(|_| !words.is_empty());
        self.is_telling = uplink.is_some();
        Some(Outgoing { uplink: uplink?, words })
    }

    /// Whether all has been told.
    pub fn is_silent(&self) -> bool {
        !self.is_telling && self.outbox.is_empty()
    }

    /// Nobody is told anything any more.
    pub fn hang_up(&mut self) -> Option<Arc<dyn Uplink>> {
        self.outbox.clear();
        self.uplink.take()
    }
}
