//! Signs of life of a worker's process: a number that it counts up as long as it is a worker.

use raskt_sync::Mutex;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Whoever was stopped by a signal may be silent for so many times as long: somebody may want to have it go on.
const STOPPED_TIMES: u32 = 5;

/// Between two looks no more than this counts: whoever looks may have been stopped himself.
const LOOK_MOST: Duration = Duration::from_secs(1);

/// It gives none until the next one, since it has no scheduler.
const AT_REST: u64 = 1 << 63;

/// What was heard of a process since the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A sign.
    Sign,
    /// It gives none for now.
    Rest,
    /// Nothing.
    Nothing,
    /// Nothing, since a signal has stopped it.
    IsStopped,
    /// Nothing, since a debugger has: somebody looks at it.
    IsTraced,
}

/// For how long a process has given none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Silence {
    /// Nothing as long as none is expected.
    silent: Option<Duration>,
    stopped: Duration,
    looked_at: Option<Duration>,
}

impl Silence {
    /// How long was waited for a sign, if that was long enough: `patience`, and longer for one that was stopped. Until the first sign nothing is known of it.
    pub fn handle(&mut self, now: Duration, heard: Heard, patience: Duration) -> Option<Duration> {
        let passed = self.looked_at.map_or(Duration::ZERO, |at| now.saturating_sub(at).min(LOOK_MOST));
        self.looked_at = Some(now);
        self.silent = match heard {
            Heard::Sign => Some(Duration::ZERO),
            Heard::Rest => None,
            Heard::Nothing => self.silent.map(|silent| silent + passed),
            Heard::IsStopped | Heard::IsTraced => self.silent.map(|_| Duration::ZERO),
        };
        self.stopped = match heard {
            Heard::IsStopped if self.silent.is_some() => self.stopped + passed,
            _ => Duration::ZERO,
        };
        let (of_stopped, is_silent) = (patience * STOPPED_TIMES, self.silent.is_some_and(|silent| silent > patience));
        if is_silent { Some(patience) } else { Some(of_stopped).filter(|patience| self.stopped > *patience) }
    }
}

/// Where a process that is looked after gives signs: a number in memory that both have, which closing files doesn't take away.
pub(super) struct Ear {
    memory: Memory,
    last: u64,
}

impl Ear {
    /// One for a process that is about to be started, and the file that is to be kept until it is.
    pub fn of(command: &mut Command) -> io::Result<(Self, File)> {
        let file = memory_file()?;
        file.set_len(size_of::<AtomicU64>() as u64)?;
        let memory = Memory::of(&file)?;
        let number = file.as_raw_fd();
        command.arg(format!("--signs={number}"));
        let inherit = move || {
            // SAFETY: the file is kept open until the process is there.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            Ok(rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty())?)
        };
        // SAFETY: between fork and exec it makes one system call, and takes neither memory nor a lock.
        unsafe { command.pre_exec(inherit) };
        Ok((Self { memory, last: 0 }, file))
    }

    /// What has come since the last time.
    pub fn listen(&mut self, process: i32) -> Heard {
        let now = self.memory.number().load(Ordering::Relaxed);
        let is_new = std::mem::replace(&mut self.last, now) != now;
        match is_new {
            _ if now & AT_REST != 0 || now == 0 => Heard::Rest,
            true => Heard::Sign,
            false => match state(process) {
                Some('T') => Heard::IsStopped,
                Some('t') => Heard::IsTraced,
                _ => Heard::Nothing,
            },
        }
    }
}

/// What a process does, as the system calls it by a letter.
fn state(process: i32) -> Option<char> {
    let about = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    about.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next())
}

/// By what a worker's process gives signs to whoever has started it.
#[derive(Clone)]
pub struct Signs(Arc<Mutex<Giving>>);

struct Giving {
    memory: Memory,
    count: u64,
    is_at_rest: bool,
}

