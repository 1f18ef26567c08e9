//! What clients have done with the cluster: each order is a movement until it is done.

use super::core::Core;
use super::movements::{Gives, Kind, Movement};
use crate::message::{ToClient, ToWorker};
use crate::question::{Answer, Order};
use raskt_schedule::{RunId, TaskRange, WorkerId};
use std::collections::BTreeSet;

/// Orders of a client that aren't done, at most.
const ORDERS_OF_A_CLIENT: usize = 64;

/// Results of which more copies are asked for at a time, at most.
const REPLICATED_MOST: u64 = 1 << 20;

/// No client has this number.
const NOBODY: u32 = u32::MAX;

impl Core {
    /// Begins what is to be done; gives the answer if it is done at once.
    pub fn begin_order(&mut self, client: u32, number: u64, order: Order) -> Result<Option<Answer>, String> {
        let is_bounded = !matches!(order, Order::Restart | Order::ShutDown);
        if is_bounded && self.movements.of_client(client) >= ORDERS_OF_A_CLIENT {
            return Err(format!("{ORDERS_OF_A_CLIENT} orders of this client aren't done yet"));
        }
        match order {
            Order::Retire { workers, leaves } => {
                let workers = self.present(workers)?;
                if workers.is_empty() {
                    return Ok(Some(Answer::Done(vec![])));
                }
                self.check_rest(&workers)?;
                workers.iter().for_each(|&worker| self.set_retiring(worker, true));
                let kind = Kind::Retire { leaves, gives: Gives::Nothing };
                self.movements.begin(Movement::new((client, number), workers, kind));
            }
            Order::Replicate { tasks, copies, among } => {
                let named = !among.is_empty();
                let among = self.present(among)?;
                if named && among.is_empty() {
                    return Err("none of the workers that are to hold more is there any more".into());
                }
                self.check_tasks(&tasks)?;
                let id = self.movements.begin(Movement::new((client, number), among.clone(), Kind::Replicate));
                self.replicate(id, tasks, copies as usize, &among);
            }
            Order::Rebalance { tasks, among } => {
                let named = !among.is_empty();
                let among = self.present(among)?;
                self.check_tasks(&tasks)?;
                if named && among.len() < 2 {
                    return Ok(Some(Answer::Done(vec![])));
                }
                let (ways, senders) = self.balance(&tasks, &among);
                let id = self.movements.begin(Movement::new((client, number), senders, Kind::Rebalance));
                self.copy(id, ways);
            }
            Order::Restart => {
                self.end_all_runs();
                let workers =
                    self.workers.iter().filter(|(_, entry)| entry.is_in()).map(|(&worker, _)| worker).collect();
                self.restart((client, number), workers);
            }
            Order::RestartWorkers { workers } => {
                let workers = self.present(workers)?;
                self.restart((client, number), workers);
            }
            Order::ShutDown => {
                self.note_info("a client ends the cluster".into());
                self.tell_answer(client, number, Answer::Done(vec![]));
                self.note_end();
                self.workers.values().for_each(|worker| worker.send(&ToWorker::Leave, vec![]));
                (self.is_closed, self.is_told_to_end) = (true, true);
                return Ok(None);
            }
        }
        self.look_after_movements();
        Ok(None)
    }

    /// A worker leaves of itself: what it alone holds goes to others, and nobody has asked for that.
    pub fn hand_over(&mut self, worker: WorkerId) {
        let kind = Kind::Retire { leaves: true, gives: Gives::Nothing };
        self.movements.begin(Movement::new((NOBODY, 0), vec![worker], kind));
        self.look_after_movements();
    }

    /// An error if nobody would be left to do what these workers are at, or wait for.
    fn check_rest(&self, retiring: &[WorkerId]) -> Result<(), String> {
        let stays = |(worker, entry): (&WorkerId, &super::entries::WorkerEntry)| {
            entry.is_in() && !entry.is_retiring && !retiring.contains(worker)
        };
        let is_at_work = |worker: &WorkerId| self.machine.load_of(*worker).is_some_and(|load| load.assignments > 0);
        match self.workers.iter().any(stays) || !retiring.iter().any(is_at_work) {
            true => Ok(()),
            false => Err("nobody else would be left to do what they are at: start another worker first".into()),
        }
    }

