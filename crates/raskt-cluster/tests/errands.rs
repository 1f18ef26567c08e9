//! What workers do beside their tasks, and questions to the scheduler.

use crate::workplace::*;
use bytes::Bytes;
use raskt_cluster::{Answer, Client, ClusterError, ERRAND_BYTES_MAX, Question, SentErrand};
use raskt_graph::LayerId;
use raskt_schedule::{TaskRange, WorkerId};
use raskt_value::ErrorKind;
use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

type Given = BTreeMap<WorkerId, Result<Bytes, ClusterError>>;

fn send(client: &Client, bytes: &'static [u8]) -> SentErrand {
    let workers = client.workers().iter().map(|worker| worker.worker).collect();
    client.errand(workers, Bytes::from_static(bytes)).unwrap()
}

fn all(errand: &SentErrand) -> Given {
    let mut all = Given::new();
    loop {
        let next = errand.next(Instant::now() + PATIENCE).expect("answers");
        if next.is_empty() {
            return all;
        }
        all.extend(next);
    }
}

#[test]
fn each_worker_gives_something_also_while_tasks_hold_all_slots() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let graph = sums(64, Sum { milliseconds: 600_000, ..QUICK }, 0);
    let _run = submit(&client, &graph, vec![TaskRange { layer: LayerId(0), start: 0, end: 64 }]);
    let given = all(&send(&client, b"said"));
    let words = given.into_iter().map(|(worker, given)| (worker.0, String::from_utf8(given.unwrap().into()).unwrap()));
    assert!(words.eq([(0, "said by 0".to_owned()), (1, "said by 1".to_owned())]));
    // Its tasks go on for minutes, and nobody waits for them.
    std::mem::forget((cluster, client));
}

#[test]
fn failures_and_panics_are_told_and_harm_nobody() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let failure = |bytes| match all(&send(&client, bytes)).pop_first() {
        Some((_, Err(ClusterError::Task { error, .. }))) => error,
        other => panic!("{other:?}"),
    };
    let failed = failure(b"fail");
    assert_eq!((failed.kind, &*failed.message), (ErrorKind::Key, "as was asked for"));
    assert_eq!(failure(b"panic").kind, ErrorKind::Panic);
    assert!(failure(b"large").message.contains("bytes"));
    let large = client.errand(vec![WorkerId(0)], vec![0; ERRAND_BYTES_MAX + 1].into());
    assert!(matches!(large, Err(ClusterError::Refused(_))));
    let largest = client.errand(vec![WorkerId(0)], vec![1; ERRAND_BYTES_MAX - 16].into()).unwrap();
    assert_eq!(all(&largest)[&WorkerId(0)].as_ref().unwrap().len(), ERRAND_BYTES_MAX - 16 + " by 0".len());
}

#[test]
fn a_worker_that_leaves_or_was_never_there_answers_for_itself() {
    let mut cluster = Cluster::of(2);
    let client = cluster.client();
    let errand = send(&client, b"wait");
    let (sender, over) = channel();
    client.on_errand_over(&errand, Box::new(move || sender.send(()).unwrap()));
    assert!(
        errand.next(Instant::now() + Duration::from_millis(50)).is_err_and(|e| matches!(e, ClusterError::TimedOut))
    );
    cluster.workers.iter().for_each(|worker| worker.shut_down(Duration::ZERO));
    cluster.workers.clear();
    let given = all(&errand);
    assert_eq!(given.len(), 2);
    let left = |given: &Result<Bytes, ClusterError>| matches!(given, Err(ClusterError::Disconnected(why)) if why.contains("has left"));
    assert!(given.values().all(left), "{given:?}");
    over.recv_timeout(PATIENCE).unwrap();
    // Whoever leaves between the look who is there and the errand has left as well.
    let late = all(&client.errand(vec![WorkerId(0), WorkerId(1)], Bytes::from_static(b"x")).unwrap());
    assert!(late.len() == 2 && late.values().all(left), "{late:?}");
    let unknown = client.errand(vec![WorkerId(77)], Bytes::new()).unwrap();
    assert!(matches!(all(&unknown)[&WorkerId(77)], Err(ClusterError::Refused(_))));
    assert!(unknown.is_over());
}

#[test]
fn many_at_a_time_are_all_done() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let sent: Vec<_> = (0..1000).map(|_| send(&client, b"x")).collect();
    assert!(sent.iter().all(|errand| all(errand).values().filter(|given| given.is_ok()).count() == 2));
    assert!(all(&client.errand(vec![], Bytes::new()).unwrap()).is_empty());
}

#[test]
fn whoever_waits_hears_when_the_scheduler_is_gone() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let errand = send(&client, b"wait");
    cluster.scheduler.shut_down(Duration::ZERO);
    assert!(matches!(errand.next(Instant::now() + PATIENCE), Err(ClusterError::Disconnected(_)) | Ok(_)));
    while client.lost().is_none() {
        std::thread::yield_now();
    }
    assert!(matches!(client.ask(Question::Scheduler, PATIENCE), Err(ClusterError::Disconnected(_))));
    assert!(errand.is_over());
}

#[test]
fn the_scheduler_says_what_it_is_about() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let Ok(Answer::Scheduler(facts)) = client.ask(Question::Scheduler, PATIENCE) else { panic!("an answer") };
    assert_eq!((facts.clients, facts.workers, facts.runs), (1, 2, 0));
}
