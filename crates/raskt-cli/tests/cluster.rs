//! Schedulers and workers as processes: they come up, do work, die, are followed by others, and end in order.

use crate::world::*;
use raskt_cluster::hello::{Role, Versions};
use raskt_cluster::{Network, NetworkOptions, SchedulerServer, Security, Token};
use rustix::process::Signal;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::time::Instant;

#[test]
fn a_scheduler_and_two_workers_are_soon_there_and_run_what_a_client_wants() {
    let world = World::new();
    let began = Instant::now();
    let scheduler = world.scheduler("");
    let mut workers =
        world.start("worker --scheduler-file s.json --nworkers 2 --nthreads 1 --name w --resources GPU=1");
    workers.fact("joined");
    workers.fact("joined");
    println!("a scheduler and two workers were there in {:?}", began.elapsed());
    let client = world.client(&scheduler);
    assert!(client.wait_for_workers(2, PATIENCE));
    let mut names: Vec<_> = client.workers().into_iter().map(|worker| worker.name).collect();
    names.sort();
    assert_eq!(names, ["w-0", "w-1"]);
    let sum = sum_of(&submit(&client, 20, 1000));
    assert!((sum - 20_000.0).abs() < 1000.0, "{sum}");
    let status = world.run("status --scheduler-file s.json --json");
    let told: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!((&told["threads"], told["workers"].as_array().unwrap().len()), (&2.into(), 2));
    let table = String::from_utf8(world.run("status --scheduler-file s.json").stdout).unwrap();
    assert!(table.contains("2 workers, 2 threads") && table.contains("w-1"), "{table}");
    let notes = String::from_utf8(world.run("logs --scheduler-file s.json").stdout).unwrap();
    assert!(notes.lines().any(|line| line.contains("Z INFO    worker `w-1` has joined")), "{notes}");
    let last = String::from_utf8(world.run("logs --scheduler-file s.json --lines 1 --json").stdout).unwrap();
    let told: serde_json::Value = serde_json::from_str(&last).unwrap();
    assert!(told["level"] == "INFO" && told["message"].is_string(), "{told}");
}

#[test]
fn a_worker_that_is_killed_is_followed_by_another_and_its_work_is_done() {
    let world = World::new();
    let scheduler = world.scheduler("");
    let mut nanny = world.start("worker --scheduler-file s.json --nworkers 2 --nthreads 1 --name w");
    let first: i32 = nanny.fact("process").parse().unwrap();
    nanny.fact("joined");
    nanny.fact("joined");
    let client = world.client(&scheduler);
    assert!(client.wait_for_workers(2, PATIENCE));
    // However far it has come by then.
    let run = submit(&client, 200, 20_000);
    kill(first, Signal::KILL);
    let told = nanny.line("started again");
    assert!(told.contains("signal 9") && told.contains("w-0"), "{told}");
    nanny.fact("joined");
    let sum = sum_of(&run);
    assert!((sum - 4e6).abs() < 1e4, "{sum}");
    until("the dead one is forgotten", || client.workers().len() == 2);
}

#[test]
fn a_scheduler_that_is_told_to_end_takes_all_with_it() {
    let world = World::new();
    let mut scheduler = world.scheduler("--pid-file s.pid");
    let mut nanny = world.start("worker --scheduler-file s.json --nworkers 2 --nthreads 1 --pid-file w.pid");
    let workers: Vec<i32> = (0..2).map(|_| nanny.fact("process").parse().unwrap()).collect();
    nanny.fact("joined");
    nanny.fact("joined");
    assert_eq!(mode(&world.path("s.json")), 0o600);
    assert_eq!(std::fs::read_to_string(world.path("s.pid")).unwrap().trim(), scheduler.id().to_string());
    scheduler.signal(Signal::TERM);
    assert_eq!((scheduler.status(), nanny.status()), (0, 0));
    assert!(workers.iter().all(|worker| !is_there(*worker)));
    for file in ["s.json", "s.pid", "w.pid"] {
        assert!(!world.path(file).exists(), "{file}");
    }
}

