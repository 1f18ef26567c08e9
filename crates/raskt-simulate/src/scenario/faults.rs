//! What can go wrong, as plain data.

/// Something that goes wrong, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// When it begins.
    pub at: u64,
    /// How long it lasts. Nothing lasts longer than the time of faults.
    pub lasts: u64,
    /// What it is.
    pub kind: FaultKind,
}

/// What can go wrong. Hosts and clients are named by position, nodes by number (0 is the scheduler's).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The worker dies and starts anew, empty, when the fault ends.
    Crash {
        /// Where.
        host: usize,
    },
    /// The worker dies, and its machine is never seen again.
    Leave {
        /// Where.
        host: usize,
    },
    /// The worker does nothing at all, and goes on where it stood when the fault ends.
    Freeze {
        /// Where.
        host: usize,
    },
    /// Tasks take longer.
    Slow {
        /// Where.
        host: usize,
        /// How many times as long.
        times: u64,
    },
    /// Reading and writing spilled results takes longer.
    SlowDisk {
        /// Where.
        host: usize,
        /// How many times as long.
        times: u64,
    },
    /// Nothing more can be spilled.
    FullDisk {
        /// Where.
        host: usize,
    },
    /// Half of what is spilled there can't be read any more.
    LoseSpilled {
        /// Where.
        host: usize,
    },
    /// The worker is asked to leave, and starts anew.
    Retire {
        /// Where.
        host: usize,
    },
    /// A worker that holds more than its memory dies.
    Killer {
        /// Where.
        host: usize,
    },
    /// The worker says that it has another number of slots.
    Resize {
        /// Where.
        host: usize,
        /// How many.
        slots: u32,
    },
    /// No packet gets from one node to the other; the way back is open.
    CutOneWay {
        /// Where packets come from.
        from: usize,
        /// Where they don't arrive.
        to: usize,
    },
    /// No packet gets in or out.
    Isolate {
        /// Whose.
        node: usize,
    },
    /// Packets of some nodes are held up, and go on node by node, in another order than they stopped in.
    Clog {
        /// Chooses the nodes, and the order.
        seed: u64,
    },
    /// The scheduler dies and begins anew at once with what its journal says: what is wanted of which runs. Where data is given or tasks
    /// fail for good it stays, since what follows from these isn't in that journal.
    RestartScheduler,
    /// The client dies. It starts anew when the fault ends, and knows nothing of what it had submitted.
    LoseClient {
        /// Which.
        client: u32,
    },
}
