//! Requests, deaths and times at random: the machine does what the model does.

use super::model::{Model, Outcome, value};
use crate::coordination::*;
use crate::{RunId, TaskRange, Time};
use proptest::prelude::*;
use raskt_graph::{LayerId, TaskId};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Step {
    /// A session asks.
    Ask(usize, Request),
    /// A session gives up what it asked so many requests ago.
    Cancel(usize, usize),
    /// A session has what it asked for so many requests ago.
    Taken(usize, usize),
    /// A session is over, and another begins.
    Gone(usize),
    Pass(u64),
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![Just("a"), Just("b"), Just("c")].prop_map(Name::from)
}

fn timeout() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![3 => Just(None), 1 => Just(Some(0)), 3 => (1..12u64).prop_map(Some)]
}

fn results() -> impl Strategy<Value = Vec<(RunId, TaskRange)>> {
    let range = (0..2u64, 0..4u64, 1..3u64)
        .prop_map(|(run, start, len)| (RunId(run), TaskRange { layer: LayerId(0), start, end: start + len }));
    prop_oneof![2 => Just(vec![]), 1 => prop::collection::vec(range, 1..3)]
}

fn of_locks() -> impl Strategy<Value = Request> {
    let names = || prop::collection::btree_set(name(), 1..4).prop_map(|names| names.into_iter().collect::<Vec<_>>());
    let acquire = (names(), 1..4u64, 0..2u64, timeout()).prop_map(|(mut names, count, holder, timeout)| {
        let len = names.len();
        names.rotate_left(count as usize % len);
        Request::AcquireLocks { count: count.min(len as u64), names, holder, timeout }
    });
    let release = (names(), 0..2u64).prop_map(|(names, holder)| Request::ReleaseLocks { names, holder });
    prop_oneof![4 => acquire, 4 => release, 1 => name().prop_map(|name| Request::Locked { name })]
}

fn of_semaphores() -> impl Strategy<Value = Request> {
    let size = prop_oneof![9 => Just(2u64), 1 => Just(1u64)];
    let lasts = prop::option::of(1..9u64);
    let acquire = (name(), size, 0..3u64, lasts, timeout()).prop_map(|(name, leases, lease, lasts, timeout)| {
        Request::AcquireLease { name, leases, lease, lasts, timeout }
    });
    let lease = || (name(), 0..3u64);
    let refresh = prop::collection::vec(lease(), 1..4).prop_map(|leases| Request::RefreshLeases { leases });
    let release = lease().prop_map(|(name, lease)| Request::ReleaseLease { name, lease });
    prop_oneof![
        8 => acquire,
        3 => refresh,
        4 => release,
        1 => name().prop_map(|name| Request::Leases { name }),
        1 => name().prop_map(|name| Request::CloseSemaphore { name }),
    ]
}

fn of_events_and_variables() -> impl Strategy<Value = Request> {
    let wait = (name(), timeout()).prop_map(|(name, timeout)| Request::WaitForEvent { name, timeout });
    let get = (name(), timeout()).prop_map(|(name, timeout)| Request::GetVariable { name, timeout });
    let set = (name(), any::<u64>(), results())
        .prop_map(|(name, number, results)| Request::SetVariable { name, value: value(number, results) });
    prop_oneof![
        wait,
        name().prop_map(|name| Request::SetEvent { name }),
        name().prop_map(|name| Request::ClearEvent { name }),
        get,
        set,
        name().prop_map(|name| Request::DeleteVariable { name }),
    ]
}

fn of_queues() -> impl Strategy<Value = Request> {
    let put = (name(), any::<u64>(), results(), timeout()).prop_map(|(name, number, results, timeout)| Request::Put {
        name,
        value: value(number, results),
        timeout,
    });
    let many =
        (name(), 0..5u64, timeout()).prop_map(|(name, count, timeout)| Request::GetMany { name, count, timeout });
    let open = (name(), prop::option::of(1..4u64)).prop_map(|(name, size)| Request::OpenQueue { name, size });
    prop_oneof![
        9 => put,
        5 => (name(), timeout()).prop_map(|(name, timeout)| Request::Get { name, timeout }),
        3 => many,
        1 => open,
        1 => name().prop_map(|name| Request::GetAll { name }),
        1 => name().prop_map(|name| Request::QueueSize { name }),
        1 => name().prop_map(|name| Request::CloseQueue { name }),
    ]
}

fn step(request: impl Strategy<Value = Request> + 'static) -> impl Strategy<Value = Step> {
    let session = || 0..4usize;
    prop_oneof![
        12 => (session(), request).prop_map(|(session, request)| Step::Ask(session, request)),
        2 => (session(), 0..4usize).prop_map(|(session, back)| Step::Cancel(session, back)),
        2 => (session(), 0..4usize).prop_map(|(session, back)| Step::Taken(session, back)),
        1 => session().prop_map(Step::Gone),
        2 => (0..6u64).prop_map(Step::Pass),
    ]
}

