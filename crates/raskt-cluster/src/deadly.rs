//! Results whose holders die while they are sent. What pickles an object is code of users: it may end the process, or take more memory
//! than that has. The result is made again elsewhere then, asked for again, and ends that worker too.
//!
//! Only whoever asks knows what was on its way, so each who asks keeps count. Of a request that was lost with its holder the results are
//! suspects. They are asked for in ever smaller parts, one part at a time of each worker, so that others go free; one that was alone on
//! its way when several workers died isn't asked for any more for a while.

use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{RunId, TaskRange, WorkerId};
use raskt_value::{ErrorKind, TaskError};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Results of a request that was lost are asked for in so many.
const PARTS: u64 = 16;

/// Workers that die of a result that is known as a suspect, and is alone on its way, before it is given up.
const DEATHS: u32 = 3;

/// After so long one that was given up is tried once more: what it did may have had to do with the worker.
const GIVEN_UP: Duration = Duration::from_secs(60);

/// So many suspects are remembered.
const KNOWN_MOST: usize = 1 << 17;

/// Results whose holders have died while they were sent.
#[derive(Default)]
pub(crate) struct Deadly {
    suspects: BTreeMap<(RunId, TaskId), Suspect>,
}

struct Suspect {
    /// Results that were asked for with it, itself among them, when its holder died.
    together: u64,
    last: WorkerId,
    /// Workers that died while it was asked for alone, and when the last of them did.
    deaths: u32,
    since: Instant,
}

/// How some results are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// With any others.
    Together,
    /// Without any others, in its turn among such (`turns.rs`).
    Apart,
    /// Not at all.
    GivenUp,
}

impl Deadly {
    /// How `tasks` are asked for, in their order.
    pub fn ways(&self, run: RunId, tasks: TaskRange) -> Vec<(TaskRange, Way)> {
        let (mut ways, mut next): (Vec<(TaskRange, Way)>, _) = (vec![], tasks.start);
        let id = |index| (run, TaskId::new(tasks.layer, index));
        for (&(_, task), suspect) in self.suspects.range(id(tasks.start)..id(tasks.end)) {
            if next < task.index {
                ways.push((TaskRange { start: next, end: task.index, ..tasks }, Way::Together));
            }
            next = task.index + 1;
            let is_given_up = suspect.deaths >= DEATHS && suspect.since.elapsed() < GIVEN_UP;
            match ways.last_mut() {
                Some((part, Way::Apart)) if !is_given_up && part.end == task.index && part.len() < suspect.part() => {
                    part.end = next;
                }
                _ => ways.push((TaskRange::one(task), if is_given_up { Way::GivenUp } else { Way::Apart })),
            }
        }
        if next < tasks.end {
            ways.push((TaskRange { start: next, ..tasks }, Way::Together));
        }
        ways
    }

    /// `worker` died, as far as can be seen from here, and these were asked of it together. Whether that is to be the last time.
    pub fn lost(&mut self, worker: WorkerId, results: &[(RunId, TaskRange)], way: Way) -> bool {
        let together = results.iter().map(|(_, tasks)| tasks.len()).sum();
        let mut is_last = false;
        for result in results.iter().flat_map(|(run, tasks)| tasks.tasks().map(|task| (*run, task))) {
            if self.suspects.len() >= KNOWN_MOST && !self.suspects.contains_key(&result) {
                self.make_room();
            }
            let new = Suspect { together, last: worker, deaths: 0, since: Instant::now() };
            let Some(suspect) = self.suspects.get_mut(&result) else {
                self.suspects.insert(result, new);
                continue;
            };
            // A way that is cut off and comes back is no death.
            if suspect.last != worker {
                let alone = u32::from(way == Way::Apart && together == 1);
                *suspect = Suspect { deaths: suspect.deaths.min(DEATHS - 1) + alone, ..new };
            }
            is_last = together == 1 && suspect.deaths >= DEATHS;
        }
        is_last
    }

    /// Those that were beside others when somebody died go first.
    fn make_room(&mut self) {
        self.suspects.retain(|_, suspect| suspect.deaths > 0);
        if self.suspects.len() >= KNOWN_MOST {
            self.suspects.clear();
        }
    }

    /// Nobody asks for anything of the run any more.
    pub fn forget(&mut self, run: RunId) {
        let first = |run| (run, TaskId::new(LayerId(0), 0));
        self.remove(first(run)..first(RunId(run.0 + 1)));
    }

    /// These came, whatever was feared of them.
    pub fn came(&mut self, run: RunId, tasks: TaskRange) {
        let id = |index| (run, TaskId::new(tasks.layer, index));
        self.remove(id(tasks.start)..id(tasks.end));
    }

    fn remove(&mut self, results: Range<(RunId, TaskId)>) {
        if self.suspects.is_empty() {
            return;
        }
        let known: Vec<_> = self.suspects.range(results).map(|(&result, _)| result).collect();
        known.iter().for_each(|result| _ = self.suspects.remove(result));
    }
}

