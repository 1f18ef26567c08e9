//! The scheduler dies and begins anew.
//!
//! Its journal is what clients want of which runs. Their sessions go on: that they say again what was lost is the business of those who
//! carry it. Workers are strangers to the new one, who come back or begin anew themselves when they hear so.

use super::{Head, Kind};
use crate::check::Sometimes;
use crate::context::Context;
use crate::host::Jobs;
use crate::network::Message;
use raskt_schedule::{Event, Scheduler, Settings, SoonestStart, TaskRange};
use std::sync::Arc;

impl Head {
    pub fn restart(&mut self, context: &mut Context, jobs: Jobs, settings: Settings) {
        let is_plain = |run| jobs.get(&run).is_some_and(|job| job.given.is_empty() && !job.is_doomed());
        let are_plain = self.ledger.runs().all(|(run, _)| is_plain(run));
        if !are_plain {
            return;
        }
        context.tally.add(Sometimes::SchedulerRestarted, u64::from(self.ledger.tasks() > 0));
        context.tell(Vec::new, || "the scheduler dies and begins anew".into());
        self.forget_workers();
        (self.scheduler, self.record, self.wakes_at) =
            (Scheduler::with(settings, Arc::new(SoonestStart::default())), None, None);
        let mut released = vec![];
        for (run, job, wanted, is_released) in self.ledger.begin_anew() {
            if !is_released && self.client_of(run).is_none() {
                // A task had submitted it, and waits no more.
                continue;
            }
            let graph = job.graph.clone();
            let (failure, imports) = (job.failure(), job.imports().to_vec());
            let tasks = TaskRange::of(wanted.iter().copied());
            let event = Event::GraphAdded { run, parent: None, graph, wanted: tasks, failure, imports };
            if self.scheduler.check(&event).is_err() {
                self.tell_client(context, run, Message::Refused { run });
                self.disown(run);
                continue;
            }
            self.ledger.open(run, None, job);
            self.ledger.set_wanted(run, wanted);
            self.handle(context, event);
            released.extend(is_released.then_some(run));
        }
        for run in released {
            self.handle(context, Event::RunReleased { run });
        }
    }

    fn forget_workers(&mut self) {
        let workers: Vec<_> = self.workers().collect();
        for peer in workers {
            let Some(guest) = self.guests.remove(&peer) else { continue };
            debug_assert!(matches!(guest.kind, Kind::Worker));
            self.gone.insert(peer);
            guest.runs.iter().for_each(|run| _ = self.owners.remove(run));
        }
    }
}
