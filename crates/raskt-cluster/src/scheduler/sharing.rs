//! What processes share by name: the machine of it beside that of the tasks, and the results that names keep alive.
//!
//! Results that something named refers to are wanted by runs of the scheduler's own, whose tasks stand for them: they stay when their
//! clients have gone, are made again when they are lost, and go with the last name.

use super::core::Core;
use super::names::{NAMES, StandIn, unix_nanoseconds};
use super::names_kept::Names;
use crate::coordination::{Ask, CoordinationServer, Keeping, Packed};
use crate::standing::{LAYER, Standing};
use bytes::Bytes;
use raskt_schedule::coordination::Session;
use raskt_schedule::{Event, RunId, TaskRange, Time};
use std::any::Any;

impl Core {
    /// A client or worker asks for something that is shared.
    pub fn member_asks(&mut self, session: Session, ask: Packed<Ask>, bulk: &[Bytes]) {
        let now = self.now();
        self.share(|server| {
            server.set_day(unix_nanoseconds());
            server.hear(now, session, ask, bulk)
        });
    }

    /// A client or worker is gone: what it held of what is shared passes on.
    pub fn member_gone(&mut self, session: Session) {
        let now = self.now();
        self.share(|server| server.gone(now, session));
    }

    /// When a machine wants to be told that time has passed.
    pub fn wakes_at(&self) -> Option<Time> {
        self.machine.wakes_at().into_iter().chain(self.sharing.server.wakes_at()).min()
    }

    /// Tells the machines that time has passed.
    pub fn time_passed(&mut self) {
        let now = self.now();
        if self.machine.wakes_at().is_some_and(|at| at <= now) {
            self.handle(Event::TimePassed);
        }
        self.share(|server| server.time_passed(now));
    }

    /// Something changes of what is shared, and what is to outlive the scheduler is written into the journal before it does.
    fn share(&mut self, change: impl FnOnce(&mut CoordinationServer) -> Vec<Keeping>) {
        if let Some(journal) = self.journal.take() {
            self.sharing.server.keep_by(Box::new(Names(journal)));
        }
        let keeping = change(&mut self.sharing.server);
        let keeper = self.sharing.server.keep_no_more().map(|keeper| keeper as Box<dyn Any>);
        let names = keeper.and_then(|keeper| keeper.downcast::<Names>().ok());
        self.journal = names.map(|names| names.0);
        self.keep(keeping);
    }

    fn keep(&mut self, keeping: Vec<Keeping>) {
        let mut holds = vec![];
        for each in keeping {
            match each {
                Keeping::Hold { run, tasks } => holds.push((run, tasks)),
                Keeping::LetGo { run, tasks } => {
                    self.hold_all(std::mem::take(&mut holds));
                    self.let_go(run, tasks);
                }
            }
        }
        self.hold_all(holds);
    }

    /// Wants these results: as one run, but those of a run that is held back by themselves. A run that reads one of those is held back
    /// with it, and ends if its data never comes: others aren't to share that.
    pub(super) fn hold_all(&mut self, results: Vec<(RunId, TaskRange)>) {
        let is_held_back = |run: &RunId| self.runs.get(run).is_some_and(|record| record.wanted_later.is_some());
        let (mut later, now): (Vec<_>, Vec<_>) = results.into_iter().partition(|(run, _)| is_held_back(run));
        self.hold_together(&now);
        later.sort_by_key(|(run, _)| *run);
        later.chunk_by(|(run, _), (next, _)| run == next).for_each(|of_run| self.hold_together(of_run));
    }

    /// Wants them as one run; those that can't be had don't take others along.
    fn hold_together(&mut self, results: &[(RunId, TaskRange)]) {
        if results.is_empty() || self.hold(results) {
            return;
        }
        if results.len() > 1 {
            results.iter().for_each(|each| _ = self.hold(&[*each]));
        }
    }

    /// Whether they are wanted from now on.
    fn hold(&mut self, results: &[(RunId, TaskRange)]) -> bool {
        let Ok(standing) = Standing::of(results) else { return false };
        let own = self.sharing.number();
        let graph = (standing.bytes.clone(), standing.graph.clone());
        if let Err(reason) = self.submit(NAMES, standing.submission(own, self.sharing.mark), graph) {
            tracing::debug!("results that something named refers to can't be kept: {reason}");
            return false;
        }
        for import in &standing.imports {
            let source = import.source();
            let stand_in = StandIn { run: own, shift: source.start.wrapping_sub(import.tasks.start) };
            self.sharing.kept.entry(import.run).or_default().set(source, stand_in);
        }
        self.sharing.left.insert(own, standing.tasks.len());
        true
    }

    /// No name refers to these results any more.
    fn let_go(&mut self, run: RunId, tasks: TaskRange) {
        let Some(kept) = self.sharing.kept.get_mut(&run) else { return };
        let gone = kept.cut(tasks);
        if kept.is_empty() {
            self.sharing.kept.remove(&run);
        }
        for (source, StandIn { run: own, shift }) in gone {
            let left = self.sharing.left.get_mut(&own).map(|left| {
                *left = left.saturating_sub(source.len());
                *left
            });
            if left == Some(0) {
                self.sharing.left.remove(&own);
                self.release(own);
                continue;
            }
            let (start, end) = (source.start.wrapping_sub(shift), source.end.wrapping_sub(shift));
            let tasks = vec![TaskRange { layer: LAYER, start, end }];
            self.want_less(own, &tasks);
            if let Err(reason) = self.tasks_released(own, tasks) {
                tracing::warn!("what no name refers to can't be let go: {reason}");
            }
        }
    }
}
