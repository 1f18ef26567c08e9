//! Gives results to other workers and to clients.

use crate::bulk::{Missing, Provide, Reply};
use crate::message::ResultNames;
use crate::parcels::pack;
use raskt_execute::WorkerEngine;
use raskt_sync::Mutex;
use std::any::Any;
use std::sync::Arc;

pub(super) struct Shelf {
    engine: WorkerEngine,
}

impl Shelf {
    pub fn new(engine: WorkerEngine) -> Self {
        Self { engine }
    }
}

impl Provide for Shelf {
    fn provide(&self, result: &[u8], reply: Reply) {
        let Some(ResultNames(tasks)) = ResultNames::of(result) else {
            return reply.refuse(Missing::NotThere);
        };
        let told = move |given: raskt_execute::Given| {
            let values: Result<Vec<_>, _> = given.values.iter().cloned().collect();
            let keeper: Arc<dyn Any + Send + Sync> = Arc::new(Mutex::new(given));
            match values {
                Ok(values) => match pack(&values, &keeper) {
                    Ok(pieces) => reply.give(pieces),
                    Err(error) => reply.refuse(Missing::Failed(error.to_string())),
                },
                Err(_) => reply.refuse(Missing::NotThere),
            }
        };
        // Dropped, the reply says that there is nothing.
        let _ = self.engine.values_of(&tasks, told);
    }
}
