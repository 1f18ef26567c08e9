//! Two ends, and what may happen between them.

use super::*;
use crate::frame::Frame;
use proptest::prelude::*;
use std::collections::VecDeque;

mod standing;

const SECOND: u64 = 1_000_000_000;

/// Two ends and the frames between them: `pair.ways[0]` leads to end 0.
struct Pair {
    now: u64,
    ends: [Session; 2],
    ways: [VecDeque<Frame>; 2],
    /// Messages that came to each end and weren't taken, and all that ever came.
    untaken: [VecDeque<u64>; 2],
    came: [Vec<u64>; 2],
    events: [Vec<Event>; 2],
    sent: [u64; 2],
}

impl Pair {
    fn new(limits: &Limits) -> Self {
        Self {
            now: 0,
            ends: [Session::new(limits.clone(), 0), Session::new(limits.clone(), 0)],
            ways: Default::default(),
            untaken: Default::default(),
            came: Default::default(),
            events: Default::default(),
            sent: [0; 2],
        }
    }

    fn connected(limits: &Limits) -> Self {
        let mut pair = Self::new(limits);
        pair.connect();
        pair
    }

    fn connect(&mut self) {
        self.ways = Default::default();
        let expects = [self.ends[1].expects(), self.ends[0].expects()];
        for (end, expects) in self.ends.iter_mut().zip(expects) {
            end.handle_up(self.now, expects).unwrap();
        }
    }

    fn cut(&mut self) {
        self.ways = Default::default();
        self.ends.iter_mut().for_each(|end| end.handle_down(self.now, false));
    }

    fn send(&mut self, end: usize, bulk: usize) -> Result<(), SendError> {
        let control = self.sent[end].to_le_bytes().to_vec().into();
        self.ends[end].send(Payload { control, bulk: vec![vec![0; bulk].into(); usize::from(bulk > 0)] })?;
        self.sent[end] += 1;
        Ok(())
    }

    fn transmit(&mut self) {
        for end in 0..2 {
            while let Some(frame) = self.ends[end].poll_transmit(self.now) {
                self.ways[1 - end].push_back(frame);
            }
        }
    }

    /// Gives an end the next frame that is on its way.
    fn deliver(&mut self, end: usize) {
        let Some(frame) = self.ways[end].pop_front() else { return };
        if self.ends[end].handle_frame(self.now, frame).is_err() {
            self.cut();
        }
        while let Some(message) = self.ends[end].poll_received() {
            self.untaken[end].push_back(message.window_bytes());
            self.came[end].push(u64::from_le_bytes(message.control[..].try_into().unwrap()));
        }
    }

    /// The same as `send` for what is owed.
    fn owe(&mut self, end: usize, bulk: usize) -> Result<(), SendError> {
        let control = self.sent[end].to_le_bytes().to_vec().into();
        self.ends[end].owe(Payload { control, bulk: vec![vec![0; bulk].into(); usize::from(bulk > 0)] })?;
        self.sent[end] += 1;
        Ok(())
    }

    fn take(&mut self, end: usize) {
        if let Some(bytes) = self.untaken[end].pop_front() {
            self.ends[end].handle_taken(self.now, bytes);
        }
    }

    /// Time passes in which both look once a second.
    fn pass_awake(&mut self, seconds: u64) {
        (0..seconds).for_each(|_| self.pass(SECOND));
    }

    fn pass(&mut self, nanoseconds: u64) {
        self.now += nanoseconds;
        self.ends.iter_mut().for_each(|end| end.handle_time(self.now));
        self.tell();
    }

    fn tell(&mut self) {
        for (end, events) in self.ends.iter_mut().zip(&mut self.events) {
            events.extend(std::iter::from_fn(|| end.poll_event()));
        }
    }

    /// Faults are over: all comes and is taken.
    fn settle(&mut self) {
        for _ in 0..50 {
            if !self.ends.iter().all(Session::is_up) {
                self.connect();
            }
            self.transmit();
            for end in 0..2 {
                while !self.ways[end].is_empty() {
                    self.deliver(end);
                }
                while !self.untaken[end].is_empty() {
                    self.take(end);
                }
            }
            self.pass(SECOND / 10);
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Send(usize, usize),
    Owe(usize, usize),
    Transmit,
    Deliver(usize),
    Drop(usize),
    Double(usize),
    Take(usize),
    Pass(u64),
    Cut,
    Connect,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..2_usize, prop_oneof![Just(0), 0..5000_usize]).prop_map(|(end, bulk)| Step::Send(end, bulk)),
        2 => (0..2_usize, 0..5000_usize).prop_map(|(end, bulk)| Step::Owe(end, bulk)),
        6 => Just(Step::Transmit),
        8 => (0..2_usize).prop_map(Step::Deliver),
        1 => (0..2_usize).prop_map(Step::Drop),
        1 => (0..2_usize).prop_map(Step::Double),
        4 => (0..2_usize).prop_map(Step::Take),
        2 => (0..2 * SECOND).prop_map(Step::Pass),
        1 => Just(Step::Cut),
        2 => Just(Step::Connect),
    ]
}

