//! For want of which data something has failed that is to be run again.

use crate::message::RUNS_OF_A_CLIENT;
use raskt_schedule::RunId;
use std::collections::{BTreeMap, BTreeSet};

/// Runs with such data, and whom that concerns.
#[derive(Debug, Default)]
pub(super) struct Stopping {
    /// The clients of each of them, and of what reads it.
    of: BTreeMap<RunId, BTreeSet<u64>>,
    /// Of how many runs each client is one of those.
    clients: BTreeMap<u64, usize>,
}

impl Stopping {
    /// Something has failed for want of data of `run`, which concerns those of these runs as well: of what has failed, and what else that
    /// reads.
    pub fn stop(&mut self, run: RunId, others: impl IntoIterator<Item = RunId>) {
        let clients = self.of.entry(run).or_default();
        for client in others.into_iter().chain([run]).map(|run| run.0 / RUNS_OF_A_CLIENT) {
            if clients.insert(client) {
                *self.clients.entry(client).or_default() += 1;
            }
        }
    }

    /// Nothing is stopped for want of data of `run` any more.
    pub fn end(&mut self, run: RunId) {
        for client in self.of.remove(&run).unwrap_or_default() {
            if let Some(count) = self.clients.get_mut(&client) {
                *count -= 1;
                if *count == 0 {
                    self.clients.remove(&client);
                }
            }
        }
    }

    /// Whether something of a client is.
    pub fn concern(&self, client: u64) -> bool {
        self.clients.contains_key(&client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_concerned_as_long_as_something_of_theirs_is_stopped() {
        let of = |client: u64, number: u64| RunId(client * RUNS_OF_A_CLIENT + number);
        let mut stopping = Stopping::default();
        stopping.stop(of(1, 0), [of(2, 0)]);
        stopping.stop(of(1, 0), [of(2, 7), of(1, 3)]);
        stopping.stop(of(1, 1), [of(1, 2)]);
        assert!([0, 1, 2, 3].map(|client| stopping.concern(client)) == [false, true, true, false]);
        stopping.end(of(1, 0));
        assert!(stopping.concern(1) && !stopping.concern(2));
        stopping.end(of(1, 0));
        stopping.end(of(1, 1));
        assert!(!stopping.concern(1) && stopping.of.is_empty() && stopping.clients.is_empty());
    }
}