#[test]
fn a_nanny_that_is_told_to_end_or_killed_takes_her_workers_with_her() {
    let world = World::new();
    let scheduler = world.scheduler("");
    for signal in [Signal::TERM, Signal::KILL] {
        let mut nanny = world.start("worker --scheduler-file s.json --nthreads 1");
        let worker: i32 = nanny.fact("process").parse().unwrap();
        nanny.fact("joined");
        nanny.signal(signal);
        let status = nanny.status();
        assert_eq!(status, if signal == Signal::TERM { 0 } else { -1 });
        until("the worker is there still", || !is_there(worker));
    }
    let client = world.client(&scheduler);
    until("workers that are gone are forgotten", || client.workers().is_empty());
}

#[test]
fn workers_find_a_scheduler_that_has_begun_anew() {
    let world = World::new();
    let mut scheduler = world.scheduler("");
    let address = scheduler.known("scheduler");
    let mut worker = world.start(&format!("worker {address} --nthreads 1 --no-nanny"));
    worker.fact("joined");
    scheduler.signal(Signal::KILL);
    scheduler.status();
    let port = address.rsplit_once(':').unwrap().1;
    let mut again = world.start(&format!("scheduler --port {port}"));
    again.fact("ready");
    worker.fact("joined");
    again.signal(Signal::TERM);
    assert_eq!((again.status(), worker.status()), (0, 0));
}

#[test]
fn a_worker_without_a_scheduler_ends_when_it_was_to() {
    let world = World::new();
    let scheduler = world.scheduler("");
    let address = scheduler.known("scheduler");
    // It waits for the file while there is none.
    let (status, told) = world.refused("worker --scheduler-file never.json --death-timeout 200ms");
    assert!(status == 4 && told.contains("never.json"), "{status} {told}");
    let mut worker = world.start(&format!("worker {address} --nthreads 1 --death-timeout 500ms"));
    worker.fact("joined");
    scheduler.signal(Signal::KILL);
    assert_eq!(worker.status(), 4);
    let told = worker.all();
    assert!(told.contains("--death-timeout") && told.contains("isn't started again"), "{told}");
}

#[test]
fn another_token_is_refused_in_a_sentence() {
    let world = World::new();
    let scheduler = world.scheduler("");
    let other = World::new();
    let mut nobody = other.scheduler("");
    nobody.signal(Signal::TERM);
    nobody.status();
    let address = scheduler.known("scheduler");
    for mut worker in ["--no-nanny", "--nanny"].map(|nanny| other.start(&format!("worker {address} {nanny}"))) {
        assert_eq!(worker.status(), 3);
        let told = worker.all();
        assert!(told.contains("the token is another cluster's"), "{told}");
    }
    let (status, told) = other.refused(&format!("status {address}"));
    assert!(status == 3 && told.contains("the token is another cluster's"), "{status} {told}");
}

#[test]
fn the_token_that_a_scheduler_file_names_is_for_that_scheduler_alone() {
    let world = World::new();
    let scheduler = world.scheduler("");
    let real = scheduler.known("scheduler").trim_start_matches("tcp://").to_owned();
    // The file of one that was killed says where somebody else listens by now.
    let taken = relay(real.parse().unwrap()).to_string();
    let file = std::fs::read_to_string(world.path("s.json")).unwrap();
    std::fs::write(world.path("s.json"), file.replace(&real, &taken)).unwrap();
    let sentence = format!("you called {taken}, and this is {real}: where a port is forwarded, name the token file");
    for command in ["status", "logs", "worker --nthreads 1 --no-nanny", "worker --nthreads 1"] {
        let (status, told) = world.refused(&format!("{command} --scheduler-file s.json"));
        assert!(status == 3 && told.contains(&sentence), "{command}: {status} {told}");
    }
    // Whoever names it knows the way.
    let named = "--scheduler-file s.json --token-file config/raskt/token";
    assert!(world.run(&format!("status {named}")).status.success());
    world.start(&format!("worker {named} --nthreads 1 --no-nanny")).fact("joined");
}