const WINDOW: u64 = 20_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nothing_is_lost_doubled_or_reordered(steps in proptest::collection::vec(step(), 1..200)) {
        // Nobody gives up in this story.
        let limits = Limits { window_bytes: WINDOW, resume_nanoseconds: u64::MAX / 2, ..Limits::default() };
        let mut pair = Pair::connected(&limits);
        let mut owed = [false; 2];
        for step in steps {
            match step {
                Step::Send(end, bulk) => drop(pair.send(end, bulk)),
                Step::Owe(end, bulk) => {
                    pair.owe(end, bulk).unwrap();
                    owed[end] = true;
                }
                Step::Transmit => pair.transmit(),
                Step::Deliver(end) => pair.deliver(end),
                Step::Drop(end) => drop(pair.ways[end].pop_front()),
                Step::Double(end) => {
                    let first = pair.ways[end].front().cloned();
                    first.into_iter().for_each(|frame| pair.ways[end].push_front(frame));
                }
                Step::Take(end) => pair.take(end),
                Step::Pass(nanoseconds) => pair.pass(nanoseconds),
                Step::Cut => pair.cut(),
                Step::Connect => pair.connect(),
            }
            for ((end, untaken), owes) in pair.ends.iter().zip(&pair.untaken).zip(owed) {
                prop_assert!(end.lost().is_none(), "{:?}", end.lost());
                prop_assert!(owes || end.outstanding_bytes() <= WINDOW);
                // Whatever is owed, no more than a window is with the peer.
                prop_assert!(untaken.iter().sum::<u64>() <= WINDOW);
            }
        }
        pair.settle();
        for end in 0..2 {
            let all: Vec<u64> = (0..pair.sent[1 - end]).collect();
            prop_assert_eq!(&pair.came[end], &all);
            prop_assert!(pair.ends[end].is_all_confirmed());
            prop_assert_eq!(pair.ends[end].outstanding_bytes(), 0);
        }
    }

    #[test]
    fn any_frame_of_a_peer_is_taken_or_refused(
        kind in 1_u8..6, numbers in any::<[u64; 3]>(), control in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut session = Session::new(Limits::default(), 0);
        session.handle_up(0, 0).unwrap();
        let kinds = [crate::frame::Kind::Messages, crate::frame::Kind::Heartbeat, crate::frame::Kind::Close,
            crate::frame::Kind::Introduction, crate::frame::Kind::Transfer];
        let [sequence, acknowledged, taken] = numbers;
        let frame = Frame { sequence, acknowledged, taken, ..Frame::new(kinds[kind as usize - 1], control.into(), vec![]) };
        prop_assert!(session.handle_frame(0, frame).is_ok() || !session.is_up());
    }
}

#[test]
fn a_sender_is_told_that_it_is_full_and_that_it_is_not_any_more() {
    let mut pair = Pair::connected(&Limits { window_bytes: 1000, ..Limits::default() });
    while pair.send(0, 100).is_ok() {}
    assert!(matches!(pair.send(0, 100), Err(SendError::Full { window: 1000, .. })));
    pair.transmit();
    pair.deliver(1);
    pair.pass(SECOND);
    pair.transmit();
    pair.deliver(0);
    assert!(pair.send(0, 100).is_err(), "what came and wasn't taken still counts");
    while !pair.untaken[1].is_empty() {
        pair.take(1);
    }
    pair.pass(SECOND);
    pair.transmit();
    pair.deliver(0);
    pair.deliver(0);
    assert_eq!(pair.send(0, 100), Ok(()));
}

#[test]
fn one_message_larger_than_the_window_goes_alone() {
    let mut pair = Pair::connected(&Limits { window_bytes: 1000, ..Limits::default() });
    assert_eq!(pair.send(0, 100_000), Ok(()));
    assert!(pair.send(0, 0).is_err());
    pair.settle();
    assert_eq!(pair.came[1], [0]);
    assert_eq!(pair.send(0, 0), Ok(()));
}

#[test]
fn the_loss_of_the_last_message_comes_out() {
    let mut pair = Pair::connected(&Limits::default());
    pair.send(0, 0).unwrap();
    pair.transmit();
    pair.ways[1].clear();
    pair.pass(SECOND);
    pair.transmit();
    pair.deliver(1);
    assert!(!pair.ends[1].is_up(), "the heartbeat says that there was one");
    pair.settle();
    assert_eq!(pair.came[1], [0]);
}

