//! Workers whose scheduler is elsewhere: one real scheduler machine and several workers with stores of their own, in one process,
//! between links that take their time. Messages of one link arrive in order, those of different ones in any.

mod bench;
mod faults;
mod gathers;
#[allow(dead_code, reason = "these tests use some of it")]
#[path = "../../../raskt-schedule/src/tests/graphs.rs"]
mod graphs;
mod head;
mod host;
mod imports;
mod kernels;
mod links;
mod losses;
mod nesting;
mod orders;
mod world;
mod worlds;

/// How many worlds are tried: so many, or as many times more as `RASKT_APART_TIMES` says.
fn cases(count: u32) -> proptest::prelude::ProptestConfig {
    let times: u32 = std::env::var("RASKT_APART_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    proptest::prelude::ProptestConfig { cases: count * times, max_shrink_iters: 100, ..Default::default() }
}
