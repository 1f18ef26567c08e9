//! Stories of supervision without processes, and laws over random ones.

use super::*;
use proptest::prelude::*;
use std::time::Duration;

pub(super) const LIVES: Ward = Ward { restart: Restart::WhileItShouldLive, memory_limit: None };
const DIED: Exit = Exit::Signal(9);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn actions(supervisor: &mut Supervisor) -> Vec<Action> {
    std::iter::from_fn(|| supervisor.poll_action()).collect()
}

/// One ward, which runs since the beginning.
pub(super) fn one(ward: Ward) -> (Supervisor, WardId) {
    let mut supervisor = Supervisor::new(Rules::default());
    let id = supervisor.add(ward);
    assert_eq!(actions(&mut supervisor), [Action::Start(id)]);
    supervisor.handle_started(Duration::ZERO, id);
    (supervisor, id)
}

/// Lets one die, and gives how long it takes until he is started again.
pub(super) fn dies(supervisor: &mut Supervisor, id: WardId, at: Duration) -> Duration {
    supervisor.handle_ended(at, id, DIED);
    let told = actions(supervisor);
    assert!(matches!(&told[..], [Action::Tell(_, Report::Restart { cause: Cause::Ended(DIED), .. })]), "{told:?}");
    let until = supervisor.wakes_at().unwrap();
    supervisor.handle_time(until - Duration::from_nanos(1));
    assert_eq!(actions(supervisor), [], "it is too early");
    supervisor.handle_time(until);
    assert_eq!(actions(supervisor), [Action::Start(id)]);
    supervisor.handle_started(until, id);
    until - at
}

#[test]
fn one_who_dies_comes_back_later_each_time_and_soon_again_after_a_life() {
    let (mut supervisor, id) = one(LIVES);
    let (waits, mut now) = (Waits::default(), Duration::ZERO);
    let mut last = Duration::ZERO;
    for death in 0..20 {
        last = dies(&mut supervisor, id, now);
        let whole = (waits.first * 2_u32.pow(death.min(15))).min(waits.longest);
        assert!(last >= whole / 2 && last <= whole, "death {death}: {last:?} of {whole:?}");
        now += last;
    }
    assert!(last >= waits.longest / 2);
    assert!(dies(&mut supervisor, id, now + waits.lived) <= waits.first, "he has lived");
    assert!(supervisor.ends().is_none(), "nobody is given up");
}

#[test]
fn those_who_should_not_live_do_not() {
    for code in [status::LEFT, status::USAGE, status::REFUSED, status::UNREACHED] {
        let (mut supervisor, id) = one(LIVES);
        let exit = Exit::Status(code.into());
        supervisor.handle_ended(seconds(1), id, exit);
        assert_eq!(actions(&mut supervisor), [Action::Tell(id, Report::Over(End::Exit(exit)))], "and it is told");
        assert_eq!(supervisor.ends(), Some(vec![End::Exit(exit)]));
    }
    let (mut supervisor, id) = one(Ward { restart: Restart::Never, ..LIVES });
    supervisor.handle_ended(seconds(1), id, DIED);
    assert_eq!(supervisor.ends(), Some(vec![End::Exit(DIED)]));
}

#[test]
fn one_who_makes_room_for_another_is_followed_at_once() {
    let (mut supervisor, id) = one(LIVES);
    supervisor.handle_ended(seconds(1), id, Exit::Status(status::RENEW.into()));
    assert_eq!(actions(&mut supervisor), [Action::Start(id)]);
}

#[test]
fn one_who_cannot_be_started_is_tried_again_and_told_of() {
    let mut supervisor = Supervisor::new(Rules::default());
    let id = supervisor.add(LIVES);
    actions(&mut supervisor);
    supervisor.handle_not_started(Duration::ZERO, id, "no processes are left".into());
    let told = actions(&mut supervisor);
    let [Action::Tell(_, report)] = &told[..] else { panic!("{told:?}") };
    assert!(report.to_string().contains("no processes are left"), "{report}");
    supervisor.handle_time(supervisor.wakes_at().unwrap());
    assert_eq!(actions(&mut supervisor), [Action::Start(id)]);
}

