//! A small world for tests: a folder that is somebody's home, real processes of `raskt`, a client, and a graph for it.

#![allow(dead_code, reason = "each test uses some of it")]

use raskt_array::{Array, Chunks, Distribution, Operand, ReduceOptions, Reduction, Ufunc};
use raskt_cli::{Host, NativeHost};
use raskt_cluster::hello::Role;
use raskt_cluster::{Client, Job, Network, NetworkOptions, RemoteRun, Security, Token};
use raskt_graph::{GraphBuilder, GraphForm, Lower, Op};
use raskt_schedule::TaskRange;
use raskt_value::wire::BodyForm;
use raskt_value::{Chunk, DType, NativeOp, Value};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Nothing in a test takes this long, unless it goes wrong.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A home of its own.
pub struct World {
    pub folder: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn token_file(&self) -> PathBuf {
        self.path("config/raskt/token")
    }

    pub fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raskt"));
        command.args(arguments).env_clear().env("HOME", self.folder.path()).env("PATH", "/usr/bin:/bin");
        command.env("XDG_CONFIG_HOME", self.path("config")).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, line: &str) -> Output {
        self.command(line.split_whitespace()).output().unwrap()
    }

    /// The status and what was said of a command that goes wrong, in one sentence. A command that isn't refused goes on,
    /// which no test may wait for: it is ended.
    pub fn refused(&self, line: &str) -> (i32, String) {
        let mut process = Process::of(self.command(line.split_whitespace()));
        (process.status(), process.all())
    }

    /// Starts a process that goes on.
    pub fn start(&self, line: &str) -> Process {
        Process::of(self.command(line.split_whitespace()))
    }

    /// A scheduler that is ready, and the file that says so.
    pub fn scheduler(&self, options: &str) -> Process {
        let mut scheduler = self.start(&format!("scheduler --port 0 --scheduler-file s.json {options}"));
        scheduler.fact("ready");
        scheduler
    }

    pub fn client(&self, scheduler: &Process) -> Client {
        let security = Security { token: Some(Token::read(&self.token_file()).unwrap()), tls: None };
        let network = Network::start(NetworkOptions::new(Role::Client, security).unwrap()).unwrap();
        let (address, listen) = (scheduler.known("scheduler").parse().unwrap(), "tcp://127.0.0.1:0".parse().unwrap());
        Client::connect(network, &address, &listen, NativeHost::of_arrays().face(), PATIENCE).unwrap()
    }
}

/// A process, and what it says. It is killed at the end of the test.
pub struct Process {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Process {
    pub fn of(mut command: Command) -> Self {
        Self::heard(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    /// A process of which those streams are read that are pipes of ours.
    pub fn heard(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
        let stderr = child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
        for pipe in stdout.into_iter().chain(stderr) {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        Self { child, lines, said: vec![] }
    }

    pub fn id(&self) -> i32 {
        self.child.id() as i32
    }

    /// Waits for a line that has these words.
    pub fn line(&mut self, words: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else { panic!("no `{words}` in {:#?}", self.said) };
            self.said.push(line.clone());
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Waits for a fact, and gives it.
    pub fn fact(&mut self, name: &str) -> String {
        let line = self.line(&format!("{name}: "));
        line.split_once(&format!("{name}: ")).unwrap().1.to_owned()
    }

    /// A fact that it has said already.
    pub fn known(&self, name: &str) -> String {
        let start = format!("{name}: ");
        let fact = self.said.iter().find_map(|line| line.strip_prefix(&start));
        fact.unwrap_or_else(|| panic!("no `{name}` in {:#?}", self.said)).to_owned()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        kill(self.id(), signal);
    }

    /// Waits until it has ended, and gives its status.
    pub fn status(&mut self) -> i32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < deadline, "it goes on: {:#?}", self.said);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// All that it said, once it has ended.
    pub fn all(&mut self) -> String {
        self.said.extend(self.lines.iter());
        self.said.join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn kill(process: i32, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_raw(process).unwrap(), signal).unwrap();
}

/// Whether a process is there and hasn't ended.
pub fn is_there(process: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt;
    path.metadata().unwrap().mode() & 0o777
}

/// Numbers that are made block by block, doubled and added up: so many blocks.
pub fn submit(client: &Client, blocks: usize, length: usize) -> RemoteRun {
    let chunks = Chunks::from_lengths(&[vec![length; blocks]]);
    let numbers = Array::random(Distribution::Uniform { low: 0.0, high: 1.0 }, 7, 0, DType::F64, chunks).unwrap();
    let double =
        Array::map(Ufunc::from_name("add").unwrap(), &[Operand::from(&numbers), Operand::from(&numbers)]).unwrap();
    let sum = double.reduce(Reduction::Sum, &ReduceOptions::default()).unwrap();
    let mut graph = GraphBuilder::new();
    let layer = sum.lower(&mut graph).unwrap();
    let graph = graph.finish();
    let body = |op: &Op| {
        let kernel = op.body.downcast_ref::<NativeOp>().ok_or("it isn't native")?;
        Ok::<_, String>(BodyForm::Native(kernel.0.wire().ok_or("it stays")?))
    };
    let form = postcard::to_stdvec(&GraphForm::of(&graph, body).unwrap()).unwrap().into();
    let wanted = vec![TaskRange { layer, start: 0, end: 1 }];
    client.submit(Job { graph: form, wanted, ..Job::default() }).unwrap()
}

/// The sum of such a run, which is about as many as there are numbers.
pub fn sum_of(run: &RemoteRun) -> f64 {
    let values = run.wait_timeout(PATIENCE).expect("it takes too long").unwrap();
    values.iter().flat_map(number).sum()
}

fn number(value: &Value) -> Vec<f64> {
    value.as_chunk().and_then(Chunk::as_slice::<f64>).expect("numbers").to_vec()
}
