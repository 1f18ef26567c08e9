//! The stories of clusters, all in one program: what they stand on is built once, and while one of them waits another goes on. What
//! counts something of its process has a program of its own: `counting.rs`, `leftovers.rs`.

mod adopting;
mod bulk;
mod bulk_processes;
mod calls;
mod cancelling;
mod cluster;
mod coordination;
mod door;
mod errands;
mod futures;
mod gifts;
mod giving;
mod orders;
mod restart_of_cancelled;
mod restart_of_others;
mod retiring;
mod sessions;
mod sharing;
mod workplace;
mod world;

/// Not a test, but the process of a scheduler that is killed, when it is called as such.
#[test]
fn scheduler_process() {
    workplace::killed::be_scheduler();
}
