//! Room for results that come ahead of any task: one bound for the whole worker, of however many runs and from whomever they are. Whoever
//! is first in turn goes first; and none takes more than half of it while there is more than one, so that a peer which stands still
//! keeps no other.
//!
//! Whoever is let in takes memory. Where there is none for somebody, and whoever has more is ended, he is set aside and keeps nobody who
//! needs less. For all of these it is looked again together, when others leave and now and then; and when nothing at all has come in for
//! a while, and what runs here isn't what has the memory, they are told so.

use super::memory::Memory;
use super::set_aside::{Lack, SetAside, Since};
use crate::bulk::Source;
use raskt_execute::Arriving;
use raskt_sync::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How often it is looked for those for whom there is no memory: results may be let go of, and a disk have room again.
const GLANCE: Duration = Duration::from_millis(100);

/// How often that is done in vain.
pub(super) const GLANCES: u32 = 50;

/// And how often for one of them, whatever else comes in meanwhile.
const GLANCES_OF_ONE: u64 = 12 * GLANCES as u64;

#[derive(Default)]
pub(super) struct Room {
    state: Mutex<State>,
    /// What those who are let in take. Nothing is known of it before there is an engine.
    memory: OnceLock<Box<dyn Memory>>,
}

/// Somebody lets in who may go. Should he break off, the next one does.
struct LettingIn<'a>(&'a Mutex<State>);

impl<'a> LettingIn<'a> {
    fn begin(room: &'a Room) -> Option<Self> {
        let is_at_it = std::mem::replace(&mut room.state.lock().is_letting_in, true);
        (!is_at_it).then_some(Self(&room.state))
    }

    /// Nobody may go: whoever comes from here on lets in for himself.
    fn end(self, mut state: MutexGuard<'_, State>) {
        state.is_letting_in = false;
        std::mem::forget(self);
    }
}

impl Drop for LettingIn<'_> {
    fn drop(&mut self) {
        self.0.lock().is_letting_in = false;
    }
}

#[derive(Default)]
struct State {
    /// Bytes that may be on their way.
    most: u64,
    used: u64,
    /// Bytes of memory that those on their way may take of whom nobody knows how much it will be.
    taken: u64,
    sources: HashMap<Option<Source>, OfSource>,
    next_turn: u64,
    /// Somebody lets in who may go: whoever comes meanwhile is let in by him.
    is_letting_in: bool,
    /// Those for whom there was no memory when it was their turn.
    lacking: SetAside<OfWhom>,
    /// There may be memory for one of them.
    is_due: bool,
    /// Somebody looks for them before long.
    is_watched: bool,
    /// How often that was done, and how often in vain since something came in.
    glances: u64,
    in_vain: u32,
}

/// What somebody needs.
#[derive(Clone, Debug)]
pub(super) struct Need {
    pub bytes: u64,
    /// With so little of the memory it may be tried, where there is no more.
    pub least: u64,
    /// So much there is in all; what needs more goes alone.
    pub most: u64,
    /// He has had his turn before, with less than it took.
    pub is_next: bool,
    /// What he was told when there was no memory for him: he waits no longer than until it is looked next. What he had himself may go.
    pub was_told: Option<Arc<str>>,
}

/// Is called when there is room, or with why there won't be.
type Go = Box<dyn FnOnce(Result<Held, Arc<str>>) + Send>;

/// What comes from one peer.
#[derive(Default)]
struct OfSource {
    used: u64,
    waiting: VecDeque<Asking>,
}

struct Asking {
    turn: u64,
    /// Bytes of the room.
    bytes: u64,
    /// Those of the memory, and the least of them.
    wanted: u64,
    least: u64,
    was_told: Option<Arc<str>>,
    /// Since when he is one of those for whom there is no memory, if he was.
    since: Option<Since>,
    go: Go,
}

/// Somebody, and the peer of whom it is.
type OfWhom = (Option<Source>, Asking);

/// Room that somebody has as long as this is there.
pub(super) struct Held {
    room: Arc<Room>,
    source: Option<Source>,
    bytes: u64,
    /// What is set aside for it in memory, where it is known how much it will be. Goes before it is looked who may come in.
    arriving: Arriving,
    granted: u64,
    /// Of it, what isn't set aside.
    taken: u64,
}

/// Looks once for those for whom there is no memory. Dropped instead, nobody does any more.
struct Glance(Option<Arc<Room>>);

