//! Gives results to other workers and to clients.

use crate::bulk::{Missing, Provide, Reply};
use crate::message::ResultNames;
use crate::packing::Packing;
use raskt_execute::{Given, WorkerEngine};
use raskt_sync::Mutex;
use std::io;
use std::sync::Arc;

pub(super) struct Shelf {
    engine: WorkerEngine,
    packing: Arc<Packing>,
}

impl Shelf {
    pub fn start(engine: WorkerEngine) -> io::Result<Self> {
        Ok(Self { engine, packing: Arc::new(Packing::start()?) })
    }
}

impl Provide for Shelf {
    fn provide(&self, result: &[u8], reply: Reply) {
        let Some(ResultNames(tasks)) = ResultNames::of(result) else {
            return reply.refuse(Missing::NotThere);
        };
        let (packing, peer) = (self.packing.clone(), reply.peer());
        let told = move |given: Given| {
            let find = move || {
                let values: Result<Vec<_>, _> = given.values.iter().cloned().collect();
                Some((values.ok()?, Arc::new(Mutex::new(given)) as _))
            };
            packing.give(find, reply);
        };
        // Dropped, the reply says that there is nothing.
        let _ = self.engine.values_of(peer, &tasks, told);
    }
}
