//! How long who waits for what, over one connection; and that whoever is asked says that he is at it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// How long is waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// Whoever is asked says so often that he is at it: several times before he would be given up.
    pub working: Duration,
    /// A peer that owes something and sends nothing is given up after this long: he is dead, as one that is slow says that he isn't.
    pub silent: Duration,
    /// Who fetches closes a connection without work after this long.
    pub unused: Duration,
    /// Who gives closes a connection over which nothing goes after this long: twice as long as whoever fetches would wait.
    pub idle: Duration,
}

impl Default for Times {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { working: seconds(5), silent: seconds(60), unused: seconds(60), idle: seconds(120) }
    }
}

/// When it is time to say that something is still being worked at.
#[derive(Debug)]
pub(super) struct Working {
    pause: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Working {
    pub fn new(pause: Duration) -> Self {
        Self { pause, timer: None }
    }

    /// Whether it is time, if there `is_work`; otherwise the task of `cx` is woken when it is.
    pub fn is_due(&mut self, cx: &mut Context<'_>, is_work: bool) -> bool {
        if !is_work {
            self.timer = None;
            return false;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.pause)));
        let mut is_due = false;
        while let Poll::Ready(()) = timer.as_mut().poll(cx) {
            timer.as_mut().reset(Instant::now() + self.pause);
            is_due = true;
        }
        is_due
    }
}
