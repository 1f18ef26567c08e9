//! Room for results that come ahead of any task: one bound for the whole worker, of however many runs and from whomever they are. Whoever
//! is first in turn goes first; and none takes more than half of it while there is more than one, so that a peer which stands still
//! keeps no other.

use crate::bulk::Source;
use raskt_sync::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Room(Mutex<State>);

#[derive(Default)]
struct State {
    /// Bytes that may be on their way.
    most: u64,
    used: u64,
    sources: HashMap<Option<Source>, OfSource>,
    next_turn: u64,
    /// Somebody lets in who may go: whoever comes meanwhile is let in by him.
    is_letting_in: bool,
}

/// What somebody needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub bytes: u64,
    /// So much there is in all; what needs more goes alone.
    pub most: u64,
    /// He has had his turn before, with less than it took.
    pub is_next: bool,
}

/// What comes from one peer.
#[derive(Default)]
struct OfSource {
    used: u64,
    waiting: VecDeque<Asking>,
}

struct Asking {
    turn: u64,
    bytes: u64,
    go: Box<dyn FnOnce(Held) + Send>,
}

/// Room that somebody has as long as this is there.
pub(super) struct Held {
    room: Arc<Room>,
    source: Option<Source>,
    bytes: u64,
}

impl Room {
    /// Calls `go` as soon as there is room for something of a peer.
    pub fn enter(
        self: &Arc<Self>,
        source: Option<&Source>,
        Need { bytes, most, is_next }: Need,
        go: impl FnOnce(Held) + Send + 'static,
    ) {
        let mut state = self.0.lock();
        state.most = most;
        state.next_turn += 1;
        let turn = if is_next { 0 } else { state.next_turn };
        let asking = Asking { turn, bytes: bytes.min(most), go: Box::new(go) };
        let waiting = &mut state.sources.entry(source.cloned()).or_default().waiting;
        if is_next {
            waiting.push_front(asking)
        } else {
            waiting.push_back(asking)
        }
        drop(state);
        self.let_in();
    }

    /// Bytes that are on their way.
    pub fn on_the_way(&self) -> u64 {
        self.0.lock().used
    }

    fn let_in(self: &Arc<Self>) {
        if std::mem::replace(&mut self.0.lock().is_letting_in, true) {
            return;
        }
        loop {
            let mut state = self.0.lock();
            let Some((source, Asking { bytes, go, .. })) = state.next() else {
                state.is_letting_in = false;
                return;
            };
            drop(state);
            go(Held { room: self.clone(), source, bytes });
        }
    }
}

impl State {
    /// Who goes in next, if there is room for him.
    fn next(&mut self) -> Option<(Option<Source>, Asking)> {
        let first = |(source, of): (&Option<Source>, &OfSource)| {
            let first = of.waiting.front()?;
            let may_go = of.used == 0 || of.used + first.bytes <= self.most / 2;
            may_go.then(|| (first.turn, first.bytes, source.clone()))
        };
        let (_, bytes, source) = self.sources.iter().filter_map(first).min_by_key(|(turn, ..)| *turn)?;
        if self.used > 0 && self.used + bytes > self.most {
            // He isn't passed by those who need less, or he might wait for ever.
            return None;
        }
        let of = self.sources.get_mut(&source)?;
        let asking = of.waiting.pop_front()?;
        of.used += bytes;
        self.used += bytes;
        Some((source, asking))
    }

