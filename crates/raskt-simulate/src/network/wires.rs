//! How long packets take, and which of them arrive.

use crate::check::{Sometimes, Tally};
use crate::context::Node;
use crate::random::Random;
use crate::scenario::Weather;

/// The wires between the nodes: how long packets take, and which don't arrive.
#[derive(Debug)]
pub(crate) struct Wires {
    nodes: usize,
    weather: Weather,
    /// Faults that cut the way, from row to column.
    cuts: Vec<u32>,
    /// Until when packets from or to a node are held up.
    clogged: Vec<u64>,
}

/// The most doublings of a delay: a packet that took one millisecond may take a quarter of a second.
const DOUBLINGS: u32 = 8;

impl Wires {
    pub fn new(nodes: usize, weather: Weather) -> Self {
        Self { nodes, weather, cuts: vec![0; nodes * nodes], clogged: vec![0; nodes] }
    }

    /// After how long a packet arrives: not at all, once, or twice.
    pub fn delays(
        &self,
        from: Node,
        to: Node,
        now: u64,
        random: &mut Random,
        tally: &mut Tally,
    ) -> impl Iterator<Item = u64> + use<> {
        let is_lost = self.cuts[self.at(from, to)] > 0 || random.chance(self.weather.drop_per_million);
        let is_doubled = random.chance(self.weather.duplicate_per_million);
        tally.add(Sometimes::PacketLost, u64::from(is_lost));
        tally.add(Sometimes::PacketDoubled, u64::from(is_doubled && !is_lost));
        let held = self.clogged[from.0 as usize].max(self.clogged[to.0 as usize]).saturating_sub(now);
        let first = (!is_lost).then(|| held + self.delay(random));
        let second = (!is_lost && is_doubled).then(|| held + self.delay(random));
        first.into_iter().chain(second)
    }

    fn delay(&self, random: &mut Random) -> u64 {
        let usual = self.weather.delay_nanoseconds;
        let mut delay = usual / 2 + random.below(usual);
        let mut doublings = 0;
        while doublings < DOUBLINGS && random.chance(self.weather.tail_per_million) {
            delay *= 2;
            doublings += 1;
        }
        delay
    }

    /// Cuts or mends the way between two nodes, one way; faults that overlap are counted.
    pub fn cut(&mut self, from: Node, to: Node, cuts: bool) {
        let at = self.at(from, to);
        self.cuts[at] = if cuts { self.cuts[at] + 1 } else { self.cuts[at].saturating_sub(1) };
    }

    /// Cuts or mends all ways to and from a node.
    pub fn isolate(&mut self, node: Node, cuts: bool) {
        for other in (0..self.nodes as u32).map(Node).filter(|&other| other != node) {
            self.cut(node, other, cuts);
            self.cut(other, node, cuts);
        }
    }

    pub fn clog(&mut self, node: Node, until: u64) {
        let clogged = &mut self.clogged[node.0 as usize];
        *clogged = until.max(*clogged);
    }

    /// Mends everything.
    pub fn calm(&mut self) {
        self.weather = Weather::fair(self.weather.delay_nanoseconds);
        self.cuts.fill(0);
        self.clogged.fill(0);
    }

    fn at(&self, from: Node, to: Node) -> usize {
        from.0 as usize * self.nodes + to.0 as usize
    }
}
