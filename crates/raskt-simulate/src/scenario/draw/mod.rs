//! Worlds from seeds.

mod graphs;
mod jobs;

use super::{Fault, FaultKind, HostPlan, Scenario, Weather};
use crate::random::Random;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;

/// In one of so many worlds nothing goes wrong, so that what faults hide is seen as well.
const PEACEFUL_WORLDS: u64 = 12;

impl Scenario {
    /// The scenario of `seed`. Every kind of chance gets its own odds first, so that worlds differ in what they are
    /// full of and not only in when it happens.
    pub fn draw(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let calm_at = random.scaled(500, 30_000) * MILLISECOND;
        let hosts: Vec<_> = (0..draw_hosts(&mut random)).map(|_| draw_host(&mut random, calm_at)).collect();
        let clients = random.between(1, 3) as u32;
        let mut scenario = Self {
            seed,
            credit_nanoseconds: random.scaled(10 * MICROSECOND, 20 * MILLISECOND),
            prefill_nanoseconds: if random.chance(400_000) {
                0
            } else {
                random.scaled(10 * MICROSECOND, 20 * MILLISECOND)
            },
            lease_nanoseconds: random.between(200, 600) * MILLISECOND,
            jobs: jobs::draw(&mut random, clients, calm_at, &hosts),
            weather: draw_weather(&mut random),
            hosts,
            clients,
            faults: vec![],
            calm_at,
        };
        if seed.is_multiple_of(PEACEFUL_WORLDS) {
            scenario.weather = Weather::fair(scenario.weather.delay_nanoseconds);
        } else {
            scenario.faults = draw_faults(&mut random, &scenario);
        }
        scenario
    }
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
