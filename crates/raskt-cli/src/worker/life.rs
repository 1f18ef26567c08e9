//! A worker in this process: from a scheduler that is found to the end.

use super::options::Options;
use super::plan::{Plan, contact, listening};
use crate::facts::fact;
use crate::failure::Failure;
use crate::files::await_scheduler_file;
use crate::host::Host;
use crate::security::{MissingToken, no_scheduler};
use crate::stop::Stop;
use crate::values::{Size, for_results};
use raskt_cluster::hello::{Role, mismatches};
use raskt_cluster::metrics::{MetricsError, MetricsServer};
use raskt_cluster::nanny::{Signs, status};
use raskt_cluster::{
    Address, ListenError, Network, NetworkOptions, Peer, RESTARTED, Security, StartError, WorkerOptions, WorkerServer,
};
use raskt_execute::{EngineOptions, Limits, Store};
use raskt_schedule::Offer;
use raskt_store::own_bytes;
use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// How long tasks may go on when the process was told to end.
const STOP_GRACE: Duration = Duration::from_secs(3);
/// How long they may when its lifetime is over.
const LIFETIME_GRACE: Duration = Duration::from_secs(60);
/// How long a scheduler's file is waited for, unless a death timeout says otherwise: for ever.
const FILE_PATIENCE: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
/// How long until another try, after a session was lost.
const AGAIN: Duration = Duration::from_millis(500);
/// A scheduler that hasn't answered for so long is worth a word.
const SOON: Duration = Duration::from_secs(2);
/// How often it is looked whether the worker is over.
const GLANCE: Duration = Duration::from_millis(100);

/// How one life of a worker ends.
#[derive(Debug, PartialEq, Eq)]
enum Ending {
    /// For good, with this status.
    Status(u8),
    /// The scheduler is lost: another one is looked for. Whether it had been found.
    Lost { had_scheduler: bool, why: String },
}

/// Runs a worker until it is to end; gives the status.
pub(super) fn live(options: &Options, plan: &Plan, host: &dyn Host, stop: &Stop<'_>) -> Result<u8, Failure> {
    let dies_at = options.lifetime.map(|lifetime| Instant::now() + staggered(lifetime, options.lifetime_stagger));
    let mut without_since = Instant::now();
    let signs = options.signs.map(Signs::by).transpose();
    let signs = signs.map_err(|error| Failure::usage(format!("`--signs` can't be used: {error}")))?;
    loop {
        let left = options.death_timeout.map(|patience| patience.saturating_sub(without_since.elapsed()));
        let Some((scheduler, security)) = find(options, stop, left.unwrap_or(FILE_PATIENCE))? else {
            return Ok(status::LEFT);
        };
        let life = Life { options, plan, host, stop, dies_at, without_since, signs: signs.as_ref() };
        let ending = life.run(&scheduler, &security);
        // Until there is another server nothing gives any.
        signs.iter().for_each(Signs::rest);
        match ending? {
            Ending::Status(status) => return Ok(status),
            Ending::Lost { had_scheduler, why } => {
                if had_scheduler {
                    // It wasn't heard of for as long already, if it has fallen silent.
                    let silent = if why.contains(SILENT) { resumable(options) } else { Duration::ZERO };
                    without_since = Instant::now().checked_sub(silent).unwrap_or(without_since);
                }
                tracing::warn!("no scheduler at {scheduler}: {why}");
                check_alive(options, without_since)?;
                if stop.wait(AGAIN) {
                    return Ok(status::LEFT);
                }
            }
        }
    }
}

/// How long a session waits for a scheduler that has fallen silent.
fn resumable(options: &Options) -> Duration {
    let usual = Duration::from_nanos(raskt_cluster::session::Limits::default().resume_nanoseconds);
    options.death_timeout.map_or(usual, |patience| patience.clamp(Duration::from_nanos(1), usual))
}

/// The lifetime, give or take the stagger.
fn staggered(lifetime: Duration, stagger: Option<Duration>) -> Duration {
    let stagger = stagger.unwrap_or_default();
    let chance = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    (lifetime + stagger.mul_f64(2.0 * chance)).saturating_sub(stagger)
}

fn check_alive(options: &Options, without_since: Instant) -> Result<(), Failure> {
    match options.death_timeout {
        Some(patience) if without_since.elapsed() >= patience => Err(Failure::unreached(format!(
            "there was no scheduler for {} s (`--death-timeout`)",
            patience.as_secs_f64()
        ))),
        _ => Ok(()),
    }
}