    /// An error if there are no such tasks, or too many.
    fn check_tasks(&self, tasks: &[(RunId, TaskRange)]) -> Result<(), String> {
        for (run, range) in tasks {
            let graph = self.machine.graph(*run).ok_or_else(|| format!("there is no run {}", run.0))?;
            TaskRange::check_all(&[*range], graph).map_err(|error| error.to_string())?;
        }
        let count = tasks.iter().map(|(_, range)| range.len()).fold(0, u64::saturating_add);
        match count <= REPLICATED_MOST {
            true => Ok(()),
            false => Err(format!("{count} results are named; {REPLICATED_MOST} may be at a time")),
        }
    }

    /// A client is gone, and nobody waits for its orders: workers that were to retire go on.
    pub fn orders_lost(&mut self, client: u32) {
        for movement in self.movements.take_of(client) {
            if matches!(movement.kind, Kind::Retire { .. }) {
                movement.workers.iter().for_each(|&worker| self.set_retiring(worker, false));
            }
        }
    }

    /// Those of them that are there: who left since the client looked has retired, and won't be restarted.
    ///
    /// An error if one of them never was.
    fn present(&self, workers: Vec<WorkerId>) -> Result<Vec<WorkerId>, String> {
        if let Some(unknown) = workers.iter().find(|worker| !self.has_been(**worker)) {
            return Err(format!("there is no worker {}", unknown.0));
        }
        let workers: BTreeSet<_> = workers.into_iter().collect();
        let is_there = |worker: &WorkerId| self.workers.get(worker).is_some_and(|entry| entry.is_in());
        Ok(workers.into_iter().filter(is_there).collect())
    }

    /// Every client hears that its runs have ended, and nothing of them remains.
    fn end_all_runs(&mut self) {
        self.note_info("a client restarts the cluster".into());
        self.tell_clients(&ToClient::Restarted);
        let runs: Vec<_> = self.runs.keys().copied().collect();
        runs.into_iter().for_each(|run| self.release(run));
    }

    fn restart(&mut self, asked: (u32, u64), workers: Vec<WorkerId>) {
        for worker in &workers {
            if let Some(entry) = self.workers.get(worker) {
                entry.send(&ToWorker::Restart, vec![]);
            }
        }
        let waits_for = workers.iter().copied().collect();
        self.movements.begin(Movement::new(asked, workers, Kind::Restart(waits_for)));
    }

    /// A worker says that nobody would start it again, and that it therefore stays as it is.
    pub fn stays(&mut self, worker: WorkerId) {
        self.movements.restarted(worker, true);
        self.look_after_movements();
    }

    /// A worker is gone: who waits for that goes on.
    pub fn movements_lost(&mut self, worker: WorkerId) {
        self.copies_lost(worker);
        self.movements.restarted(worker, false);
        self.movements.rested(worker);
        self.movements.heir_lost(worker);
    }

    /// Takes the next steps of all orders for which it is time.
    pub fn look_after_movements(&mut self) {
        self.machine.take_rested().into_iter().for_each(|worker| self.movements.rested(worker));
        if std::mem::replace(&mut self.looks_after_movements, true) {
            return;
        }
        while let Some(id) = self.movements.pop_due() {
            self.go_on(id);
        }
        self.looks_after_movements = false;
    }

    /// The next step of an order, if it is time for it.
    fn go_on(&mut self, id: u64) {
        let Some(movement) = self.movements.get(id).filter(|movement| movement.under_way == 0) else { return };
        let answer = match &movement.kind {
            Kind::Retire { .. } => None,
            Kind::Replicate | Kind::Rebalance if movement.failures > 0 => {
                Some(Answer::Refused(format!("not all results could be copied: {}", movement.reason)))
            }
            Kind::Restart(waits_for) if !waits_for.is_empty() => return,
            Kind::Replicate | Kind::Rebalance | Kind::Restart(_) => Some(Answer::Done(movement.workers.clone())),
        };
        match answer {
            Some(answer) => self.end_movement(id, answer),
            None => self.retire(id),
        }
    }

    pub fn end_movement(&mut self, id: u64, answer: Answer) {
        if let Some(movement) = self.movements.end(id) {
            self.tell_answer(movement.client, movement.number, answer);
        }
    }

    /// A worker gets nothing more to do from now on, or something again.
    pub fn set_retiring(&mut self, worker: WorkerId, is_retiring: bool) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        entry.is_retiring = is_retiring || entry.leaves;
        if !entry.is_in() {
            return;
        }
        let what = match (entry.leaves, is_retiring) {
            (true, _) => "leaves when it has done what it has begun",
            (false, true) => "is to retire",
            (false, false) => "goes on",
        };
        let words = format!("worker `{}` {what}", entry.name);
        self.note_info(words);
        self.resize(worker);
    }
}
