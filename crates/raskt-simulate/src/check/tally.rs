//! Rare things, counted.

/// Rare things that the checks are about; over many seeds each must happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sometimes {
    /// A packet didn't arrive.
    PacketLost,
    /// A packet arrived twice.
    PacketDoubled,
    /// A message overtook another of its session, and had to wait for it.
    MessageOvertook,
    /// A message arrived that had arrived before.
    MessageRepeated,
    /// A message was sent again.
    MessageResent,
    /// A worker was given up while it still lived.
    WorkerFenced,
    /// A worker that had died came back under a new number.
    WorkerRestarted,
    /// A worker did nothing for a while.
    WorkerFroze,
    /// A worker changed the number of its slots.
    WorkerResized,
    /// A worker died since it held too much.
    OutOfMemory,
    /// A task killed its worker.
    PoisonedWorker,
    /// A client was given up.
    ClientLost,
    /// A client gave a job up.
    Cancelled,
    /// A run was given up while a worker still ran tasks of it.
    CancelledWhileRunning,
    /// A job was submitted once more.
    Resubmitted,
    /// The same by a client that had just got its results.
    AnotherRound,
    /// A task came back from a worker that hadn't begun it.
    Recalled,
    /// A report of a hand-out came that its task was no longer on.
    OldReport,
    /// A task that nobody needed any more was handed out anew while its first worker still ran it.
    WantedAnewWhileRunning,
    /// A client wanted more of a run.
    WantedMore,
    /// A client no longer wanted some of a run.
    WantedLess,
    /// A spilled result couldn't be read any more.
    SpilledLost,
    /// A worker was asked to leave.
    Retired,
    /// A result that had been there was computed again.
    Recomputed,
    /// A run was finished a second time, since wanted results had been lost.
    FinishedAgain,
    /// A worker or a client couldn't read a result where it was said to be: it was reached, and didn't have it.
    FetchMissed,
    /// A worker or a client couldn't read a result, since nobody answered.
    FetchUnanswered,
    /// A worker kept a copy of a result that it had fetched.
    Copied,
    /// A worker was told to drop a result of which it had said something new meanwhile.
    DiscardCrossed,
    /// A machine went for good.
    HostLeft,
    /// A task was handed out that has what it requires from one that waits for its run.
    Borrowed,
    /// A run was told that there is no worker.
    StalledWithoutWorkers,
    /// A run was told that no worker has what it requires.
    StalledUnmet,
    /// A run that was told so went on.
    Resumed,
    /// A client gave a run up that no worker could ever run.
    GivenUpUnmet,
    /// Tasks weren't run, since they couldn't read what they needed.
    NotRun,
    /// A task was handed out together with what it reads.
    Followed,
    /// A result went with its readers.
    Consumed,
    /// A result that had gone with its readers was needed after all.
    ConsumedTooEarly,
    /// A failed task was tried again.
    Retried,
    /// A run failed, since one of its tasks had failed for good.
    RunFailed,
    /// A run failed, since one of its tasks had killed its worker each time that it ran alone.
    PoisonFailed,
    /// The flight record of a world gave the same actions when it was replayed.
    Replayed,
    /// Data was put into a worker.
    Scattered,
    /// A run ended since data that was given is gone.
    ScatteredLost,
    /// A worker went beyond its memory to run one assignment alone.
    Overbooked,
    /// Tasks that could have started waited for others to free memory.
    HeldBack,
    /// A promise of memory was refused.
    Refused,
    /// Results were written to disk to make room.
    Spilled,
    /// Results should have been written to disk, and it was full.
    DiskFull,
    /// A task submitted a run and waited for it.
    Nested,
    /// A run was given up that tasks wait in for runs.
    NestedGivenUp,
    /// A task waited for its slot after what it had waited for.
    ResumedLater,
    /// A run was in line while others were served, for some time.
    WaitedItsTurn,
    /// The same of one that asks for a resource.
    WaitedForResource,
    /// A client had failed tasks run again.
    AskedToRetry,
    /// A client released results by themselves, of a run whose others it still wanted.
    ReleasedAlone,
    /// What a run was to import had been released before it was submitted.
    ImportRefused,
    /// Tasks failed, and their run went on.
    TasksFailed,
    /// Tasks failed since what they import had.
    ImportFailed,
    /// A run went on for those that import from it, when its client had released it.
    KeptForOthers,
    /// A result that a client was told of was lost, or had to be made again.
    BecameUnavailable,
    /// A result was computed for another run alone.
    MadeForOthers,
    /// A client that keeps results until the end was told that one is lost.
    KeptAndLost,
    /// A worker that was given up came back with what it held.
    WorkerCameBack,
    /// It told of some of that.
    Kept,
    /// A result that was missing came with it.
    KeptWasMissing,
    /// The scheduler began anew while there were runs.
    SchedulerRestarted,
}