    fn leave(&mut self, source: &Option<Source>, bytes: u64) {
        self.used -= bytes;
        if let Some(of) = self.sources.get_mut(source) {
            of.used -= bytes;
            if of.used == 0 && of.waiting.is_empty() {
                self.sources.remove(source);
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.0.lock().leave(&self.source, self.bytes);
        self.room.let_in();
    }
}

#[cfg(test)]
impl Room {
    /// Bytes for which there is somebody, and how many peers there is something of.
    pub fn taken(&self) -> (u64, usize) {
        let state = self.0.lock();
        (state.used, state.sources.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hello::Role;
    use proptest::prelude::*;

    fn source(port: u16) -> Source {
        let address = crate::Address::Tcp { host: "host".into(), port };
        Source { addresses: vec![address], role: Role::Worker, identity: None }
    }

    type Entered = Arc<Mutex<Vec<(usize, u16, Held)>>>;

    fn enter(room: &Arc<Room>, entered: &Entered, at: usize, ask: (u16, u64)) {
        enter_as(room, entered, at, ask, false);
    }

    fn enter_as(room: &Arc<Room>, entered: &Entered, at: usize, (of, bytes): (u16, u64), is_next: bool) {
        let entered = entered.clone();
        let go = move |held| entered.lock().push((at, of, held));
        room.enter(Some(&source(of)), Need { bytes, most: 100, is_next }, go);
    }

    proptest! {
        /// No more than may be, each in its turn, and all in the end.
        #[test]
        fn all_go_in_and_never_too_many(
            asked in prop::collection::vec((0..4_u16, 0..150_u64), 0..60),
            leaving in prop::collection::vec(any::<prop::sample::Index>(), 60),
        ) {
            let (room, entered) = (Arc::<Room>::default(), Entered::default());
            let mut order = vec![];
            let mut check = |room: &Arc<Room>| {
                let (used, _) = room.taken();
                let entered = entered.lock();
                order.extend(entered.iter().map(|(at, of, _)| (*of, *at)));
                assert!(used <= 100 && used == entered.iter().map(|it| it.2.bytes).sum::<u64>());
                for of in 0..4 {
                    let own: Vec<_> = entered.iter().filter(|it| it.1 == of).map(|it| it.2.bytes).collect();
                    assert!(own.len() <= 1 || own.iter().sum::<u64>() <= 50 || own.contains(&0), "{own:?}");
                }
            };
            for (at, &ask) in asked.iter().enumerate() {
                enter(&room, &entered, at, ask);
                check(&room);
            }
            for at in leaving {
                let gone = { let mut entered = entered.lock(); let len = entered.len(); (len > 0).then(|| entered.remove(at.index(len))) };
                drop(gone);
                check(&room);
            }
            prop_assert_eq!(room.taken(), (0, 0));
            // Of each peer in the order in which they came.
            for of in 0..4 {
                let mut seen: Vec<_> = order.iter().filter(|it| it.0 == of).map(|it| it.1).collect();
                let mut first = std::collections::BTreeSet::new();
                seen.retain(|at| first.insert(*at));
                prop_assert!(seen.is_sorted());
                prop_assert_eq!(seen.len(), asked.iter().filter(|it| it.0 == of).count());
            }
        }
    }

    #[test]
    fn who_stands_still_keeps_no_other() {
        let (room, entered) = (Arc::<Room>::default(), Entered::default());
        (0..1000).for_each(|at| enter(&room, &entered, at, (1, 20)));
        assert_eq!(room.taken(), (40, 1));
        for at in 1000..2000 {
            enter(&room, &entered, at, (2, 30));
            // It goes at once, and the next in its place.
            assert_eq!(entered.lock().pop().map(|it| it.0), Some(at));
        }
        assert_eq!(room.taken(), (40, 1));
    }

    #[test]
    fn who_had_his_turn_with_less_than_it_took_is_next() {
        let (room, entered) = (Arc::<Room>::default(), Entered::default());
        (0..5).for_each(|at| enter(&room, &entered, at, (at as u16, 40)));
        enter_as(&room, &entered, 9, (4, 70), true);
        for (gone, there) in [(0, vec![1]), (1, vec![9]), (9, vec![2, 3]), (2, vec![3, 4])] {
            let at = entered.lock().iter().position(|it| it.0 == gone).unwrap();
            let gone = entered.lock().remove(at);
            drop(gone);
            assert_eq!(entered.lock().iter().map(|it| it.0).collect::<Vec<_>>(), there);
        }
    }

    #[test]
    fn what_needs_more_than_there_is_goes_alone() {
        let (room, entered) = (Arc::<Room>::default(), Entered::default());
        [(1, 30), (2, 700), (3, 10)].into_iter().enumerate().for_each(|(at, ask)| enter(&room, &entered, at, ask));
        let ats = || entered.lock().iter().map(|it| it.0).collect::<Vec<_>>();
        for at in 0..3 {
            assert_eq!(ats(), [at], "nobody passes who has waited for longer");
            let gone = entered.lock().pop();
            drop(gone);
        }
        assert_eq!(room.taken(), (0, 0));
    }
}
