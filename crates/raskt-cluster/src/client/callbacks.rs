//! Functions of users that are called when something is over. They may do as they like, and wait for what never comes.
//!
//! One thread calls them, one after the other, as long as they are quick. One that isn't keeps its thread, and another goes on in its
//! place. What is called of one thing is called in order, also then.

use super::watching::Callback;
use raskt_sync::{Condvar, Mutex, MutexGuard, guard};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Threads of one client, at most.
const THREADS_MOST: usize = 64;

/// After so long another thread goes on with those that come next.
const PATIENCE: Duration = Duration::from_millis(20);

/// A thread that has had nothing to do for so long ends.
const IDLE: Duration = Duration::from_secs(5);

/// The way to the threads; when it goes they end with what there is to do.
pub(super) struct Callbacks(Arc<Pool>);

struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    /// Says a sentence to the user.
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(u64, Callback)>,
    /// Of what something is being called.
    under_way: HashSet<u64>,
    /// What was begun last, and when, unless it is over.
    last: Option<(u64, Instant)>,
    threads: usize,
    idle: usize,
    is_over: bool,
    is_told: bool,
}

/// What a thread finds.
enum Found {
    Call(u64, Callback),
    /// Something, once what was begun last has had its time.
    From(Instant),
    Nothing,
}

