//! What holds memory, for people.

use crate::broker::Broker;
use crate::counts::Counts;
use crate::disk::Disk;
use crate::slot::{Residency, Slot};
use crate::unseen::Unseen;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What holds memory, and how much.
#[derive(Clone, Debug)]
pub struct MemoryReport {
    /// Bytes that results and running tasks may hold.
    pub limit: u64,
    /// Bytes that results hold in memory.
    pub held: u64,
    /// Bytes of those that can't leave memory now, since somebody else refers to it: users, or what collections were made of.
    pub shared: u64,
    /// Bytes that are promised to tasks.
    pub promised: u64,
    /// Bytes that are on their way: data of clients, and copies of results.
    pub arriving: u64,
    /// The most that was held, promised and on its way at one time.
    pub peak: u64,
    /// Bytes that the process has taken and that nobody was promised, as far as that is watched.
    pub unpromised: u64,
    /// The most that they were.
    pub unpromised_peak: u64,
    /// The furthest that a promise went beyond the limit: one may where nothing else can go on.
    pub beyond: u64,
    /// Bytes in spill files.
    pub spilled: u64,
    /// Bytes that spill files may have.
    pub disk_limit: u64,
    /// Why the last spill file couldn't be written, until that is tried again.
    pub disk_trouble: Option<String>,
    /// Spill files that were written.
    pub files_written: u64,
    /// Results that were read back.
    pub files_read: u64,
    /// Results whose files were bad.
    pub files_lost: u64,
    /// Results that stay in memory, since writing them has failed.
    pub refused: u64,
    /// Results by what made them, the largest holders first.
    pub by_label: Vec<HolderLine>,
    /// The largest results.
    pub largest: Vec<HolderLine>,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderLine {
    /// What made the results.
    pub label: Arc<str>,
    /// How many they are.
    pub results: u64,
    /// Bytes that they hold in memory.
    pub held: u64,
    /// Bytes of those that are not in memory.
    pub away: u64,
    /// Where they are, if all are in one place.
    pub place: Option<Place>,
}

/// Where a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In memory.
    Memory,
    /// In a spill file.
    Disk,
    /// Nowhere: it is computed again when it is needed.
    Dropped,
}

/// Lines of the largest results that a report has.
const LARGEST: usize = 10;

/// Lines that a message has room for.
const LINES: usize = 8;

pub(crate) fn of<'a>(
    (broker, unseen): (&Broker, &Unseen),
    disk: &Disk,
    counts: Counts,
    slots: impl Iterator<Item = &'a Slot>,
) -> MemoryReport {
    let mut by_label: BTreeMap<Arc<str>, HolderLine> = BTreeMap::new();
    let mut largest: Vec<HolderLine> = vec![];
    let (mut kept, mut shared) = (0, 0);
    for slot in slots {
        let line = line(slot);
        shared += if slot.is_shared() { line.held } else { 0 };
        kept += line.held;
        add(by_label.entry(line.label.clone()), &line);
        largest.push(line);
    }
    largest.sort_by_key(|line| std::cmp::Reverse(line.held + line.away));
    largest.truncate(LARGEST);
    let small = broker.held_by_each().saturating_sub(kept);
    let mut by_label: Vec<_> = by_label.into_values().collect();
    if small > 0 {
        let label = "(small results)".into();
        by_label.push(HolderLine { label, results: 0, held: small, away: 0, place: Some(Place::Memory) });
    }
    by_label.sort_by_key(|line| std::cmp::Reverse((line.held, line.away)));
    MemoryReport {
        limit: broker.limit(),
        held: broker.held(),
        shared: shared.min(broker.held()),
        promised: broker.promised(),
        arriving: broker.arriving(),
        peak: broker.peak(),
        unpromised: unseen.bytes,
        unpromised_peak: unseen.peak,
        beyond: broker.beyond(),
        spilled: disk.used(),
        disk_limit: disk.limit,
        disk_trouble: disk.trouble.clone(),
        files_written: counts.written,
        files_read: counts.read,
        files_lost: counts.lost,
        refused: counts.refused,
        by_label,
        largest,
    }
}

fn line(slot: &Slot) -> HolderLine {
    let place = match slot.place {
        Residency::Memory(_) | Residency::Writing(_) => Place::Memory,
        Residency::Out | Residency::Reading if slot.file.is_some() => Place::Disk,
        Residency::Out | Residency::Reading => Place::Dropped,
    };
    let (held, away) = if place == Place::Memory { (slot.bytes, 0) } else { (0, slot.bytes) };
    HolderLine { label: slot.facts.label.clone(), results: 1, held, away, place: Some(place) }
}

fn add(entry: std::collections::btree_map::Entry<'_, Arc<str>, HolderLine>, line: &HolderLine) {
    entry
        .and_modify(|sum| {
            sum.results += line.results;
            sum.held += line.held;
            sum.away += line.away;
            sum.place = sum.place.filter(|place| Some(*place) == line.place);
        })
        .or_insert_with(|| line.clone());
}

impl fmt::Display for MemoryReport {
    /// As a message of several lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, held, promised) = (Size(self.limit), Size(self.held), Size(self.promised));
        write!(f, "results hold {held} and tasks were promised {promised} of {limit}")?;
        if self.arriving > 0 {
            write!(f, "; {} are on their way", Size(self.arriving))?;
        }
        if self.unpromised > 0 {
            write!(f, "; {} more are taken by what nobody was promised", Size(self.unpromised))?;
        }
        write!(f, "; {} are on disk", Size(self.spilled))?;
        if let Some(trouble) = &self.disk_trouble {
            write!(f, " ({trouble})")?;
        } else if self.disk_limit < u64::MAX {
            write!(f, " of at most {}", Size(self.disk_limit))?;
        }
        if self.shared > 0 {
            let shared = Size(self.shared);
            write!(f, "; {shared} stay, since somebody else has that memory, or what they were made of does")?;
        }
        for line in self.by_label.iter().take(LINES) {
            write!(f, "\n  {:>10} in memory, {:>10} not: ", Size(line.held).to_string(), Size(line.away).to_string())?;
            match line.results {
                0 => write!(f, "{}", line.label)?,
                results => write!(f, "{} ({results} results)", line.label)?,
            }
        }
        Ok(())
    }
}

/// A number of bytes for people.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        match units.into_iter().find(|(unit, _)| self.0 >= *unit) {
            Some((unit, name)) => write!(f, "{:.1} {name}", self.0 as f64 / unit as f64),
            None => write!(f, "{} B", self.0),
        }
    }
}