/// Where the scheduler is, and what is spoken with it; nothing if the command is to end meanwhile.
pub(super) fn find(
    options: &Options,
    stop: &Stop<'_>,
    patience: Duration,
) -> Result<Option<(Address, Security)>, Failure> {
    let mut known = options.security.clone();
    let address = match (&options.scheduler, &options.scheduler_file) {
        (Some(address), _) => address.clone(),
        (None, Some(file)) => {
            let Some(found) = await_scheduler_file(file, stop, patience)? else { return Ok(None) };
            known = known.or_of(&found);
            found.address()?
        }
        (None, None) => return Err(no_scheduler()),
    };
    let (security, _) = known.load(&address, MissingToken::Refuse)?;
    security.check_dialing(&address).map_err(Failure::usage)?;
    Ok(Some((address, security)))
}

struct Life<'a> {
    options: &'a Options,
    plan: &'a Plan,
    host: &'a dyn Host,
    stop: &'a Stop<'a>,
    dies_at: Option<Instant>,
    without_since: Instant,
    signs: Option<&'a Signs>,
}

impl Life<'_> {
    fn run(&self, scheduler: &Address, security: &Security) -> Result<Ending, Failure> {
        let (server, store) = self.start(scheduler, security)?;
        if let Some(signs) = self.signs.cloned() {
            signs.begin();
            server.gives_signs(move || signs.give());
        }
        let looked_at = self.look_on(&server, security)?;
        let ending = self.attend(&server, &store, scheduler);
        drop(looked_at);
        drop(server);
        // Another life has a store of its own.
        store.remove_files();
        ending
    }

    /// Gives what it measures, if that is asked for. Of several workers one has the port; the others say so.
    fn look_on(&self, server: &WorkerServer, security: &Security) -> Result<Option<MetricsServer>, Failure> {
        let Some(at) = self.options.dashboard_address else { return Ok(None) };
        match server.serve_metrics(at, security.token.as_ref()) {
            Ok(looked_at) => {
                fact("metrics", format_args!("http://{}/metrics", looked_at.address()));
                Ok(Some(looked_at))
            }
            Err(error @ MetricsError::Open(_)) => Err(Failure::usage(error)),
            Err(error) => {
                tracing::warn!("{error}");
                Ok(None)
            }
        }
    }

    /// Starts it at the first port that is free.
    fn start(&self, scheduler: &Address, security: &Security) -> Result<(WorkerServer, Store), Failure> {
        let mut taken = None;
        for listen in listening(self.options, self.plan, scheduler)? {
            security.check_listening(&listen).map_err(Failure::usage)?;
            match self.start_at(scheduler, &listen, security)? {
                Ok((server, store)) => {
                    // It has another life when this one is over.
                    server.is_looked_after();
                    fact("worker", &self.plan.name);
                    fact("threads", self.plan.threads);
                    fact("memory-limit", Size(self.plan.memory));
                    return Ok((server, store));
                }
                Err(error) => taken = Some(error),
            }
        }
        Err(taken.map_or_else(|| Failure::usage("there is no port to listen at"), Failure::failed))
    }

    /// An error of the inner kind if another port may be free.
    fn start_at(
        &self,
        scheduler: &Address,
        listen: &Address,
        security: &Security,
    ) -> Result<Result<(WorkerServer, Store), StartError>, Failure> {
        let Plan { name, threads, memory, .. } = self.plan;
        let mut network = NetworkOptions::new(Role::Worker, security.clone()).map_err(Failure::failed)?;
        network.introduction.name = name.clone();
        network.introduction.versions = self.host.versions();
        network.introduction.addresses = contact(self.options, listen)?.iter().map(Address::to_string).collect();
        network.limits.resume_nanoseconds = u64::try_from(resumable(self.options).as_nanos()).unwrap_or(u64::MAX);
        let all = *memory;
        let (memory, bound) = for_results(all);
        let worker = WorkerOptions {
            scheduler: scheduler.clone(),
            listen: listen.clone(),
            offer: Offer { name: name.as_str().into(), resources: self.options.resources.0.clone(), ..Offer::slots(1) },
            engine: EngineOptions { threads: *threads, memory_limit: memory },
        };
        let store =
            Store::new(Limits { spill_path: self.options.local_directory.clone(), ..Limits::of_memory(memory) });
        // Nobody ends a worker that nobody looks after.
        if let Some(all) = all.filter(|_| self.signs.is_some()) {
            store.set_bound(bound);
            own_bytes().into_iter().for_each(|own| store.watch_from(own));
            self.host.is_bound(&store, all);
        }
        let network = Network::start(network).map_err(Failure::failed)?;
        match WorkerServer::start(network, worker, self.host.runners(), store.clone(), self.host.face()) {
            Ok(server) => Ok(Ok((server, store))),
            Err(error @ StartError::Listen(ListenError::Socket { .. })) => Ok(Err(error)),
            Err(error) => Err(Failure::failed(error)),
        }
    }

    /// Waits until it is over, or is to end.
    fn attend(&self, server: &WorkerServer, store: &Store, scheduler: &Address) -> Result<Ending, Failure> {
        let (mut had_scheduler, began, mut is_told) = (false, Instant::now(), false);
        loop {
            if let Some(why) = server.wait(GLANCE) {
                server.shut_down(Duration::ZERO);
                return ended(&why, had_scheduler);
            }
            // What the process has that nobody was promised is seen though nobody asks for memory.
            store.look();
            if let Some(peer) = server.scheduler().filter(|_| !had_scheduler) {
                had_scheduler = true;
                self.joined(&peer);
            }
            if !had_scheduler {
                check_alive(self.options, self.without_since)?;
                if began.elapsed() >= SOON && !std::mem::replace(&mut is_told, true) {
                    tracing::warn!("no scheduler answers at {scheduler} yet: it is tried again and again");
                }
            }
            if self.stop.is_wanted() {
                server.shut_down(STOP_GRACE);
                return Ok(Ending::Status(status::LEFT));
            }
            if self.dies_at.is_some_and(|at| Instant::now() >= at) {
                tracing::info!("the lifetime of this worker is over: it begins nothing more, and leaves");
                let left = self.left();
                if !self.options.is_renewed {
                    server.leave(&left);
                    return Ok(Ending::Status(status::LEFT));
                }
                server.give_way(&left);
                // Who was told to end meanwhile has no other life.
                let stops = self.stop.is_wanted();
                return Ok(Ending::Status(if stops { status::LEFT } else { status::RENEW }));
            }
        }
    }

    /// How much time there is left for a worker whose lifetime is over; less once it is told to end.
    fn left(&self) -> impl Fn() -> Duration + '_ {
        let began = Instant::now();
        let (over, looked) = (Cell::new(began + LIFETIME_GRACE), Cell::new(began));
        move || {
            let now = Instant::now();
            // It is asked all the time, and to look may take the interpreter.
            if now >= looked.get() + GLANCE {
                looked.set(now);
                if over.get() > now + STOP_GRACE && self.stop.is_wanted() {
                    over.set(now + STOP_GRACE);
                }
            }
            over.get().saturating_duration_since(now)
        }
    }

    /// The scheduler has answered: those who run on other versions should know.
    fn joined(&self, scheduler: &Peer) {
        fact("joined", &scheduler.from);
        let own = self.host.versions();
        let both = [("scheduler", &scheduler.introduction.versions), ("this worker", &own)];
        if let Some(mismatch) = mismatches(&both) {
            tracing::warn!("versions differ, which may go wrong:\n{mismatch}");
        }
    }
}

/// What is said of a scheduler that has fallen silent.
const SILENT: &str = "the peer was not heard of";

/// What the sentence with which a worker server is over means for the process.
fn ended(why: &str, had_scheduler: bool) -> Result<Ending, Failure> {
    const SESSION: &str = "the session with the scheduler is over: ";
    const REFUSED: &str = "the peer refused: ";
    /// The scheduler has begun anew: a new session is let in.
    const ANEW: &str = "the session is over: begin a new one";
    if why == "the scheduler has ended it" {
        return Ok(Ending::Status(status::LEFT));
    }
    if why == RESTARTED {
        // Whoever is looked after is started again for another life, and whoever isn't has another one here.
        return Ok(Ending::Lost { had_scheduler, why: why.to_owned() });
    }
    let Some(lost) = why.strip_prefix(SESSION) else { return Err(Failure::failed(why)) };
    match lost.strip_prefix(REFUSED) {
        Some(reason) if reason != ANEW => {
            Err(Failure::refused(format!("the scheduler doesn't let this worker in: {reason}")))
        }
        _ => Ok(Ending::Lost { had_scheduler, why: lost.to_owned() }),
    }
}
