//! Results that weren't to be had where they were said to be: of several that hold one, clients know one, and that one may be gone.

use super::core::Core;
use crate::message::ToClient;
use raskt_schedule::{FailureScope, Held, RunId, TaskRange, WorkerId};

/// Ranges of results that one message tells of at most.
const PAGE: usize = 1 << 14;

impl Core {
    /// Tells a client again who holds results of its runs: of several that hold one, now this and now that, since it may not
    /// reach some. What nobody
    /// holds it is told of when somebody does.
    pub fn tell_where(&mut self, client: u32, tasks: &[(RunId, TaskRange)]) -> Result<(), String> {
        self.asked_where += 1;
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
            let results: Vec<_> = results.into_iter().flat_map(|held| self.held_in_turn(run, held)).collect();
            for page in results.chunks(PAGE) {
                self.tell(client, &ToClient::Available { run, results: page.to_vec(), small: vec![] });
            }
        }
    }

    /// The same results, by some of their holders.
    fn held_in_turn(&self, run: RunId, held: Held) -> Vec<Held> {
        // Two that ask by turns shall not hear the same again and again.
        let turn = (self.asked_where.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        let each = held.bytes / held.tasks.len().max(1);
        let mut turns: Vec<(WorkerId, Vec<TaskRange>)> = vec![];
        for task in held.tasks.tasks() {
            let holders = self.machine.holders(run, task);
            let worker = holders.get(turn % holders.len().max(1)).copied().unwrap_or(held.worker);
            match turns.last_mut().filter(|(last, _)| *last == worker) {
                Some((_, tasks)) => TaskRange::push(tasks, task),
                None => turns.push((worker, vec![TaskRange::one(task)])),
            }
        }
        let of_turn = |(worker, tasks): (WorkerId, Vec<TaskRange>)| {
            tasks.into_iter().map(move |tasks| Held { worker, tasks, bytes: each * tasks.len() })
        };
        turns.into_iter().flat_map(of_turn).collect()
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

#[cfg(test)]
mod tests {
    use super::super::tests::{TASKS, range};
    use super::super::tests_of_workers::{Scene, give};
    use super::*;
    use crate::message::FromWorker;
    use raskt_graph::TaskId;
    use raskt_schedule::WorkerTold;

    /// A client that asks again may not have reached who it was told of.
    #[test]
    fn of_several_that_hold_a_result_each_is_named_before_long() {
        let mut scene = Scene::new();
        let client = scene.client(1);
        let [first, second] = [2, 3].map(|process| scene.worker(process, &process.to_string()));
        let (run, all, copied) = (RunId(1), range(0, 0, u64::from(TASKS)), range(0, 1, 3));
        give(&mut scene.core, client, run);
        let mut says = |worker, told| {
            scene.core.worker_says(worker, FromWorker::Told { told, small: vec![] }, vec![]);
        };
        says(first, WorkerTold::Scattered { run, tasks: vec![all], bytes: 8 * u64::from(TASKS) });
        says(second, WorkerTold::Fetched { run, tasks: vec![copied] });
        let core = &mut scene.core;
        let mut named = |task| {
            core.tell_where(client, &[(run, all)]).unwrap();
            let held = Held { worker: first, tasks: all, bytes: 8 * u64::from(TASKS) };
            let told = core.held_in_turn(run, held);
            assert_eq!(told.iter().map(|held| held.tasks.len()).sum::<u64>(), all.len());
            assert!(told.iter().all(|held| held.bytes == 8 * held.tasks.len()));
            told.into_iter().find(|held| held.tasks.contains(TaskId::new(all.layer, task))).unwrap().worker
        };
        assert!((0..32).all(|_| named(0) == first), "nobody else has it");
        let of_both: Vec<_> = (0..32).map(|_| named(1)).collect();
        assert!(of_both.contains(&first) && of_both.contains(&second));
    }
}
