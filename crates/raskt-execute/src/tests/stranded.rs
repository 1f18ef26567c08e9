//! A store that the system gives no thread: the engine's threads and those who wait for its runs do what it has to do.

use super::memory::{Place, blocks, check_sums, sums_of};
use super::*;
use raskt_store::StoredRef;

const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn results_leave_memory_and_come_back_in_no_more_time() {
    for threads in [0, 1, 3] {
        let place = Place::new(threads, 4);
        place.engine.store().refuse_threads(true);
        let start = Instant::now();
        // Twelve MiB, of which four are in memory.
        let kept = place.keep(blocks(48, false));
        assert!(place.report().files_written >= 24, "{}", place.report());
        let (graph, wanted) = sums_of(kept.clone());
        check_sums(&place.run(graph, wanted).unwrap());
        for (at, value) in kept.iter().enumerate() {
            assert_eq!(number(&StoredRef::of(value).unwrap().fetch().unwrap().unwrap()), at as i64);
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{threads} threads: {:?}", start.elapsed());
        drop(kept);
        assert!(place.report().held < 1 << 20);
    }
}

#[derive(Default)]
struct Owner;

impl OwnsRuns for Owner {
    fn ended_unbegun(&self, _: usize, _: &RunError) {}
}

#[test]
fn a_run_that_nobody_waits_for_goes_on() {
    let place = Place::new(2, 4);
    place.engine.store().refuse_threads(true);
    // So that there are threads, which idle.
    submit(&place.engine, sum_of(100)).wait().unwrap();
    let owner: Arc<dyn OwnsRuns> = Arc::new(Owner);
    let (graph, wanted) = blocks(64, false);
    let run = place.engine.submit_unattended(graph, wanted, Arc::downgrade(&owner));
    let deadline = Instant::now() + PATIENCE;
    while !run.is_done() {
        assert!(Instant::now() < deadline, "{}", place.report());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(run.wait_timeout_kept(PATIENCE).unwrap().unwrap().len(), 64);
}
