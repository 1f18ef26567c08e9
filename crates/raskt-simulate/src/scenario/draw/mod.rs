//! Worlds from seeds.

mod futures;
mod graphs;
mod grids;
mod jobs;
mod nested;
mod shared;
mod special;

use jobs::Kind;

use super::{Fault, FaultKind, HostPlan, Scenario, Weather};
use crate::random::Random;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;

/// In one of so many worlds nothing goes wrong, so that what faults hide is seen as well.
const PEACEFUL_WORLDS: u64 = 12;

/// In one of so many worlds there are tasks that stand alone, and runs that read results of others.
const MIXED_WORLDS: u64 = 3;

/// Of so many worlds, how many are of a kind of their own: see `special`.
const CYCLE: u64 = 100;

impl Scenario {
    /// The scenario of `seed`. Every kind of chance gets its own odds first, so that worlds differ in what they are
    /// full of and not only in when it happens.
    pub fn draw(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let scenario = match seed % CYCLE {
            9 | 19 | 39 | 59 | 69 | 79 | 99 => return futures::draw(&mut random, seed),
            41 => special::draw_giant(&mut random, seed),
            7 | 27 | 47 | 67 | 87 => special::draw_crowd(&mut random, seed),
            13 | 33 | 53 | 73 | 93 => special::draw_rivals(&mut random, seed),
            23 | 43 | 83 => shared::draw(&mut random, seed),
            _ => draw_usual(&mut random, seed),
        };
        // Rivals and those who share are about time, and giants are too large for books about each task.
        let is_other = matches!(seed % CYCLE, 41 | 13 | 33 | 53 | 73 | 93 | 23 | 43 | 83);
        if is_other || seed % MIXED_WORLDS != 1 {
            return scenario;
        }
        let mut scenario = scenario;
        futures::mix(seed, &mut scenario);
        scenario
    }
}

fn draw_usual(random: &mut Random, seed: u64) -> Scenario {
    let calm_at = random.scaled(500, 30_000) * MILLISECOND;
    let is_tight = random.chance(100_000);
    let mut hosts: Vec<_> = (0..draw_hosts(random)).map(|_| draw_host(random, calm_at)).collect();
    if is_tight {
        hosts.iter_mut().for_each(|host| (host.memory, host.disk) = tight_memory(random));
    }
    let clients = random.between(1, 3) as u32;
    let kind = Kind {
        count: random.scaled(1, 130),
        width: random.scaled(4, 4_000),
        narrowest: 2,
        layers: 8,
        nesting_per_million: if random.chance(300_000) { 200_000 } else { 0 },
        demanding_per_million: 190_000,
    };
    let jobs = jobs::draw(random, &kind, clients, calm_at, &hosts);
    let scenario = Scenario { hosts, clients, jobs, calm_at, ..draw_frame(random, seed) };
    finish(random, scenario)
}

/// Adds what goes wrong.
fn finish(random: &mut Random, mut scenario: Scenario) -> Scenario {
    if scenario.seed.is_multiple_of(PEACEFUL_WORLDS) {
        scenario.weather = Weather::fair(scenario.weather.delay_nanoseconds);
    } else {
        scenario.faults = draw_faults(random, &scenario);
        let leaving = draw_leaving(random, &scenario);
        scenario.faults.extend(leaving);
        let restarts = draw_restarts(random, &scenario);
        scenario.faults.extend(restarts);
    }
    scenario
}

/// In some worlds machines go for good while there is work: but for one, and for those that have what others haven't.
fn draw_leaving(random: &mut Random, scenario: &Scenario) -> Vec<Fault> {
    if !random.chance(150_000) {
        return vec![];
    }
    let stays = random.below(scenario.hosts.len() as u64) as usize;
    let may_leave = |&host: &usize| host != stays && scenario.hosts[host].gpu == 0;
    let leaving = (0..scenario.hosts.len()).filter(may_leave).filter(|_| random.chance(700_000)).collect::<Vec<_>>();
    let one = |host| Fault { at: random.below(scenario.calm_at), lasts: 0, kind: FaultKind::Leave { host } };
    leaving.into_iter().map(one).collect()
}

