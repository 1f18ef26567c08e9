//! Stories of supervision without processes, laws over random ones, and a few with real processes.

use super::driver::Watcher;
use super::*;
use proptest::prelude::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LIVES: Ward = Ward { restart: Restart::WhileItShouldLive, memory_limit: None };
const DIED: Exit = Exit::Signal(9);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn actions(supervisor: &mut Supervisor) -> Vec<Action> {
    std::iter::from_fn(|| supervisor.poll_action()).collect()
}

/// One ward, which runs since the beginning.
fn one(ward: Ward) -> (Supervisor, WardId) {
    let mut supervisor = Supervisor::new(Rules::default());
    let id = supervisor.add(ward);
    assert_eq!(actions(&mut supervisor), [Action::Start(id)]);
    supervisor.handle_started(Duration::ZERO, id);
    (supervisor, id)
}

/// Lets one die, and gives how long it takes until he is started again.
fn dies(supervisor: &mut Supervisor, id: WardId, at: Duration) -> Duration {
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
    let told = Report::TooMuchMemory { resident: 2000, limit: 1000 };
    assert_eq!(actions(&mut supervisor), [Action::Tell(id, told), Action::Terminate(id)]);
    supervisor.handle_ended(seconds(10), id, Exit::Status(status::LEFT.into()));
    let told = actions(&mut supervisor);
    let cause = Cause::Memory { resident: 2000, limit: 1000 };
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

/// Hears of everything.
struct Ears {
    told: Mutex<Sender<Heard>>,
}

#[derive(Debug)]
enum Heard {
    Line(String, Stream, String),
    Started(u32),
    Report(Report),
}

impl Ears {
    fn open() -> (Arc<Self>, Receiver<Heard>) {
        let (sender, receiver) = channel();
        (Arc::new(Self { told: Mutex::new(sender) }), receiver)
    }

    fn tell(&self, heard: Heard) {
        let _ = self.told.lock().unwrap().send(heard);
    }
}

impl Watcher for Ears {
    fn line(&self, ward: &str, stream: Stream, line: &[u8]) {
        self.tell(Heard::Line(ward.to_owned(), stream, String::from_utf8_lossy(line).into_owned()));
    }

    fn started(&self, _ward: &str, process: u32) {
        self.tell(Heard::Started(process));
    }

    fn report(&self, _ward: &str, report: &Report) {
        self.tell(Heard::Report(report.clone()));
    }
}

fn shell(script: &str, restart: Restart) -> WardOptions {
    let command = ["/bin/sh", "-c", script].map(Into::into).to_vec();
    WardOptions { name: "shell".into(), command, restart, memory_limit: None, keeps_input: false }
}

const PATIENCE: Duration = Duration::from_secs(60);

fn started(heard: &Receiver<Heard>) -> i32 {
    loop {
        if let Heard::Started(process) = heard.recv_timeout(PATIENCE).unwrap() {
            return process.try_into().unwrap();
        }
    }
}

fn is_there(process: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_process_that_is_killed_is_followed_by_another_and_both_end_with_the_nanny() {
    let (ears, heard) = Ears::open();
    let waits = Waits { first: Duration::from_millis(1), ..Waits::default() };
    let wards = vec![shell("sleep 1000 & echo $!; wait", Restart::WhileItShouldLive)];
    let nanny =
        Nanny::start(NannyOptions { wards, rules: Rules { waits, ..Rules::default() }, watcher: ears }).unwrap();
    let grandchild = |heard: &Receiver<Heard>| -> i32 {
        loop {
            if let Heard::Line(name, Stream::Out, line) = heard.recv_timeout(PATIENCE).unwrap() {
                assert_eq!(name, "shell");
                return line.parse().unwrap();
            }
        }
    };
    let first = started(&heard);
    let first_child = grandchild(&heard);
    rustix::process::kill_process(rustix::process::Pid::from_raw(first).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    let second = started(&heard);
    assert!(!is_there(first) && first != second);
    while is_there(first_child) {
        std::thread::yield_now();
    }
    let second_child = grandchild(&heard);
    drop(nanny);
    assert!(!is_there(second));
    while is_there(second_child) {
        std::thread::yield_now();
    }
}

#[test]
fn what_processes_write_and_how_they_end_is_told() {
    let (ears, heard) = Ears::open();
    let wards = vec![shell("echo out; echo error >&2; exit 3", Restart::WhileItShouldLive)];
    let nanny = Nanny::start(NannyOptions { wards, rules: Rules::default(), watcher: ears }).unwrap();
    assert_eq!(nanny.wait(PATIENCE), Some(vec![End::Exit(Exit::Status(3))]));
    assert_eq!(nanny.add(shell("exit 0", Restart::Never)), None, "she has gone home");
    drop(nanny);
    let heard: Vec<_> = heard.iter().collect();
    let has = |stream: Stream, text: &str| {
        heard.iter().any(|heard| matches!(heard, Heard::Line(_, of, line) if *of == stream && line == text))
    };
    assert!(has(Stream::Out, "out") && has(Stream::Error, "error"), "{heard:?}");
    assert!(heard.iter().any(|heard| matches!(heard, Heard::Report(Report::Over(_)))), "{heard:?}");
}

#[test]
fn input_stays_open_until_the_end_and_a_program_that_is_not_there_is_told() {
    let (ears, heard) = Ears::open();
    let ward = WardOptions { keeps_input: true, ..shell("trap '' TERM; read line; exit 7", Restart::Never) };
    let missing = WardOptions { command: vec!["/nowhere/raskt".into()], ..shell("", Restart::Never) };
    let wards = vec![ward, missing];
    let nanny = Nanny::start(NannyOptions { wards, rules: Rules::default(), watcher: ears }).unwrap();
    started(&heard);
    assert_eq!(nanny.wait(Duration::from_millis(50)), None);
    nanny.stop();
    let ends = nanny.wait(PATIENCE).unwrap();
    assert!(matches!(ends[0], End::Exit(Exit::Status(7) | Exit::Signal(15))), "{ends:?}");
    assert!(matches!(&ends[1], End::NotRunning(Some(why)) if why.contains("No such file")), "{ends:?}");
}

#[test]
fn memory_of_a_process_is_read() {
    let own = memory::resident_bytes(std::process::id() as i32).unwrap();
    assert!(own > 100_000 && own < 1 << 40, "{own}");
    assert_eq!(memory::resident_bytes(i32::MAX), None);
}

#[test]
fn a_process_that_holds_too_much_is_ended_and_followed_by_another() {
    let (ears, heard) = Ears::open();
    let hoard = "x=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 1000";
    let ward = WardOptions { memory_limit: Some(50_000_000), ..shell(hoard, Restart::WhileItShouldLive) };
    let waits = Waits { first: Duration::from_millis(1), ..Waits::default() };
    let rules = Rules { waits, memory_patience: Duration::ZERO, ..Rules::default() };
    let nanny = Nanny::start(NannyOptions { wards: vec![ward], rules, watcher: ears }).unwrap();
    let first = started(&heard);
    let told = heard.iter().find_map(|heard| match heard {
        Heard::Report(Report::TooMuchMemory { resident, limit }) => Some((resident, limit)),
        _ => None,
    });
    let (resident, limit) = told.unwrap();
    assert!(resident > limit && limit == 50_000_000, "{resident}");
    assert_ne!(started(&heard), first);
    drop(nanny);
}

/// Panics whenever it is told something.
struct Fainting;

impl Watcher for Fainting {
    fn line(&self, _ward: &str, _stream: Stream, _line: &[u8]) {
        panic!("a line");
    }

    fn started(&self, _ward: &str, _process: u32) {
        panic!("a process");
    }

    fn report(&self, _ward: &str, _report: &Report) {
        panic!("a report");
    }
}

#[test]
fn a_watcher_that_panics_harms_nobody() {
    // More than fits into a pipe that nobody reads.
    let wards = vec![shell("seq 100000; exit 3", Restart::Never)];
    let options = NannyOptions { wards, rules: Rules::default(), watcher: Arc::new(Fainting) };
    let ends = Nanny::start(options).unwrap().wait(PATIENCE);
    assert_eq!(ends, Some(vec![End::Exit(Exit::Status(3))]));
}
