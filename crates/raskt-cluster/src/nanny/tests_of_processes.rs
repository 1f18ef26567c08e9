//! A few stories of supervision with real processes.

use super::driver::Watcher;
use super::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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
    WardOptions { name: "shell".into(), command, restart, memory_limit: None, keeps_input: false, gives_signs: false }
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
fn a_process_that_holds_too_much_is_ended_and_followed_by_another() {
    let (ears, heard) = Ears::open();
    let hoard = "x=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 1000";
    let ward = WardOptions { memory_limit: Some(50_000_000), ..shell(hoard, Restart::WhileItShouldLive) };
    let waits = Waits { first: Duration::from_millis(1), ..Waits::default() };
    let rules = Rules { waits, memory_patience: Duration::ZERO, ..Rules::default() };
    let nanny = Nanny::start(NannyOptions { wards: vec![ward], rules, watcher: ears }).unwrap();
    let first = started(&heard);
    let told = heard.iter().find_map(|heard| match heard {
        Heard::Report(Report::TooMuchMemory { taken, limit }) => Some((taken, limit)),
        _ => None,
    });
    let (taken, limit) = told.unwrap();
    // It is ended a little before.
    assert!(taken > limit / 10 * 9 && limit == 50_000_000, "{taken}");
    assert_ne!(started(&heard), first);
    drop(nanny);
}

#[test]
fn a_process_that_lives_and_gives_no_sign_any_more_is_ended_and_followed_by_another() {
    let (ears, heard) = Ears::open();
    let once = "printf '\\001' 1<> /dev/fd/${0#--signs=}; trap '' TERM; while :; do sleep 1000; done";
    let never = "exec sleep 1000";
    let ward = |script| WardOptions { gives_signs: true, ..shell(script, Restart::WhileItShouldLive) };
    let waits = Waits { first: Duration::from_millis(1), ..Waits::default() };
    let (silence_patience, grace) = (Duration::from_millis(200), Duration::from_millis(200));
    let rules = Rules { waits, silence_patience, grace, ..Rules::default() };
    let wards = vec![ward(never), ward(once)];
    let nanny = Nanny::start(NannyOptions { wards, rules, watcher: ears }).unwrap();
    let begun = [started(&heard), started(&heard)];
    let reports = std::iter::from_fn(|| match heard.recv_timeout(PATIENCE).unwrap() {
        Heard::Report(Report::Restart { .. }) => None,
        Heard::Report(report) => Some(report),
        other => panic!("{other:?}"),
    });
    let reports: Vec<_> = reports.collect();
    assert_eq!(reports, [Report::Silent { patience: silence_patience }, Report::Killed { grace }]);
    assert!(!begun.contains(&started(&heard)));
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
