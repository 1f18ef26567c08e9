//! What the process has taken and nobody was promised slows down what adds to it, and nothing else.

use super::*;

const MIB: u64 = 1 << 20;

/// Turns in which as many tasks run as may, up to `workers`, for so many looks of 10 ms; between two nothing runs for some more. The
/// process has what `taken` says while so many run. Gives how many ran in each.
fn turns((length, pause): (u64, u64), workers: impl Fn(usize) -> usize, taken: impl Fn(usize) -> u64) -> Vec<usize> {
    let mut state = State::new(1024 * MIB);
    let (mut at, mut ticket) = (0, 0);
    let mut ran = vec![];
    for turn in 0..200 {
        let mut running = vec![];
        for _ in 0..workers(turn) {
            ticket += 1;
            match state.ask(Request { holder: holder(ticket), bytes: 32, inputs: vec![] }) {
                Answer::Promised { .. } => running.push(holder(ticket)),
                Answer::Pending => state.give_back(holder(ticket)),
            }
        }
        ran.push(running.len());
        for _ in 0..length {
            at += 10;
            state.saw_process(at, taken(running.len()));
        }
        while let Some(holder) = running.pop() {
            state.ended(holder, Some((at, taken(running.len()))));
        }
        for _ in 0..pause {
            at += 10;
            state.saw_process(at, taken(0));
        }
        state.replies.clear();
    }
    ran
}

#[test]
fn what_stays_when_tasks_end_is_not_what_each_of_them_takes() {
    // A cache of any size, which the first task has filled while it was alone.
    for (cache, pause) in [300, 600, 900, 2000].into_iter().flat_map(|cache| [(cache, 0), (cache, 30)]) {
        let ran = turns((10, pause), |turn| if turn < 4 { 1 } else { 4 }, |_| cache * MIB);
        assert!(ran[20..].iter().all(|&ran| ran == 4), "{cache} MiB in a cache: {ran:?}");
    }
    // One that was filled while several ran.
    let ran = turns((10, 0), |_| 16, |_| 900 * MIB);
    assert!(ran[20..].iter().all(|&ran| ran == 16), "{ran:?}");
}

#[test]
fn what_goes_when_tasks_end_is_what_each_of_them_takes() {
    for (each, cache, most) in [(150, 0, 6), (150, 400, 4), (600, 0, 1), (100, 300, 7)] {
        let ran = turns((30, 70), |_| 8, |running| cache * MIB + running as u64 * each * MIB);
        let late = &ran[20..];
        // What is forgotten by and by is found out by one task more.
        assert!(late.iter().all(|ran| ran.abs_diff(most) <= 1), "{each} MiB each beside {cache}: {ran:?}");
    }
}