/// Runs both, and compares what they say after each step.
fn run(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let (mut machine, mut model) = (Coordinator::default(), Model::default());
    let (mut sessions, mut asked) = ([0, 1, 2, 3].map(Session), BTreeMap::<Session, Vec<RequestId>>::new());
    let (mut answered, mut held) = (BTreeSet::new(), BTreeSet::new());
    let (mut now, mut next) = (0, 0);
    for step in steps {
        if let Step::Pass(time) = step {
            now += time;
        }
        model.pass(now);
        let time = Time(now);
        let of = |session: usize, back: usize, asked: &BTreeMap<Session, Vec<RequestId>>| {
            let own = asked.get(&sessions[session])?;
            Some((sessions[session], *own.get(own.len().checked_sub(back + 1)?)?))
        };
        match step {
            Step::Ask(session, request) => {
                let (owner, id) = (sessions[session], RequestId(next));
                next += 1;
                asked.entry(owner).or_default().push(id);
                model.ask((owner, id), request.clone());
                machine.handle(time, owner, id, request);
            }
            Step::Cancel(session, back) => {
                if let Some((owner, id)) = of(session, back, &asked) {
                    model.cancel((owner, id));
                    machine.cancel(time, owner, id);
                }
            }
            Step::Taken(session, back) => {
                if let Some((owner, id)) = of(session, back, &asked) {
                    model.taken((owner, id));
                    machine.taken(time, owner, id);
                }
            }
            Step::Gone(session) => {
                model.gone(sessions[session]);
                machine.owner_gone(time, sessions[session]);
                sessions[session] = Session(sessions[session].0 + 4);
            }
            Step::Pass(_) => machine.time_passed(time),
        }
        machine.validate();
        let mut said = vec![];
        while let Some(action) = machine.poll_action() {
            hear(action, &mut said, &mut held)?;
        }
        for (asker, _) in &said {
            prop_assert!(answered.insert(*asker), "request {asker:?} is answered twice");
        }
        let key = |(asker, _): &(_, _)| *asker;
        let mut expected = std::mem::take(&mut model.replies);
        said.sort_by_key(key);
        expected.sort_by_key(key);
        prop_assert_eq!(said, expected);
        prop_assert_eq!(&held, &model.referred());
        prop_assert_eq!(machine.waiting(), model.waiting.len());
        prop_assert!(machine.wakes_at().is_none_or(|at| at.0 > now));
    }
    everybody_leaves(&mut machine, Time(now), &sessions, &mut held)
}

fn hear(
    action: Action,
    said: &mut Vec<((Session, RequestId), Outcome)>,
    held: &mut BTreeSet<(RunId, TaskId)>,
) -> Result<(), TestCaseError> {
    match action {
        Action::Reply { owner, request, reply } => said.push(((owner, request), reply.into())),
        Action::Hold { run, tasks } => {
            for task in tasks.tasks() {
                prop_assert!(held.insert((run, task)), "it is held already");
            }
        }
        Action::LetGo { run, tasks } => {
            for task in tasks.tasks() {
                prop_assert!(held.remove(&(run, task)), "it isn't held");
            }
        }
        Action::Notice { .. } => prop_assert!(false, "nobody has subscribed"),
    }
    Ok(())
}

/// When all sessions are over nothing waits, and what is held is what values refer to that stay.
fn everybody_leaves(
    machine: &mut Coordinator,
    now: Time,
    sessions: &[Session],
    held: &mut BTreeSet<(RunId, TaskId)>,
) -> Result<(), TestCaseError> {
    sessions.iter().for_each(|&session| machine.owner_gone(now, session));
    let other = Session(u64::MAX);
    for (at, name) in ["a", "b", "c"].iter().enumerate() {
        let name = Name::from(*name);
        let close = [Request::CloseQueue { name: name.clone() }, Request::DeleteVariable { name: name.clone() }];
        for (number, request) in close.into_iter().enumerate() {
            machine.handle(now, other, RequestId((2 * at + number) as u64), request);
        }
    }
    machine.validate();
    while let Some(action) = machine.poll_action() {
        hear(action, &mut vec![], held)?;
    }
    prop_assert!(held.is_empty());
    prop_assert_eq!((machine.waiting(), machine.wakes_at()), (0, None));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn locks(steps in prop::collection::vec(step(of_locks()), 1..80)) {
        run(steps)?;
    }

    #[test]
    fn semaphores(steps in prop::collection::vec(step(of_semaphores()), 1..80)) {
        run(steps)?;
    }

    #[test]
    fn events_and_variables(steps in prop::collection::vec(step(of_events_and_variables()), 1..80)) {
        run(steps)?;
    }

    #[test]
    fn queues(steps in prop::collection::vec(step(of_queues()), 1..80)) {
        run(steps)?;
    }

    #[test]
    fn all_at_once(
        steps in prop::collection::vec(
            step(prop_oneof![of_locks(), of_semaphores(), of_events_and_variables(), of_queues()]),
            1..120,
        )
    ) {
        run(steps)?;
    }
}