const KINDS: usize = Sometimes::SchedulerRestarted as usize + 1;

/// How often each of [`Sometimes`] happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally([u64; KINDS]);

impl Default for Tally {
    fn default() -> Self {
        Self([0; KINDS])
    }
}

impl Sometimes {
    /// All of them.
    pub const ALL: [Self; KINDS] = [
        Self::PacketLost,
        Self::PacketDoubled,
        Self::MessageOvertook,
        Self::MessageRepeated,
        Self::MessageResent,
        Self::WorkerFenced,
        Self::WorkerRestarted,
        Self::WorkerFroze,
        Self::WorkerResized,
        Self::OutOfMemory,
        Self::PoisonedWorker,
        Self::ClientLost,
        Self::Cancelled,
        Self::CancelledWhileRunning,
        Self::Resubmitted,
        Self::AnotherRound,
        Self::Recalled,
        Self::OldReport,
        Self::WantedAnewWhileRunning,
        Self::WantedMore,
        Self::WantedLess,
        Self::SpilledLost,
        Self::Retired,
        Self::Recomputed,
        Self::FinishedAgain,
        Self::FetchMissed,
        Self::FetchUnanswered,
        Self::Copied,
        Self::DiscardCrossed,
        Self::HostLeft,
        Self::Borrowed,
        Self::StalledWithoutWorkers,
        Self::StalledUnmet,
        Self::Resumed,
        Self::GivenUpUnmet,
        Self::NotRun,
        Self::Followed,
        Self::Consumed,
        Self::ConsumedTooEarly,
        Self::Retried,
        Self::RunFailed,
        Self::PoisonFailed,
        Self::Replayed,
        Self::Scattered,
        Self::ScatteredLost,
        Self::Overbooked,
        Self::HeldBack,
        Self::Refused,
        Self::Spilled,
        Self::DiskFull,
        Self::Nested,
        Self::NestedGivenUp,
        Self::ResumedLater,
        Self::WaitedItsTurn,
        Self::WaitedForResource,
        Self::AskedToRetry,
        Self::ReleasedAlone,
        Self::ImportRefused,
        Self::TasksFailed,
        Self::ImportFailed,
        Self::KeptForOthers,
        Self::BecameUnavailable,
        Self::MadeForOthers,
        Self::KeptAndLost,
        Self::WorkerCameBack,
        Self::Kept,
        Self::KeptWasMissing,
        Self::SchedulerRestarted,
    ];
}

impl Tally {
    pub(crate) fn saw(&mut self, what: Sometimes) {
        self.add(what, 1);
    }

    pub(crate) fn add(&mut self, what: Sometimes, times: u64) {
        self.0[what as usize] += times;
    }

    /// How often `what` happened.
    pub fn count(&self, what: Sometimes) -> u64 {
        self.0[what as usize]
    }

    /// Takes in what happened in another world.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }

    /// What never happened.
    pub fn never(&self) -> Vec<Sometimes> {
        Sometimes::ALL.into_iter().filter(|&what| self.count(what) == 0).collect()
    }
}
