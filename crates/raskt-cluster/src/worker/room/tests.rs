//! Who is let into a room, and when.

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
    let go = move |held: Result<Held, Arc<str>>| entered.lock().push((at, of, held.ok().unwrap()));
    let need = Need { bytes, least: bytes, most: 100, is_next, was_told: None };
    room.enter(Some(&source(of)), need, go);
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