impl Suspect {
    /// How many are asked for at once.
    fn part(&self) -> u64 {
        (self.together / PARTS).max(1)
    }
}

/// Why one that was given up doesn't come.
pub(crate) fn given_up() -> TaskError {
    let workers = DEATHS + 1;
    let why = "what pickles it may end its process, or take more memory than that has";
    TaskError::new(
        ErrorKind::Lost,
        format!("a result can't be sent: {workers} workers died while they were to send it: {why}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: RunId = RunId(7);

    fn tasks(start: u64, end: u64) -> TaskRange {
        TaskRange { layer: LayerId(2), start, end }
    }

    /// A worker dies of the first of `deadly` that it is to send; gives how often that came about before all others had come, and
    /// those that were given up.
    fn gathered(count: u64, deadly: &[u64]) -> (u32, Vec<u64>) {
        let (mut suspects, mut deaths, mut came) = (Deadly::default(), 0, vec![false; count as usize]);
        loop {
            let ways = suspects.ways(RUN, tasks(0, count));
            assert_eq!(ways.iter().map(|(part, _)| part.len()).sum::<u64>(), count);
            assert!(ways.windows(2).all(|pair| pair[0].0.end == pair[1].0.start));
            let open = |part: &TaskRange, way: &Way| *way != Way::GivenUp && !came[part.start as usize];
            let Some(&(part, way)) = ways.iter().find(|(part, way)| open(part, way)) else { break };
            match deadly.iter().any(|deadly| (part.start..part.end).contains(deadly)) {
                true => {
                    deaths += 1;
                    suspects.lost(WorkerId(deaths), &[(RUN, part)], way);
                }
                false => {
                    part.tasks().for_each(|task| came[task.index as usize] = true);
                    suspects.came(RUN, part);
                }
            }
        }
        (deaths, (0..count).filter(|&index| !came[index as usize]).collect())
    }

    #[test]
    fn those_of_which_workers_die_are_found_and_no_others() {
        assert_eq!(gathered(1, &[0]), (1 + DEATHS, vec![0]));
        for (count, deadly) in [(2, vec![1]), (17, vec![0]), (4096, vec![4095]), (4096, vec![0, 1, 2000])] {
            let (deaths, given_up) = gathered(count, &deadly);
            assert_eq!(given_up, deadly);
            assert!(deaths <= 3 + (1 + DEATHS + 1) * deadly.len() as u32, "{deaths} workers died of {deadly:?}");
        }
        assert_eq!(gathered(4096, &[]), (0, vec![]));
    }

    #[test]
    fn a_way_that_is_cut_off_again_and_again_is_no_death() {
        let mut suspects = Deadly::default();
        for _ in 0..100 {
            assert!(!suspects.lost(WorkerId(1), &[(RUN, tasks(0, 1))], Way::Apart));
        }
        assert_eq!(suspects.ways(RUN, tasks(0, 1)), [(tasks(0, 1), Way::Apart)]);
    }

    #[test]
    fn suspects_beside_others_are_asked_for_without_them() {
        let mut suspects = Deadly::default();
        suspects.lost(WorkerId(1), &[(RUN, tasks(3, 5)), (RUN, tasks(9, 10))], Way::Together);
        let parts = [(0, 3), (3, 4), (4, 5), (5, 9), (9, 10), (10, 12)].map(|(start, end)| tasks(start, end));
        let (apart, together) = (Way::Apart, Way::Together);
        let ways = [together, apart, apart, together, apart, together];
        assert_eq!(suspects.ways(RUN, tasks(0, 12)), parts.into_iter().zip(ways).collect::<Vec<_>>());
        assert_eq!(suspects.ways(RunId(8), tasks(0, 12)), [(tasks(0, 12), together)]);
        suspects.came(RUN, tasks(0, 12));
        assert_eq!(suspects.ways(RUN, tasks(0, 12)), [(tasks(0, 12), together)]);
    }

    #[test]
    fn no_more_are_remembered_than_may_be() {
        let mut suspects = Deadly::default();
        suspects.lost(WorkerId(1), &[(RUN, tasks(0, 3 * KNOWN_MOST as u64))], Way::Together);
        assert!(suspects.suspects.len() <= KNOWN_MOST);
        // Of what somebody has died alone it is known for as long as there is room for that.
        let mut suspects = Deadly::default();
        for worker in 1..=DEATHS + 1 {
            suspects.lost(WorkerId(worker), &[(RUN, tasks(0, 1))], Way::Apart);
        }
        suspects.lost(WorkerId(9), &[(RunId(9), tasks(0, 2 * KNOWN_MOST as u64))], Way::Together);
        assert_eq!(suspects.ways(RUN, tasks(0, 1)), [(tasks(0, 1), Way::GivenUp)]);
        suspects.forget(RunId(9));
        assert_eq!(suspects.suspects.len(), 1);
        suspects.forget(RUN);
        assert!(suspects.suspects.is_empty());
    }
}
