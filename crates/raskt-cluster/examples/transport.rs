//! How fast messages and results go between two processes of this host.
//!
//! `cargo run --release -p raskt-cluster --example transport` starts itself a second time as the peer, and prints round trips,
//! small messages a second, and gigabytes a second of results over TCP, TLS and as shared memory, with each process's peak memory.

use bytes::Bytes;
use raskt_cluster::bulk::{Fetch, Piece, Provide, Reply, SharedBuffer, Source};
use raskt_cluster::certs::{Authority, from_now};
use raskt_cluster::hello::Role;
use raskt_cluster::{Address, Inbox, Incoming, Names, Network, NetworkOptions, Outbox, Peer, Security, Tls, Token};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Serialize, Deserialize)]
enum Message {
    /// Comes back.
    Ping(Vec<u8>),
    /// Is counted.
    Note(u64, u32),
    /// How many were counted?
    Total(u64),
    /// Peak memory, in bytes.
    Peak(u64),
}

const PINGS: usize = 20_000;
const NOTES: u64 = 4_000_000;
const RESULT_BYTES: usize = 1 << 30;
const PATIENCE: Duration = Duration::from_secs(60);
type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    match std::env::args().nth(1) {
        Some(folder) => serve(Path::new(&folder)),
        None => measure(),
    }
}

/// What both have: a token, and certificates of one authority.
fn security(folder: &Path, name: &str) -> Outcome<Security> {
    let (chain, key) = (folder.join(format!("{name}.pem")), folder.join(format!("{name}-key.pem")));
    let tls = Tls::read(&folder.join("ca.pem"), Some((&chain, &key)), Names::Role)?;
    Ok(Security { token: Some(Token::read(&folder.join("token"))?), tls: Some(tls) })
}

fn network(role: Role, security: Security) -> Outcome<Network> {
    Ok(Network::start(NetworkOptions::new(role, security)?)?)
}