#[test]
fn when_all_are_to_end_they_are_asked_and_then_killed() {
    let mut supervisor = Supervisor::new(Rules::default());
    let ids = [supervisor.add(LIVES), supervisor.add(LIVES)];
    actions(&mut supervisor);
    ids.iter().for_each(|&id| supervisor.handle_started(Duration::ZERO, id));
    // The second one waits to be started again.
    supervisor.handle_ended(seconds(1), ids[1], DIED);
    actions(&mut supervisor);
    supervisor.handle_stop(seconds(1));
    let over = Report::Over(End::NotRunning(None));
    assert_eq!(actions(&mut supervisor), [Action::Terminate(ids[0]), Action::Tell(ids[1], over)]);
    let grace = Rules::default().grace;
    supervisor.handle_time(seconds(1) + grace);
    assert_eq!(actions(&mut supervisor), [Action::Kill(ids[0]), Action::Tell(ids[0], Report::Killed { grace })]);
    assert!(supervisor.wakes_at().is_none() && supervisor.ends().is_none());
    supervisor.handle_ended(seconds(20), ids[0], DIED);
    assert_eq!(supervisor.ends(), Some(vec![End::Exit(DIED), End::NotRunning(None)]));
    let late = supervisor.add(LIVES);
    assert!(!actions(&mut supervisor).contains(&Action::Start(late)), "nobody begins any more");
}

#[test]
fn who_holds_too_much_for_long_is_ended_and_comes_back_whatever_his_status() {
    let (mut supervisor, id) = one(Ward { memory_limit: Some(1000), ..LIVES });
    let patience = Rules::default().memory_patience;
    supervisor.handle_memory(seconds(1), id, 951);
    supervisor.handle_memory(seconds(2), id, 950);
    supervisor.handle_memory(seconds(3), id, 2000);
    supervisor.handle_memory(seconds(3) + patience - Duration::from_nanos(1), id, 2000);
    assert_eq!(actions(&mut supervisor), [], "it went down between");
    supervisor.handle_memory(seconds(3) + patience, id, 2000);
    let told = Report::TooMuchMemory { taken: 2000, limit: 1000 };
    assert_eq!(actions(&mut supervisor), [Action::Tell(id, told), Action::Terminate(id)]);
    supervisor.handle_ended(seconds(10), id, Exit::Status(status::LEFT.into()));
    let told = actions(&mut supervisor);
    let cause = Cause::Memory { taken: 2000, limit: 1000 };
    assert!(matches!(&told[..], [Action::Tell(_, Report::Restart { cause: told, .. })] if *told == cause), "{told:?}");
}

#[test]
fn one_who_is_let_go_while_he_is_started_is_asked_to_end_at_once() {
    let mut supervisor = Supervisor::new(Rules::default());
    let id = supervisor.add(LIVES);
    actions(&mut supervisor);
    supervisor.handle_retired(Duration::ZERO, id);
    assert_eq!((actions(&mut supervisor), supervisor.ends()), (vec![], None));
    supervisor.handle_started(seconds(1), id);
    assert_eq!(actions(&mut supervisor), [Action::Terminate(id)]);
    supervisor.handle_ended(seconds(2), id, DIED);
    assert_eq!(supervisor.ends(), Some(vec![End::Exit(DIED)]));
}

#[derive(Clone, Debug)]
enum Step {
    End(usize, i32),
    Pass(u64),
    Stop,
    Retire(usize),
    Memory(usize, u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, prop_oneof![Just(0), Just(1), Just(2), Just(3), Just(75), Just(-9)]).prop_map(|(w, e)| Step::End(w, e)),
        4 => (0..100_000_u64).prop_map(Step::Pass),
        1 => Just(Step::Stop),
        1 => (0..3_usize).prop_map(Step::Retire),
        2 => (0..3_usize, 0..2000_u64).prop_map(|(w, b)| Step::Memory(w, b)),
    ]
}

