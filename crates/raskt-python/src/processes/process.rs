use super::channel::{Channel, Message};
use super::page::{At, Page};
use super::pool;
use pyo3::prelude::*;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// A worker process. It ends, with all that its tasks have started, when this is dropped.
pub(super) struct Process {
    child: Child,
    channel: Channel,
    page: Page,
    /// What it has been sent already: a dict that belongs to `raskt._process`.
    pub known: Py<PyAny>,
}

/// What came from a process.
pub(super) enum Heard {
    Message(Message),
    /// Nothing yet.
    Silence,
    /// It is gone.
    Gone,
}

impl Process {
    /// Starts a process for a pool of `count`.
    ///
    /// It gets its end of the channel as its standard input, and leads a process group: Ctrl-C at the terminal is the
    /// parent's to handle, and what a task has started ends with it.
    pub fn start(count: usize) -> PyResult<Self> {
        let (channel, other_end) = Channel::pair()?;
        let page = Page::new()?;
        let (mut command, known) = Python::attach(|py| command(py, count))?;
        command.stdin(Stdio::from(other_end)).process_group(0);
        let child = command.spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy().into_owned();
            io::Error::new(error.kind(), format!("could not start the worker process `{program}`: {error}"))
        })?;
        pool::born(child.id());
        let process = Self { child, channel, page, known };
        // If it is dead already, the first batch finds that out.
        let _ = process.channel.send(b"page", Some(process.page.memory()));
        Ok(process)
    }

    /// Whether an idle process is still there: it says nothing of itself, and its channel is open.
    pub fn is_there(&self) -> bool {
        matches!(self.channel.wait(Duration::ZERO), Ok(false))
    }

    /// Sends a batch. An error means that the process is gone.
    pub fn send(&self, bytes: &[u8], memory: Option<&OwnedFd>) -> io::Result<()> {
        self.page.set_stop(false);
        self.channel.send(bytes, memory.map(AsFd::as_fd))
    }

    /// What it says within `patience`.
    pub fn listen(&self, patience: Duration) -> Heard {
        match self.channel.wait(patience) {
            Ok(false) => Heard::Silence,
            Ok(true) => match self.channel.receive() {
                Ok(Some(message)) => Heard::Message(message),
                Ok(None) | Err(_) => Heard::Gone,
            },
            Err(_) => Heard::Gone,
        }
    }

    /// Asks it to run no further task of its batch.
    pub fn stop(&self) {
        self.page.set_stop(true);
    }

    /// Takes its end in: what it was at, and how it ended if it did so by itself.
    pub fn end(mut self) -> (At, Option<ExitStatus>) {
        let ended = self.has_ended_soon();
        let status = self.reap();
        (self.page.at(), status.filter(|_| ended))
    }

    /// Whether it has ended. One whose channel is closed is on its way out, and is given a moment.
    fn has_ended_soon(&self) -> bool {
        for _ in 0..200 {
            // SAFETY: `siginfo_t` is plain data, which the call fills. The status is left to be taken by `reap`.
            let mut about: libc::siginfo_t = unsafe { std::mem::zeroed() };
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            // SAFETY: asks for the state of a child of this process.
            let result = unsafe { libc::waitid(libc::P_PID, self.child.id(), &raw mut about, options) };
            // SAFETY: the call has filled it, or left it zero.
            if result != 0 || unsafe { about.si_pid() } != 0 {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// Ends the whole group and takes its leader's status. The group goes first: until the status is taken the number
    /// can't become somebody else's.
    fn reap(&mut self) -> Option<ExitStatus> {
        let id = self.child.id();
        if pool::buried(id) {
            pool::kill_group(id);
        }
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reap();
    }
}

/// The command that starts a process, and the dict of what the process knows.
fn command(py: Python<'_>, count: usize) -> PyResult<(Command, Py<PyAny>)> {
    let launch = py.import("raskt._process.launch")?;
    let (program, arguments, environment): (String, Vec<String>, Vec<(String, String)>) =
        launch.call_method1("command", (count,))?.extract()?;
    let mut command = Command::new(program);
    command.args(arguments).envs(environment);
    Ok((command, launch.call_method0("nothing_known")?.unbind()))
}

/// How a process ended, as people say it.
pub(super) fn story(status: Option<ExitStatus>) -> String {
    let Some(status) = status else {
        return "closed its connection and did not end".to_owned();
    };
    match (status.signal(), status.code()) {
        (Some(libc::SIGKILL), _) => "was killed by SIGKILL, perhaps because the machine ran out of memory".to_owned(),
        (Some(libc::SIGSEGV), _) => "died of SIGSEGV: it used memory that isn't its own".to_owned(),
        (Some(libc::SIGABRT), _) => "died of SIGABRT: a library in it gave up".to_owned(),
        (Some(signal), _) => format!("was ended by {}", signal_name(signal)),
        (None, code) => format!("ended by itself with exit code {}", code.unwrap_or_default()),
    }
}

fn signal_name(signal: i32) -> String {
    let known = [
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGXCPU, "SIGXCPU"),
    ];
    let name = known.iter().find(|(number, _)| *number == signal).map(|(_, name)| (*name).to_owned());
    name.unwrap_or_else(|| format!("signal {signal}"))
}
