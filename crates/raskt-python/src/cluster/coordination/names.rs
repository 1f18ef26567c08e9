//! Topics, metadata and names of datasets.

use super::ClusterCoordination;
use super::asking::{disconnected, names, refused, unexpected};
use crate::ending::Outside;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_cluster::coordination::{Bytes, Coordination, Name, Reply, Request, Subscription, TopicEvent};
use raskt_sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

/// Seconds since 1970, and a pickle.
type Event<'py> = (f64, Bound<'py, PyBytes>);

/// Further keys, and the pickle under them.
type Entry<'py> = (Vec<String>, Bound<'py, PyBytes>);

/// The events of a topic from when it was subscribed to.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct ClusterSubscription {
    coordination: Coordination,
    topic: Name,
    subscription: Mutex<Subscription>,
}

#[pymethods]
impl ClusterSubscription {
    /// The next event, if one comes within `patience` seconds, and how many were missed before it.
    fn next<'py>(&self, py: Python<'py>, patience: f64) -> PyResult<Option<(u64, Event<'py>)>> {
        let patience = crate::cluster::waiting::duration(patience)?;
        let delivery = py.outside(|| self.subscription.lock().next(patience));
        Ok(delivery.map(|delivery| (delivery.missed, event(py, &self.coordination, &delivery.event))))
    }

    /// Ends it, also while another thread waits for its events.
    fn end(&self, py: Python<'_>) {
        py.outside(|| self.coordination.unsubscribe(&self.topic));
    }

    /// Whether it was ended.
    fn is_over(&self, py: Python<'_>) -> bool {
        py.outside(|| self.subscription.lock().is_over())
    }
}

fn event<'py>(py: Python<'py>, coordination: &Coordination, event: &TopicEvent) -> Event<'py> {
    let time = coordination.time_of(event).duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    (time.as_secs_f64(), PyBytes::new(py, &event.bytes.0))
}

#[pymethods]
impl ClusterCoordination {
    /// Logs an event under a topic.
    fn log(&self, py: Python<'_>, topic: &str, pickle: &[u8]) -> PyResult<()> {
        self.reply(py, Request::Log { topic: topic.into(), event: Bytes::from(pickle) }).map(drop)
    }

    /// When the scheduler has begun in the place of another one, in seconds since 1970, if nobody was told yet: it has no events of before.
    fn begun_anew(&self) -> Option<f64> {
        let began = self.coordination.begun_anew()?;
        Some(began.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs_f64())
    }

    /// The events that a topic still keeps.
    fn events<'py>(&self, py: Python<'py>, topic: &str) -> PyResult<Vec<Event<'py>>> {
        let (mut all, mut from) = (vec![], 0);
        loop {
            match self.reply(py, Request::EventsOf { topic: topic.into(), from })? {
                Reply::Events { events, more } => {
                    all.extend(events.iter().map(|one| event(py, &self.coordination, one)));
                    match events.last().filter(|_| more) {
                        Some(last) => from = last.number + 1,
                        None => return Ok(all),
                    }
                }
                other => return Err(unexpected(&other)),
            }
        }
    }

    /// The names of all topics.
    fn topics(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.all_names(py, |after| Request::Topics { after })
    }

    /// The names of all datasets.
    fn datasets(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.all_names(py, |after| Request::Datasets { after })
    }

    /// The events of a topic from here on.
    fn subscribe(&self, py: Python<'_>, topic: &str) -> PyResult<ClusterSubscription> {
        self.check()?;
        let topic = Name::from(topic);
        let begun = py.outside(|| self.coordination.subscribe(topic.clone())).map_err(|error| disconnected(&error))?;
        let subscription = Mutex::new(begun.map_err(|error| refused(&error))?);
        Ok(ClusterSubscription { coordination: self.coordination.clone(), topic, subscription })
    }

    /// Puts metadata under a key, in the place of all that was there: pickles under further keys.
    fn set_metadata(&self, py: Python<'_>, keys: Vec<String>, entries: Vec<(Vec<String>, Vec<u8>)>) -> PyResult<()> {
        let entries = entries.into_iter().map(|(keys, pickle)| (names(keys), Bytes::from(pickle))).collect();
        self.reply(py, Request::SetMetadata { keys: names(keys), entries }).map(drop)
    }

    /// All metadata under a key.
    fn get_metadata<'py>(&self, py: Python<'py>, keys: Vec<String>) -> PyResult<Vec<Entry<'py>>> {
        match self.reply(py, Request::GetMetadata { keys: names(keys) })? {
            Reply::Metadata(entries) => {
                let entry = |(keys, bytes): &(Vec<Name>, Bytes)| {
                    (keys.iter().map(|key| key.to_string()).collect(), PyBytes::new(py, &bytes.0))
                };
                Ok(entries.iter().map(entry).collect())
            }
            other => Err(unexpected(&other)),
        }
    }
}

impl ClusterCoordination {
    fn all_names(&self, py: Python<'_>, request: impl Fn(Option<Name>) -> Request) -> PyResult<Vec<String>> {
        let mut all: Vec<Name> = vec![];
        loop {
            match self.reply(py, request(all.last().cloned()))? {
                Reply::Names { names, more } => {
                    let is_last = !more || names.is_empty();
                    all.extend(names);
                    if is_last {
                        return Ok(all.iter().map(|name| name.to_string()).collect());
                    }
                }
                other => return Err(unexpected(&other)),
            }
        }
    }
}
