//! What threads of raskt wait for each other with: locks that a forked process may use, and [`guard`], which turns a panic
//! into a story that can be told to whoever waits.

mod locks;
mod panics;

pub use locks::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use panics::guard;