/// The peer: tells where it listens, and ends with its standard input.
fn serve(folder: &Path) -> Outcome<()> {
    let network = network(Role::Scheduler, security(folder, "scheduler")?)?;
    let host = |_: Peer, outbox: Outbox<()>| -> Option<Arc<dyn Inbox>> {
        let (outbox, count) = (outbox.typed::<Message>(), AtomicU64::new(0));
        Some(raskt_cluster::inbox(move |incoming| {
            if let Incoming::Message { message, .. } = incoming {
                if let Message::Note(..) = message {
                    count.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                let _ = match message {
                    Message::Total(_) => outbox.send(&Message::Total(count.load(Ordering::Relaxed)), vec![]),
                    Message::Peak(_) => outbox.send(&Message::Peak(peak_bytes()), vec![]),
                    ping => outbox.send(&ping, vec![]),
                };
            }
        }))
    };
    let shelf = Arc::new(Shelf { own: Bytes::from(vec![7; RESULT_BYTES]), shared: shared()? });
    let unix = format!("unix://{}/results", folder.display());
    let mut open = vec![];
    for address in ["tcp://127.0.0.1:0", "tls://127.0.0.1:0", &format!("unix://{}/messages", folder.display())] {
        open.push(network.listen(&address.parse()?, &[Role::Worker], host)?);
    }
    for address in ["tcp://127.0.0.1:0", "tls://127.0.0.1:0", &unix] {
        open.push(network.serve_results(&address.parse()?, &[Role::Worker], shelf.clone())?);
    }
    let addresses: Vec<_> = open.iter().map(|listening| listening.address().to_string()).collect();
    println!("{}", addresses.join(" "));
    std::io::stdout().flush()?;
    std::io::stdin().read_line(&mut String::new())?;
    Ok(())
}

struct Shelf {
    own: Bytes,
    shared: Piece,
}

impl Provide for Shelf {
    fn provide(&self, result: &[u8], reply: Reply) {
        reply.give(vec![if result == b"shared" { self.shared.clone() } else { Piece::Own(self.own.clone()) }]);
    }
}

fn shared() -> Outcome<Piece> {
    let mut buffer = SharedBuffer::new(RESULT_BYTES)?;
    buffer.as_mut_slice().fill(7);
    Ok(Piece::Shared(buffer.seal()?))
}

fn measure() -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("raskt-transport-{}", std::process::id()));
    let authority = Authority::create(1)?;
    authority.write(&folder)?;
    for role in [Role::Scheduler, Role::Worker] {
        authority.issue(role, &[], from_now(1))?.write(&folder, &role.to_string())?;
    }
    Token::random()?.create(&folder.join("token"))?;
    let mut peer =
        Command::new(std::env::current_exe()?).arg(&folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(peer.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let addresses: Vec<Address> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let measured = measure_with(&folder, &addresses);
    drop(peer.stdin.take());
    peer.wait()?;
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn measure_with(folder: &Path, addresses: &[Address]) -> Outcome<()> {
    let network = network(Role::Worker, security(folder, "worker")?)?;
    for address in &addresses[..3] {
        let scheme = address.to_string();
        let scheme = scheme.split(':').next().unwrap_or_default();
        let (inbox, incoming) = raskt_cluster::channel::<Message>();
        let outbox = network.connect::<Message>(address, Role::Scheduler, inbox)?;
        let receive = || loop {
            if let Incoming::Message { message, .. } = incoming.recv_timeout(PATIENCE).expect("an answer") {
                return message;
            }
        };
        let mut trips = Vec::with_capacity(PINGS);
        for _ in 0..PINGS {
            let started = Instant::now();
            outbox.send(&Message::Ping(vec![1; 100]), vec![])?;
            receive();
            trips.push(started.elapsed());
        }
        trips.sort();
        println!("{scheme}: round trip of 100 bytes {:?} median, {:?} p99", trips[PINGS / 2], trips[PINGS * 99 / 100]);
        let started = Instant::now();
        for note in 0..NOTES {
            outbox.send_waiting(&Message::Note(note, 7), vec![], PATIENCE)?;
        }
        outbox.send(&Message::Total(0), vec![])?;
        let Message::Total(total) = receive() else { return Err("another message".into()) };
        let rate = total as f64 / started.elapsed().as_secs_f64() / 1e6;
        println!("{scheme}: {rate:.2} million small messages a second ({total})");
        outbox.send(&Message::Peak(0), vec![])?;
        let Message::Peak(peak) = receive() else { return Err("another message".into()) };
        println!("{scheme}: peak memory {} MiB here, {} MiB there", peak_bytes() >> 20, peak >> 20);
        outbox.close();
    }
    let fetcher = network.fetcher();
    for (address, result) in [(3, "own"), (4, "own"), (5, "own"), (5, "shared")] {
        let source = Source { addresses: vec![addresses[address].clone()], role: Role::Scheduler, identity: None };
        for _ in 0..3 {
            let fetch = Fetch { result: result.into(), parts: vec![], reserved: RESULT_BYTES as u64 };
            let started = Instant::now();
            let pieces = fetcher.fetch_and_wait(&source, fetch)?;
            let came = started.elapsed();
            // Read all of it, since pages that were handed over are only then there.
            let sum: u64 = pieces[0].chunks_exact(8).map(|part| u64::from(part[0])).sum();
            assert_eq!(sum, 7 * RESULT_BYTES as u64 / 8);
            let gigabytes = RESULT_BYTES as f64 / 1e9;
            println!(
                "{}: {result} result of 1 GiB at {:.2} GB/s, {:.2} GB/s with reading it; peak memory {} MiB",
                addresses[address].to_string().split(':').next().unwrap_or_default(),
                gigabytes / came.as_secs_f64(),
                gigabytes / started.elapsed().as_secs_f64(),
                peak_bytes() >> 20,
            );
        }
    }
    Ok(())
}

fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).map_or(0, |kilobytes: u64| kilobytes << 10)
}
