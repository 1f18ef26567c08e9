//! A coordinator with sessions that ask, and a clock that steps.

use crate::coordination::*;
use crate::{RunId, TaskRange, Time};
use raskt_graph::LayerId;
use std::collections::BTreeMap;

/// A coordinator, and all that it has said.
pub struct World {
    pub machine: Coordinator,
    pub now: u64,
    next: u64,
    replies: BTreeMap<(Session, RequestId), Reply>,
    pub actions: Vec<Action>,
}

impl World {
    pub fn new() -> Self {
        Self::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Self {
        let (replies, actions) = Default::default();
        Self { machine: Coordinator::with(limits), now: 0, next: 0, replies, actions }
    }

    /// A session asks something.
    pub fn ask(&mut self, owner: u64, request: Request) -> RequestId {
        let id = RequestId(self.next);
        self.next += 1;
        self.machine.handle(Time(self.now), Session(owner), id, request);
        self.hear();
        id
    }

    /// A session asks something that is answered at once.
    pub fn reply(&mut self, owner: u64, request: Request) -> Reply {
        let id = self.ask(owner, request);
        self.answer(owner, id).expect("it is answered at once")
    }

    /// The answer to a request, if there is one by now.
    pub fn answer(&self, owner: u64, request: RequestId) -> Option<Reply> {
        self.replies.get(&(Session(owner), request)).cloned()
    }

    pub fn cancel(&mut self, owner: u64, request: RequestId) {
        self.machine.cancel(Time(self.now), Session(owner), request);
        self.hear();
    }

    pub fn taken(&mut self, owner: u64, request: RequestId) {
        self.machine.taken(Time(self.now), Session(owner), request);
        self.hear();
    }

    pub fn acknowledge(&mut self, owner: u64, topic: &str, number: u64) {
        self.machine.acknowledged(Time(self.now), Session(owner), &topic.into(), number);
        self.hear();
    }

    pub fn gone(&mut self, owner: u64) {
        self.machine.owner_gone(Time(self.now), Session(owner));
        self.hear();
    }

    /// Time goes on, and the machine is told.
    pub fn pass(&mut self, nanoseconds: u64) {
        self.now += nanoseconds;
        self.machine.time_passed(Time(self.now));
        self.hear();
    }

    /// What was said beside replies since this was asked last.
    pub fn heard(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    fn hear(&mut self) {
        while let Some(action) = self.machine.poll_action() {
            match action {
                Action::Reply { owner, request, reply } => {
                    let twice = self.replies.insert((owner, request), reply);
                    assert_eq!(twice, None, "a request is answered once");
                }
                other => self.actions.push(other),
            }
        }
        self.machine.validate();
    }
}

pub fn lock(name: &str, timeout: Option<u64>) -> Request {
    locks(&[name], 1, timeout)
}

pub fn locks(names: &[&str], count: u64, timeout: Option<u64>) -> Request {
    let names = names.iter().map(|&name| name.into()).collect();
    Request::AcquireLocks { names, count, holder: 0, timeout }
}

pub fn unlock(names: &[&str]) -> Request {
    Request::ReleaseLocks { names: names.iter().map(|&name| name.into()).collect(), holder: 0 }
}

pub fn acquired(names: &[&str]) -> Reply {
    Reply::Acquired(names.iter().map(|&name| name.into()).collect())
}

pub fn lease(name: &str, lease: u64, lasts: Option<u64>) -> Request {
    Request::AcquireLease { name: name.into(), leases: 1, lease, lasts, timeout: None }
}

pub fn put(name: &str, value: &str, timeout: Option<u64>) -> Request {
    Request::Put { name: name.into(), value: Value::plain(value), timeout }
}

pub fn get(name: &str, timeout: Option<u64>) -> Request {
    Request::Get { name: name.into(), timeout }
}

/// The texts of the values of a reply.
pub fn texts(reply: Option<Reply>) -> Vec<String> {
    let Some(Reply::Values { values, .. }) = reply else { panic!("values were expected, and not {reply:?}") };
    values.iter().map(|value| String::from_utf8_lossy(&value.bytes.0).into_owned()).collect()
}

/// A value that refers to tasks of a run.
pub fn refers(run: u64, tasks: std::ops::Range<u64>) -> Value {
    let tasks = TaskRange { layer: LayerId(0), start: tasks.start, end: tasks.end };
    Value { bytes: "future".into(), results: vec![(RunId(run), tasks)] }
}

pub fn refused(reply: &Reply) -> String {
    match reply {
        Reply::Refused(error) => error.to_string(),
        other => panic!("a refusal was expected, and not {other:?}"),
    }
}