/// A port from which all goes to another one.
fn relay(to: SocketAddr) -> SocketAddr {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = door.local_addr().unwrap();
    std::thread::spawn(move || {
        for near in door.incoming().map_while(Result::ok) {
            let Ok(far) = TcpStream::connect(to) else { return };
            let back = (far.try_clone().unwrap(), near.try_clone().unwrap());
            for (mut from, mut into) in [(near, far), back] {
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut into);
                    let _ = into.shutdown(Shutdown::Write);
                });
            }
        }
    });
    address
}

#[test]
fn a_lifetime_ends_and_another_one_begins_if_it_is_to() {
    let world = World::new();
    let _scheduler = world.scheduler("");
    let mut once = world.start("worker --scheduler-file s.json --nthreads 1 --lifetime 100ms");
    assert_eq!(once.status(), 0);
    let mut again = world.start("worker --scheduler-file s.json --nthreads 1 --lifetime 100ms --lifetime-restart");
    let processes: Vec<String> = (0..3).map(|_| again.fact("process")).collect();
    assert!(processes[0] != processes[1] && processes[1] != processes[2]);
}

#[test]
fn nobody_wants_anything_and_a_scheduler_ends() {
    let world = World::new();
    let mut idle = world.start("scheduler --port 0 --idle-timeout 300ms");
    assert_eq!(idle.status(), 0);
    assert!(idle.all().contains("nobody has wanted anything"));
    let mut kept = world.command("scheduler --port 0 --until-input-closes".split(' '));
    kept.stdin(std::process::Stdio::null());
    assert_eq!(Process::of(kept).status(), 0);
}

#[test]
fn a_cluster_over_tls_and_over_a_socket_of_the_file_system() {
    let world = World::new();
    assert!(world.run("certs c").status.success());
    let tls = |role: &str| format!("--tls-ca-file c/ca.pem --tls-cert c/{role}.pem --tls-key c/{role}-key.pem");
    let mut scheduler = world.start(&format!("scheduler --port 0 --host 0.0.0.0 {}", tls("scheduler")));
    let address = scheduler.fact("scheduler");
    assert!(address.starts_with("tls://") && !address.contains("0.0.0.0"), "{address}");
    let port = address.rsplit_once(':').unwrap().1.to_owned();
    let address = format!("tls://127.0.0.1:{port}");
    let mut worker = world.start(&format!("worker {address} --nthreads 1 {}", tls("worker")));
    worker.fact("joined");
    let status = world.run(&format!("status {address} {}", tls("client")));
    assert!(String::from_utf8(status.stdout).unwrap().contains("1 workers"));
    // A certificate of another role doesn't do.
    let mut wrong = world.start(&format!("worker {address} --no-nanny {}", tls("client")));
    assert_eq!(wrong.status(), 3);
    assert!(wrong.all().contains("certificate"));

    let socket = world.path("socket");
    let mut scheduler = world.start(&format!("scheduler --host unix://{}", socket.display()));
    let address = scheduler.fact("scheduler");
    let mut worker = world.start(&format!("worker {address} --nthreads 1"));
    worker.fact("joined");
}

