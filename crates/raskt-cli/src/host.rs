//! What differs between the plain `raskt` and the one that runs in an interpreter.

use raskt_cluster::Face;
use raskt_cluster::hello::Versions;
use raskt_execute::{Runners, Store};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

/// The program that this command is part of.
pub trait Host: Sync {
    /// What workers read ops, values and errors with.
    fn face(&self) -> Arc<dyn Face>;

    /// What workers run tasks with.
    fn runners(&self) -> Runners;

    /// How another process of this same program is started: what comes before the name of the subcommand.
    fn command(&self) -> io::Result<Vec<OsString>>;

    /// What it runs on, which is compared with what others run on.
    fn versions(&self) -> Versions;

    /// Runs what a scheduler or worker is to have run before it begins; a sentence if that can't be.
    fn preload(&self, modules: &[String]) -> Result<(), String>;

    /// This is the store of a worker, which is ended if it has more than `memory` bytes: its host knows when it is to have much beside
    /// results for a while.
    fn is_bound(&self, store: &Store, memory: u64) {
        let _ = (store, memory);
    }

    /// Whether somebody wants the command to end, beside the signals that it sees itself. It is asked a few times a second.
    fn is_interrupted(&self) -> bool {
        false
    }
}
