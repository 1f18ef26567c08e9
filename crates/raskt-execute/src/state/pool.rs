//! The threads of an engine: how many there are, and how many of them are at work.

use super::seceded::Place;
use std::collections::BTreeMap;

/// A thread of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ThreadNumber(u32);

/// What each thread of the pool is at.
#[derive(Debug)]
pub(crate) struct Pool {
    threads: BTreeMap<ThreadNumber, AtWhat>,
    next: u32,
    /// Those at work that somebody waits for.
    busy: usize,
    /// Those that are at what nobody wants any more, and can't be stopped; so many of them take up no place.
    strays: usize,
    strays_allowed: usize,
    /// Those that wait for work.
    pub idle: usize,
    /// Those that were started and haven't looked for work yet.
    coming: usize,
    /// Threads that there may be.
    pub most: usize,
    /// Why there wasn't one more, when one was asked for last.
    pub refused: Option<String>,
}

#[derive(Clone, Copy, Debug, Default)]
struct AtWhat {
    has_come: bool,
    /// It has taken up work, and hasn't asked for more.
    works: bool,
    /// It has given its place to others, since that.
    waits: Option<Place>,
    /// Nobody wants any more what it is at.
    is_astray: bool,
}

impl AtWhat {
    fn is_busy(self) -> bool {
        self.works && self.waits.is_none() && !self.is_astray
    }

    fn is_stray(self) -> bool {
        self.works && self.waits.is_none() && self.is_astray
    }
}

/// Threads that an engine has, however many of its tasks wait for what others bring about: more would make the machine slow for
/// everybody.
const MOST_THREADS: usize = 4096;

impl Pool {
    /// A pool in which so many threads at a time may go on with what nobody wants any more, beside those that are wanted.
    pub fn new(strays_allowed: usize) -> Self {
        Self {
            threads: BTreeMap::new(),
            next: 0,
            busy: 0,
            strays: 0,
            strays_allowed,
            idle: 0,
            coming: 0,
            most: MOST_THREADS,
            refused: None,
        }
    }

    pub fn live(&self) -> usize {
        self.threads.len()
    }

    /// Those that take up the places of the pool.
    pub fn busy(&self) -> usize {
        self.busy + self.strays_in_places()
    }

    /// Threads that are at what nobody wants any more, beyond those that may be so without taking up a place.
    pub fn strays_in_places(&self) -> usize {
        self.strays.saturating_sub(self.strays_allowed)
    }

    /// Threads that will look for work.
    pub fn available(&self) -> usize {
        self.idle + self.coming
    }

    /// A thread is started.
    pub fn add(&mut self) -> ThreadNumber {
        let number = ThreadNumber(self.next);
        self.next += 1;
        self.coming += 1;
        self.threads.insert(number, AtWhat::default());
        number
    }

    /// A thread ends.
    pub fn remove(&mut self, number: ThreadNumber) {
        self.set_looking(number);
        self.threads.remove(&number);
    }

    pub fn set_working(&mut self, number: ThreadNumber) {
        self.change(number, |thread| thread.works = true);
    }

    /// A thread looks for work.
    pub fn set_looking(&mut self, number: ThreadNumber) {
        let mut has_come = true;
        self.change(number, |thread| {
            has_come = std::mem::replace(thread, AtWhat { has_come: true, ..AtWhat::default() }).has_come
        });
        self.coming -= usize::from(!has_come);
    }

    pub fn set_waiting(&mut self, number: ThreadNumber, place: Place) {
        self.change(number, |thread| thread.waits = Some(place));
    }

    /// It waits no more, unless that is over by now and it does again.
    pub fn set_going_on(&mut self, number: ThreadNumber, place: Place) {
        self.change(number, |thread| thread.waits = thread.waits.filter(|it| *it != place));
    }

    pub fn set_astray(&mut self, number: ThreadNumber, is_astray: bool) {
        self.change(number, |thread| thread.is_astray = is_astray);
    }

    fn change(&mut self, number: ThreadNumber, change: impl FnOnce(&mut AtWhat)) {
        let Some(thread) = self.threads.get_mut(&number) else { return };
        let before = *thread;
        change(thread);
        self.busy = self.busy + usize::from(thread.is_busy()) - usize::from(before.is_busy());
        self.strays = self.strays + usize::from(thread.is_stray()) - usize::from(before.is_stray());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_waits_and_is_astray_counts_once() {
        let mut pool = Pool::new(1);
        let [one, two] = [pool.add(), pool.add()];
        assert_eq!((pool.live(), pool.busy(), pool.available()), (2, 0, 2));
        pool.set_looking(one);
        assert_eq!(pool.available(), 1);
        pool.set_working(one);
        pool.set_looking(two);
        pool.set_working(two);
        assert_eq!((pool.live(), pool.busy(), pool.available()), (2, 2, 0));
        pool.set_waiting(one, 7);
        pool.set_astray(one, true);
        assert_eq!(pool.busy(), 1);
        pool.set_going_on(one, 6);
        assert_eq!(pool.busy(), 1);
        pool.set_going_on(one, 7);
        assert_eq!(pool.busy(), 1);
        pool.set_astray(one, false);
        assert_eq!(pool.busy(), 2);
        pool.remove(two);
        assert_eq!((pool.live(), pool.busy()), (1, 1));
    }

    #[test]
    fn of_those_astray_only_so_many_take_up_no_place() {
        let mut pool = Pool::new(2);
        let threads = [(); 4].map(|()| pool.add());
        for thread in threads {
            pool.set_looking(thread);
            pool.set_working(thread);
            pool.set_astray(thread, true);
        }
        assert_eq!((pool.busy(), pool.strays_in_places()), (2, 2));
        pool.set_waiting(threads[0], 1);
        assert_eq!(pool.busy(), 1);
        threads.into_iter().for_each(|thread| pool.set_looking(thread));
        assert_eq!((pool.busy(), pool.strays_in_places()), (0, 0));
    }
}
