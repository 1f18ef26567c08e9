//! Futures of this process: where a call stands, the line of those that wait for their turn, and those who wait for their ends.
//!
//! What a call is, what it gives and how it fails is the face's to know, and so is how it is made.

mod line;
mod state;
mod watch;

pub use line::{InLine, Line};
pub use state::{Outcome, State};
pub use watch::{Arrived, Watch, is_met};