impl Room {
    /// From now on it is known what there is of memory.
    pub fn comes_into(&self, memory: Box<dyn Memory>) {
        let _ = self.memory.set(memory);
    }

    /// Calls `go` as soon as there is room for something of a peer, or when there has been no memory for it for too long.
    pub fn enter(
        self: &Arc<Self>,
        source: Option<&Source>,
        Need { bytes, least, most, is_next, was_told }: Need,
        go: impl FnOnce(Result<Held, Arc<str>>) + Send + 'static,
    ) {
        let mut state = self.state.lock();
        state.most = most;
        state.next_turn += 1;
        let turn = if is_next { 0 } else { state.next_turn };
        let asking =
            Asking { turn, bytes: bytes.min(most), wanted: bytes, least, was_told, since: None, go: Box::new(go) };
        let waiting = &mut state.sources.entry(source.cloned()).or_default().waiting;
        if is_next {
            waiting.push_front(asking)
        } else {
            waiting.push_back(asking)
        }
        drop(state);
        self.let_in();
    }

    /// Something has come in, and more may: those for whom there is no memory wait for as long as ever.
    pub fn came(&self) {
        self.state.lock().in_vain = 0;
    }

    fn let_in(self: &Arc<Self>) {
        let Some(turn) = LettingIn::begin(self) else { return };
        loop {
            self.look_again();
            let mut state = self.state.lock();
            if let Some((source, asking)) = state.next() {
                drop(state);
                self.admit(source, asking);
            } else if !state.is_due {
                return turn.end(state);
            }
        }
    }

    /// If there may be memory again for those for whom there was none, the first for whom there is stands in line once more.
    fn look_again(&self) {
        let mut state = self.state.lock();
        if !std::mem::take(&mut state.is_due) {
            return;
        }
        if state.lacking.is_empty() {
            return;
        }
        let (taken, most) = (state.taken, state.lacking.most());
        drop(state);
        let spare = self.spare(taken, most);
        let mut state = self.state.lock();
        state.call_back(spare);
        let over = state.lacking.take_told(spare);
        drop(state);
        for (_, asking) in over {
            if let Some(reason) = asking.was_told {
                (asking.go)(Err(reason));
            }
        }
    }

    /// Of so many bytes, as many as there is memory for beside those that are on their way.
    fn spare(&self, taken: u64, bytes: u64) -> u64 {
        match self.memory.get() {
            Some(memory) => memory.room_for(taken.saturating_add(bytes)).saturating_sub(taken),
            None => bytes,
        }
    }

    /// Lets somebody in whose turn it is, if there is memory for him.
    fn admit(self: &Arc<Self>, source: Option<Source>, asking: Asking) {
        let taken = self.state.lock().taken;
        let spare = self.spare(taken, asking.wanted);
        // Who doesn't know what he needs leaves as much to others, since his peer may stand still.
        let granted = if spare < asking.wanted { asking.least.max(spare / 2) } else { asking.wanted };
        if granted > spare {
            return self.set_aside(source, asking);
        }
        let bytes = asking.bytes.min(granted);
        // Results leave for what is known to come, and not for what may be much less than it may be.
        let is_known = asking.least == asking.wanted;
        let arriving = self.memory.get().filter(|_| is_known).map(|memory| memory.expect(granted)).unwrap_or_default();
        let taken = granted - arriving.left();
        let mut state = self.state.lock();
        state.leave(&source, asking.bytes - bytes);
        state.taken += taken;
        state.is_due = !state.lacking.is_empty();
        drop(state);
        (asking.go)(Ok(Held { room: self.clone(), source, bytes, arriving, granted, taken }));
    }

    /// There is no memory for him now.
    fn set_aside(self: &Arc<Self>, source: Option<Source>, asking: Asking) {
        let mut state = self.state.lock();
        state.leave(&source, asking.bytes);
        let glances = state.glances;
        let Asking { wanted, least, since, .. } = asking;
        let lack = Lack { wanted, least, was_told: asking.was_told.is_some(), since };
        state.lacking.push(lack, (source, asking), glances);
        drop(state);
        self.watch();
    }

