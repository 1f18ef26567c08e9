//! What takes long to be found: who gives says that he is at it, and is waited for.

use super::super::counter::Counter;
use super::super::line::Line;
use super::super::order::{Done, Fetch, Order};
use super::super::times::Times;
use super::super::{Piece, Provide, Reply};
use super::*;
use crate::stream::Stream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc::unbounded_channel, oneshot};
use tokio::task::JoinHandle;

/// Leaves it to the test when a reply is given.
struct Later(Mutex<Sender<Reply>>);

impl Provide for Later {
    fn provide(&self, _: &[u8], reply: Reply) {
        self.0.lock().unwrap().send(reply).unwrap();
    }
}

/// Serves over `stream` until that ends: gives what was asked for, and why it ended.
fn serve(stream: Stream) -> (Receiver<Reply>, JoinHandle<BulkError>) {
    let (sender, replies) = channel();
    let counter = Counter::new(Arc::new(Later(Mutex::new(sender))));
    let serving = tokio::spawn(async move {
        let mut serving = counter.serve(stream, BytesMut::new(), soon());
        poll_fn(|cx| serving.poll(cx)).await
    });
    (replies, serving)
}

fn soon() -> Times {
    let milliseconds = Duration::from_millis;
    Times { working: milliseconds(1), silent: milliseconds(20), unused: PATIENCE, idle: milliseconds(40) }
}

#[test]
fn who_looks_for_something_says_so_until_it_is_there() {
    run(async {
        let (mut fetcher, stream) = Puppet::new();
        let (replies, serving) = serve(stream);
        for transfer in [3, 4] {
            let (result, parts) = (b"x".to_vec(), vec![]);
            fetcher.say(Step::Request { transfer, result, parts, reserved: 10, credit: 10, proof: None }).await;
        }
        // Each of both, and for longer than a connection over which nothing goes is kept.
        let (began, mut heard) = (std::time::Instant::now(), [0, 0]);
        while heard.iter().any(|count| *count < 10) || began.elapsed() < soon().idle * 3 {
            match fetcher.hear().await.unwrap() {
                Step::Working { transfer } => heard[transfer as usize - 3] += 1,
                other => panic!("{other:?}"),
            }
        }
        for _ in 0..2 {
            replies.recv().unwrap().give(vec![Piece::Own(Bytes::from_static(b"abc"))]);
        }
        let mut chunks = 0;
        while chunks < 2 {
            match fetcher.hear().await.unwrap() {
                Step::Chunk { .. } => chunks += 1,
                Step::Working { .. } | Step::Opened { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        // Nobody looks for anything any more, and nobody says so.
        assert!(matches!(serving.await.unwrap(), BulkError::Lost(_)));
        while let Ok(step) = fetcher.hear().await {
            assert!(!matches!(step, Step::Working { .. }), "{step:?}");
        }
    });
}

/// A program that was stopped, say: what it wanted stays in memory, and others' turn doesn't come.
#[test]
fn who_takes_nothing_of_what_is_there_is_not_waited_for_though_more_is_looked_for() {
    run(async {
        let (mut fetcher, stream) = Puppet::new();
        let (replies, serving) = serve(stream);
        for transfer in [3, 4] {
            let (result, parts) = (b"x".to_vec(), vec![]);
            fetcher.say(Step::Request { transfer, result, parts, reserved: 10, credit: 1, proof: None }).await;
        }
        while !matches!(fetcher.hear().await.unwrap(), Step::Working { .. }) {}
        replies.recv().unwrap().give(vec![Piece::Own(Bytes::from_static(b"abc"))]);
        let ended = tokio::time::timeout(PATIENCE, serving).await.expect("it isn't served for ever");
        assert!(matches!(ended.unwrap(), BulkError::Lost(_)));
        drop(replies);
    });
}

#[test]
fn who_says_that_he_is_at_it_is_waited_for_and_who_is_silent_is_not() {
    run(async {
        let (mut giver, stream) = Puppet::new();
        let (orders, mut waiting) = unbounded_channel();
        let line = tokio::spawn(async move {
            let mut line = Line::new(stream, BytesMut::new(), &mut waiting, soon());
            let error = poll_fn(|cx| line.poll(cx)).await;
            line.fail(&error);
        });
        let (sender, mut came) = oneshot::channel();
        let fetch = Fetch { result: b"x".to_vec(), parts: vec![], reserved: 10 };
        let done = Done(Some(Box::new(move |came| drop(sender.send(came)))));
        assert!(orders.send(Order { fetch, done }).is_ok());
        let Step::Request { transfer, .. } = giver.hear().await.unwrap() else { panic!("nothing is asked for") };
        for _ in 0..5 {
            giver.say(Step::Working { transfer }).await;
            // Nothing runs meanwhile: when the line looks again, it is late, and this is there.
            std::thread::sleep(soon().silent * 2);
            tokio::task::yield_now().await;
            assert!(came.try_recv().is_err(), "it was given up");
        }
        line.await.unwrap();
        assert!(matches!(came.await.unwrap(), Err(BulkError::Lost(_))));
    });
}