#[test]
fn silence_is_told_step_by_step() {
    let mut pair = Pair::connected(&Limits::default());
    let mut told = vec![];
    for second in 1..=70 {
        pair.pass(SECOND);
        let now = std::mem::take(&mut pair.events[0]);
        told.extend(now.into_iter().map(|event| (second, event)));
    }
    let lost = Event::Lost(Lost::Expired(60));
    // The connection is an event of the first look.
    assert_eq!(told, [(1, Event::Connected), (5, Event::Suspect), (13, Event::Unreachable), (60, lost)]);
    assert_eq!(pair.ends[0].wakes_at(), None);
}

#[test]
fn signs_of_life_keep_silent_peers_well() {
    let mut pair = Pair::connected(&Limits::default());
    for _ in 0..100 {
        pair.pass(SECOND);
        pair.transmit();
        pair.deliver(0);
        pair.deliver(1);
    }
    assert_eq!(pair.events, [[Event::Connected], [Event::Connected]]);
}

#[test]
fn a_closed_connection_makes_suspect_at_once_and_unreachable_soon() {
    let mut pair = Pair::connected(&Limits::default());
    pair.ends[0].handle_down(0, true);
    pair.pass(0);
    assert_eq!(pair.events[0], [Event::Connected, Event::Suspect]);
    assert_eq!(pair.ends[0].wakes_at(), Some(SECOND), "it looks once a heartbeat");
    pair.pass(2 * SECOND);
    assert_eq!(pair.events[0].last(), Some(&Event::Unreachable));
    pair.connect();
    pair.pass(0);
    assert_eq!(pair.events[0].last(), Some(&Event::Resumed));
}

#[test]
fn a_silent_connection_is_given_up_for_another() {
    let mut pair = Pair::connected(&Limits::default());
    pair.pass_awake(15);
    assert!(!pair.ends[0].is_up());
    pair.connect();
    assert!(pair.ends[0].is_up());
}

#[test]
fn whoever_closes_is_heard_to_the_end() {
    let mut pair = Pair::connected(&Limits::default());
    pair.send(0, 10).unwrap();
    pair.ends[0].close(0);
    assert_eq!(pair.send(0, 10), Err(SendError::Closed));
    pair.transmit();
    pair.cut();
    pair.settle_closing();
    assert_eq!(pair.came[1], [0]);
    for (end, events) in pair.ends.iter().zip(&pair.events) {
        assert_eq!(end.lost(), Some(&Lost::Closed));
        assert_eq!(events.last(), Some(&Event::Lost(Lost::Closed)));
    }
}

impl Pair {
    fn settle_closing(&mut self) {
        self.connect();
        for _ in 0..4 {
            self.transmit();
            self.deliver(1);
            self.deliver(1);
            self.deliver(0);
            self.pass(0);
        }
    }
}

#[test]
fn a_peer_that_forgot_is_refused() {
    let mut pair = Pair::connected(&Limits::default());
    pair.send(0, 0).unwrap();
    pair.settle();
    assert!(pair.ends[0].handle_up(pair.now, 0).is_err(), "message 0 is long gone");
    assert!(matches!(pair.ends[0].lost(), Some(Lost::Violation(_))));
}

#[test]
fn a_flood_beyond_the_window_ends_the_session() {
    let mut session = Session::new(Limits { window_bytes: 1000, ..Limits::default() }, 0);
    session.handle_up(0, 0).unwrap();
    let segment = Bytes::from(vec![0; 1 << 20]);
    let mut control = vec![0; 8];
    control[4] = 1;
    let flood = |sequence| Frame {
        sequence,
        ..Frame::new(crate::frame::Kind::Messages, control.clone().into(), vec![segment.clone()])
    };
    let refused = (0..100).find_map(|sequence| session.handle_frame(0, flood(sequence)).err());
    assert!(matches!(refused, Some(Violation::Window { .. })), "{refused:?}");
}

#[test]
fn a_close_that_nobody_hears_is_waited_for_in_bounded_time() {
    let mut pair = Pair::connected(&Limits::default());
    pair.send(0, 10).unwrap();
    pair.ends[0].close(0);
    pair.transmit();
    pair.cut();
    pair.pass_awake(4);
    pair.pass(SECOND - 1);
    assert_eq!(pair.ends[0].lost(), None);
    assert_eq!(pair.ends[0].wakes_at(), Some(5 * SECOND));
    pair.pass(1);
    assert_eq!(pair.ends[0].lost(), Some(&Lost::Closed));
}