impl Signs {
    /// In the memory of a file that this process was given for it, which is closed.
    ///
    /// # Errors
    /// If there is no such file of that number.
    pub fn by(number: RawFd) -> io::Result<Self> {
        if number <= 2 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: it is only looked whether there is such a file.
        rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) })?;
        // SAFETY: it is there, and was given to be used here: nobody else knows its number.
        let file = unsafe { File::from_raw_fd(number) };
        // Beyond its end no memory may be touched.
        if file.metadata()?.len() < size_of::<AtomicU64>() as u64 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let memory = Memory::of(&file)?;
        Ok(Self(Arc::new(Mutex::new(Giving { memory, count: 0, is_at_rest: true }))))
    }

    /// There is a worker from now on.
    pub fn begin(&self) {
        self.0.lock().is_at_rest = false;
    }

    /// It is alive.
    pub fn give(&self) {
        let mut giving = self.0.lock();
        if !giving.is_at_rest {
            giving.count += 1;
            giving.memory.number().store(giving.count, Ordering::Relaxed);
        }
    }

    /// There is none for now.
    pub fn rest(&self) {
        let mut giving = self.0.lock();
        giving.is_at_rest = true;
        giving.memory.number().store(giving.count | AT_REST, Ordering::Relaxed);
    }
}

/// A number in memory that two processes have.
struct Memory(NonNull<AtomicU64>);

// SAFETY: it is read and written as an atomic only.
unsafe impl Send for Memory {}

impl Memory {
    fn of(file: &File) -> io::Result<Self> {
        let (bytes, access) = (size_of::<AtomicU64>(), ProtFlags::READ | ProtFlags::WRITE);
        // SAFETY: the system chooses the place, so no memory of this process is replaced.
        let start = unsafe { mmap(std::ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0) }?;
        // Pages begin at multiples of more than its alignment.
        Ok(Self(NonNull::new(start.cast()).ok_or_else(|| io::Error::other("memory was mapped to address zero"))?))
    }

    fn number(&self) -> &AtomicU64 {
        // SAFETY: so many bytes are mapped, aligned, as long as this lives.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: nobody refers to it any more.
        let _ = unsafe { munmap(self.0.as_ptr().cast(), size_of::<AtomicU64>()) };
    }
}

#[cfg(target_os = "linux")]
fn memory_file() -> io::Result<File> {
    let file = rustix::fs::memfd_create("raskt-signs", rustix::fs::MemfdFlags::CLOEXEC)?;
    Ok(file.into())
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("raskt-signs-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn missed(silence: &mut Silence, from: u64, heard: Heard) -> Option<u64> {
        (from..from + 1000).find(|&second| silence.handle(seconds(second), heard, seconds(60)).is_some())
    }

    #[test]
    fn who_gives_none_for_long_is_missed() {
        let mut silence = Silence::default();
        assert_eq!(missed(&mut silence, 0, Heard::Nothing), None, "it may take long to begin");
        assert_eq!(silence.handle(seconds(2000), Heard::Sign, seconds(60)), None);
        assert_eq!(missed(&mut silence, 2001, Heard::Nothing), Some(2061));
        assert_eq!(silence.handle(seconds(3000), Heard::Sign, seconds(60)), None);
        assert_eq!(missed(&mut silence, 3001, Heard::IsTraced), None);
        assert_eq!(silence.handle(seconds(4001), Heard::Sign, seconds(60)), None);
        assert_eq!(missed(&mut silence, 4002, Heard::IsStopped), Some(4302), "a signal may have it go on");
        assert_eq!(silence.handle(seconds(5000), Heard::Sign, seconds(60)), None);
        assert_eq!(
            silence.handle(seconds(9000), Heard::Nothing, seconds(60)),
            None,
            "whoever looks has been stopped himself"
        );
        assert_eq!(silence.handle(seconds(9001), Heard::Rest, seconds(60)), None);
        assert_eq!(missed(&mut silence, 9002, Heard::Nothing), None, "it has no scheduler");
    }
}
