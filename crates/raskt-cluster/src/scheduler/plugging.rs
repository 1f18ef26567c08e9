//! What clients want workers to have.

use super::core::Core;
use super::erranding::check_room;
use crate::message::{ToClient, ToWorker};
use bytes::Bytes;
use raskt_schedule::WorkerId;

impl Core {
    /// A client wants all workers to have something, or to have it no longer.
    pub fn plugin_changes(&mut self, client: u32, number: u64, name: String, bulk: Vec<Bytes>) {
        if !self.clients.contains_key(&client) {
            return;
        }
        let plugin = bulk.into_iter().next();
        let changed = self.check_workers_have_room(plugin.as_slice());
        let before = self.plugins.clone();
        let changed = changed.and_then(|()| self.plugins.change(&name, plugin.as_ref()));
        let changed = changed.and_then(|record| self.write_at_once(record).inspect_err(|_| self.plugins = before));
        let changed = changed.map(|()| {
            self.tell_of_plugin(&ToWorker::Plugin { name, is_new: true }, plugin.as_slice());
        });
        self.heard(client, number, changed.err());
    }

    /// Workers get nothing to do while they set it up: what can't be begun there can be elsewhere.
    fn tell_of_plugin(&mut self, message: &ToWorker, plugin: &[Bytes]) {
        let mut there = vec![];
        for (&worker, entry) in self.workers.iter_mut().filter(|(_, worker)| worker.is_in()) {
            entry.send(message, plugin.to_vec());
            entry.prepare();
            there.push(worker);
        }
        there.into_iter().for_each(|worker| self.resize(worker));
    }

    /// A worker has done what it was told of plugins by then, or goes on without.
    pub fn is_prepared(&mut self, worker: WorkerId, number: u64) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        let (asked, answered) = entry.preparations;
        if number > asked || number <= answered {
            return;
        }
        entry.preparations.1 = number;
        if !entry.is_preparing() {
            self.resize(worker);
            self.back_up_all();
        }
    }

    /// An error if a worker that takes nothing would be lost for it.
    fn check_workers_have_room(&self, bulk: &[Bytes]) -> Result<(), String> {
        let workers = self.workers.values().filter(|worker| worker.is_in());
        let mut workers = workers
            .map(|entry| check_room(&entry.outbox, bulk).map_err(|why| format!("worker `{}` {why}", entry.name)));
        workers.try_for_each(|checked| checked)
    }

    /// What a client has said under a number has been taken in.
    pub fn heard(&self, client: u32, number: u64, refused: Option<String>) {
        if let Some(client) = self.clients.get(&client) {
            client.send(&ToClient::Heard { number, refused });
        }
    }
}
