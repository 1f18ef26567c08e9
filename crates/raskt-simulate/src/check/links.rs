//! Runs that read results of one another, as the books see them.

use super::Tally;
use super::ledger::Ledger;
use super::tally::Sometimes;
use crate::job::{Job, all_tasks};
use raskt_schedule::{Event, RunId};
use std::collections::BTreeSet;

impl Ledger {
    /// The runs of whose tasks some of `job` stand, of which `run` is.
    pub(super) fn owners_of(&self, run: RunId, job: &Job) -> BTreeSet<RunId> {
        let imported = all_tasks(&job.graph).filter(|&task| job.is_imported(task));
        imported.map(|task| job.place_of(run, task, |run| self.jobs.get(&run)).0).collect()
    }

    /// Whether others that are there import from `run`.
    pub(super) fn is_imported(&self, run: RunId) -> bool {
        self.pages.values().any(|page| page.owners.contains(&run))
    }

    /// A run is over for its client. It is no more, unless others import from it; and those go with it that were there for it alone.
    pub(super) fn end(&mut self, run: RunId, tally: &mut Tally) {
        let mut over = Vec::from([run]);
        while let Some(run) = over.pop() {
            let is_imported = self.is_imported(run);
            if let Some(page) = self.pages.get_mut(&run).filter(|_| is_imported) {
                tally.saw(Sometimes::KeptForOthers);
                page.is_released = true;
                (page.wanted, page.available, page.failed) = Default::default();
                continue;
            }
            self.nested.remove(&run);
            self.waits.close(run);
            let owners = self.pages.remove(&run).map(|page| page.owners).unwrap_or_default();
            let is_over = |owner: &RunId| self.pages.get(owner).is_some_and(|page| page.is_released);
            over.extend(owners.into_iter().filter(|owner| is_over(owner) && !self.is_imported(*owner)));
        }
    }

    /// The run that `event` is about, and all that import from one another with it.
    pub(super) fn linked_to(&self, event: &Event) -> BTreeSet<RunId> {
        let about = match event {
            Event::GraphAdded { run, .. }
            | Event::Wanted { run, .. }
            | Event::Released { run, .. }
            | Event::Retried { run, .. }
            | Event::RunReleased { run }
            | Event::ResultsLost { run, .. }
            | Event::Scattered { run, .. }
            | Event::Started { run, .. }
            | Event::Kept { run, .. }
            | Event::RunsOn { run, .. }
            | Event::GiftsKept { run, .. }
            | Event::Fetched { run, .. }
            | Event::CopiesDropped { run, .. }
            | Event::SlotsLent { run, .. }
            | Event::SlotsReturned { run, .. }
            | Event::FetchFailed { run, .. }
            | Event::Unsendable { run, .. }
            | Event::Recalled { run, .. } => Some(*run),
            Event::Reported { report, .. } => Some(report.run),
            _ => None,
        };
        let mut linked = BTreeSet::new();
        let mut open: Vec<_> = about.into_iter().collect();
        while let Some(run) = open.pop() {
            let Some(page) = self.pages.get(&run).filter(|page| page.is_linked) else { continue };
            if linked.insert(run) {
                open.extend(&page.owners);
                open.extend(self.pages.iter().filter(|(_, other)| other.owners.contains(&run)).map(|(run, _)| *run));
            }
        }
        linked
    }
}

/// The run of which a client wants something with `event`, or nothing more.
pub(super) fn asks(event: &Event) -> Option<RunId> {
    match event {
        Event::Wanted { run, .. }
        | Event::Released { run, .. }
        | Event::Retried { run, .. }
        | Event::RunReleased { run } => Some(*run),
        _ => None,
    }
}
