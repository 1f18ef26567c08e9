//! Results that weren't to be had where they were said to be: of several that hold one, clients know one, and that one may be gone.

use super::core::Core;
use crate::message::ToClient;
use raskt_schedule::{FailureScope, RunId, TaskRange};

/// Ranges of results that one message tells of at most.
const PAGE: usize = 1 << 14;

impl Core {
    /// Tells a client again who holds results of its runs. What nobody holds it is told of when somebody does.
    pub fn tell_where(&self, client: u32, tasks: &[(RunId, TaskRange)]) -> Result<(), String> {
        for of_run in tasks.chunk_by(|(run, _), (next, _)| run == next) {
            let run = of_run[0].0;
            self.check_own(client, run)?;
            match self.runs.get(&run).map(|record| record.failure) {
                Some(FailureScope::Task) => of_run.iter().for_each(|(_, range)| self.tell_holders(client, run, *range)),
                Some(FailureScope::Run) => self.tell_all_holders(client, run),
                None => {}
            }
        }
        Ok(())
    }

    fn tell_holders(&self, client: u32, run: RunId, mut left: TaskRange) {
        while left.start < left.end {
            let results = self.machine.who_has(run, left, PAGE);
            let last = results.last().filter(|_| results.len() == PAGE).map_or(left.end, |last| last.tasks.end);
            left.start = last;
            if !results.is_empty() {
                self.tell(client, &ToClient::Available { run, results, small: vec![] });
            }
        }
    }

    /// Tells the client of a run that is one whole, if all of it is there.
    pub fn tell_whole(&mut self, run: RunId) {
        let whole = self.runs.get(&run).filter(|record| record.failure == FailureScope::Run);
        if let Some(client) = whole.map(|record| record.client) {
            self.tell_all_holders(client, run);
        }
    }

    /// Of a run that is one whole: if all of it is there.
    fn tell_all_holders(&self, client: u32, run: RunId) {
        let held = self.held(run);
        let count = |ranges: &mut dyn Iterator<Item = TaskRange>| ranges.map(|range| range.len()).sum::<u64>();
        let wanted = self.runs.get(&run).map_or(0, |record| count(&mut record.wanted.iter().copied()));
        if count(&mut held.iter().map(|held| held.tasks)) == wanted {
            self.finished(run).iter().for_each(|(_, message)| self.tell(client, message));
        }
    }

    fn tell(&self, client: u32, message: &ToClient) {
        if let Some(client) = self.clients.get(&client) {
            client.send(message);
        }
    }
}
