//! A process of a ward: in a group of its own, ended with whoever started it, its output passed on line by line.

use super::exit::Exit;
use super::signs::{Ear, Heard};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Where a line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

/// A line is passed on in parts of this many bytes at most.
const LINE_BYTES: usize = 64 << 10;
/// For how many milliseconds the allocator of a process keeps what was freed, unless the user has said so. It would be a second, in which
/// results that have left count for nobody, and a process that is watched may be ended for them.
const PURGE_DELAY: (&str, &str) = ("MIMALLOC_PURGE_DELAY", "10");
/// Threads here read or wait, and call what passes lines on.
const STACK_BYTES: usize = 512 << 10;

/// A process that hasn't been reaped: its number is nobody else's.
pub(super) struct Child {
    process: std::process::Child,
    pid: Pid,
    ear: Option<Ear>,
}

impl Child {
    /// Starts it. The calling thread's end would be its end. Its standard input is empty, or open until it ends.
    pub fn start(command: &[OsString], keeps_input: bool, gives_signs: bool) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let input = if keeps_input { Stdio::piped() } else { Stdio::null() };
        let mut command = Command::new(program);
        command.args(arguments).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        ends_with_parent(&mut command);
        let (name, milliseconds) = PURGE_DELAY;
        if std::env::var_os(name).is_none() {
            command.env(name, milliseconds);
        }
        let (ear, _mouth) = gives_signs.then(|| Ear::of(&mut command)).transpose()?.unzip();
        let process = command.spawn()?;
        let number = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
        Ok(Self { pid: number.ok_or(io::ErrorKind::InvalidData)?, process, ear })
    }

    /// Its number.
    pub fn number(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// What was heard of it since the last time, if it gives signs of life.
    pub fn listen(&mut self) -> Option<Heard> {
        let number = self.number();
        Some(self.ear.as_mut()?.listen(number))
    }

    /// Passes on what it writes, and tells of its end, each by a thread.
    pub fn watch(
        &mut self,
        line: impl Fn(Stream, &[u8]) + Clone + Send + 'static,
        ended: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        if let Some(out) = self.process.stdout.take() {
            let line = line.clone();
            spawn("raskt-output", move || pass_on(out, |text| line(Stream::Out, text)))?;
        }
        if let Some(error) = self.process.stderr.take() {
            spawn("raskt-output", move || pass_on(error, |text| line(Stream::Error, text)))?;
        }
        let pid = self.pid;
        spawn("raskt-child", move || {
            await_end(pid);
            ended();
        })
    }

    /// Asks it to end. Whoever waits for the end of its input hears it so.
    pub fn terminate(&mut self) {
        drop(self.process.stdin.take());
        let _ = rustix::process::kill_process(self.pid, Signal::TERM);
    }

    /// Ends it and all of its group.
    pub fn kill(&self) {
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let _ = rustix::process::kill_process(self.pid, Signal::KILL);
    }

    /// How it ended, which waits until it has. What is left of its group ends first, while its number is still its own.
    pub fn reap(mut self) -> Exit {
        self.kill();
        let ended = self.process.wait();
        ended.map_or(Exit::Status(super::exit::status::FAILED.into()), Exit::from)
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
    builder.spawn(run).map(drop)
}

/// Waits until it has ended, and leaves it to be reaped.
fn await_end(pid: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), options) {}
}

/// Calls `line` with each line, without what ends it; what is longer than a line may be comes in parts.
fn pass_on(from: impl Read, line: impl Fn(&[u8])) {
    let mut reader = BufReader::new(from);
    let mut text = Vec::new();
    loop {
        text.clear();
        let room = (LINE_BYTES - 1) as u64;
        match reader.by_ref().take(room).read_until(b'\n', &mut text) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
            Ok(_) => line(text.strip_suffix(b"\n").unwrap_or(&text)),
        }
    }
}

/// Has the system kill the process when the thread that started it ends.
#[cfg(target_os = "linux")]
fn ends_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let prepare = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // It may have ended before that was said.
        if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: between fork and exec it makes two system calls, and takes neither memory nor a lock.
    unsafe { command.pre_exec(prepare) };
}

#[cfg(not(target_os = "linux"))]
fn ends_with_parent(_command: &mut Command) {}
