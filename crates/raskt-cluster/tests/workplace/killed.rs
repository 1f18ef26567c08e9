//! A scheduler that is killed and begins anew with its journal.

use super::{Native, PATIENCE, network};
use raskt_cluster::hello::Role;
use raskt_cluster::journal::{Journal, JournalOptions};
use raskt_cluster::{Address, Client, SchedulerServer, Token, WorkerOptions, WorkerServer};
use raskt_execute::{EngineOptions, Limits, Runners, Store};
use raskt_schedule::Offer;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const FOLDER: &str = "RASKT_TEST_FOLDER";

/// Is the process of the scheduler, where it is called as such: by a test of the name `scheduler_process`.
pub fn be_scheduler() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let token = Token::read(&folder.join("token")).unwrap();
    let journal = Journal::open(&folder.join("journal"), JournalOptions::default()).unwrap();
    let _server = SchedulerServer::start_from(network(&token, Role::Scheduler), &address(&folder), journal).unwrap();
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

pub fn address(folder: &Path) -> Address {
    format!("unix://{}/scheduler", folder.display()).parse().unwrap()
}

/// A scheduler that can be killed, as a process of its own, and workers of this one.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub token: Token,
    pub scheduler: Option<Child>,
    pub workers: Vec<WorkerServer>,
}

impl Place {
    pub fn of(workers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::random().unwrap();
        token.create(&folder.path().join("token")).unwrap();
        let mut place = Self { folder, token, scheduler: None, workers: vec![] };
        place.start();
        (0..workers).for_each(|at| place.join(at));
        place
    }

    pub fn start(&mut self) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "scheduler_process"]).env(FOLDER, self.folder.path());
        self.scheduler = Some(command.stdout(Stdio::null()).stdin(Stdio::null()).spawn().unwrap());
    }

    pub fn kill(&mut self) {
        let mut scheduler = self.scheduler.take().unwrap();
        scheduler.kill().unwrap();
        scheduler.wait().unwrap();
    }

    pub fn join(&mut self, at: usize) {
        let options = WorkerOptions {
            scheduler: address(self.folder.path()),
            listen: "tcp://127.0.0.1:0".parse().unwrap(),
            offer: Offer { name: format!("worker-{at}").as_str().into(), ..Offer::slots(1) },
            engine: EngineOptions { threads: 2, memory_limit: 1 << 30 },
        };
        let store = Store::new(Limits::of_memory(1 << 30));
        let network = network(&self.token, Role::Worker);
        self.workers.push(WorkerServer::start(network, options, Runners::default(), store, Native::face()).unwrap());
    }

    pub fn client(&self) -> Client {
        let listen = "tcp://127.0.0.1:0".parse().unwrap();
        let network = network(&self.token, Role::Client);
        let client = Client::connect(network, &address(self.folder.path()), &listen, Native::face(), PATIENCE).unwrap();
        assert!(client.wait_for_workers(self.workers.len(), PATIENCE));
        client
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(mut scheduler) = self.scheduler.take() {
            let _ = scheduler.kill();
            let _ = scheduler.wait();
        }
    }
}
