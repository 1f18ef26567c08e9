//! What threads of raskt are made of, and wait for each other with: locks that a forked process may use, [`guard`], which turns
//! a panic into a story that can be told to whoever waits, and how much stack there is.

mod locks;
mod panics;
mod stacks;

pub use locks::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use panics::guard;
pub use stacks::usual_stack;