#[test]
fn descriptions_and_other_hosts_start_whole_clusters() {
    let world = World::new();
    let text = "[{scheduler: {port: 0, scheduler-file: t.json}}, {worker: {nworkers: 2, nthreads: 1}}]";
    let mut spec = Process::of(world.command(["spec", "--spec", text]));
    spec.line("ready");
    spec.line("joined");
    spec.line("joined");
    assert!(String::from_utf8(world.run("status --scheduler-file t.json").stdout).unwrap().contains("2 workers"));
    spec.signal(Signal::TERM);
    assert_eq!(spec.status(), 0);
    assert!(!world.path("t.json").exists());

    // What stands for ssh runs the line by a shell, as that of another host does.
    let ssh = world.path("ssh");
    std::fs::write(&ssh, "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift 2\nexec sh -c \"$1\"\n").unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let line = format!(
        "ssh localhost 127.0.0.1 --scheduler-port 0 --nthreads 1 --ssh-program {} --remote-command {}",
        ssh.display(),
        env!("CARGO_BIN_EXE_raskt")
    );
    let mut all = world.start(&line);
    let address = all.fact("scheduler");
    all.line("joined");
    all.line("joined");
    assert!(String::from_utf8(world.run(&format!("status {address}")).stdout).unwrap().contains("2 workers"));
    all.signal(Signal::TERM);
    assert_eq!(all.status(), 0);
}

#[test]
fn who_was_started_to_ignore_a_hang_up_does() {
    let world = World::new();
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" scheduler --port 0", env!("CARGO_BIN_EXE_raskt")]);
    shell.env("XDG_CONFIG_HOME", world.path("config"));
    let mut scheduler = Process::of(shell);
    scheduler.fact("ready");
    scheduler.signal(Signal::HUP);
    scheduler.signal(Signal::TERM);
    assert_eq!(scheduler.status(), 0);
    let told = scheduler.all();
    assert!(told.contains("signal 15") && !told.contains("signal 1\n"), "{told}");
}

#[test]
fn a_scheduler_of_another_version_is_told_of() {
    let world = World::new();
    let token = Token::random().unwrap();
    std::fs::create_dir_all(world.path("config/raskt")).unwrap();
    token.create(&world.token_file()).unwrap();
    let mut options = NetworkOptions::new(Role::Scheduler, Security { token: Some(token), tls: None }).unwrap();
    options.introduction.versions = Versions(vec![("raskt".into(), "77.0".into())]);
    let listen = "tcp://127.0.0.1:0".parse().unwrap();
    let scheduler = SchedulerServer::start(Network::start(options).unwrap(), &listen).unwrap();
    let address = scheduler.address();
    let mut worker = world.start(&format!("worker {address} --nthreads 1 --no-nanny"));
    worker.line("versions differ");
    assert!(worker.line("raskt ").contains("77.0"));
    let told = String::from_utf8(world.run(&format!("status {address}")).stderr).unwrap();
    assert!(told.contains("versions differ") && told.contains("77.0"), "{told}");
}

#[test]
fn whoever_reads_no_logs_keeps_nobody_waiting() {
    let world = World::new();
    let (_nobody_reads, full) = full_pipe();
    let mut command = world.command("scheduler --port 0 --scheduler-file s.json".split_whitespace());
    let mut scheduler = Process::heard(command.stdout(std::process::Stdio::piped()).stderr(full));
    let address = scheduler.fact("scheduler");
    scheduler.fact("ready");
    // Each of them is a line.
    for _ in 0..3 {
        let mut stranger = TcpStream::connect(address.trim_start_matches("tcp://")).unwrap();
        stranger.write_all(&[7; 64]).unwrap();
        let _ = stranger.read_to_end(&mut vec![]);
    }
    let mut nanny = world.start("worker --scheduler-file s.json --nthreads 1");
    nanny.fact("joined");
    let client = world.client(&scheduler);
    assert!(client.wait_for_workers(1, PATIENCE));
    sum_of(&submit(&client, 4, 100));
    scheduler.signal(Signal::TERM);
    assert_eq!(scheduler.status(), 0);
}

/// A pipe into which nothing more goes.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let flags = rustix::fs::fcntl_getfl(&writer).unwrap();
    rustix::fs::fcntl_setfl(&writer, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    while writer.write(&[b' '; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, flags).unwrap();
    (reader, writer)
}
