//! Another machine goes on with what outlives one.

use super::bytes::Value;
use super::coordinator::Coordinator;
use super::entries::{Entry, size};
use super::error::CoordinationError;
use super::keeping::Keeper;

impl Coordinator {
    /// From now on each change of an entry is written down before it is made.
    pub fn keep_by(&mut self, keeper: Box<dyn Keeper>) {
        self.desk.keeper.0 = Some(keeper);
    }

    /// Nothing is written down from now on; gives who did it.
    pub fn keep_no_more(&mut self) -> Option<Box<dyn Keeper>> {
        self.desk.keeper.0.take()
    }

    /// Puts back what a machine before this one told of, before anybody has asked anything.
    ///
    /// # Errors
    ///
    /// It is more than this machine may have.
    pub fn restore(&mut self, entry: Entry, value: Value) -> Result<(), CoordinationError> {
        let (desk, given) = (&mut self.desk, &mut self.given);
        match entry {
            Entry::Dataset(name) => self.datasets.publish(desk, name, value, true),
            Entry::Variable(name) => self.variables.set(desk, given, &name, value),
            Entry::Event(name) => self.events.set(desk, &name),
            Entry::Metadata(keys) => self.metadata.set(desk, &keys, vec![(vec![], value.bytes)]),
            Entry::QueueSize(name) => self.queues.restore_size(desk, name, size(&value.bytes)),
            Entry::Item { queue, number } => self.queues.restore_item(desk, queue, number, value),
        }
    }
}
