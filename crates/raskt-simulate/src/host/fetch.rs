//! Reading results from other workers: asked for again when nothing comes, given up after a few times.

use super::{Host, Jobs, Process};
use crate::check::Sometimes;
use crate::context::{Address, Context, Happening};
use crate::network::{Body, Packet};
use raskt_graph::TaskId;
use raskt_schedule::{RunId, Ticket, WorkerId};
use std::rc::Rc;

#[derive(Debug)]
pub(super) struct Fetch {
    ticket: Ticket,
    run: RunId,
    from: WorkerId,
    tasks: Rc<[TaskId]>,
    tries: u32,
}

/// How often results are asked for, and how long an answer may take.
pub(crate) const FETCH_TRIES: u32 = 4;
pub(crate) const FETCH_NANOSECONDS: u64 = 40_000_000;

impl Process {
    /// Answers another worker, or a client.
    pub fn give(&mut self, context: &mut Context, to: Address, fetch: u64, run: RunId, tasks: &[TaskId]) {
        let mut noticed = vec![];
        let mut digest = |task| Some(self.memory.read(run, task, &mut noticed)?.digest);
        let values = tasks.iter().map(|&task| (task, digest(task))).collect();
        self.confess(context, run, noticed);
        context.transmit(Packet { from: self.address, to, body: Body::Fetched { fetch, values } });
    }

    pub(super) fn fetch(
        &mut self,
        context: &mut Context,
        ticket: Ticket,
        run: RunId,
        from: WorkerId,
        tasks: Vec<TaskId>,
    ) {
        let fetch = self.next_fetch;
        self.next_fetch += 1;
        self.fetches.insert(fetch, Fetch { ticket, run, from, tasks: tasks.into(), tries: 0 });
        self.ask(context, fetch);
    }

    /// Asks once more; false if that was done often enough.
    fn ask(&mut self, context: &mut Context, id: u64) -> bool {
        let Some(fetch) = self.fetches.get_mut(&id) else { return true };
        if fetch.tries == FETCH_TRIES {
            return false;
        }
        fetch.tries += 1;
        let body = Body::Fetch { fetch: id, run: fetch.run, tasks: fetch.tasks.clone() };
        context.transmit(Packet { from: self.address, to: Address::of(fetch.from), body });
        context.agenda.after(FETCH_NANOSECONDS, Happening::FetchTimer { own: self.address, fetch: id });
        true
    }
}

impl Host {
    /// An answer has taken long.
    pub fn fetch_timer(&mut self, context: &mut Context, jobs: Jobs, fetch: u64) {
        if self.process.as_mut().is_some_and(|process| !process.ask(context, fetch)) {
            self.fetched(context, jobs, fetch, vec![]);
        }
    }

    /// An answer came, with all that is asked for, with some, or with nothing.
    pub(super) fn fetched(
        &mut self,
        context: &mut Context,
        jobs: Jobs,
        fetch: u64,
        values: Vec<(TaskId, Option<u64>)>,
    ) {
        let Some(process) = &mut self.process else { return };
        // An answer that came twice, or too late, is for nobody.
        let Some(fetch) = process.fetches.remove(&fetch) else { return };
        let Some(execution) = process.executions.get_mut(&fetch.ticket) else { return };
        let there = values.iter().filter_map(|&(task, value)| Some((task, value?)));
        let before = execution.fetched.len();
        execution.fetched.extend(there);
        if execution.fetched.len() - before < fetch.tasks.len() {
            context.tally.saw(Sometimes::FetchFailed);
        }
        execution.open_fetches -= 1;
        if execution.open_fetches == 0 {
            self.next_task(context, jobs, fetch.ticket);
        }
    }
}
