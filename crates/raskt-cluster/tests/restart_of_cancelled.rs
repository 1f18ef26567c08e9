//! The scheduler is killed and begins anew: what was cancelled is, also if it hadn't heard so.

use crate::workplace::killed::*;
use crate::workplace::*;
use raskt_cluster::{Client, Job, TaskRun, TaskState, Until};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{Import, RunId, TaskRange};
use std::time::Instant;

fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

const CALLED: TaskRange = TaskRange { layer: LayerId(0), start: 0, end: 1 };

fn calls(client: &Client) -> TaskRun {
    let job = Job { graph: form(&sums(2, QUICK, 0)), wanted: vec![range(0, 0, 2)], ..Job::default() };
    client.submit_tasks(job).unwrap()
}

/// A call that reads another one: its result is task 0 of layer 1.
fn reads(client: &Client, run: RunId, layer: u32) -> TaskRun {
    let import = Import { tasks: range(0, 0, 1), run, from: TaskId::new(LayerId(layer), 0) };
    let (graph, wanted) = (form(&sums(1, QUICK, 1)), vec![range(1, 0, 1)]);
    client.submit_tasks(Job { graph, wanted, imports: vec![import], ..Job::default() }).unwrap()
}

fn settled(client: &Client, run: &TaskRun, tasks: TaskRange) -> TaskState {
    let watch = client.watch(&[(run.id(), vec![tasks])]);
    assert!(watch.wait(Until::All, Some(Instant::now() + PATIENCE)), "somebody waits for ever");
    run.state(TaskId::new(tasks.layer, tasks.start))
}

fn is_cancelled(client: &Client, run: &TaskRun) -> bool {
    matches!(settled(client, run, range(1, 0, 1)), TaskState::Failed(failed) if failed.is_cancelled())
}

fn is_there(client: &Client, run: &TaskRun) -> bool {
    matches!(settled(client, run, range(1, 0, 1)), TaskState::Available)
}

#[test]
fn what_was_cancelled_before_is_cancelled_and_so_is_what_nobody_had_heard_of() {
    let mut place = Place::of(0);
    let client = place.client();
    let (x, x2, x3) = (calls(&client), calls(&client), calls(&client));
    let (y, y2, y3) = (reads(&client, x.id(), 0), reads(&client, x2.id(), 0), reads(&client, x3.id(), 0));
    x.cancel(&[CALLED], false);
    assert!(is_cancelled(&client, &y));
    client.barrier(PATIENCE).unwrap();
    place.kill();
    x2.cancel(&[CALLED], false);
    // It has been said into a session that nobody hears.
    std::thread::sleep(std::time::Duration::from_millis(50));
    place.start();
    assert!(is_cancelled(&client, &y2));
    assert!(is_cancelled(&client, &reads(&client, y.id(), 1)), "it reads what has failed");
    assert!(is_cancelled(&client, &reads(&client, x.id(), 0)), "it reads what was cancelled");
    place.join(0);
    assert!(is_there(&client, &y3));
    assert!(is_cancelled(&client, &y) && is_cancelled(&client, &reads(&client, x2.id(), 0)));
    // It is made after all where somebody asks for it.
    y.retry(&[range(1, 0, 1)]).unwrap();
    assert!(is_there(&client, &y));
}

#[test]
fn what_was_computed_from_what_was_cancelled_later_stays() {
    let mut place = Place::of(1);
    let (client, other) = (place.client(), place.client());
    let x = calls(&client);
    let y = reads(&client, x.id(), 0);
    assert!(is_there(&client, &y));
    other.take_up(&[(x.id(), CALLED)]).unwrap().cancel(&[CALLED], true);
    let deadline = Instant::now() + PATIENCE;
    while !matches!(x.state(TaskId::new(LayerId(0), 0)), TaskState::Failed(_)) {
        assert!(Instant::now() < deadline, "its owner doesn't hear of it");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    client.barrier(PATIENCE).unwrap();
    assert!(is_there(&client, &y), "before");
    place.kill();
    place.start();
    client.barrier(PATIENCE).unwrap();
    assert!(is_there(&client, &y), "after");
    assert!(is_cancelled(&client, &reads(&client, x.id(), 0)));
    let gathered = client.gather(&[(y.id(), vec![range(1, 0, 1)])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(gathered.iter().map(number).collect::<Vec<_>>(), [0]);
}
