//! Errands on their way from clients to workers, and what these give on its way back.

use super::core::Core;
use super::errands::Open;
use crate::driver::Outbox;
use crate::errand::{ERRANDS_OF_A_CLIENT, ERRANDS_UNTAKEN_BYTES, Errand, ErrandEnd};
use crate::message::{ToClient, ToWorker};
use bytes::Bytes;
use raskt_schedule::WorkerId;
use serde::Serialize;

impl Core {
    /// Hands an errand to each of its workers; of those that can't have it the client hears at once.
    pub fn begin_errand(&mut self, client: u32, errand: Errand, bulk: Vec<Bytes>) -> Result<(), String> {
        let Errand { number, workers } = errand;
        let bulk = <[Bytes; 1]>::try_from(bulk).map_err(|_| "an errand is one piece of bulk")?;
        for worker in workers {
            if let Err(end) = self.hand_out(client, number, worker, &bulk) {
                self.tell_errand(client, number, worker, end, vec![]);
            }
        }
        Ok(())
    }

    fn hand_out(&mut self, client: u32, number: u64, worker: WorkerId, bulk: &[Bytes; 1]) -> Result<(), ErrandEnd> {
        let Some(entry) = self.workers.get(&worker).filter(|entry| entry.is_in()) else {
            return Err(self.of_nobody(worker));
        };
        if self.errands.of_client(client) >= ERRANDS_OF_A_CLIENT {
            let reason = format!("{ERRANDS_OF_A_CLIENT} errands aren't over: wait for some before there are others");
            return Err(ErrandEnd::Refused(reason));
        }
        check_room(&entry.outbox, bulk)
            .map_err(|reason| ErrandEnd::Refused(format!("worker `{}` {reason}", entry.name)))?;
        let errand = self.errands.begin(client, number, worker);
        entry.send(&ToWorker::Errand { errand }, bulk.to_vec());
        Ok(())
    }

    /// How an errand of a worker that can't be reached ends. Who left after the client had looked who there is was no mistake of
    /// the client's, and it was a matter of moments whether the errand came too late or was lost on its way.
    fn of_nobody(&self, worker: WorkerId) -> ErrandEnd {
        match self.has_been(worker) {
            true => ErrandEnd::Lost(format!("worker {} has left before it was asked", worker.0)),
            false => ErrandEnd::Refused(format!("there is no worker {}", worker.0)),
        }
    }

    /// A worker says that an errand is over.
    pub fn errand_over(&mut self, worker: WorkerId, errand: u64, end: ErrandEnd, bulk: Vec<Bytes>) {
        if !self.errands.is_of(errand, worker) {
            return;
        }
        if let Some(Open { client, number, .. }) = self.errands.end(errand) {
            self.tell_errand(client, number, worker, end, bulk);
        }
    }

    /// A worker is gone, and nobody knows how far it came.
    pub fn errands_lost(&mut self, worker: WorkerId, name: &str) {
        for errand in self.errands.of_worker(worker) {
            let end = ErrandEnd::Lost(format!("worker `{name}` has left before it answered"));
            if let Some(Open { client, number, .. }) = self.errands.end(errand) {
                self.tell_errand(client, number, worker, end, vec![]);
            }
        }
    }

    fn tell_errand(&self, client: u32, number: u64, worker: WorkerId, end: ErrandEnd, bulk: Vec<Bytes>) {
        let Some(entry) = self.clients.get(&client) else { return };
        let (end, bulk) = match check_room(&entry.outbox, &bulk) {
            Ok(()) => (end, bulk),
            Err(reason) => (ErrandEnd::Lost(format!("the answer couldn't be passed on: the client {reason}")), vec![]),
        };
        entry.send_with(&ToClient::ErrandOver { number, worker, end }, bulk);
    }
}

/// An error if a peer that takes nothing would be lost for an errand, or as good as.
pub(super) fn check_room<Out: Serialize>(outbox: &Outbox<Out>, bulk: &[Bytes]) -> Result<(), String> {
    let (untaken, bytes) = (outbox.outstanding_bytes(), bulk.iter().map(|part| part.len() as u64).sum::<u64>());
    match untaken + bytes <= ERRANDS_UNTAKEN_BYTES {
        true => Ok(()),
        false => Err(format!("hasn't taken {untaken} bytes of messages yet: fewer at a time get through")),
    }
}