/// In some worlds the scheduler begins anew, once or a few times.
fn draw_restarts(random: &mut Random, scenario: &Scenario) -> Vec<Fault> {
    let count = if random.chance(300_000) { random.between(1, 3) } else { 0 };
    let one = |_| Fault { at: random.below(scenario.calm_at), lasts: 0, kind: FaultKind::RestartScheduler };
    (0..count).map(one).collect()
}

/// What every world has, but nobody in it.
fn draw_frame(random: &mut Random, seed: u64) -> Scenario {
    Scenario {
        seed,
        credit_nanoseconds: random.scaled(10 * MICROSECOND, 20 * MILLISECOND),
        prefill_nanoseconds: if random.chance(400_000) { 0 } else { random.scaled(10 * MICROSECOND, 20 * MILLISECOND) },
        lease_nanoseconds: random.between(200, 600) * MILLISECOND,
        hosts: vec![],
        clients: 1,
        jobs: vec![],
        weather: draw_weather(random),
        faults: vec![],
        calm_at: 0,
    }
}

/// Memory for a few results, and a disk that may be as small.
fn tight_memory(random: &mut Random) -> (u64, u64) {
    (random.scaled(1 << 10, 8 << 10), if random.chance(500_000) { 0 } else { random.scaled(4 << 10, 1 << 20) })
}

fn draw_hosts(random: &mut Random) -> u64 {
    if random.chance(50_000) { random.between(8, 16) } else { random.between(1, 5) }
}

fn draw_host(random: &mut Random, calm_at: u64) -> HostPlan {
    HostPlan {
        slots: random.between(1, 4) as u32,
        memory: random.scaled(4 << 10, 4 << 20),
        disk: if random.chance(300_000) { 0 } else { random.scaled(16 << 10, 16 << 20) },
        slowness_percent: if random.chance(200_000) { random.scaled(100, 2_000) } else { 100 },
        gpu: if random.chance(700_000) { 0 } else { random.between(1, 4) * 500 },
        joins_at: if random.chance(300_000) { random.below(calm_at) } else { 0 },
    }
}

fn draw_weather(random: &mut Random) -> Weather {
    let mut odds = |most| if random.chance(400_000) { 0 } else { random.scaled(100, most) as u32 };
    let (tail_per_million, drop_per_million, duplicate_per_million) = (odds(500_000), odds(200_000), odds(200_000));
    let delay_nanoseconds = random.scaled(20 * MICROSECOND, 3 * MILLISECOND);
    Weather { delay_nanoseconds, tail_per_million, drop_per_million, duplicate_per_million }
}

fn draw_faults(random: &mut Random, scenario: &Scenario) -> Vec<Fault> {
    // Each kind is in about half of the worlds.
    let allowed: Vec<_> = (0..KINDS).filter(|_| random.chance(500_000)).collect();
    if allowed.is_empty() {
        return vec![];
    }
    let count = random.scaled(1, 250);
    let mut one = |_| {
        let kind = *random.pick(&allowed);
        let kind = draw_kind(random, kind, scenario);
        let at = random.below(scenario.calm_at);
        Fault { at, lasts: random.scaled(MILLISECOND, 2 * scenario.lease_nanoseconds), kind }
    };
    (0..count).map(&mut one).collect()
}

const KINDS: u64 = 13;

fn draw_kind(random: &mut Random, kind: u64, scenario: &Scenario) -> FaultKind {
    let host = random.below(scenario.hosts.len() as u64) as usize;
    let node = random.below(scenario.nodes() as u64) as usize;
    match kind {
        0 => FaultKind::Crash { host },
        1 => FaultKind::Freeze { host },
        2 => FaultKind::Slow { host, times: random.scaled(2, 50) },
        3 => FaultKind::SlowDisk { host, times: random.scaled(2, 200) },
        4 => FaultKind::FullDisk { host },
        5 => FaultKind::Killer { host },
        6 => FaultKind::Resize { host, slots: random.between(1, 6) as u32 },
        7 => FaultKind::CutOneWay { from: node, to: random.below(scenario.nodes() as u64) as usize },
        8 => FaultKind::Isolate { node },
        9 => FaultKind::LoseSpilled { host },
        10 => FaultKind::Retire { host },
        11 => FaultKind::Clog { seed: random.bits() },
        _ => FaultKind::LoseClient { client: random.below(u64::from(scenario.clients)) as u32 },
    }
}
