//! Files that processes of a cluster find each other by; each is written whole, and is its owner's alone.

mod pid_file;
mod private;
mod scheduler_file;
mod token_file;

pub(crate) use pid_file::PidFile;
pub(crate) use private::replace;
pub(crate) use scheduler_file::{Found, SchedulerFile, await_scheduler_file};
pub(crate) use token_file::{read_or_create, usual_token_file};
