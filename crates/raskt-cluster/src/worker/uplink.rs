//! What the engine of a worker tells, on its way into the session.

use super::along::Along;
use super::fetching::Fetching;
use super::link::{Ended, Link, say};
use crate::face::{Face, error_form};
use crate::message::FromWorker;
use raskt_execute::{Adrift, FetchId, FetchRequest, HeldResults, TaskFailure, Uplink};
use raskt_schedule::{RunId, TaskRange, WorkerTold};
use std::sync::Arc;

pub(super) struct SessionUplink {
    link: Arc<Link>,
    fetching: Arc<Fetching>,
    face: Arc<dyn Face>,
    ended: Arc<Ended>,
    along: Arc<Along>,
}

impl SessionUplink {
    pub fn new(
        link: Arc<Link>,
        fetching: Arc<Fetching>,
        face: Arc<dyn Face>,
        (ended, along): (Arc<Ended>, Arc<Along>),
    ) -> Self {
        Self { link, fetching, face, ended, along }
    }

    fn send(&self, message: &FromWorker) {
        // What is told has to arrive, in its order. The engine goes on meanwhile.
        if let Some(Err(error)) = self.link.outbox().map(|outbox| say(&outbox, message, &[])) {
            self.ended.tell(format!("the scheduler can't be told: {error}"));
        }
    }
}

impl SessionUplink {
    fn kept(&self, run: RunId, tasks: Vec<(TaskRange, u64)>) {
        self.send(&FromWorker::Kept { run, mark: self.along.mark(run), tasks });
    }
}

impl Uplink for SessionUplink {
    fn tell(&self, told: WorkerTold) {
        if self.link.takes_leave() {
            self.send(&self.link.leaves());
        }
        let (told, small) = match told {
            // It was begun before this worker came back.
            WorkerTold::Kept { run, tasks } => return self.kept(run, tasks),
            WorkerTold::Reported(report) => {
                let small = self.along.small(&report, &self.fetching);
                (WorkerTold::Reported(report), small)
            }
            told => (told, vec![]),
        };
        self.send(&FromWorker::Told { told, small });
    }

    fn failed(&self, failure: TaskFailure) {
        let TaskFailure { run, task, key, error } = failure;
        let error = error_form(&*self.face, key, &error);
        self.send(&FromWorker::Failed { run, task, error });
    }

    fn fetch(&self, request: FetchRequest) {
        self.fetching.fetch(request);
    }

    fn give_up(&self, _fetch: FetchId) {}

    fn returned(&self, held: Vec<HeldResults>, adrift: Vec<Adrift>) {
        let Some((_, offer)) = self.link.change() else { return };
        for HeldResults { run, tasks } in held {
            self.kept(run, tasks);
        }
        for Adrift { run, tasks } in adrift {
            self.send(&FromWorker::RunsOn { run, mark: self.along.mark(run), tasks });
        }
        self.send(&FromWorker::Join(offer));
        if self.link.is_leaving() {
            // Who has begun anew knows nothing of that.
            self.send(&self.link.leaves());
        }
    }

    fn broke(&self, story: &str) {
        self.ended.tell(format!("the worker broke down: {story}"));
    }
}