impl Callbacks {
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let (state, changed) = Default::default();
        Self(Arc::new(Pool { state, changed, tell: Box::new(tell) }))
    }

    /// Has `call` called, after all that was to be called of the same.
    pub fn call(&self, of: u64, call: Callback) {
        let mut state = self.0.state.lock();
        state.waiting.push_back((of, call));
        self.0.reinforce(state);
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        self.0.state.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

impl Pool {
    fn serve(self: &Arc<Self>) {
        while let Some((of, call)) = self.next() {
            if let Err(story) = guard(call) {
                tracing::error!("whoever was to be told that something is over panicked: {story}");
            }
            let mut state = self.state.lock();
            state.under_way.remove(&of);
            state.last = state.last.filter(|(last, _)| *last != of);
            drop(state);
            // What waits for it, or for its turn, may be another's.
            self.changed.notify_all();
        }
    }

    /// What comes next; nothing if this thread is to end.
    fn next(self: &Arc<Self>) -> Option<(u64, Callback)> {
        let mut state = self.state.lock();
        let mut is_late = false;
        loop {
            let until = match state.find(Instant::now()) {
                Found::Call(of, call) => {
                    // It may never return, and nobody else be there who goes on.
                    if !state.waiting.is_empty() {
                        self.reinforce(state);
                    }
                    return Some((of, call));
                }
                Found::From(at) => Some(at),
                Found::Nothing if is_late || state.is_over => {
                    state.threads -= 1;
                    return None;
                }
                Found::Nothing => None,
            };
            state.idle += 1;
            (state, is_late) = match until {
                Some(at) => (self.changed.wait_until(state, at).0, false),
                None => self.changed.wait_for(state, IDLE),
            };
            state.idle -= 1;
        }
    }

    /// Sees to it that a thread is there for what waits.
    fn reinforce(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        if state.idle > 0 {
            drop(state);
            return self.changed.notify_all();
        }
        if state.threads >= THREADS_MOST {
            let is_told = std::mem::replace(&mut state.is_told, true);
            drop(state);
            if !is_told {
                (self.tell)(&format!(
                    "{THREADS_MOST} callbacks of futures haven't returned: others aren't called until one of them does"
                ));
            }
            return;
        }
        state.threads += 1;
        drop(state);
        let pool = self.clone();
        let spawned = std::thread::Builder::new().name("raskt-callback".into()).spawn(move || pool.serve());
        if let Err(error) = spawned {
            self.without_thread(&error.to_string());
        }
    }

    /// The system gives no thread: those that there are see to it, or this one does.
    fn without_thread(&self, why: &str) {
        let mut state = self.state.lock();
        if state.threads > 1 {
            state.threads -= 1;
            return;
        }
        drop(state);
        tracing::warn!("no thread can be had for callbacks of futures: {why}");
        while let Found::Call(of, call) = { self.state.lock().find(Instant::now()) } {
            let _ = guard(call);
            let mut state = self.state.lock();
            state.under_way.remove(&of);
            state.last = None;
        }
        self.state.lock().threads -= 1;
    }
}

impl State {
    fn find(&mut self, now: Instant) -> Found {
        let Some(at) = self.waiting.iter().position(|(of, _)| !self.under_way.contains(of)) else {
            return Found::Nothing;
        };
        if let Some((_, since)) = self.last
            && now < since + PATIENCE
        {
            return Found::From(since + PATIENCE);
        }
        let Some((of, call)) = self.waiting.remove(at) else { return Found::Nothing };
        self.under_way.insert(of);
        self.last = Some((of, now));
        Found::Call(of, call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    const LONG: Duration = Duration::from_secs(30);

    fn quiet() -> Callbacks {
        Callbacks::new(|_| {})
    }

    /// A callback that begins by saying its number, and waits until it is let go.
    fn waiting(number: u64, told: &Sender<u64>) -> (Callback, Sender<()>) {
        let (told, (release, released)) = (told.clone(), channel::<()>());
        let released: Mutex<Receiver<()>> = Mutex::new(released);
        let call = move || {
            let _ = told.send(number);
            let _ = released.lock().recv();
        };
        (Box::new(call), release)
    }

    fn panics() {
        panic!("asked to");
    }

    fn telling(number: u64, told: &Sender<u64>) -> Callback {
        let told = told.clone();
        Box::new(move || _ = told.send(number))
    }

    #[test]
    fn one_that_waits_for_ever_keeps_only_those_of_the_same_waiting() {
        let (callbacks, (told, came)) = (quiet(), channel());
        let (call, release) = waiting(0, &told);
        callbacks.call(7, call);
        callbacks.call(7, telling(1, &told));
        (2..100).for_each(|number| callbacks.call(number + 100, telling(number, &told)));
        let mut first: Vec<_> = (0..99).map(|_| came.recv_timeout(LONG).unwrap()).collect();
        first.sort_unstable();
        assert_eq!(first, std::iter::once(0).chain(2..100).collect::<Vec<_>>());
        assert!(came.try_recv().is_err());
        drop(release);
        assert_eq!(came.recv_timeout(LONG), Ok(1));
    }

    #[test]
    fn several_that_wait_for_ever_and_came_at_once_keep_nobody_else_waiting() {
        let (callbacks, (told, came)) = (quiet(), channel());
        let held: Vec<_> = (0..10)
            .map(|number| {
                let (call, release) = waiting(number, &told);
                callbacks.call(number, call);
                release
            })
            .collect();
        callbacks.call(10, telling(10, &told));
        let mut all: Vec<_> = (0..11).map(|_| came.recv_timeout(LONG).unwrap()).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..11));
        drop(held);
    }

    #[test]
    fn those_that_are_quick_are_called_in_order_whatever_they_are_of() {
        let (callbacks, (told, came)) = (quiet(), channel());
        (0..1000).for_each(|number| callbacks.call(number % 5, telling(number, &told)));
        let all: Vec<_> = (0..1000).map(|_| came.recv_timeout(LONG).unwrap()).collect();
        assert!((0..5).all(|of| all.iter().filter(|number| *number % 5 == of).is_sorted()), "{all:?}");
    }

    #[test]
    fn there_is_a_bound_on_threads_and_whoever_comes_to_it_is_told() {
        let (said, heard) = channel();
        let said = Mutex::new(said);
        let callbacks = Callbacks::new(move |sentence| _ = said.lock().send(sentence.to_owned()));
        let (told, came) = channel();
        let mut held = vec![];
        for number in 0..THREADS_MOST as u64 {
            let (call, release) = waiting(number, &told);
            callbacks.call(number, call);
            held.push(release);
            assert_eq!(came.recv_timeout(LONG), Ok(number));
        }
        callbacks.call(1000, telling(1000, &told));
        assert!(heard.recv_timeout(LONG).unwrap().contains("64 callbacks"));
        assert_eq!(callbacks.0.state.lock().threads, THREADS_MOST);
        held.pop();
        assert_eq!(came.recv_timeout(LONG), Ok(1000));
    }

    #[test]
    fn one_that_panics_harms_no_other_and_threads_end_with_the_client() {
        let (callbacks, (told, came)) = (quiet(), channel());
        callbacks.call(1, Box::new(panics));
        callbacks.call(1, telling(1, &told));
        let pool = Arc::downgrade(&callbacks.0);
        drop(callbacks);
        assert_eq!(came.recv_timeout(LONG), Ok(1));
        let deadline = Instant::now() + LONG;
        while pool.strong_count() > 0 {
            assert!(Instant::now() < deadline);
            std::thread::yield_now();
        }
    }
}
