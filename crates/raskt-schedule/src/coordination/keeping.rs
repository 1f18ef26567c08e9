//! What is to outlive the machine is written down before it is so.

use super::bytes::Value;
use super::entries::Entry;
use std::any::Any;
use std::fmt;

/// What is under each of some entries from now on; none if it isn't there any more.
pub type Change = Vec<(Entry, Option<Value>)>;

/// Writes down what is to outlive the machine.
pub trait Keeper: Any + Send {
    /// A change that is about to be made: all of it or nothing. By an error, which says why, it isn't made.
    ///
    /// # Errors
    ///
    /// It can't be written down.
    fn write(&mut self, change: Change) -> Result<(), String>;

    /// These are gone, whether that can be written by now or only later.
    fn end(&mut self, gone: Vec<Entry>);
}

/// Who writes it down, if anybody does.
#[derive(Default)]
pub(super) struct Kept(pub Option<Box<dyn Keeper>>);

impl fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Kept").field(&self.0.is_some()).finish()
    }
}
