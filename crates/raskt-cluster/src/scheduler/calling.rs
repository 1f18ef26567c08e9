//! What workers are called: no two by one name, as people and answers know them by these.

use super::core::Core;
use crate::message::{ToClient, ToWorker};
use raskt_schedule::{Event, WorkerId};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Core {
    /// Gives a worker that joins its name: the one by which it has introduced itself, or else offers itself, if no other has that. One
    /// that isn't connected may have been started again, and leaves its name to whoever comes; it has another one if it comes back.
    pub fn call(&mut self, worker: WorkerId, offered: &str) -> Arc<str> {
        let Some(entry) = self.workers.get_mut(&worker) else { return offered.into() };
        if entry.name.is_empty() {
            entry.name = offered.to_owned();
        }
        entry.own_name = std::mem::take(&mut entry.name);
        let wanted = entry.own_name.clone();
        let gone = self.called(&wanted).filter(|it| self.workers.get(it).is_some_and(|it| !it.outbox.is_connected()));
        if let Some((gone, its_own)) = gone.and_then(|gone| Some((gone, self.workers.get(&gone)?.own_name.clone()))) {
            self.rename(gone, &free_name(&its_own, &self.names()), "another one has come by its name");
        }
        let name = free_name(&wanted, &self.names());
        let Some(entry) = self.workers.get_mut(&worker) else { return name.into() };
        entry.name.clone_from(&name);
        if name != wanted {
            entry.send(&ToWorker::Called { name: name.clone() }, vec![]);
            let at = entry.addresses.first().map(|address| format!(" at {address}")).unwrap_or_default();
            self.note_warning(format!("there is a worker `{wanted}` already: another one{at} is called `{name}`"));
        }
        name.into()
    }

    /// A worker that had this name is lost: it goes to the first of those who call themselves so, and so does what that was called.
    pub fn pass_on(&mut self, mut name: String) {
        let claims = |core: &Self, name: &str| {
            let is_for = core.workers.iter().find(|(_, it)| it.is_in() && it.own_name == name && it.name != name);
            is_for.map(|(&worker, it)| (worker, it.name.clone()))
        };
        // Each has its own name from then on, so there is an end.
        while !name.is_empty()
            && self.called(&name).is_none()
            && let Some((worker, before)) = claims(&*self, &name)
        {
            self.rename(worker, &name, "the other one of its name is gone");
            name = before;
        }
    }

    /// A worker that is in is called otherwise from now on, and everybody hears so.
    fn rename(&mut self, worker: WorkerId, name: &str, why: &str) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        let before = std::mem::replace(&mut entry.name, name.to_owned());
        let Some(info) = &mut entry.info else { return };
        name.clone_into(&mut info.name);
        let info = info.clone();
        entry.send(&ToWorker::Called { name: name.to_owned() }, vec![]);
        let joined = ToWorker::Joined(vec![info.clone()]);
        self.workers.values().filter(|other| other.is_in()).for_each(|other| other.send(&joined, vec![]));
        self.tell_clients(&ToClient::Joined(vec![info]));
        self.note_warning(format!("worker `{before}` is called `{name}` from now on: {why}"));
        self.handle(Event::WorkerRenamed { worker, name: name.into() });
    }

    /// The worker of a name; of those that haven't joined nobody knows anything.
    fn called(&self, name: &str) -> Option<WorkerId> {
        let named = self.workers.iter().find(|(_, entry)| entry.is_in() && !name.is_empty() && entry.name == name);
        named.map(|(&worker, _)| worker)
    }

    fn names(&self) -> BTreeSet<String> {
        self.workers.values().filter(|entry| entry.is_in()).map(|entry| entry.name.clone()).collect()
    }
}

/// The name, or the first of those with a number that nobody has.
fn free_name(wanted: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number: u64| format!("{wanted}-{number}"));
    // Nobody knows them by no name.
    let taken = |name: &String| !name.is_empty() && taken.contains(name);
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let taken = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(free_name("w", &taken(&[])), "w");
        assert_eq!(free_name("w", &taken(&["w", "w-3"])), "w-2");
        assert_eq!(free_name("w", &taken(&["w", "w-2", "w-3"])), "w-4");
        assert_eq!(free_name("", &taken(&[""])), "");
        assert_eq!(free_name("w-2", &taken(&["w", "w-2"])), "w-2-2");
    }
}