proptest! {
    /// Whatever happens: nobody has two processes, nobody without one is asked for anything, all of whom nobody has said that they
    /// should not live have one soon, and after a stop nobody has.
    #[test]
    fn each_has_one_process_at_most_and_none_when_all_is_over(steps in proptest::collection::vec(step(), 0..60)) {
        let mut supervisor = Supervisor::new(Rules::default());
        let ids: Vec<_> = (0..3).map(|_| supervisor.add(Ward { memory_limit: Some(1000), ..LIVES })).collect();
        let (mut lives, mut over) = ([false; 3], [false; 3]);
        let mut now = Duration::ZERO;
        let settle = |supervisor: &mut Supervisor, now, lives: &mut [bool; 3], over: &mut [bool; 3]| {
            while let Some(action) = supervisor.poll_action() {
                match action {
                    Action::Start(id) => {
                        let at = id.0 as usize;
                        assert!(!lives[at] && !over[at]);
                        lives[at] = true;
                        supervisor.handle_started(now, id);
                    }
                    Action::Terminate(id) | Action::Kill(id) => assert!(lives[id.0 as usize]),
                    Action::Tell(id, Report::Over(_)) => over[id.0 as usize] = true,
                    Action::Tell(..) => {}
                }
            }
        };
        settle(&mut supervisor, now, &mut lives, &mut over);
        for step in steps {
            match step {
                Step::End(at, code) if lives[at] => {
                    lives[at] = false;
                    let exit = if code < 0 { Exit::Signal(-code) } else { Exit::Status(code) };
                    supervisor.handle_ended(now, ids[at], exit);
                }
                Step::End(..) => {}
                Step::Pass(milliseconds) => {
                    now += Duration::from_millis(milliseconds);
                    supervisor.handle_time(now);
                }
                Step::Stop => supervisor.handle_stop(now),
                Step::Retire(at) => supervisor.handle_retired(now, ids[at]),
                Step::Memory(at, bytes) => supervisor.handle_memory(now, ids[at], bytes),
            }
            settle(&mut supervisor, now, &mut lives, &mut over);
        }
        now += Waits::default().longest;
        supervisor.handle_time(now);
        settle(&mut supervisor, now, &mut lives, &mut over);
        prop_assert!((0..3).all(|at| lives[at] || over[at]), "nobody is given up: {lives:?} {over:?}");
        supervisor.handle_stop(now);
        settle(&mut supervisor, now, &mut lives, &mut over);
        for at in 0..3 {
            if lives[at] {
                supervisor.handle_ended(now, ids[at], DIED);
            }
        }
        prop_assert!(supervisor.ends().is_some());
    }
}

#[test]
fn who_gives_no_sign_of_life_is_ended_and_comes_back() {
    let (mut supervisor, id) = one(LIVES);
    let patience = Rules::default().silence_patience;
    let silent = |supervisor: &mut Supervisor, from: u64, count: u64| {
        (from..from + count).for_each(|at| supervisor.handle_signs(seconds(at), id, Heard::Nothing));
        actions(supervisor)
    };
    assert_eq!(silent(&mut supervisor, 0, 500), []);
    supervisor.handle_signs(seconds(500), id, Heard::Sign);
    assert_eq!(silent(&mut supervisor, 501, 60), []);
    let told = Action::Tell(id, Report::Silent { patience });
    assert_eq!(silent(&mut supervisor, 561, 60), [told, Action::Terminate(id)]);
    supervisor.handle_ended(seconds(630), id, DIED);
    let told = actions(&mut supervisor);
    let cause = Cause::Silent { patience };
    assert!(
        matches!(&told[..], [Action::Tell(_, Report::Restart { cause: found, .. })] if *found == cause),
        "{told:?}"
    );
    let until = supervisor.wakes_at().unwrap();
    supervisor.handle_time(until);
    assert_eq!(actions(&mut supervisor), [Action::Start(id)]);
    supervisor.handle_started(until, id);
    assert_eq!(silent(&mut supervisor, 1000, 500), [], "of the new one nothing is known yet");
}
