//! What the runs of a client and its session have in common.

use super::asking::Asking;
use super::callbacks::Callbacks;
use super::calls::Gathered;
use super::errands::Errands;
use super::failed::{ClusterError, TaskFailed};
use super::giving::Shelf;
use super::home::Home;
use super::kept::Kept;
use super::known::{Heard, State};
use super::table::TaskTable;
use crate::bulk::Fetcher;
use crate::coordination::{Coordination, Hearing};
use crate::deadly::Deadly;
use crate::driver::Incoming;
use crate::face::Face;
use crate::message::ToClient;
use crate::random::random_number;
use crate::session::{Event, Lost};
use crate::turns::Turns;
use raskt_schedule::RunId;
use raskt_sync::{Condvar, Mutex};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

/// What runs and the session have in common.
pub(crate) struct Shared {
    pub face: Arc<dyn Face>,
    /// What tells its runs from any others that ever had their numbers.
    pub mark: u64,
    pub fetcher: Fetcher,
    pub shelf: Arc<Shelf>,
    /// What is shared by name.
    pub coordination: Coordination,
    pub(super) errands: Errands,
    /// Calls that wait for others. Whoever holds this may take the lock of the state, and nobody the other way round.
    pub(super) gathered: Mutex<Gathered>,
    pub(super) callbacks: Arc<Callbacks>,
    pub(super) asking: Arc<Asking>,
    pub(super) barriers: Barriers,
    /// Results of which workers seem to die.
    pub(super) deadly: Mutex<Deadly>,
    /// Those that are asked for without others beside them.
    pub(super) apart: Arc<Turns>,
    pub(super) state: Mutex<State>,
    /// How the scheduler is called again.
    pub(super) home: OnceLock<Home>,
    /// Told of everything that comes, but for what concerns tasks that stand alone.
    pub changed: Condvar,
}

/// How often it was waited until the scheduler has heard all that was said before: begun, and the last of these that it has.
#[derive(Default)]
pub(super) struct Barriers {
    pub begun: AtomicU64,
    pub heard: AtomicU64,
}

fn over(lost: &Lost) -> String {
    let advice = match lost {
        Lost::Forgotten(_) => {
            ". It has begun anew, and knows nothing of what this client had: a new client can go on with it"
        }
        _ => "",
    };
    format!("the session with the scheduler is over: {lost}{advice}")
}

impl Shared {
    pub fn new(face: Arc<dyn Face>, fetcher: Fetcher, shelf: Arc<Shelf>, errands: Errands) -> Self {
        let (state, changed, home, gathered, barriers, deadly, apart) = Default::default();
        let asking = Arc::new(Asking::new(face.clone()));
        let (coordination, mark) = (Coordination::new(), random_number());
        let tells = face.clone();
        let callbacks = Arc::new(Callbacks::new(move |sentence| tells.tell(sentence)));
        Self {
            face,
            mark,
            fetcher,
            shelf,
            coordination,
            errands,
            gathered,
            callbacks,
            asking,
            barriers,
            deadly,
            apart,
            state,
            changed,
            home,
        }
    }

    /// Takes in what the scheduler says; what it says of what is shared by name by `hearing`.
    pub fn hear(self: &Arc<Self>, hearing: &Hearing, incoming: Incoming<ToClient>) {
        let (message, bulk) = match incoming {
            Incoming::Message { message: ToClient::Coordination(told), bulk, .. } => return hearing.hear(told, &bulk),
            Incoming::Message { message, bulk, .. } => (message, bulk),
            Incoming::Event(Event::Lost(lost)) => return self.hear_end(hearing, &lost),
            Incoming::Event(_) => return,
        };
        let concerns_all = self.change(|state| match self.asking.take(message, bulk) {
            Ok(call) => state.call(call),
            // Whoever has heard that it is over hears nothing else after that.
            Err(_) if state.lost.is_some() => false,
            Err(message) => self.take(state, message),
        });
        if concerns_all {
            self.changed.notify_all();
        }
    }

    /// The session with the scheduler is over; where it has begun anew, another one begins.
    pub fn hear_end(self: &Arc<Self>, hearing: &Hearing, lost: &Lost) {
        hearing.ended(lost);
        self.change(|state| {
            let returns = matches!(lost, Lost::Forgotten(_)) && state.lost.is_none() && self.begin_return(state);
            if !returns {
                self.lose(state, over(lost));
            }
        });
        self.changed.notify_all();
    }

    /// Nothing more comes, and no other session begins.
    pub fn end_for_good(&self, lost: &Lost) {
        self.change(|state| self.lose(state, over(lost)));
        self.changed.notify_all();
    }

