//! Workers whose scheduler is elsewhere: one real scheduler machine and several workers with stores of their own, in one process,
//! between links that take their time. Messages of one link arrive in order, those of different ones in any.

mod edges;
mod faults;
#[path = "../../../raskt-schedule/src/tests/graphs.rs"]
mod graphs;
mod head;
mod host;
mod kernels;
mod links;
mod losses;
mod nesting;
mod world;
mod worlds;
