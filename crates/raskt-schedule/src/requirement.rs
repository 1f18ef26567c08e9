//! What tasks require of a worker: resources, or to be one of some.

use raskt_graph::{Annotations, Resources};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What the tasks of a layer ask of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Requirement {
    /// What each assignment takes while a worker has it.
    pub resources: Resources,
    /// The workers that may run it, by name; none named means any.
    pub workers: Vec<String>,
    /// The named workers are only preferred.
    pub allow_others: bool,
}

impl Requirement {
    pub fn of(annotations: &Annotations) -> Self {
        let Annotations { resources, workers, allow_other_workers, .. } = annotations.clone();
        Self { resources, workers, allow_others: allow_other_workers }
    }

    pub fn is_none(&self) -> bool {
        self.resources.is_empty() && self.workers.is_empty()
    }

    /// What it asks of the one worker that has what is read: others than the named ones, who are only preferred, will do.
    pub fn of_holder(&self) -> Cow<'_, Self> {
        match self.allow_others {
            true => Cow::Owned(Self { workers: vec![], ..self.clone() }),
            false => Cow::Borrowed(self),
        }
    }

    /// Whether it takes any of what `other` takes.
    pub fn shares(&self, other: &Self) -> bool {
        self.resources.keys().any(|name| other.resources.contains_key(name))
    }

    /// Whether `offered` has what an assignment takes.
    pub fn fits(&self, offered: &Resources) -> bool {
        self.resources.iter().all(|(name, amount)| offered.get(name).is_some_and(|has| has >= amount))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, amount)) in self.resources.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{} `{name}`", *amount as f64 / 1000.0)?;
        }
        if !self.workers.is_empty() {
            let and = if self.resources.is_empty() { "" } else { " on " };
            write!(f, "{and}one of the workers {:?}", self.workers)?;
        }
        Ok(())
    }
}

/// Sums of amounts by name. Each amount may be as large as can be told, and what is lent and borrowed again counts each time.
pub(crate) type Sums = BTreeMap<Arc<str>, u128>;

/// Adds `taken` to `sums`, or takes it away.
pub(crate) fn change_sums<'a, A: Copy + Into<u128> + 'a>(
    sums: &mut Sums,
    taken: impl IntoIterator<Item = (&'a Arc<str>, &'a A)>,
    adds: bool,
) {
    for (name, &amount) in taken {
        let sum = sums.entry(name.clone()).or_default();
        *sum = if adds { *sum + amount.into() } else { sum.saturating_sub(amount.into()) };
        if *sum == 0 {
            sums.remove(name);
        }
    }
}