    /// Changes what is known; whoever wants to be called of it is, elsewhere.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock();
        let result = change(&mut state);
        let calls = std::mem::take(&mut state.calls);
        drop(state);
        calls.into_iter().for_each(|call| self.errands.call(call));
        result
    }

    /// Says whether those who wait for anything else than tasks that stand alone are to look.
    fn take(&self, state: &mut State, message: ToClient) -> bool {
        match message {
            ToClient::Available { run, results, small } => {
                let small: Vec<_> = small.into_iter().filter_map(|small| Kept::new(small, &state.kept_bytes)).collect();
                state.change_tasks(run, |table| {
                    let changes = table.come(&results);
                    small.into_iter().for_each(|small| table.keep(small));
                    changes
                });
            }
            ToClient::Unavailable { run, tasks } => {
                state.change_tasks(run, |table| tasks.iter().flat_map(|&range| table.go(range)).collect());
            }
            ToClient::TasksFailed { run, tasks, failure } => {
                let failed = state.causes.learn(failure, &self.face);
                state.fail(run, &tasks, failed);
            }
            ToClient::TasksFailedToo { run, tasks, root } => {
                let failed = state.causes.of(root, &self.face);
                state.fail(run, &tasks, failed);
            }
            message => {
                self.take_other(state, message);
                return true;
            }
        }
        false
    }

    fn take_other(&self, state: &mut State, message: ToClient) {
        match message {
            ToClient::Welcome { first_run, lineage, secret } => self.welcomed(state, first_run, lineage, secret),
            ToClient::Back { is_known } => self.known(state, is_known),
            ToClient::Knows { runs, is_last } => state.learn_known(runs, is_last),
            ToClient::Taken { runs } => runs.iter().for_each(|run| drop(state.unwritten.remove(run))),
            ToClient::Joined(workers) => {
                state.knows_workers = true;
                for worker in workers {
                    state.workers.insert(worker.worker, worker);
                }
            }
            ToClient::Left(worker) => {
                // It may stand still, and not be seen to be gone by those who wait for what it was asked for.
                if let Some(gone) = state.workers.remove(&worker) {
                    self.fetcher.drop_source(&gone.source());
                }
            }
            ToClient::Finished { run, held, is_last } => {
                if let Some(run) = state.runs.get(&run) {
                    run.finished(held, is_last);
                }
            }
            ToClient::Failed { run, failure } => {
                let failed = state.causes.learn(failure, &self.face);
                state.end(run, &failed);
            }
            ToClient::FailedToo { run, root } => {
                let failed = state.causes.of(root, &self.face);
                state.end(run, &failed);
            }
            ToClient::FailuresForgotten { run } => state.causes.forget(run),
            ToClient::DataNotNeeded { run } => _ = state.call(vec![self.shelf.forgetting(Some(run))]),
            ToClient::Lost { run } => {
                let sentence = "data that the graph was given is gone with its worker";
                self.end(state, run, ClusterError::Lost(sentence.into()));
            }
            ToClient::Broken(story) => self.lose(state, format!("the scheduler broke down: {story}")),
            ToClient::Refused { run, reason } => self.end(state, run, ClusterError::Refused(reason)),
            ToClient::Stalled { run, cause } => state.stall(run, Some(cause)),
            ToClient::Resumed { run } => state.stall(run, None),
            ToClient::Heard { number, refused } => {
                state.retries.remove(&number);
                state.cancels.remove(&number);
                if let Some(answer) = state.asked.get_mut(&number) {
                    *answer = Some(refused.map_or(Heard::Done, Heard::Refused));
                }
            }
            ToClient::Available { .. } | ToClient::Unavailable { .. } => {}
            ToClient::TasksFailed { .. } | ToClient::TasksFailedToo { .. } => {}
            ToClient::Restarted => self.restarted(state),
            ToClient::Answer { .. } | ToClient::ErrandOver { .. } | ToClient::Coordination(_) => {}
        }
    }

    fn end(&self, state: &mut State, run: RunId, error: ClusterError) {
        state.end(run, &TaskFailed::of_run(error, self.face.clone()));
    }

    /// Whoever waits for a run as a whole hears why it has ended; single tasks count as cancelled.
    fn restarted(&self, state: &mut State) {
        state.unwritten.clear();
        state.retries.clear();
        state.cancels.clear();
        let why = ClusterError::Refused("the cluster was restarted, and with it all runs have ended".into());
        let failed = TaskFailed::of_run(why, self.face.clone());
        state.runs.values().for_each(|run| run.end(failed.clone()));
        for run in state.tables.keys().copied().collect::<Vec<_>>() {
            state.change_tasks(run, TaskTable::release_all);
        }
    }

    pub(super) fn lose(&self, state: &mut State, why: String) {
        state.away = None;
        state.unwritten.clear();
        state.retries.clear();
        state.cancels.clear();
        let failed = TaskFailed::of_run(ClusterError::Disconnected(why.clone()), self.face.clone());
        let runs: Vec<_> = state.runs.keys().chain(state.tables.keys()).copied().collect();
        runs.into_iter().for_each(|run| state.end(run, &failed));
        state.workers.clear();
        state.call(vec![self.shelf.forgetting(None)]);
        self.asking.lose(&why).into_iter().for_each(|call| _ = state.call(vec![call]));
        self.coordination.end(&why);
        state.lost.get_or_insert(why);
    }

    /// Nothing is wanted any more of a run. What it was given stays until the scheduler says that nobody needs it, and so does the run
    /// itself where that may have to be told of it again: others may read it that are still to be made.
    pub fn forget(&self, run: RunId) {
        let (was_sent, is_lost, gone) = self.change(|state| {
            state.change_tasks(run, TaskTable::release_all);
            let (was_sent, is_lost) = (state.gathering != Some(run), state.lost.is_some());
            (was_sent, is_lost, (state.runs.remove(&run), state.tables.remove(&run)))
        });
        drop(gone);
        self.deadly.lock().forget(run);
        if is_lost {
            self.shelf.forget(run);
        }
        if was_sent {
            self.errands.let_go(run);
        }
    }
}