    /// Sees to it that it is looked before long for those for whom there is no memory, once for all of them.
    fn watch(self: &Arc<Self>) {
        let mut state = self.state.lock();
        if state.lacking.is_empty() || std::mem::replace(&mut state.is_watched, true) {
            return;
        }
        drop(state);
        let glance = Glance(Some(self.clone()));
        if let Some(memory) = self.memory.get() {
            memory.after(GLANCE, Box::new(move || glance.look()));
        }
    }

    fn glance(self: &Arc<Self>) {
        let mut state = self.state.lock();
        (state.is_watched, state.is_due) = (false, true);
        drop(state);
        self.let_in();
        let least = self.state.lock().lacking.least();
        let may_come = least.is_some_and(|least| self.memory.get().is_some_and(|memory| memory.may_have_room(least)));
        let mut state = self.state.lock();
        state.in_vain = if state.lacking.is_empty() || may_come { 0 } else { state.in_vain + 1 };
        state.glances += 1;
        let are_all_over = state.in_vain >= GLANCES;
        let since = if are_all_over { Some(u64::MAX) } else { state.glances.checked_sub(GLANCES_OF_ONE) };
        let over = since.map(|since| state.lacking.take_since(since)).unwrap_or_default();
        if are_all_over {
            state.in_vain = 0;
        }
        drop(state);
        self.give_up(over, |memory| memory.reason());
        self.watch();
    }

    /// Those for whom there is no memory are told why, all the same.
    fn give_up(&self, over: Vec<OfWhom>, reason: impl FnOnce(&dyn Memory) -> String) {
        let Some(memory) = self.memory.get().filter(|_| !over.is_empty()) else { return };
        let reason: Arc<str> = reason(&**memory).into();
        for (_, asking) in over {
            (asking.go)(Err(reason.clone()));
        }
    }
}

impl Glance {
    fn look(mut self) {
        if let Some(room) = self.0.take() {
            room.glance();
        }
    }
}

impl Drop for Glance {
    fn drop(&mut self) {
        if let Some(room) = self.0.take() {
            let mut state = room.state.lock();
            state.is_watched = false;
            let lacking = state.lacking.take_since(u64::MAX);
            drop(state);
            room.give_up(lacking, |_| "nobody looks for memory any more".into());
        }
    }
}

impl State {
    /// Who goes in next, if there is room for him.
    fn next(&mut self) -> Option<(Option<Source>, Asking)> {
        let first = |(source, of): (&Option<Source>, &OfSource)| {
            let first = of.waiting.front()?;
            let may_go = of.used == 0 || of.used + first.bytes <= self.most / 2;
            may_go.then(|| (first.turn, first.bytes, source.clone()))
        };
        let (_, bytes, source) = self.sources.iter().filter_map(first).min_by_key(|(turn, ..)| *turn)?;
        if self.used > 0 && self.used + bytes > self.most {
            // He isn't passed by those who need less, or he might wait for ever.
            return None;
        }
        let of = self.sources.get_mut(&source)?;
        let asking = of.waiting.pop_front()?;
        of.used += bytes;
        self.used += bytes;
        Some((source, asking))
    }

    /// There is so much memory: the first of those who lacked it for whom that is enough has his turn again.
    fn call_back(&mut self, spare: u64) {
        if let Some((since, (source, mut asking))) = self.lacking.take_fitting(spare) {
            asking.since = Some(since);
            self.sources.entry(source).or_default().waiting.push_front(asking);
        }
    }

    fn leave(&mut self, source: &Option<Source>, bytes: u64) {
        self.used -= bytes;
        if let Some(of) = self.sources.get_mut(source) {
            of.used -= bytes;
            if of.used == 0 && of.waiting.is_empty() {
                self.sources.remove(source);
            }
        }
    }
}

impl Held {
    /// So much memory there is for what comes.
    pub fn granted(&self) -> u64 {
        self.granted
    }

    /// What is set aside for it.
    pub fn arriving(&self) -> &Arriving {
        &self.arriving
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(std::mem::take(&mut self.arriving));
        let mut state = self.room.state.lock();
        state.leave(&self.source, self.bytes);
        state.taken -= self.taken;
        state.is_due = !state.lacking.is_empty();
        drop(state);
        self.room.let_in();
    }
}

#[cfg(test)]
impl Room {
    /// Bytes for which there is somebody, and how many peers there is something of.
    pub fn taken(&self) -> (u64, usize) {
        let state = self.state.lock();
        (state.used, state.sources.len())
    }
}

#[cfg(test)]
mod tests;
