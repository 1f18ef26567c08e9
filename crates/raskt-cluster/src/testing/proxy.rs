//! A TCP proxy that breaks what goes through it.
//!
//! What happens is drawn from the seed for each piece of bytes that is passed on, and not from time, so that a test needn't
//! be fast or slow to meet it. Each connection and direction has a row of chances of its own.

use super::Chance;
use raskt_sync::Mutex;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Pieces of bytes are no longer.
const PIECE_BYTES: usize = 4096;
/// How long a thread waits for bytes before it looks whether the proxy is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// How often what happens to a piece of bytes, in a million.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Both directions end, with a reset.
    pub cut: u32,
    /// The piece doesn't arrive.
    pub drop: u32,
    /// It arrives twice.
    pub double: u32,
    /// One bit of it is another.
    pub flip: u32,
    /// From now on nothing goes in this direction, and nobody is told.
    pub half_open: u32,
    /// It arrives later, by up to `delay_microseconds`.
    pub delay: u32,
    /// The longest delay.
    pub delay_microseconds: u64,
}

/// How often what has happened.
#[derive(Debug, Default)]
pub struct Tally {
    /// Connections.
    pub connections: AtomicU64,
    /// See [`Faults`].
    pub cut: AtomicU64,
    /// See [`Faults`].
    pub dropped: AtomicU64,
    /// See [`Faults`].
    pub doubled: AtomicU64,
    /// See [`Faults`].
    pub flipped: AtomicU64,
    /// See [`Faults`].
    pub half_open: AtomicU64,
    /// See [`Faults`].
    pub delayed: AtomicU64,
}

/// The proxy; it ends when this goes.
pub struct FaultProxy {
    shared: Arc<Shared>,
    address: SocketAddr,
}

struct Shared {
    target: SocketAddr,
    seed: u64,
    faults: Mutex<Faults>,
    is_down: AtomicBool,
    is_over: AtomicBool,
    tally: Tally,
    /// What it has passed on to the target, if it is to be kept: for those who play it again.
    heard: Mutex<Option<Vec<u8>>>,
}

impl FaultProxy {
    /// A proxy before `target` that breaks nothing yet.
    pub fn start(target: SocketAddr, seed: u64) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let shared = Arc::new(Shared {
            target,
            seed,
            faults: Mutex::default(),
            is_down: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            tally: Tally::default(),
            heard: Mutex::default(),
        });
        let accepting = shared.clone();
        std::thread::spawn(move || accepting.accept(&listener));
        Ok(Self { shared, address })
    }

    /// Where to dial instead of the target.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What happens from now on.
    pub fn set_faults(&self, faults: Faults) {
        *self.shared.faults.lock() = faults;
    }

    /// Takes the link down, or up again: while it is down nothing goes through, and nobody is told.
    pub fn set_down(&self, is_down: bool) {
        self.shared.is_down.store(is_down, Ordering::SeqCst);
    }

    /// Keeps what goes to the target from now on.
    pub fn listen_in(&self) {
        *self.shared.heard.lock() = Some(vec![]);
    }

    /// What has gone to the target since.
    pub fn heard(&self) -> Vec<u8> {
        self.shared.heard.lock().clone().unwrap_or_default()
    }

    /// What has happened.
    pub fn tally(&self) -> &Tally {
        &self.shared.tally
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
    }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    fn accept(self: Arc<Self>, listener: &TcpListener) {
        while !self.is_over() {
            match listener.accept() {
                Ok((caller, _)) => drop(self.connect(caller)),
                Err(_) => std::thread::sleep(LOOK / 10),
            }
        }
    }

    fn connect(self: &Arc<Self>, caller: TcpStream) -> io::Result<()> {
        caller.set_nonblocking(false)?;
        let target = TcpStream::connect(self.target)?;
        let number = self.tally.connections.fetch_add(1, Ordering::SeqCst);
        for (from, to, direction) in [(&caller, &target, 0), (&target, &caller, 1)] {
            from.set_read_timeout(Some(LOOK))?;
            to.set_nodelay(true)?;
            let (from, to, shared) = (from.try_clone()?, to.try_clone()?, self.clone());
            let chance = Chance::new(self.seed ^ (number * 2 + direction).wrapping_mul(0x2545_f491_4f6c_dd1d));
            let way = Way { shared, from, to, chance, is_to_target: direction == 0, is_half_open: false };
            std::thread::spawn(move || way.run());
        }
        Ok(())
    }
}

/// One direction of a connection.
struct Way {
    shared: Arc<Shared>,
    from: TcpStream,
    to: TcpStream,
    chance: Chance,
    is_to_target: bool,
    is_half_open: bool,
}

impl Way {
    fn run(mut self) {
        let mut piece = [0; PIECE_BYTES];
        while !self.shared.is_over() {
            match self.from.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => {
                    if self.pass(&mut piece[..count]).is_err() {
                        break;
                    }
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(_) => break,
            }
        }
        // The end of one way is told to both, but not what was swallowed.
        let _ = self.from.shutdown(Shutdown::Both);
        let _ = self.to.shutdown(Shutdown::Both);
    }

    fn pass(&mut self, piece: &mut [u8]) -> io::Result<()> {
        while self.shared.is_down.load(Ordering::SeqCst) && !self.shared.is_over() {
            std::thread::sleep(LOOK / 4);
        }
        let (faults, tally) = (self.shared.faults.lock().clone(), &self.shared.tally);
        let count = |which: &AtomicU64| {
            which.fetch_add(1, Ordering::SeqCst);
        };
        if self.chance.happens(faults.half_open) {
            count(&tally.half_open);
            self.is_half_open = true;
        }
        if self.is_half_open {
            return Ok(());
        }
        if self.chance.happens(faults.cut) {
            count(&tally.cut);
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        if self.chance.happens(faults.drop) {
            count(&tally.dropped);
            return Ok(());
        }
        if self.chance.happens(faults.flip) {
            count(&tally.flipped);
            let bit = self.chance.below(piece.len() as u64 * 8) as usize;
            piece[bit / 8] ^= 1 << (bit % 8);
        }
        if self.chance.happens(faults.delay) {
            count(&tally.delayed);
            std::thread::sleep(Duration::from_micros(self.chance.below(faults.delay_microseconds)));
        }
        if self.chance.happens(faults.double) {
            count(&tally.doubled);
            self.to.write_all(piece)?;
        }
        if self.is_to_target
            && let Some(heard) = self.shared.heard.lock().as_mut()
        {
            heard.extend_from_slice(piece);
        }
        self.to.write_all(piece)
    }
}
